package bridge

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bank"
	"github.com/railkit/railkit/money"
)

// Bridge documents the activity of one account at
// https://apidocs.bridge.xyz/api-reference/virtual-accounts/virtual-account-activity, and below
// https://apidocs.bridge.xyz/platform/orchestration its events (/virtual_accounts/virtual-account-events), the names of
// a rail's own reference (/more/payment-tracking) and the return of a deposit (/more/returns).

type activityAnswer struct {
	ID         string       `json:"id"`
	CustomerID string       `json:"customer_id"`
	AccountID  string       `json:"virtual_account_id"`
	DepositID  string       `json:"deposit_id"`
	Type       string       `json:"type"`
	Amount     decimal      `json:"amount"`
	Currency   string       `json:"currency"`
	Fee        decimal      `json:"developer_fee_amount"`
	Hash       string       `json:"destination_tx_hash"`
	Source     originAnswer `json:"source"`
	Reason     string       `json:"reason"`
	Refund     struct {
		Reason string `json:"reason"`
	} `json:"refund"`
	Return struct {
		Reason string `json:"reason"`
	} `json:"return_details"`
	CreatedAt string `json:"created_at"`
}

// originAnswer is what is told of the depositor's transfer. Each rail has its own names.
type originAnswer struct {
	Rail          string `json:"payment_rail"`
	SenderName    string `json:"sender_name"`
	Originator    string `json:"originator_name"`
	TraceNumber   string `json:"trace_number"`
	IMAD          string `json:"imad"`
	Tracking      string `json:"tracking_number"`
	TransactionID string `json:"transaction_id"`
	EndToEndID    string `json:"end_to_end_id"`
	UETR          string `json:"uetr"`
	Reference     string `json:"reference"`
}

