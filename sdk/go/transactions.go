package railkit

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"github.com/railkit/railkit/enclave/wire"
)

// TransactionType says what a transaction is meant to be.
type TransactionType string

// The types.
const (
	TransferNative TransactionType = "transfer_native" // Amount of the chain's own coin to To
	TransferToken  TransactionType = "transfer_token"  // Amount of TokenAddress to To
	Call           TransactionType = "call"            // Data, and Value, to the contract To
	SignExact      TransactionType = "sign"            // exactly UnsignedTransaction
)

// PrepareTransactionRequest asks for a transaction.
type PrepareTransactionRequest struct {
	Type                TransactionType `json:"type"`
	SignWith            string          `json:"signWith"` // address; an account id only with ExpectFrom
	ChainID             uint64          `json:"chainId"`
	To                  string          `json:"to,omitempty"`
	Amount              string          `json:"amount,omitempty"` // decimal, in units of the asset: "25.50"
	TokenAddress        string          `json:"tokenAddress,omitempty"`
	Data                string          `json:"data,omitempty"`  // 0x hex
	Value               string          `json:"value,omitempty"` // wei
	GasLimit            string          `json:"gasLimit,omitempty"`
	MaxFeePerGas        string          `json:"maxFeePerGas,omitempty"` // wei
	UnsignedTransaction string          `json:"unsignedTransaction,omitempty"`

	// What the answer is held against; never sent.
	ExpectFrom    string `json:"-"` // the address behind SignWith, where that is an account id
	TokenDecimals *int   `json:"-"` // of a token that the network does not list
	PayAgain      bool   `json:"-"` // a second payment of the same sender, receiver, asset and amount is meant: see UnminedPaymentError
	// FeeLimit, in wei, refuses a body whose gas and data fee may cost more, or whose data
	// fee nobody knows. Where it is empty the limit is DefaultFeeLimit.
	FeeLimit string `json:"-"`
}

// Fee is what the server proposes. What counts is the MaxTotalFee of the preview.
type Fee struct {
	GasLimit             string `json:"gasLimit"`
	MaxFeePerGas         string `json:"maxFeePerGas"`
	MaxPriorityFeePerGas string `json:"maxPriorityFeePerGas"`
	MaxTotalFee          string `json:"maxTotalFee"`
}

// PreparedTransaction waits for its stamp. UnsignedTransaction is only an
// illustration: nonce and fee are settled when the enclave executes.
type PreparedTransaction struct {
	TransactionID       string `json:"transactionId"`
	UnsignedTransaction string `json:"unsignedTransaction"`
	From                string `json:"from"`
	To                  string `json:"to"`
	Amount              string `json:"amount"`
	ChainID             uint64 `json:"chainId"`
	TokenAddress        string `json:"tokenAddress,omitempty"`
	Network             string `json:"network"`
	Status              string `json:"status"`
	Custody             string `json:"custody"`          // enclave | external
	Notice              string `json:"notice,omitempty"` // of external: what does not apply
	Replaces            string `json:"replaces,omitempty"`
	Fee                 Fee    `json:"fee"`
	CreatedAt           string `json:"createdAt"`
	Prepared
}

// ConfirmTransactionRequest hands in the stamp.
type ConfirmTransactionRequest struct {
	TransactionID  string         `json:"transactionId"`
	SignedActivity SignedActivity `json:"signedActivity"`
	Broadcast      *bool          `json:"broadcast,omitempty"` // default true
}

