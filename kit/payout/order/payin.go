package order

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
)

// PayIn is fiat that a depositor sent to an account number of ours, and the coins that the partner sent for it. It is
// all of an on-ramp order, and the first half of a global payment, whose second half is a payout.
//
// Say that 5,000.00 MXN arrive. Our fee is 55.00 MXN, the partner converts 4,945.00 MXN and sends 268.520000 USDC to
// the wallet. The ledger then has, by kind of transaction:
//
//	payin    bank:spei -5,000.00 MXN    order:<id> +5,000.00 MXN
//	convert  order:<id> -5,000.00 MXN   fees:platform +25.00, fees:network +30.00, fx +4,945.00 MXN
//	         fx -268.520000 USDC        partner +268.520000 USDC
//	deliver  partner -268.520000 USDC   chain:base +268.520000 USDC
//
// The partner decides when it converts and sends. The destination is not the partner's to say: only a transfer that the
// watcher finds at Address, of just Coins, ends the order well.
type PayIn struct {
	AccountID        string       `json:"accountId"`        // the deposit account, or the recipient's virtual account
	AccountReference string       `json:"accountReference"` // of a deposit account; "" of a virtual account
	PartnerAccountID string       `json:"partnerAccountId"`
	DepositID        string       `json:"depositId"` // the partner's, one for each bank transfer
	Status           PayInStatus  `json:"status"`
	Amount           money.Amount `json:"amount"` // what the depositor sent, before fees
	Fee              money.Amount `json:"fee"`    // ours, of that amount, as the partner took it
	Rail             fiat.Rail    `json:"rail"`
	Sender           string       `json:"sender,omitempty"`
	Trace            string       `json:"trace,omitempty"`    // the rail's own reference
	Coins            money.Amount `json:"coins,omitzero"`     // what the partner says it sent
	Hash             string       `json:"hash,omitempty"`     // of its transaction, which may change until it is mined
	Named            bool         `json:"named,omitempty"`    // an operator said which transaction it is
	Transfer         *Deposit     `json:"transfer,omitempty"` // the coins, as the watcher sees them
	GivenUp          bool         `json:"givenUp,omitempty"`  // an operator waits for the coins no longer
	Receivable       money.Amount `json:"receivable,omitzero"`
	Reason           string       `json:"reason,omitempty"` // why the partner holds or returns it
	Returned         money.Amount `json:"returned,omitzero"`
	RequestedAt      time.Time    `json:"requestedAt,omitzero"`    // when an operator asked last for it to be sent back
	ReturnAttempt    int          `json:"returnAttempt,omitempty"` // an operator asked the partner to send it back
	ArrivedAt        time.Time    `json:"arrivedAt,omitzero"`      // when the partner told that it has the fiat
}

// PayInStatus is the state of a pay-in.
type PayInStatus string

// The statuses of a pay-in.
const (
	PayInScheduled  PayInStatus = "scheduled"  // the bank transfer is on its way (ACH)
	PayInReceived   PayInStatus = "received"   // the partner has the fiat
	PayInHeld       PayInStatus = "held"       // the partner reviews it
	PayInSubmitted  PayInStatus = "submitted"  // the partner says that it has sent the coins
	PayInSettled    PayInStatus = "settled"    // the coins are final at the address
	PayInReturning  PayInStatus = "returning"  // the partner sends the fiat back
	PayInReturned   PayInStatus = "returned"   // the depositor has the fiat again
	PayInFailed     PayInStatus = "failed"     // the partner could not send the fiat back: an operator has to act
	PayInWrittenOff PayInStatus = "writtenoff" // an operator gave up on coins that never came
)

