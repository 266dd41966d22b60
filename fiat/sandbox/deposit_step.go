package sandbox

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/sandbox/onchain"
	"github.com/railkit/railkit/money"
)

// stepDeposit moves a deposit on. What follows is due by the plan, as with payments.
func stepDeposit(t *tx, due task) error {
	d, err := depositOf(&t.view, due.id)
	if err != nil {
		return err
	}
	switch {
	case d.State == fiat.FundsScheduled:
		a, err := virtualOf(&t.view, d.Customer, d.Account)
		if err != nil {
			return err
		}
		return d.arrive(t, a, due.due)
	case d.State == fiat.RefundInFlight:
		return d.refund(t)
	case d.State == fiat.PaymentProcessed: // the sender's bank wants it back after all
		return d.sendBack(t, senderRecall, due.due)
	case d.Converted:
		return d.save(t, time.Time{}) // the treasury has it
	case d.Reason != "":
		return d.sendBack(t, d.Reason, due.due)
	}
	return d.convert(t, due.due)
}

// convert takes the developer's fee, changes the rest at the desk's rate, and hands it to the treasury.
func (d *deposit) convert(t *tx, at time.Time) error {
	crash.At("Partner", "before-conversion")
	a, err := virtualOf(&t.view, d.Customer, d.Account)
	if err != nil {
		return err
	}
	switch err := d.price(t, a); {
	case errors.Is(err, money.ErrRange): // somebody released one that is larger than can be counted
		return d.sendBack(t, aboveMaximum, at)
	case err != nil:
		return err
	case d.Net.Minor <= 0:
		return d.sendBack(t, belowMinimum, at)
	}
	d.Converted, d.Chain, d.To = true, a.Destination.Rail, a.Destination.Address
	if d.Fate == strayFate {
		on, ok := t.s.chain(d.Chain)
		if !ok {
			return errNoChain
		}
		if d.To, err = t.newAddress(on, onchain.Wallet); err != nil {
			return err
		}
	}
	if err := t.post("conversion", "conversion:"+d.ID, d.ID, d.conversion()...); err != nil {
		return err
	}
	parts := 1
	if d.Fate == doubleFate {
		parts = 2
	}
	for part := 1; part <= parts; part++ {
		if err := t.queue(d.sendID(part), d.Chain); err != nil {
			return err
		}
	}
	return d.save(t, time.Time{})
}

// price finds the fee, the rate and the coins.
func (d *deposit) price(t *tx, a virtual) error {
	points, err := a.feePoints()
	if err != nil {
		return err
	}
	if d.Fee, err = d.Amount.Share(points); err != nil {
		return err
	}
	desk, err := deskOf(&t.view)
	if err != nil {
		return err
	}
	r, err := desk.rate(d.Amount.Currency, a.Destination.Currency, t.now)
	if err != nil {
		return err
	}
	d.Rate = r.Sell
	d.Net, err = r.Sell.Convert(d.rest(), a.Destination.Currency)
	return err
}

// rest is what is changed: all but the developer's fee.
func (d *deposit) rest() money.Amount { return money.Of(d.Amount.Minor-d.Fee.Minor, d.Amount.Currency) }

func (d *deposit) conversion() []line {
	transit := transitAccount(d.ID)
	return []line{
		{transit, d.Amount.Neg()}, {feeAccount, d.Fee}, {fxAccount, d.rest()},
		{fxAccount, d.Net.Neg()}, {transit, d.Net},
	}
}

// sends is how many coins a transaction of the deposit carries.
func (d *deposit) sends() money.Amount {
	if d.Fate == shortFate {
		return money.Of(d.Net.Minor-d.Net.Minor/10, d.Net.Currency)
	}
	return d.Net
}

// payout is what happens to the coins that are owed: the first transaction pays them. What it carries less than them,
// and what a second one carries, is the partner's mistake.
func (d *deposit) payout(part int) []line {
	sent := d.sends()
	if part > 1 {
		return move(mistakesAccount, chainAccount(d.Chain), sent)
	}
	less := money.Of(d.Net.Minor-sent.Minor, sent.Currency)
	return []line{{transitAccount(d.ID), d.Net.Neg()}, {chainAccount(d.Chain), sent}, {mistakesAccount, less}}
}

// coins is the transaction of a deposit that has an id in the treasury's list.
func (v *view) coins(id string) (outgoing, error) {
	name, number, _ := strings.Cut(id, ":")
	d, err := depositOf(v, name)
	part := 1
	if number == "2" {
		part = 2
	}
	return outgoing{
		id: id, chain: d.Chain, to: d.To, amount: d.sends(),
		signed: func(t *tx, hash string) error { return depositSigned(t, name, part, hash) },
		final:  func(t *tx, hash string, succeeded bool) error { return depositFinal(t, name, part, hash, succeeded) },
	}, err
}

