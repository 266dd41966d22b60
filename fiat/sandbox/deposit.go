package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// deposit is what a depositor's bank sent to a virtual account.
type deposit struct {
	ID, Customer string
	Account      string            // the virtual account
	State        fiat.ActivityType // the type of its newest event
	Amount       money.Amount      // what the sender sent
	Converted    bool              // the rest is of what was converted
	Fee          money.Amount      // the developer's
	Net          money.Amount      // the coins that are owed
	Rate         money.Rate
	Chain, To    string   // where the treasury sends them
	Hashes       []string // of what the treasury signed
	Told         string   // the hash that the events tell

	Rail                 fiat.Rail
	Sender, Trace        string
	Fate                 fate
	Reason               string // why it is held, or goes back
	CreatedAt, UpdatedAt time.Time
}

// How long a deposit takes, besides its rail.
const (
	convertTime = 300 * time.Millisecond // from a deposit's arrival to its conversion
	holdTime    = 2 * time.Second        // of one that is too large
)

// limit is the least and the most that the partner takes in one deposit.
type limit struct{ least, most int64 } // minor units

var limits = map[money.Currency]limit{
	money.USD: {1_00, 1_000_000_00}, money.EUR: {1_00, 1_000_000_00}, money.GBP: {3_00, 1_000_000_00},
	money.MXN: {100_00, 10_000_000_00}, money.BRL: {10_00, 5_000_000_00},
}

// Why a deposit is held or goes back.
const (
	belowMinimum = "below_minimum"
	aboveMaximum = "above_maximum"
	switchedOff  = "account_deactivated"
	manualReview = "manual_review"
	senderRecall = "returned_by_the_senders_bank"
	onRequest    = "returned_on_request"
	notSent      = "payment_failed"
)

// bankTransfer is what a depositor's bank sends, as the control is told.
type bankTransfer struct {
	Account string `json:"account"` // a number of instructions, or the id of a virtual account
	Amount  string `json:"amount"`
	Sender  string `json:"senderName"`
	Rail    string `json:"rail"`
	Trace   string `json:"trace"`
	ID      string `json:"id"` // "": the sandbox makes one
}

// makeDeposit has a bank transfer arrive, or on ACH be on its way.
func makeDeposit(t *tx, r request) (any, error) {
	var asked bankTransfer
	if err := r.into(&asked); err != nil {
		return nil, err
	}
	var a virtual
	found, err := find(&t.view, &a, "kind = ? AND (id = ? OR ref = ? AND ref <> '')", virtualKind, asked.Account,
		asked.Account)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, missing("account")
	}
	known, err := depositOf(&t.view, asked.ID)
	switch {
	case asked.ID == "":
		asked.ID = uuid.NewString()
	case uuid.Validate(asked.ID) != nil:
		return nil, invalid("id", "is not a UUID")
	case err == nil:
		return known.wire(), nil
	case !errors.Is(err, errNotFound):
		return nil, err
	}
	d := deposit{ID: asked.ID, Customer: a.Customer, Account: a.ID, CreatedAt: t.stamp()}
	if err := d.read(asked, a); err != nil {
		return nil, err
	}
	n, err := t.next("deposits")
	if err != nil {
		return nil, err
	}
	if d.Trace == "" {
		d.prove(n)
	}
	if err := d.begin(t, a); err != nil {
		return nil, err
	}
	return d.wire(), nil
}

// most characters of a sender's name and of a rail's reference.
const (
	mostSender = 140
	mostTrace  = 64
)

func (d *deposit) read(asked bankTransfer, a virtual) (err error) {
	d.Sender, d.Trace, d.Rail = strings.TrimSpace(asked.Sender), asked.Trace, fiat.Rail(asked.Rail)
	if d.Rail == "" {
		d.Rail = railOf(a.Instructions.Rails[0])
	}
	if d.Sender == "" {
		d.Sender = "Sandbox Depositor"
	}
	d.Amount, err = money.Parse(asked.Amount, a.Instructions.Currency)
	switch {
	case err != nil || d.Amount.Minor <= 0:
		return invalid("amount", "is not an amount of the account's currency")
	case !slices.ContainsFunc(a.Instructions.Rails, func(name string) bool { return railOf(name) == d.Rail }):
		return invalid("rail", "is not one that the account takes")
	case len(d.Sender) > mostSender:
		return invalid("senderName", "is too long")
	case len(d.Trace) > mostTrace:
		return invalid("trace", "is too long")
	}
	d.Fate = depositFate(d.Amount, d.Sender)
	return nil
}

// railOf is the rail of a name that instructions have.
func railOf(name string) fiat.Rail { return fiat.Rail(strings.TrimSuffix(name, "_push")) }

// prove makes what the depositor's bank calls the transfer.
func (d *deposit) prove(n uint32) {
	p := payment{ID: d.ID, Rail: d.Rail, UpdatedAt: d.CreatedAt}
	p.prove(n)
	d.Trace = p.TrackingKey + p.IMAD + p.TraceNumber
	if d.Rail == fiat.SEPA {
		d.Trace = uuid.NewString() // a UETR is one
	}
}

// begin is a deposit's first event: ACH says what is on its way.
func (d *deposit) begin(t *tx, a virtual) error {
	if d.Rail != fiat.ACH {
		return d.arrive(t, a, t.now)
	}
	d.State = fiat.FundsScheduled
	r := rails[d.Rail]
	return d.tells(t, r.leaves(t.now).Add(r.settle))
}