// The kinds of events of a pay-in.
const (
	FiatScheduled     Kind = "payin.scheduled"
	FiatArrived       Kind = "payin.received"
	PayInHold         Kind = "payin.in_review"       // the partner reviews it, or a screening hit holds it here
	PayInRelease      Kind = "payin.released"        // a hold of ours ends
	CoinsSubmitted    Kind = "crypto.submitted"      // the partner sent the coins, or changed what it says about that
	CoinsDetected     Kind = "crypto.detected"       // they are in a block
	CoinsSeen         Kind = "crypto.progress"       // one more confirmation
	CoinsConfirmed    Kind = "crypto.confirmed"      // they are final
	CoinsAccepted     Kind = "crypto.accepted"       // an operator takes another amount than the partner told
	CoinsDropped      Kind = "crypto.dropped"        // a reorg removed them
	CoinsDelayed      Kind = "crypto.delayed"        // they did not come, or not as the partner told
	CoinsRepeated     Kind = "crypto.repeated"       // the partner says that it sent them twice
	CoinsWrittenOff   Kind = "crypto.written_off"    // an operator gives up waiting for them
	PayInExpired      Kind = "payin.expired"         // an expected bank transfer did not come
	ReturnRequested   Kind = "payin.return_request"  // an operator asks the partner to send the fiat back
	ReturnStarted     Kind = "payin.returning"       // the partner sends the fiat back
	PayInReturn       Kind = "payin.returned"        // the depositor has it again
	ReturnFailed      Kind = "payin.return_failed"   // it could not be sent back
	ReceivableSettled Kind = "payin.receivable_paid" // an operator settled a receivable outside this system
)

// PayInEdge is one legal transition of a pay-in.
type PayInEdge struct {
	From, To PayInStatus
	On       Kind
	Why      string
}

