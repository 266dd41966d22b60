package sandbox

import (
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/sandbox/onchain"
	"github.com/railkit/railkit/money"
)

// payment is a transfer as the partner keeps it.
type payment struct {
	ID, Customer, Reference string
	State                   fiat.TransferState
	Wallet, Chain           string
	From                    string // the wallet's address
	Gross, Fee, Net         money.Amount
	Fixed                   bool // the net amount was asked for
	Rate                    money.Rate
	Rail                    fiat.Rail // "" on a chain
	Account                 string
	To                      string // on a chain
	Fate                    fate
	FateCode                string // the rail's code of a return to come; "": a closed account

	TrackingKey, TraceNumber, IMAD, Hash string
	Code, Reason                         string // why it failed
	Refunded                             *money.Amount
	CreatedAt, UpdatedAt                 time.Time
}

// order is a request for a transfer.
type order struct {
	Customer  string `json:"on_behalf_of"`
	Reference string `json:"client_reference_id"`
	Amount    string `json:"amount"`
	Fee       string `json:"developer_fee"`
	Source    struct {
		Rail     string         `json:"payment_rail"`
		Currency money.Currency `json:"currency"`
		Wallet   string         `json:"bridge_wallet_id"`
	} `json:"source"`
	Destination struct {
		Rail     string         `json:"payment_rail"`
		Currency money.Currency `json:"currency"`
		Account  string         `json:"external_account_id"`
		To       string         `json:"to_address"`
		Amount   string         `json:"amount"`
	} `json:"destination"`
}

// createTransfer takes the money from the wallet at once, or refuses.
func createTransfer(t *tx, r request) (any, error) {
	var o order
	if err := r.into(&o); err != nil {
		return nil, err
	}
	if o.Destination.Rail == depositReturn {
		return returnDeposit(t, r)
	}
	p := payment{ID: uuid.NewString(), Customer: o.Customer, Reference: o.Reference, CreatedAt: t.stamp()}
	for _, step := range []func(*tx, order) error{p.readSource, p.readDestination, p.price} {
		if err := step(t, o); err != nil {
			return nil, err
		}
	}
	if err := t.take(p); err != nil {
		return nil, err
	}
	p.State = fiat.TransferFunded
	due := t.now
	if p.Fate == heldFate {
		p.State, due = fiat.TransferInReview, t.now.Add(reviewTime)
	}
	if p.State == fiat.TransferFunded {
		due = p.leaves(t.now)
	}
	err := t.savePayment(&p, due, created)
	return p.wire(), err
}

func (p *payment) readSource(t *tx, o order) error {
	switch {
	case len(o.Reference) > 256:
		return invalid("client_reference_id", "is too long")
	case o.Source.Rail != "bridge_wallet":
		return invalid("source.payment_rail", "is bridge_wallet: the partner moves what it holds")
	case !o.Source.Currency.Stable():
		return invalid("source.currency", "is a stablecoin that the partner holds")
	}
	if _, err := activeCustomer(&t.view, o.Customer); errors.Is(err, errNotFound) {
		return missing("on_behalf_of")
	} else if err != nil {
		return err
	}
	w, err := walletOf(&t.view, o.Customer, o.Source.Wallet)
	if errors.Is(err, errNotFound) {
		return missing("source.bridge_wallet_id")
	}
	p.Wallet, p.Chain, p.From = w.ID, w.Chain, w.Address
	return err
}

func (p *payment) readDestination(t *tx, o order) error {
	if !o.Destination.Currency.Known() {
		return invalid("destination.currency", "is not one that the partner knows")
	}
	if on, ok := t.s.chain(o.Destination.Rail); ok {
		return p.readAddress(on, o)
	}
	r, ok := rails[fiat.Rail(o.Destination.Rail)]
	if !ok {
		return invalid("destination.payment_rail", "is not one that the partner pays on")
	}
	if r.currency != o.Destination.Currency {
		return invalid("destination.currency", "is not the rail's")
	}
	p.Rail = fiat.Rail(o.Destination.Rail)
	a, err := accountOf(&t.view, o.Customer, o.Destination.Account)
	if errors.Is(err, errNotFound) {
		return missing("destination.external_account_id")
	}
	if err != nil {
		return err
	}
	p.Account = a.ID
	if err := a.payable(o.Destination.Currency); err != nil {
		return err
	}
	p.Fate = a.fate()
	return nil
}

func (p *payment) readAddress(on *onchain.Chain, o order) (err error) {
	token, listed := on.Network().TokenBySymbol(string(o.Source.Currency))
	switch {
	case on.Network().Slug != p.Chain:
		return invalid("destination.payment_rail", "is the chain of the wallet")
	case o.Destination.Currency != o.Source.Currency:
		return invalid("destination.currency", "is the currency of the source")
	case !listed:
		return invalid("source.currency", "is not on the chain")
	}
	if p.To, err = on.Payee(token, o.Destination.To); err != nil {
		return invalid("destination.to_address", "is not an address of the chain")
	}
	return nil
}

