package control

import (
	"context"
	"net/http"
	"net/url"
)

// BankDeposit is a transfer of a depositor's bank. Account is a number of a virtual account's instructions, or its id.
type BankDeposit struct {
	Account    string `json:"account"`
	Amount     string `json:"amount"`               // in the account's currency
	SenderName string `json:"senderName,omitempty"` // "": the sandbox's
	Rail       string `json:"rail,omitempty"`       // "": the account's first
	Trace      string `json:"trace,omitempty"`      // the rail's own reference; "": the sandbox makes one
	ID         string `json:"id,omitempty"`         // of the deposit: the same again is that deposit; "": a new one
}

// Deposit is a deposit of a virtual account, with what the partner's events do not tell.
type Deposit struct {
	ID              string   `json:"id"`
	CustomerID      string   `json:"customer_id"`
	AccountID       string   `json:"virtual_account_id"`
	State           string   `json:"state"` // the type of its newest event
	Amount          string   `json:"amount"`
	Currency        string   `json:"currency"`
	DeveloperFee    string   `json:"developer_fee_amount"`
	Rate            string   `json:"exchange_rate"`
	PaymentAmount   string   `json:"payment_amount"` // the coins that are owed
	PaymentCurrency string   `json:"payment_currency"`
	ToAddress       string   `json:"to_address"` // where they go
	Hashes          []string `json:"tx_hashes"`  // of the treasury's transactions
	Rail            string   `json:"payment_rail"`
	SenderName      string   `json:"sender_name"`
	Trace           string   `json:"trace"`
	Reason          string   `json:"reason"` // why it is held, or goes back
}

// Deposit has a bank transfer arrive at a virtual account; by ACH it is on its way first.
func (c *Client) Deposit(ctx context.Context, b BankDeposit) (d Deposit, err error) {
	err = c.call(ctx, http.MethodPost, "/sandbox/deposits", b, &d)
	return d, err
}

// FindDeposit tells how far a deposit is.
func (c *Client) FindDeposit(ctx context.Context, id string) (d Deposit, err error) {
	err = c.call(ctx, http.MethodGet, "/sandbox/deposits/"+url.PathEscape(id), nil, &d)
	return d, err
}

// AdvanceDeposit makes a deposit's next step happen now. A transaction on a chain takes its own time.
func (c *Client) AdvanceDeposit(ctx context.Context, id string) error {
	return c.deposit(ctx, id, "advance", nil)
}

// ReleaseDeposit converts a deposit that is held, or that would never be sent.
func (c *Client) ReleaseDeposit(ctx context.Context, id string) error {
	return c.deposit(ctx, id, "release", nil)
}

// ReturnDeposit has the sender's bank take a deposit back, also one whose coins were sent.
func (c *Client) ReturnDeposit(ctx context.Context, id, reason string) error {
	return c.deposit(ctx, id, "return", Why{Reason: reason})
}

// Misdirection is what goes wrong with the coins of a deposit.
type Misdirection string

// The misdirections.
const (
	OtherAddress Misdirection = "address"
	OtherAmount  Misdirection = "amount" // a tenth less than is told
	SentTwice    Misdirection = "twice"  // and told once
	NeverSent    Misdirection = "never"
	OtherHash    Misdirection = "hash" // another one is told
)

// MisdirectDeposit chooses what goes wrong with the coins of a deposit that is not converted yet.
func (c *Client) MisdirectDeposit(ctx context.Context, id string, how Misdirection) error {
	return c.deposit(ctx, id, "misdirect", map[string]Misdirection{"how": how})
}

func (c *Client) deposit(ctx context.Context, id, what string, body any) error {
	return c.call(ctx, http.MethodPost, "/sandbox/deposits/"+url.PathEscape(id)+"/"+what, body, nil)
}

// DepositCount is what became of a deposit in the partner's ledger. Paid is how often coins were sent for it, Returned
// how often its money went back.
type DepositCount struct {
	ID        string `json:"id"`
	AccountID string `json:"virtualAccountId"`
	State     string `json:"state"`
	Amount    string `json:"amount"`
	Currency  string `json:"currency"`
	Paid      int    `json:"paid"`
	Returned  int    `json:"returned"`
}
