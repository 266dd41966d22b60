package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// idle is the longest that the partner sleeps.
const idle = time.Second

// keepMoving does what is due, as long as the partner runs.
func (s *Server) keepMoving(ctx context.Context) {
	for {
		next, err := s.MoveDue(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.config.Log.Error("what is due waits", "error", err)
			next = time.Now().Add(idle)
		}
		if !s.due.wait(ctx, min(idle, time.Until(next))) {
			return
		}
	}
}

// wait sleeps until the bell, or the time is over.
func (w waker) wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(max(d, 0))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-w:
	case <-timer.C:
	}
	return true
}

// task is an object to which something is to happen.
type task struct {
	kind, id string
	due      time.Time
}

// MoveDue does all that is due, and tells when there is more to do.
func (s *Server) MoveDue(ctx context.Context) (time.Time, error) {
	for {
		t, err := s.firstDue(ctx)
		if err != nil || time.Now().Before(t.due) {
			return t.due, err
		}
		if err := s.step(ctx, t); err != nil {
			return time.Time{}, err
		}
	}
}

func (s *Server) firstDue(ctx context.Context) (task, error) {
	rows, err := s.db.Reader.QueryContext(ctx,
		`SELECT kind, id, due FROM objects WHERE due IS NOT NULL ORDER BY due, seq LIMIT 1`)
	if err != nil {
		return task{}, fmt.Errorf("looking for what is due: %w", err)
	}
	defer rows.Close()
	t := task{due: time.Now().Add(idle)}
	if rows.Next() {
		var micros int64
		err = rows.Scan(&t.kind, &t.id, &micros)
		t.due = time.UnixMicro(micros)
	}
	if err == nil {
		err = rows.Err()
	}
	return t, err
}

func (s *Server) step(ctx context.Context, due task) error {
	return s.update(ctx, func(t *tx) error {
		if still, err := t.stillDue(due); !still {
			return err
		}
		switch due.kind {
		case customerKind:
			return stepCustomer(t, due.id)
		case accountKind:
			return stepAccount(t, due.id)
		case drainKind:
			return stepDrain(t, due)
		case depositKind:
			return stepDeposit(t, due)
		}
		return stepPayment(t, due)
	})
}

// stillDue tells whether nobody was faster.
func (t *tx) stillDue(due task) (bool, error) {
	var n int
	err := t.w.QueryRowContext(
		t.ctx, `SELECT COUNT(*) FROM objects WHERE id = ? AND due = ?`, due.id, due.due.UnixMicro(),
	).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("looking for what is due: %w", err)
	}
	return n == 1, nil
}

// stepPayment moves a payment to a bank on. What follows is due by the plan and
// not by now, so that time that was advanced counts for every step.
func stepPayment(t *tx, due task) error {
	p, err := paymentOf(&t.view, due.id)
	if err != nil {
		return err
	}
	switch p.State {
	case fiat.TransferInReview:
		return t.clear(&p, due.due)
	case fiat.TransferFunded:
		if p.Fate == failedFate {
			return t.undeliverable(&p, bankIsClosed, bankIsClosed, due.due)
		}
		if p.Rail == "" {
			return t.queueSend(p)
		}
		return t.submit(&p, due.due)
	case fiat.TransferSubmitted:
		return t.arrive(&p, due.due)
	case fiat.TransferProcessed:
		r := rails[p.Rail]
		code := cmp.Or(p.FateCode, r.closed)
		return t.giveBack(&p, code, cmp.Or(p.Reason, r.codes[code]), due.due)
	case fiat.TransferUndeliverable, fiat.TransferReturned:
		return t.refund(&p)
	}
	return t.savePayment(&p, time.Time{}, updated) // over: nothing is due any more
}

// clear ends a review.
func (t *tx) clear(p *payment, at time.Time) error {
	p.State = fiat.TransferFunded
	if p.Fate == heldFate {
		p.Fate = ""
	}
	return t.savePayment(p, p.leaves(at), transitioned)
}

// submit gives the money to the bank: once, because the posting's ref is.
func (t *tx) submit(p *payment, at time.Time) error {
	crash.At("Partner", "before-payout")
	n, err := t.next("payments")
	if err != nil {
		return err
	}
	if err := t.post("payout", "payout:"+p.ID, p.ID, p.payout()...); err != nil {
		return err
	}
	p.State = fiat.TransferSubmitted
	p.prove(n)
	return t.savePayment(p, at.Add(rails[p.Rail].settle), transitioned)
}

// payout is what happens to the money that is taken from a wallet.
func (p *payment) payout() []line {
	lines := []line{{transitAccount(p.ID), p.subtotal().Neg()}, {p.target(), p.Net}}
	if p.Rail == "" {
		return lines
	}
	return append(lines, line{fxAccount, p.subtotal()}, line{fxAccount, p.Net.Neg()})
}

// target is the account of where a payment goes.
func (p *payment) target() string {
	if p.Rail == "" {
		return chainAccount(p.Chain)
	}
	return bankAccount(string(p.Rail))
}

func (t *tx) arrive(p *payment, at time.Time) error {
	p.State = fiat.TransferProcessed
	var due time.Time
	if p.Fate == returnedFate {
		due = at.Add(returnTime)
	}
	return t.savePayment(p, due, transitioned)
}

// undeliverable is a payment that no bank took.
func (t *tx) undeliverable(p *payment, code, reason string, at time.Time) error {
	if p.State == fiat.TransferSubmitted {
		if err := t.unpay("unpaid", p); err != nil {
			return err
		}
	}
	p.State, p.Code, p.Reason = fiat.TransferUndeliverable, code, reason
	return t.savePayment(p, at.Add(refundTime), transitioned)
}

// unpay takes a payout back: what was changed is changed back at the same rate.
func (t *tx) unpay(kind string, p *payment) error {
	lines := p.payout()
	for i := range lines {
		lines[i].amount = lines[i].amount.Neg()
	}
	return t.post(kind, kind+":"+p.ID, p.ID, lines...)
}

// giveBack is a payment that had arrived and that the bank returns.
func (t *tx) giveBack(p *payment, code, reason string, at time.Time) error {
	if err := t.unpay("return", p); err != nil {
		return err
	}
	p.State, p.Code, p.Reason = fiat.TransferReturned, code, reason
	return t.savePayment(p, at.Add(refundTime), transitioned)
}

// refund gives the wallet what lies in transit: all but the developer's fee.
func (t *tx) refund(p *payment) error {
	back, err := balance(&t.view, transitAccount(p.ID), p.Gross.Currency)
	if err != nil {
		return err
	}
	if err := t.post("refund", "refund:"+p.ID, p.ID,
		move(transitAccount(p.ID), walletAccount(p.Wallet), back)...); err != nil {
		return err
	}
	p.State, p.Refunded = fiat.TransferRefunded, new(money.Amount)
	*p.Refunded = back
	return t.savePayment(p, time.Time{}, transitioned)
}