var (
	errClosed  = refuse(http.StatusBadRequest, "deactivated_external_account", "the external account is closed")
	errPending = refuse(http.StatusUnprocessableEntity, "external_account_pending",
		"the external account is not active yet")
	errRejected = refuse(http.StatusUnprocessableEntity, "external_account_rejected",
		"the external account was rejected")
	errDenied = refuse(http.StatusUnprocessableEntity, "payment_refused", "the bank refuses payments to this owner")
	errShort  = refuse(http.StatusUnprocessableEntity, "insufficient_funds",
		"the wallet has less than the transfer takes")
)

func (a account) payable(c money.Currency) error {
	switch {
	case a.Currency != c:
		return invalid("destination.currency", "is not the account's")
	case a.Status == closed:
		return errClosed
	case a.Status == pending:
		return errPending
	case a.Status == rejected:
		return errRejected
	case a.hasWord("Failed"):
		return errDenied
	}
	return nil
}

// price finds all amounts from the one that is given.
func (p *payment) price(t *tx, o order) (err error) {
	if o.Fee == "" {
		o.Fee = "0"
	}
	if p.Fee, err = money.Parse(o.Fee, o.Source.Currency); err != nil {
		return invalid("developer_fee", "is not an amount of the source's currency")
	}
	d, err := deskOf(&t.view)
	if err != nil {
		return err
	}
	asked, err := d.rate(o.Source.Currency, o.Destination.Currency, t.now)
	if err != nil {
		return err
	}
	p.Rate = asked.Sell
	switch {
	case o.Amount != "" && o.Destination.Amount != "":
		return invalid("amount", "and destination.amount are two answers to one question")
	case o.Destination.Amount != "":
		return p.priceFixed(o)
	}
	return p.priceGross(o)
}

func (p *payment) priceFixed(o order) (err error) {
	p.Fixed = true
	if p.Net, err = money.Parse(o.Destination.Amount, o.Destination.Currency); err != nil || p.Net.Minor <= 0 {
		return invalid("destination.amount", "is not an amount of the destination's currency")
	}
	cost, err := p.Rate.Cost(p.Net, o.Source.Currency)
	if err == nil {
		p.Gross, err = cost.Add(p.Fee)
	}
	if err != nil {
		return invalid("destination.amount", "is too much")
	}
	return nil
}

func (p *payment) priceGross(o order) (err error) {
	if p.Gross, err = money.Parse(o.Amount, o.Source.Currency); err != nil || p.Gross.Minor <= 0 {
		return invalid("amount", "is not an amount of the source's currency")
	}
	rest, err := p.Gross.Sub(p.Fee)
	if err == nil && rest.Minor > 0 {
		p.Net, err = p.Rate.Convert(rest, o.Destination.Currency)
	}
	switch {
	case err != nil:
		return invalid("amount", "is too much")
	case p.Net.Minor <= 0:
		return invalid("amount", "leaves nothing after the fee")
	}
	if f := fateOf(p.Gross); p.Rail != "" && f != "" {
		p.Fate = f
	}
	return nil
}

// take moves the gross amount out of the wallet, if it is there. The developer's
// fee is earned from then on, whatever becomes of the rest.
func (t *tx) take(p payment) error {
	held, err := balance(&t.view, walletAccount(p.Wallet), p.Gross.Currency)
	if err != nil {
		return err
	}
	if held.Minor < p.Gross.Minor {
		return errShort
	}
	return t.post("transfer", "transfer:"+p.ID, p.ID,
		line{walletAccount(p.Wallet), p.Gross.Neg()}, line{feeAccount, p.Fee}, line{transitAccount(p.ID), p.subtotal()})
}

// leaves is when a transfer that is funded goes out.
func (p *payment) leaves(at time.Time) time.Time {
	if p.Rail != "" {
		at = rails[p.Rail].leaves(at)
	}
	if p.Fate == delayedFate {
		at = at.Add(delayTime)
	}
	return at
}

func (t *tx) savePayment(p *payment, due time.Time, m mutation) error {
	p.UpdatedAt = t.stamp()
	if err := t.put(row{kind: transferKind, id: p.ID, owner: p.Customer, ref: p.Reference, due: due}, p); err != nil {
		return err
	}
	return t.emit("transfer", m, p.ID, string(p.State), p.wire())
}

func paymentOf(v *view, id string) (payment, error) {
	var p payment
	found, err := find(v, &p, "kind = ? AND id = ?", transferKind, id)
	if err == nil && !found {
		err = errNotFound
	}
	return p, err
}