// PayInEdges are all transitions of a pay-in. The status of an on-ramp order follows from that of its pay-in.
var PayInEdges = []PayInEdge{
	{"", PayInScheduled, FiatScheduled, "the partner expects the bank transfer"},
	{"", PayInReceived, FiatArrived, "the partner has received the bank transfer"},
	{PayInScheduled, PayInReceived, FiatArrived, "the expected bank transfer is there"},
	{PayInReturning, PayInReceived, FiatArrived, "a bank transfer that was taken back is there after all"},
	{PayInFailed, PayInReceived, FiatArrived, "a bank transfer that was taken back is there after all"},
	{PayInReturned, PayInReceived, FiatArrived, "a bank transfer that was taken back is there after all"},
	{PayInScheduled, PayInReturned, PayInExpired, "the expected bank transfer did not come in two weeks"},
	{PayInHeld, PayInHeld, PayInHold, "a screening hit holds the order"},
	{PayInReturning, PayInReturning, PayInHold, "a screening hit holds the order"},
	{PayInFailed, PayInFailed, PayInHold, "a screening hit holds the order"},
	{PayInReturning, PayInReturning, PayInRelease, "an operator releases the order"},
	{PayInFailed, PayInFailed, PayInRelease, "an operator releases the order"},
	{PayInReceived, PayInHeld, PayInHold, "the partner reviews the bank transfer"},
	{PayInReceived, PayInReceived, PayInHold, "a screening hit holds the order"},
	{PayInSubmitted, PayInSubmitted, PayInHold, "a screening hit holds the order"},
	{PayInSettled, PayInSettled, PayInHold, "a screening hit holds the order"},
	{PayInReceived, PayInReceived, PayInRelease, "an operator releases the order"},
	{PayInHeld, PayInHeld, PayInRelease, "an operator releases the order; the partner still reviews it"},
	{PayInSubmitted, PayInSubmitted, PayInRelease, "an operator releases the order"},
	{PayInSettled, PayInSettled, PayInRelease, "an operator releases the order: the coins are there"},
	{PayInReceived, PayInSubmitted, CoinsSubmitted, "the partner converted the fiat and sent the coins"},
	{PayInHeld, PayInSubmitted, CoinsSubmitted, "the partner ended its review, and sent the coins"},
	{PayInReturning, PayInSubmitted, CoinsSubmitted, "the partner sent the coins instead of the fiat"},
	{PayInFailed, PayInSubmitted, CoinsSubmitted, "the partner could not return the fiat, and sent the coins"},
	{PayInReturned, PayInReturned, CoinsSubmitted, "the partner sent the coins though the fiat went back"},
	{PayInSubmitted, PayInSubmitted, CoinsSubmitted, "the partner replaced the transaction"},
	{PayInSubmitted, PayInSubmitted, CoinsDetected, "the coins are in a block"},
	{PayInWrittenOff, PayInSubmitted, CoinsDetected, "coins that were given up came after all"},
	{PayInSubmitted, PayInSubmitted, CoinsSeen, "another block"},
	{PayInSubmitted, PayInSubmitted, CoinsDropped, "a reorg removes the coins"},
	{PayInReceived, PayInReceived, CoinsDelayed, "the partner neither sends coins nor returns the fiat"},
	{PayInSubmitted, PayInSubmitted, CoinsDelayed, "the coins are late, or not what the partner told"},
	{PayInSubmitted, PayInSettled, CoinsConfirmed, "the coins are final"},
	{PayInSubmitted, PayInSettled, CoinsAccepted, "an operator accepts another amount"},
	{PayInSubmitted, PayInWrittenOff, CoinsWrittenOff, "an operator gives up waiting for the coins"},
	{PayInSettled, PayInSubmitted, CoinsDropped, "a deep reorg removes final coins"},
	{PayInSettled, PayInSettled, CoinsRepeated, "the partner says that it sent the coins twice"},
	{PayInReceived, PayInReceived, ReturnRequested, "an operator asks the partner to return the fiat"},
	{PayInHeld, PayInHeld, ReturnRequested, "an operator asks the partner to return the fiat"},
	{PayInReturning, PayInHeld, ReturnRequested, "an operator asks the partner again"},
	{PayInFailed, PayInHeld, ReturnRequested, "an operator asks the partner again"},
	{PayInScheduled, PayInReturning, ReturnStarted, "the partner refuses the bank transfer"},
	{PayInReceived, PayInReturning, ReturnStarted, "the partner returns the fiat"},
	{PayInHeld, PayInReturning, ReturnStarted, "the partner's review ended with a return"},
	{PayInFailed, PayInReturning, ReturnStarted, "the partner tries to return the fiat again"},
	{PayInReturning, PayInFailed, ReturnFailed, "the fiat could not be returned"},
	{PayInScheduled, PayInReturned, PayInReturn, "the expected bank transfer was taken back"},
	{PayInReceived, PayInReturned, PayInReturn, "the depositor has the fiat again"},
	{PayInHeld, PayInReturned, PayInReturn, "the depositor has the fiat again"},
	{PayInReturning, PayInReturned, PayInReturn, "the depositor has the fiat again"},
	{PayInFailed, PayInReturned, PayInReturn, "the depositor has the fiat again"},
	{PayInSubmitted, PayInReturned, PayInReturn, "the bank took the fiat back, and the coins are on their way"},
	{PayInSettled, PayInReturned, PayInReturn, "the bank took the fiat back, and the coins are gone"},
	{PayInWrittenOff, PayInReturned, PayInReturn, "the depositor has the fiat again"},
	{PayInReturned, PayInReturned, CoinsDetected, "the coins of a returned bank transfer are in a block"},
	{PayInReturned, PayInReturned, CoinsSeen, "another block"},
	{PayInReturned, PayInReturned, CoinsDropped, "a reorg removes the coins"},
	{PayInReturned, PayInReturned, CoinsConfirmed, "the coins of a returned bank transfer are final"},
	{PayInReturned, PayInReturned, PayInReturn, "more of the fiat went back"},
	{PayInReturned, PayInReturned, CoinsDelayed, "the coins are late, or not what the partner told"},
	{PayInReturned, PayInReturned, CoinsAccepted, "an operator accepts another amount"},
	{PayInReturned, PayInWrittenOff, CoinsWrittenOff, "an operator gives up waiting for the coins"},
	{PayInWrittenOff, PayInWrittenOff, ReceivableSettled, "an operator settled the receivable"},
	{PayInReturned, PayInReturned, ReceivableSettled, "an operator settled the receivable"},
}

// Labels of orders with a pay-in.
const (
	OffFee      Label = "off_fee"      // the partner took another fee for us than was agreed
	OtherSender Label = "other_sender" // the bank account that paid has another name than the account's owner
	PaidTwice   Label = "paid_twice"   // the partner says that it sent the coins twice
	Recalled    Label = "recalled"     // the bank took the fiat back after the coins were sent
)