// arrive takes the money in, and finds whether it may become coins.
func (d *deposit) arrive(t *tx, a virtual, at time.Time) error {
	if err := t.post("deposit", "deposit:"+d.ID, d.ID,
		move(bankAccount(string(d.Rail)), transitAccount(d.ID), d.Amount)...); err != nil {
		return err
	}
	l := limits[d.Amount.Currency]
	switch {
	case a.Status != activated:
		d.Reason = switchedOff
	case d.Amount.Minor < l.least:
		d.Reason = belowMinimum
	case d.Fate == bouncedFate:
		d.Reason = senderRecall
	}
	d.State = fiat.FundsReceived
	if err := d.tells(t, d.goesOn(at)); err != nil {
		return err
	}
	switch {
	case d.Reason != "":
		return nil
	case d.Amount.Minor > l.most:
		return d.review(t, aboveMaximum, at.Add(holdTime))
	case d.Fate == heldFate:
		return d.review(t, manualReview, time.Time{})
	}
	return nil
}

// goesOn is when something happens next to a deposit that arrived; zero: never.
func (d *deposit) goesOn(at time.Time) time.Time {
	switch {
	case d.Reason != "":
		return at.Add(refundTime)
	case d.Fate == stuckFate:
		return time.Time{}
	case d.Fate == delayedFate:
		at = at.Add(delayTime)
	}
	return at.Add(convertTime)
}

func (d *deposit) review(t *tx, reason string, due time.Time) error {
	d.State, d.Reason = fiat.FundsInReview, reason
	return d.tells(t, due)
}

func (d *deposit) save(t *tx, due time.Time) error {
	d.UpdatedAt = t.stamp()
	return t.put(row{kind: depositKind, id: d.ID, owner: d.Customer, ref: d.Account, due: due}, d)
}

// tells saves a deposit, and writes the event of its state down.
func (d *deposit) tells(t *tx, due time.Time) error {
	if err := d.save(t, due); err != nil {
		return err
	}
	return t.happened(d.event())
}

// event is what the partner tells of a deposit's state.
func (d *deposit) event() activity {
	a := activity{
		Customer: d.Customer, Account: d.Account, Deposit: d.ID, Type: string(d.State), Source: d.origin(),
		Amount: d.Amount.String(), Currency: d.Amount.Currency, Reason: d.Reason,
	}
	a.DeveloperFee = money.Of(0, d.Amount.Currency).String()
	if d.State == fiat.PaymentSubmitted || d.State == fiat.PaymentProcessed {
		a.Amount, a.Currency, a.Hash = d.Net.String(), d.Net.Currency, d.Told
		a.DeveloperFee, a.Reason = d.Fee.String(), ""
	}
	a.Subtotal, a.ExchangeFee, a.Gas = a.Amount, "0.0", "0.0"
	return a
}

func (d *deposit) origin() *origin {
	o := &origin{Rail: string(d.Rail), SenderName: d.Sender}
	switch d.Rail {
	case fiat.SPEI:
		o.TrackingKey = d.Trace
	case fiat.Wire:
		o.IMAD = d.Trace
	case fiat.ACH:
		o.Rail, o.TraceNumber = "ach_push", d.Trace
	case fiat.FasterPayments:
		o.TraceNumber = d.Trace
	case fiat.SEPA:
		o.UETR = d.Trace
	default:
		o.EndToEnd = d.Trace
	}
	return o
}

func depositOf(v *view, id string) (deposit, error) {
	var d deposit
	found, err := find(v, &d, "kind = ? AND id = ?", depositKind, id)
	if err == nil && !found {
		err = errNotFound
	}
	return d, err
}

// depositView is a deposit as controls show it: also what the partner's events do not tell.
type depositView struct {
	ID       string            `json:"id"`
	Customer string            `json:"customer_id"`
	Account  string            `json:"virtual_account_id"`
	State    fiat.ActivityType `json:"state"`
	Amount   string            `json:"amount"`
	Currency money.Currency    `json:"currency"`
	Fee      string            `json:"developer_fee_amount,omitempty"`
	Rate     string            `json:"exchange_rate,omitempty"`
	Coins    string            `json:"payment_amount,omitempty"`
	Coin     money.Currency    `json:"payment_currency,omitempty"`
	To       string            `json:"to_address,omitempty"`
	Hashes   []string          `json:"tx_hashes,omitempty"`
	Rail     fiat.Rail         `json:"payment_rail"`
	Sender   string            `json:"sender_name"`
	Trace    string            `json:"trace"`
	Reason   string            `json:"reason,omitempty"`
}

func (d *deposit) wire() depositView {
	w := depositView{
		ID: d.ID, Customer: d.Customer, Account: d.Account, State: d.State, Amount: d.Amount.String(),
		Currency: d.Amount.Currency, Rail: d.Rail, Sender: d.Sender, Trace: d.Trace, Reason: d.Reason, Hashes: d.Hashes,
	}
	if d.Converted {
		w.Fee, w.Rate, w.Coins, w.Coin, w.To = d.Fee.String(), d.Rate.String(), d.Net.String(), d.Net.Currency, d.To
	}
	return w
}

// sendID names one transaction of a deposit: there are two where it is paid twice.
func (d *deposit) sendID(part int) string { return fmt.Sprintf("%s:%d", d.ID, part) }