// transfer is a payment as answers and notices show it.
type transfer struct {
	ID          string             `json:"id"`
	Reference   string             `json:"client_reference_id"`
	Customer    string             `json:"on_behalf_of"`
	State       fiat.TransferState `json:"state"`
	Currency    money.Currency     `json:"currency"`
	Amount      string             `json:"amount"`
	Fee         string             `json:"developer_fee"`
	Source      transferSource     `json:"source"`
	Destination transferTarget     `json:"destination"`
	Receipt     receipt            `json:"receipt"`
	Return      *returned          `json:"return_details"`
	CreatedAt   time.Time          `json:"created_at"`
	UpdatedAt   time.Time          `json:"updated_at"`
}

type transferSource struct {
	Rail     string         `json:"payment_rail"`
	Currency money.Currency `json:"currency"`
	Wallet   string         `json:"bridge_wallet_id"`
	From     string         `json:"from_address"`
}

type transferTarget struct {
	Rail        string         `json:"payment_rail"`
	Currency    money.Currency `json:"currency"`
	Account     string         `json:"external_account_id,omitempty"`
	To          string         `json:"to_address,omitempty"`
	Amount      string         `json:"amount,omitempty"`
	TrackingKey string         `json:"tracking_number,omitempty"`
	TraceNumber string         `json:"trace_number,omitempty"`
	IMAD        string         `json:"imad,omitempty"`
}

type receipt struct {
	Initial     string  `json:"initial_amount"`
	Fee         string  `json:"developer_fee"`
	ExchangeFee string  `json:"exchange_fee"`
	Subtotal    string  `json:"subtotal_amount"`
	Gas         string  `json:"gas_fee"`
	Rate        string  `json:"exchange_rate"`
	Final       string  `json:"final_amount"`
	Hash        *string `json:"destination_tx_hash"`
}

type returned struct {
	Code     string         `json:"code"`
	Reason   string         `json:"reason"`
	Amount   string         `json:"refunded_amount,omitempty"`
	Currency money.Currency `json:"refunded_currency,omitempty"`
}

func (p *payment) wire() transfer {
	w := transfer{
		ID: p.ID, Reference: p.Reference, Customer: p.Customer, State: p.State, Currency: p.Gross.Currency,
		Amount: p.Gross.String(), Fee: p.Fee.String(), CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
		Source: transferSource{"bridge_wallet", p.Gross.Currency, p.Wallet, p.From},
		Destination: transferTarget{
			Rail: string(p.Rail), Currency: p.Net.Currency, Account: p.Account, To: p.To,
			TrackingKey: p.TrackingKey, TraceNumber: p.TraceNumber, IMAD: p.IMAD,
		},
		Receipt: p.receipt(),
	}
	if p.Rail == "" {
		w.Destination.Rail = p.Chain
	}
	if p.Fixed {
		w.Destination.Amount = p.Net.String()
	}
	if p.Code != "" {
		w.Return = &returned{Code: p.Code, Reason: p.Reason}
	}
	if p.Refunded != nil {
		w.Return.Amount, w.Return.Currency = p.Refunded.String(), p.Refunded.Currency
	}
	return w
}

func (p *payment) receipt() receipt {
	none := money.Of(0, p.Gross.Currency).String()
	r := receipt{
		Initial: p.Gross.String(), Fee: p.Fee.String(), ExchangeFee: none, Gas: none, Subtotal: p.subtotal().String(),
		Rate: p.Rate.String(), Final: p.Net.String(),
	}
	if p.Hash != "" {
		r.Hash = &p.Hash
	}
	return r
}

// subtotal is what is changed: all but the developer's fee.
func (p *payment) subtotal() money.Amount {
	return money.Of(p.Gross.Minor-p.Fee.Minor, p.Gross.Currency)
}

func getTransfer(v *view, r request) (any, error) {
	p, err := paymentOf(v, r.PathValue("transfer"))
	return p.wire(), err
}

// listTransfers lists all, or those of the customer and reference that are asked for.
func listTransfers(v *view, r request) (any, error) {
	where, args := "true", []any{}
	customer := r.PathValue("customer")
	if customer == "" {
		customer = r.URL.Query().Get("customer_id")
	}
	if customer != "" {
		where, args = where+" AND owner = ?", append(args, customer)
	}
	if reference := r.URL.Query().Get("client_reference_id"); reference != "" {
		where, args = where+" AND ref = ?", append(args, reference)
	}
	found, err := list[payment](v, r, transferKind, where, args...)
	wires := page[transfer]{found.Count, []transfer{}}
	for _, p := range found.Data {
		wires.Data = append(wires.Data, p.wire())
	}
	return wires, err
}