// Activities lists what happened to a virtual account since an instant, newest first.
func (c *Client) Activities(
	ctx context.Context, customerID, accountID string, since time.Time,
) ([]fiat.Activity, error) {
	at, err := path("customers", customerID, "virtual_accounts", accountID)
	if err != nil {
		return nil, err
	}
	var all []fiat.Activity
	id := func(a activityAnswer) string { return a.ID }
	err = each(ctx, c, at+"/history", id, func(a activityAnswer) (bool, error) {
		one, err := a.activity(customerID, accountID)
		if err != nil || before(one.At, since) {
			return true, err
		}
		all = append(all, one)
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

var (
	activityType = regexp.MustCompile(`^[a-z][a-z0-9_.]{0,63}$`)
	txHash       = regexp.MustCompile(`^[A-Za-z0-9]{32,128}$`)
)

// ofDeposit are the types that are about a depositor's money, and so need to say which.
var ofDeposit = map[fiat.ActivityType]bool{
	fiat.FundsScheduled: true, fiat.FundsReceived: true, fiat.FundsInReview: true, fiat.PaymentSubmitted: true,
	fiat.PaymentProcessed: true, fiat.RefundInFlight: true, fiat.Refunded: true, fiat.RefundFailed: true,
}

func (a activityAnswer) activity(customerID, accountID string) (fiat.Activity, error) {
	kind := fiat.ActivityType(a.Type)
	if kind == "activation" { // Bridge's pages have both words
		kind = fiat.AccountActivated
	}
	at, err := instant(a.CreatedAt)
	if err := firstOf(err, told(a.ID), same("customer", a.CustomerID, customerID),
		same("virtual account", a.AccountID, accountID)); err != nil {
		return fiat.Activity{}, err
	}
	if !activityType.MatchString(a.Type) || ofDeposit[kind] && a.DepositID == "" ||
		a.DepositID != "" && told(a.DepositID) != nil {
		return fiat.Activity{}, fmt.Errorf("an activity without a type or a deposit: %w", fiat.ErrAnswer)
	}
	one := fiat.Activity{
		ID: a.ID, AccountID: accountID, DepositID: a.DepositID, Type: kind, Rail: railOf(a.Source.Rail), At: at,
		SenderName: clipped(first(a.Source.SenderName, a.Source.Originator)), Trace: clipped(a.Source.trace()),
		Reason: harmless(first(a.Reason, a.Refund.Reason, a.Return.Reason), nil),
	}
	return one, firstOf(a.hash(&one), a.amounts(&one))
}

func (o originAnswer) trace() string {
	return first(o.Tracking, o.TraceNumber, o.IMAD, o.EndToEndID, o.TransactionID, o.UETR, o.Reference)
}

func pays(t fiat.ActivityType) bool { return t == fiat.PaymentSubmitted || t == fiat.PaymentProcessed }

// hash reads which transaction carried the coins. Before it is final it need not be told.
func (a activityAnswer) hash(one *fiat.Activity) error {
	if !pays(one.Type) || a.Hash == "" && one.Type == fiat.PaymentSubmitted {
		return nil
	}
	if !txHash.MatchString(a.Hash) {
		return fmt.Errorf("a payment without its transaction: %w", fiat.ErrAnswer)
	}
	one.Hash = a.Hash
	return nil
}

// amounts reads what arrived or was sent. Of an event that is about no deposit it need not be told.
func (a activityAnswer) amounts(one *fiat.Activity) error {
	currency := a.currency(one.Type)
	if !ofDeposit[one.Type] && (a.Amount == "" || !currency.Known()) {
		return nil
	}
	source := sourceOf(one.Rail)
	switch {
	case !currency.Known(),
		pays(one.Type) != currency.Stable() && one.Type != fiat.RefundInFlight && one.Type != fiat.Refunded &&
			one.Type != fiat.RefundFailed && ofDeposit[one.Type],
		!currency.Stable() && source != "" && source != currency && ofDeposit[one.Type]:
		return fmt.Errorf("an activity in another currency: %w", fiat.ErrAnswer)
	}
	var err error
	if one.Amount, err = a.Amount.amount(currency); err != nil {
		return err
	}
	if one.Amount.Minor < 0 || one.Amount.Minor == 0 && (pays(one.Type) || one.Type == fiat.FundsReceived) {
		return fmt.Errorf("an activity without an amount: %w", fiat.ErrAnswer)
	}
	if source == "" || !pays(one.Type) {
		return nil
	}
	one.Fee, err = a.Fee.rest(source)
	if err == nil && one.Fee.Minor < 0 {
		err = fmt.Errorf("a fee: %w", fiat.ErrAnswer)
	}
	return err
}

// currency is what an amount is in. Bridge's example writes what it pays in USDC as dollars.
func (a activityAnswer) currency(kind fiat.ActivityType) money.Currency {
	if pays(kind) && a.Currency == string(money.USD) {
		return money.USDC
	}
	return money.Currency(a.Currency)
}

// sourceOf is the currency that a rail moves; "" for a rail that is not known here.
func sourceOf(r fiat.Rail) money.Currency {
	for _, c := range []money.Currency{money.USD, money.EUR, money.MXN, money.BRL, money.GBP} {
		if bank.Carries(r, c) {
			return c
		}
	}
	return ""
}

type returnBody struct {
	CustomerID  string     `json:"on_behalf_of"`
	Amount      string     `json:"amount"`
	Destination returnGoal `json:"destination"`
}

type returnGoal struct {
	Rail      string `json:"payment_rail"`
	Currency  string `json:"currency"`
	DepositID string `json:"deposit_id"`
}

type returnAnswer struct {
	ID          string     `json:"id"`
	CustomerID  string     `json:"on_behalf_of"`
	Amount      decimal    `json:"amount"`
	Destination returnGoal `json:"destination"`
}

// depositReturn is the rail by which money goes back to whoever sent it.
const depositReturn = "fiat_deposit_return"

// ReturnDeposit asks to send a deposit back that was not converted yet. Bridge documents such a transfer with a source
// in coins, for what was converted; nobody has tried it without one against the real service.
func (c *Client) ReturnDeposit(ctx context.Context, key, customerID, depositID string, amount money.Amount) error {
	if told(customerID) != nil || told(depositID) != nil {
		return fiat.ErrNotFound
	}
	body := returnBody{customerID, amount.String(), returnGoal{depositReturn, string(amount.Currency), depositID}}
	var a returnAnswer
	if err := c.post(ctx, "/transfers", key, body, &a); err != nil {
		return err
	}
	given, err := a.Amount.or(decimal(body.Amount)).amount(amount.Currency)
	if err == nil && given != amount {
		err = fmt.Errorf("another amount than asked for: %w", fiat.ErrAnswer)
	}
	return firstOf(err, told(a.ID), same("customer", a.CustomerID, customerID),
		same("deposit", a.Destination.DepositID, depositID), same("rail", a.Destination.Rail, depositReturn),
		same("currency", a.Destination.Currency, string(amount.Currency)))
}
