package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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

// activityRow is one of a list. One that makes no sense does not spoil the list: it says so.
type activityRow struct {
	activityAnswer
	bad error
}

// UnmarshalJSON reads of a row of another form what it can: whose it is, and what it is about.
func (r *activityRow) UnmarshalJSON(text []byte) error {
	*r = activityRow{}
	if r.bad = decode(text, &r.activityAnswer); r.bad == nil {
		return nil
	}
	r.activityAnswer = activityAnswer{}
	var parts map[string]jsontext.Value
	_ = json.Unmarshal(text, &parts)
	for name, to := range map[string]*string{
		"id": &r.ID, "customer_id": &r.CustomerID, "virtual_account_id": &r.AccountID, "deposit_id": &r.DepositID,
		"type": &r.Type, "created_at": &r.CreatedAt,
	} {
		_ = json.Unmarshal(parts[name], to)
	}
	return nil
}

// name is the id of a row, by which the list goes on; "" where it is none.
func (r activityRow) name() string {
	if told(r.ID) != nil {
		return ""
	}
	return r.ID
}

// Activities lists what happened to a virtual account since an instant, newest first.
func (c *Client) Activities(
	ctx context.Context, customerID, accountID string, since time.Time,
) ([]fiat.Activity, error) {
	at, err := path("customers", customerID, "virtual_accounts", accountID)
	if err != nil {
		return nil, err
	}
	coin := sync.OnceValues(func() (money.Currency, error) { return c.coinOf(ctx, at, customerID, accountID) })
	var all []fiat.Activity
	err = eachOf(ctx, c, at+"/history", maxActivities, activityRow.name, func(r activityRow) (bool, error) {
		if err := firstOf(same("customer", r.CustomerID, customerID),
			same("virtual account", r.AccountID, accountID)); err != nil {
			return true, err // the list is somebody else's
		}
		if err := r.dollars(coin); err != nil {
			return true, err
		}
		one := r.read(accountID)
		if before(one.At, since) {
			return true, nil
		}
		all = append(all, one)
		return false, nil
	})
	if err != nil && !errors.Is(err, fiat.ErrLong) {
		return nil, err
	}
	return all, err
}

// coinOf asks what the deposits of an account become.
func (c *Client) coinOf(ctx context.Context, at, customerID, accountID string) (money.Currency, error) {
	var a virtualAnswer
	if err := c.get(ctx, at, nil, &a); err != nil {
		return "", err
	}
	coin := money.Currency(a.Destination.Currency)
	err := firstOf(same("virtual account", a.ID, accountID), same("customer", a.CustomerID, customerID))
	if err == nil && !coin.Stable() {
		err = fmt.Errorf("a virtual account without a coin: %w", fiat.ErrAnswer)
	}
	return coin, err
}

// dollars makes of dollars that were paid the coin of the account. Bridge says that such an amount is in the currency
// of the destination, and one of its examples writes what it pays in USDC as usd.
func (r *activityRow) dollars(coin func() (money.Currency, error)) error {
	if !pays(fiat.ActivityType(r.Type)) || r.Currency != string(money.USD) {
		return nil
	}
	c, err := coin()
	r.Currency = string(c)
	return err
}

// read makes an activity of a row, if need be one that says that it makes no sense.
func (r activityRow) read(accountID string) fiat.Activity {
	one, err := r.activity(accountID)
	if err = firstOf(r.bad, err); err == nil {
		return one
	}
	kind := "an activity"
	if activityType().MatchString(r.Type) {
		kind = r.Type
	}
	none := fiat.Activity{
		ID: r.name(), AccountID: accountID, Type: fiat.Unreadable, Reason: harmless(kind+": "+err.Error(), nil),
	}
	if told(r.DepositID) == nil {
		none.DepositID = r.DepositID
	}
	none.At, _ = instant(r.CreatedAt)
	return none
}

var (
	activityType = pattern(`^[a-z][a-z0-9_.]{0,63}$`)
	txHash       = pattern(`^[A-Za-z0-9]{32,128}$`)
)

// ofDeposit are the types that are about a depositor's money, and so need to say which.
var ofDeposit = map[fiat.ActivityType]bool{
	fiat.FundsScheduled: true, fiat.FundsReceived: true, fiat.FundsInReview: true, fiat.PaymentSubmitted: true,
	fiat.PaymentProcessed: true, fiat.RefundInFlight: true, fiat.Refunded: true, fiat.RefundFailed: true,
}

func (a activityAnswer) activity(accountID string) (fiat.Activity, error) {
	kind := fiat.ActivityType(a.Type)
	if kind == "activation" { // Bridge's pages have both words
		kind = fiat.AccountActivated
	}
	at, err := instant(a.CreatedAt)
	if err := firstOf(err, told(a.ID)); err != nil {
		return fiat.Activity{}, err
	}
	if !activityType().MatchString(a.Type) || ofDeposit[kind] && a.DepositID == "" ||
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
	if !txHash().MatchString(a.Hash) {
		return fmt.Errorf("a payment without its transaction: %w", fiat.ErrAnswer)
	}
	one.Hash = a.Hash
	return nil
}

// amounts reads what arrived or was sent. Of an event that is about no deposit it need not be told.
func (a activityAnswer) amounts(one *fiat.Activity) error {
	currency := money.Currency(a.Currency)
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