// payInHandlers has the function of each event of a pay-in. Apply checks the resulting transition against PayInEdges.
var payInHandlers = map[Kind]func(*step) error{
	FiatScheduled:     by(payInLeg.fiatScheduled),
	FiatArrived:       by(payInLeg.fiatArrived),
	PayInHold:         by(payInLeg.payInHeld),
	PayInRelease:      by(payInLeg.payInReleased),
	CoinsSubmitted:    by(payInLeg.coinsSubmitted),
	CoinsDetected:     by(payInLeg.coinsDetected),
	CoinsSeen:         by(payInLeg.coinsSeen),
	CoinsConfirmed:    by(payInLeg.coinsConfirmed),
	CoinsAccepted:     by(payInLeg.coinsAccepted),
	CoinsDropped:      by(payInLeg.coinsDropped),
	CoinsDelayed:      by(payInLeg.coinsDelayed),
	CoinsRepeated:     by(payInLeg.coinsRepeated),
	CoinsWrittenOff:   by(payInLeg.coinsWrittenOff),
	PayInExpired:      by(payInLeg.payInExpired),
	ReturnRequested:   by(payInLeg.returnRequested),
	ReturnStarted:     by(payInLeg.returnStarted),
	PayInReturn:       by(payInLeg.payInReturned),
	ReturnFailed:      by(payInLeg.returnFailed),
	ReceivableSettled: by(payInLeg.receivableSettled),
}

// allowsPayIn tells whether an event may move a pay-in from one status to another.
func allowsPayIn(from, to PayInStatus, on Kind) bool {
	return slices.ContainsFunc(PayInEdges, func(e PayInEdge) bool { return e.From == from && e.To == to && e.On == on })
}

// HoldRecalled is the reason of a hold on a payout whose bank transfer was taken back.
const HoldRecalled = "deposit_recalled"

// Recalled tells whether the bank took the fiat of a payment back, and nobody has paid for that.
func (o Order) Recalled() bool { return o.PayIn != nil && !o.PayIn.Receivable.IsZero() }

// DepositAccountID is the deposit account at which the order's fiat arrived, "" of an order without one.
func (o Order) DepositAccountID() string {
	if o.Type != OnRamp || o.PayIn == nil {
		return ""
	}
	return o.PayIn.AccountID
}

func (o Order) payInStatus() PayInStatus {
	if o.PayIn == nil {
		return ""
	}
	return o.PayIn.Status
}

// payInStatuses are the statuses of an on-ramp order by those of its pay-in, where no hold of ours stops it.
var payInStatuses = map[PayInStatus]Status{
	PayInScheduled: Awaiting, PayInReceived: FundsReceived, PayInHeld: InReview, PayInReturning: InReview,
	PayInSubmitted: PaymentSubmitted, PayInSettled: Completed, PayInReturned: Returned, PayInFailed: Error,
	PayInWrittenOff: Error,
}

// followPayIn sets the order's status after an event of its pay-in. An on-ramp order stands where its pay-in stands,
// unless a hold of ours keeps it in review. A global payment does so only until its coins have arrived: from then on
// its status is that of the payout, whatever becomes of the pay-in.
func (s payInLeg) followPayIn() {
	p := s.o.PayIn
	switch {
	case s.o.Type == OnRamp && s.o.Hold != "" && p.Status != PayInReturned:
		s.o.Status = InReview
	case s.o.Type == OnRamp:
		s.o.Status = payInStatuses[p.Status]
	case s.o.Deposit != nil:
	case p.Status == PayInSubmitted || p.Status == PayInSettled:
		s.o.Status = FundsReceived // the fiat came, and the coins are on their way
	default:
		s.o.Status = payInStatuses[p.Status]
	}
	if s.o.Status == Completed && s.o.CompletedAt.IsZero() {
		s.o.CompletedAt = s.e.At
	}
}

// applyPayIn is Apply for the events of a pay-in.
func applyPayIn(s *step, was Order, handle func(*step) error) (Change, error) {
	if was.PayIn != nil {
		p := *was.PayIn
		s.o.PayIn = &p
	}
	if err := handle(s); err != nil {
		return Change{}, fmt.Errorf("%s at %q: %w", s.e.Kind, was.payInStatus(), err)
	}
	if from, to := was.payInStatus(), s.o.PayIn.Status; !allowsPayIn(from, to, s.e.Kind) {
		return Change{}, fmt.Errorf("%w: %s of a pay-in from %q to %q", ErrIllegal, s.e.Kind, from, to)
	}
	if err := s.fromBank().join(); err != nil {
		return Change{}, err
	}
	s.fromBank().followPayIn()
	return s.done(was.Status)
}