// Transaction is a transaction at any point of its life.
type Transaction struct {
	TransactionID       string `json:"transactionId"`
	Type                string `json:"type"`
	UnsignedTransaction string `json:"unsignedTransaction,omitempty"`
	SignedTransaction   string `json:"signedTransaction,omitempty"`
	Status              string `json:"status"`
	Custody             string `json:"custody"` // enclave | external
	Reason              string `json:"reason,omitempty"`
	ApprovalID          string `json:"approvalId,omitempty"` // of awaiting_approval: see GetApproval
	Stuck               bool   `json:"stuck,omitempty"`      // it pays less than the network asks: SpeedUp helps
	Replaces            string `json:"replaces,omitempty"`   // the transaction whose nonce it takes
	ReplacedBy          string `json:"replacedBy,omitempty"` // the one that was signed for its nonce since
	// WaitsFor names the transactions of the address that have to be sent before this one can be mined.
	WaitsFor     []string `json:"waitsFor,omitempty"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	Amount       string   `json:"amount"`
	ChainID      uint64   `json:"chainId"`
	TokenAddress string   `json:"tokenAddress,omitempty"`
	TxHash       string   `json:"txHash,omitempty"`
	Network      string   `json:"network"`
	Nonce        *uint64  `json:"nonce,omitempty"`
	Fee          Fee      `json:"fee"`
	ExpiresAt    string   `json:"expiresAt"`
	CreatedAt    string   `json:"createdAt"`
	UpdatedAt    string   `json:"updatedAt"`
	Proof        *Proof   `json:"proof,omitempty"`
}

// PrepareTransaction asks for the body of a transaction and checks that it does
// what was asked for and nothing else, in the words of the enclave.
func (c *Client) PrepareTransaction(ctx context.Context, req PrepareTransactionRequest) (*PreparedTransaction, error) {
	expect, err := c.expectation(req)
	if err != nil {
		return nil, err
	}
	r, err := send[PreparedTransaction](ctx, c, request{method: http.MethodPost, path: "/v1/transactions/prepare", body: req})
	if err != nil {
		return nil, err
	}
	p := &r.Data
	if p.Custody == CustodyExternal {
		return nil, ErrExternal
	}
	if err := c.notePrepared(ctx, expect, p.TransactionID); err != nil {
		return nil, err
	}
	if c.verify == nil {
		return p, nil
	}
	body, shown, err := c.preview(ctx, &p.Prepared, expect.activity(), r.Floor, r.Replayed)
	if err != nil {
		return nil, err
	}
	if err := expect.match(body, shown, p); err != nil {
		return nil, err
	}
	p.Shown = shown
	return p, nil
}

// ConfirmTransaction hands in the stamp and checks that the signed transaction
// is the one the enclave made of the stamped body.
func (c *Client) ConfirmTransaction(ctx context.Context, req ConfirmTransactionRequest) (*Transaction, error) {
	if err := c.notePaid(ctx, req.TransactionID); err != nil {
		return nil, err
	}
	var activity wire.ActivityType
	if c.verify != nil {
		body, err := readBody(req.SignedActivity.Body)
		if err != nil {
			return nil, err
		}
		activity = body.Type
	}
	r, err := send[Transaction](ctx, c, request{method: http.MethodPost, path: "/v1/transactions/confirm", body: req})
	if err != nil {
		return nil, err
	}
	if c.verify == nil {
		return &r.Data, nil
	}
	if r.Data.TransactionID != req.TransactionID {
		return nil, tampered(ReasonResult, "the answer is another transaction than was confirmed")
	}
	st, err := c.verify.result(r.Data.Proof, req.SignedActivity.Body, activity)
	if err != nil {
		return nil, err
	}
	if err := matchSigned(&r.Data, st); err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// matchSigned holds a signed transaction against the enclave's.
func matchSigned(t *Transaction, st *opened) error {
	made := st.Result.Transaction
	if made == nil || made.TxHash == "" || made.SignedTransaction == "" {
		return tampered(ReasonResult, "the enclave's statement has no transaction")
	}
	if !sameHex(made.TxHash, t.TxHash) || !sameHex(made.SignedTransaction, t.SignedTransaction) {
		return tampered(ReasonResult, "the answer has another signed transaction than the enclave made")
	}
	if !sameHex(made.SignWith, t.From) || made.ChainID != decimal(t.ChainID) {
		return tampered(ReasonResult, "the answer names another sender or chain than the enclave signed for")
	}
	return nil
}

// GetTransaction reads one transaction.
func (c *Client) GetTransaction(ctx context.Context, id string) (*Transaction, error) {
	r, err := send[Transaction](ctx, c, request{method: http.MethodGet, path: signPath(id)})
	if err != nil {
		return nil, err
	}
	if c.verify != nil && r.Data.TransactionID != id {
		return nil, tampered(ReasonResult, "the answer is another transaction than was asked for")
	}
	return checked(&r.Data, c.checkTransaction(&r.Data))
}

// checkTransaction holds a transaction that was signed against its proof.
func (c *Client) checkTransaction(t *Transaction) error {
	if c.verify == nil || (t.Proof == nil && t.TxHash == "" && t.SignedTransaction == "") {
		return nil // nothing that the enclave made
	}
	if t.Custody == CustodyExternal && t.Proof == nil {
		return checkSigned(t)
	}
	st, err := c.verify.open(t.Proof, wire.KindResult)
	if err != nil {
		return err
	}
	if st.Result == nil {
		return tampered(ReasonResult, "the enclave's statement has no result")
	}
	if st.Outcome != "" && t.TxHash == "" && t.SignedTransaction == "" {
		return nil // waits for approval, or was denied
	}
	return matchSigned(t, st)
}

// CancelTransaction withdraws a transaction that waits for its stamp. After it
// the enclave never signs that body.
func (c *Client) CancelTransaction(ctx context.Context, id string) (*Transaction, error) {
	r, err := send[Transaction](ctx, c, request{method: http.MethodDelete, path: signPath(id)})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

func signPath(id string) string { return "/v1/transactions/sign/" + url.PathEscape(id) }

// TransactionListOptions select transactions.
type TransactionListOptions struct {
	ListOptions
	Status string
}

// ListTransactions reads one page of all transactions, newest first.
func (c *Client) ListTransactions(ctx context.Context, o TransactionListOptions) (*Page[Transaction], error) {
	q := o.query()
	if o.Status != "" {
		q.Set("status", o.Status)
	}
	return c.transactions(ctx, "/v1/transactions/sign", q)
}

// AllTransactions walks all pages.
func (c *Client) AllTransactions(ctx context.Context, o TransactionListOptions) iter.Seq2[Transaction, error] {
	return each(o.ListOptions, func(page ListOptions) (*Page[Transaction], error) {
		o.ListOptions = page
		return c.ListTransactions(ctx, o)
	})
}

// PendingSignature reads one page of the transactions that wait for a stamp.
func (c *Client) PendingSignature(ctx context.Context, o ListOptions) (*Page[Transaction], error) {
	return c.transactions(ctx, "/v1/transactions/pending-signature", o.query())
}

func (c *Client) transactions(ctx context.Context, path string, q url.Values) (*Page[Transaction], error) {
	r, err := send[[]Transaction](ctx, c, request{method: http.MethodGet, path: path, query: q})
	if err != nil {
		return nil, err
	}
	for i := range r.Data {
		if err := c.checkTransaction(&r.Data[i]); err != nil {
			return nil, err
		}
	}
	return &Page[Transaction]{Items: r.Data, Meta: r.Meta}, nil
}