// depositSigned books what a signed transaction will carry, and tells its hash.
func depositSigned(t *tx, id string, part int, hash string) error {
	d, err := depositOf(&t.view, id)
	if err != nil {
		return err
	}
	if err := t.post("payout", "payout:"+d.sendID(part), d.ID, d.payout(part)...); err != nil {
		return err
	}
	return d.named(t, part, hash)
}

// named keeps the hash of a transaction of the deposit once it has one that stays, and tells that of the first one.
func (d *deposit) named(t *tx, part int, hash string) error {
	if hash == "" || slices.Contains(d.Hashes, hash) {
		return nil
	}
	d.Hashes = append(d.Hashes, hash)
	if part > 1 {
		return d.keep(t)
	}
	d.State, d.Told = fiat.PaymentSubmitted, hash
	if on, ok := t.s.chain(d.Chain); ok && d.Fate == liarFate {
		d.Told = on.OtherID(hash)
	}
	return d.tells(t, time.Time{})
}

// keep saves a deposit whose next step stays when it is.
func (d *deposit) keep(t *tx) error {
	d.UpdatedAt = t.stamp()
	_, err := t.exec(`UPDATE objects SET doc = ? WHERE id = ?`, string(encode(d)), d.ID)
	return err
}

// depositFinal ends a deposit whose transaction is final.
func depositFinal(t *tx, id string, part int, hash string, succeeded bool) error {
	d, err := depositOf(&t.view, id)
	if err == nil {
		err = d.named(t, part, hash)
	}
	if err != nil || part > 1 {
		return err
	}
	if !succeeded {
		return d.unconvert(t)
	}
	d.State = fiat.PaymentProcessed
	var due time.Time
	if d.Fate == returnedFate {
		due = t.now.Add(returnTime)
	}
	return d.tells(t, due)
}

// unconvert takes the coins back that a token refused to move, and sends the money back to whoever sent it.
func (d *deposit) unconvert(t *tx) error {
	for what, lines := range map[string][]line{"unpaid": d.payout(1), "unconverted": d.conversion()} {
		for i := range lines {
			lines[i].amount = lines[i].amount.Neg()
		}
		if err := t.post(what, what+":"+d.ID, d.ID, lines...); err != nil {
			return err
		}
	}
	d.Converted = false
	return d.sendBack(t, notSent, t.now)
}

// sendBack begins a refund.
func (d *deposit) sendBack(t *tx, reason string, at time.Time) error {
	d.State, d.Reason = fiat.RefundInFlight, reason
	return d.tells(t, at.Add(refundTime))
}

// refund gives the sender's bank its money. Where the coins are gone already, the customer owes it.
func (d *deposit) refund(t *tx) error {
	kind, from := "refund", transitAccount(d.ID)
	if d.Converted {
		kind, from = "recall", receivableAccount(d.Customer)
	}
	if err := t.post(kind, kind+":"+d.ID, d.ID,
		move(from, bankAccount(string(d.Rail)), d.Amount)...); err != nil {
		return err
	}
	d.State = fiat.Refunded
	return d.tells(t, time.Time{})
}

// depositReturn is the rail of a transfer that sends a deposit back.
const depositReturn = "fiat_deposit_return"

var (
	errConverted = refuse(http.StatusBadRequest, "deposit_already_converted", "the deposit became coins")
	errBack      = refuse(http.StatusBadRequest, "deposit_already_returned", "the deposit goes back already")
	errOnItsWay  = refuse(http.StatusBadRequest, "deposit_not_received", "the deposit has not arrived yet")
)

// returnOrder is a request for the return of a deposit, and its answer.
type returnOrder struct {
	ID          string    `json:"id"`
	Customer    string    `json:"on_behalf_of"`
	State       string    `json:"state"`
	Amount      string    `json:"amount"`
	CreatedAt   time.Time `json:"created_at"`
	Destination struct {
		Rail     string         `json:"payment_rail"`
		Currency money.Currency `json:"currency"`
		Deposit  string         `json:"deposit_id"`
	} `json:"destination"`
}

// returnDeposit sends a deposit back that is not converted.
func returnDeposit(t *tx, r request) (any, error) {
	var o returnOrder
	if err := r.into(&o); err != nil {
		return nil, err
	}
	d, err := depositOf(&t.view, o.Destination.Deposit)
	if err != nil || d.Customer != o.Customer {
		return nil, missing("destination.deposit_id")
	}
	amount, err := money.Parse(o.Amount, d.Amount.Currency)
	switch {
	case o.Destination.Currency != d.Amount.Currency:
		return nil, invalid("destination.currency", "is the currency of the deposit")
	case err != nil || amount != d.Amount:
		return nil, invalid("amount", "is the whole amount of the deposit")
	case d.State == fiat.RefundInFlight || d.State == fiat.Refunded:
		return nil, errBack
	case d.Converted:
		return nil, errConverted
	case d.State == fiat.FundsScheduled:
		return nil, errOnItsWay
	}
	o.ID, o.State, o.CreatedAt = uuid.NewString(), "pending", t.stamp()
	return o, d.sendBack(t, onRequest, t.now)
}