// begun takes the pay-in of the event over, if the order has none.
func (s payInLeg) begun(at PayInStatus) error {
	p := s.e.PayIn
	if p == nil || p.DepositID == "" || p.AccountID == "" || p.Amount.Minor <= 0 || p.Amount.Currency.Stable() {
		return ErrIllegal
	}
	if known := s.o.PayIn; known != nil && known.DepositID != p.DepositID {
		return ErrIllegal
	}
	if s.o.Type == OnRamp && p.Amount.Currency != s.o.Source {
		return ErrIllegal
	}
	if s.o.Type == OffRamp { // its coins came before the partner told of the fiat
		s.o.Type, s.o.Repeats = GlobalPayment, "" // of a bank transfer of their own
	}
	fresh := *p
	fresh.Status, fresh.Fee = at, money.Of(0, p.Amount.Currency)
	s.o.PayIn = &fresh
	s.label(s.e.Labels...)
	switch {
	case s.o.Fiat.IsZero():
	case p.Amount.Minor < s.o.Fiat.Minor:
		s.label(Under)
	case p.Amount.Minor > s.o.Fiat.Minor:
		s.label(Over)
	}
	s.detail["amount"], s.detail["currency"] = p.Amount.String(), string(p.Amount.Currency)
	return nil
}

func (s payInLeg) fiatScheduled() error {
	if s.o.PayIn != nil {
		return ErrKnown
	}
	return s.begun(PayInScheduled)
}

// fiatArrived: the partner has the fiat, which is the order's from now on.
func (s payInLeg) fiatArrived() error {
	if s.o.PayIn != nil && s.o.PayIn.came() {
		return ErrKnown
	}
	if err := s.begun(PayInReceived); err != nil {
		return err
	}
	p := s.o.PayIn
	p.ArrivedAt = s.e.At
	if s.o.Type == OnRamp {
		s.o.Terms = Terms{Gross: p.Amount, Platform: money.Of(0, s.o.Source), Network: money.Of(0, s.o.Source)}
	}
	s.record("payin",
		ledger.Entry{Account: ledger.Bank(string(p.Rail)), Amount: p.Amount.Neg()},
		ledger.Entry{Account: ledger.Order(s.o.ID), Amount: p.Amount})
	if p.Sender != "" {
		s.detail["sender"] = p.Sender
	}
	if p.Trace != "" {
		s.detail["trace"] = p.Trace
	}
	s.advance()
	return s.holdPayIn()
}

// holdPayIn keeps an on-ramp order in review for what screening found of the depositor. The partner goes on meanwhile.
func (s payInLeg) holdPayIn() error {
	if s.e.Reason == "" || s.o.Type != OnRamp {
		return nil
	}
	s.o.Hold, s.detail["reason"] = s.e.Reason, s.e.Reason
	return s.toBank().found()
}

// payInHeld: the partner reviews the bank transfer, or a screening hit holds the order here. The partner's hold ends
// with its next step; ours only by an operator.
func (s payInLeg) payInHeld() error {
	p := s.o.PayIn
	switch {
	case p == nil || s.e.Reason == "":
		return ErrIllegal
	case s.e.By == Partner && p.Status == PayInHeld, s.e.By != Partner && s.o.Hold == s.e.Reason:
		return ErrKnown
	case s.e.By == Partner:
		p.Status, p.Reason = PayInHeld, s.e.Reason
	case s.o.Type != OnRamp: // the payout of a global payment is screened before it is made
		return ErrIllegal
	default:
		return s.holdPayIn()
	}
	s.detail["reason"] = s.e.Reason
	return nil
}

// payInReleased: an operator has looked at a hold of ours, or the lists that gave no answer have nothing.
func (s payInLeg) payInReleased() error {
	if s.o.PayIn == nil || s.o.Hold == "" || s.e.By != Operator && s.o.Hold != HoldUnscreened {
		return ErrIllegal
	}
	s.detail["reason"] = s.o.Hold
	s.toBank().releaseHits()
	s.o.Hold = ""
	s.advance()
	return nil
}

func (s payInLeg) showTransfer() {
	d := s.o.PayIn.Transfer
	s.detail["hash"], s.detail["amount"] = d.Hash, d.Amount.String()
	s.detail["confirmations"] = strconv.Itoa(d.Confirmations) + "/" + strconv.Itoa(d.Required)
}
