package soak

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	railkit "github.com/railkit/railkit/sdk/go"
)

// What the partner does with deposits by their cents (fiat/sandbox, magic.go).
const (
	recalled    = 2
	held        = 3
	toStrangers = 5
	sentTwice   = 7
	neverSent   = 8
	otherHash   = 9
)

// late is the minute that the partner takes longer over some payments.
const late = 61 * time.Second

// A busy machine takes long over what is under way; where nothing moves, something dangles.
const (
	still = 2 * testwait.Bound
	most  = 20 * time.Minute // and half the time of the run
)

// settle mends all that was broken, has the operator decide where somebody has to, and waits until every order is at an
// end or waits for a reason that it names.
func (w *world) settle(length time.Duration) {
	w.t.Helper()
	ctx := w.t.Context()
	for what, mend := range map[string]func() error{
		"the partner answers again": func() error { return w.Partner.ClearFaults(ctx) },
		"it sends notices again":    func() error { return w.Partner.SetManners(ctx, control.Manners{}) },
	} {
		testwait.Until(w.t, what, func() bool { return mend() == nil })
	}
	desk := operator{w, map[string]bool{}}
	asked := time.Time{}
	before, moved, returns := "", time.Now(), false
	for deadline := moved.Add(length/2 + most); ; time.Sleep(500 * time.Millisecond) { // between two looks
		if time.Since(asked) > 15*time.Second { // else an account of which no notice came is asked every ten minutes
			w.Edit(`UPDATE deposit_accounts SET polled_at = 0`)
			w.Edit(`UPDATE virtual_accounts SET polled_at = 0`)
			if err := w.Partner.Advance(ctx, late); err != nil {
				w.t.Log(err) // it is asked again
			}
			if returns { // the partner is asked about completed orders every six hours
				w.Edit(`UPDATE orders SET due_at = 1 WHERE status = 'completed' AND due_at > 0`)
			}
			asked = time.Now()
		}
		tally, waiting, err := w.look(desk)
		returns = len(waiting) > 0 && !slices.ContainsFunc(waiting, otherThan(miscounted))
		if err == nil && len(waiting) == 0 {
			w.t.Logf("settled after %v: %v", time.Since(w.began).Round(time.Second), tally)
			return
		}
		if now := fmt.Sprint(tally, waiting); now != before {
			before, moved = now, time.Now()
		}
		if time.Since(moved) > still || time.Now().After(deadline) {
			w.t.Fatalf("%d orders dangle, and nothing moved for %v (%v), %v\n%s\n%s", len(waiting),
				time.Since(moved).Round(time.Second), tally, err, strings.Join(waiting, "\n"), w.Log.Tail(40))
		}
	}
}

// miscounted begins the line of look for payouts that a bank returned, and of which no notice came.
const miscounted = "payouts of the partner: "

func otherThan(prefix string) func(string) bool {
	return func(line string) bool { return !strings.HasPrefix(line, prefix) }
}

// look counts orders by type and status, and names what is under way. What makes orders is read before them, and what
// they make after them: a payment that is mined between two questions would else be in neither answer.
func (w *world) look(desk operator) (tally map[string]int, waiting []string, err error) {
	tally = map[string]int{}
	waiting, err = w.coming()
	if err != nil {
		return tally, waiting, err
	}
	theirs, err := w.Partner.Ledger(w.t.Context(), "")
	if err != nil {
		return tally, waiting, err
	}
	known := map[string]bool{}
	var orders []railkit.Order
	for o, err := range w.Client().Orders.All(w.t.Context(), railkit.OrderListOptions{}) {
		if err != nil {
			return tally, waiting, err
		}
		orders = append(orders, o)
		reason, done := end(o)
		tally[strings.TrimSpace(o.Type+" "+o.Status+" "+reason)]++
		if o.PayIn != nil {
			known[o.PayIn.PartnerDepositID] = true
		}
		if acts := desk.decide(o); acts || !done {
			waiting = append(waiting, describe(o))
		}
	}
	for _, d := range theirs.Deposits {
		if !known[d.ID] {
			waiting = append(waiting, "no order for deposit "+d.ID)
		}
	}
	left, err := w.leaving(orders)
	return tally, append(waiting, left...), err
}

// coming names what is still to become an order: our payments that no block has, and coins that nobody matched.
func (w *world) coming() (waiting []string, err error) {
	for t, err := range w.Client().Transactions.All(w.t.Context(), railkit.TransactionListOptions{}) {
		if err != nil {
			return nil, err
		}
		if t.Status != "confirmed" && t.Status != "failed" {
			waiting = append(waiting, "transaction "+t.TransactionID+" is "+t.Status)
		}
	}
	if len(waiting) > 0 {
		return waiting, nil
	}
	return w.unmatched()
}

// leaving names what the partner is still to pay for the orders, and what it paid otherwise than they say.
func (w *world) leaving(orders []railkit.Order) (waiting []string, err error) {
	theirs, err := w.Partner.Ledger(w.t.Context(), "")
	for _, p := range theirs.Payouts {
		if p.Due > 0 { // a paid one may still come back, as a refund after the last comparison
			waiting = append(waiting, "the partner goes on with "+p.Reference)
		}
	}
	for _, wrong := range payouts(orders, theirs.Payouts) {
		waiting = append(waiting, miscounted+wrong)
	}
	return waiting, err
}

// unmatched names the coins at recipients' addresses that the chain has and for which there is no order yet: the
// watcher is behind, or the job that matches what it saw.
func (w *world) unmatched() (waiting []string, err error) {
	const all = 1 << 20
	for _, p := range w.payees {
		for slug, at := range p.at {
			came, err := w.arrivalsAt(slug, at.address)
			if err != nil {
				return nil, err
			}
			deposits, err := w.record.Payout().DepositsOf(
				w.t.Context(), w.Keys.WorkspaceID, at.id, page.Cursor{}, all,
			)
			if err != nil {
				return nil, err
			}
			for _, d := range deposits {
				if d.OrderID != "" || d.Reason != "" {
					delete(came, fiat.OnChain(d.Tx))
				}
			}
			for hash := range came {
				waiting = append(waiting, "no order for the coins of "+hash)
			}
		}
	}
	return waiting, nil
}

func describe(o railkit.Order) string {
	in := ""
	if p := o.PayIn; p != nil {
		in = fmt.Sprintf(", %s %s is %s, sent by %s", p.Amount, p.Currency, p.Status, p.SettlementTxHash)
	}
	return fmt.Sprintf("%s %s is %s, review %q, delay %q, refund %+v%s", o.Type, o.Reference, o.Status, o.ReviewReason,
		o.DelayReason, o.Refund, in)
}

// cents are those of a bank transfer, which say what the partner does with it; -1 of an order without one.
func cents(o railkit.Order) int64 {
	if o.PayIn == nil {
		return -1
	}
	return minor(o.PayIn.Amount, o.PayIn.Currency) % 100
}

// minor is an amount in its smallest unit, -1 of what is none.
func minor(amount, currency string) int64 {
	c, err := money.ParseCurrency(strings.ToLower(currency))
	if err != nil {
		return -1
	}
	a, err := money.Parse(amount, c)
	if err != nil {
		return -1
	}
	return a.Minor
}

// end tells whether nothing more happens to an order by itself, and for what it waits where it is not at an end.
func end(o railkit.Order) (reason string, done bool) {
	settled := o.PayIn == nil || o.PayIn.Status == "settled" || o.PayIn.Status == "returned" ||
		o.PayIn.Status == "writtenoff"
	switch {
	case cents(o) == recalled && o.PayIn.Status != "returned":
		return "", false // the bank is still to take it back
	case o.Ended() && settled:
		return "", true
	case cents(o) == toStrangers && o.Status == "payment_submitted":
		return "for coins that went to strangers " + o.DelayReason, true
	}
	return "", false
}

// operator is who decides what nothing decides by itself, once for each order.
type operator struct {
	*world
	done map[string]bool
}

// decide does what an order needs of a person, and tells whether there was anything to do.
func (d operator) decide(o railkit.Order) bool {
	what, do := d.decision(o)
	if do == nil || d.done[o.ID+what] {
		return false
	}
	if err := do(); err != nil {
		d.t.Logf("%s of %s: %v", what, o.Reference, err) // it is tried again
		return true
	}
	d.done[o.ID+what] = true
	return true
}

func (d operator) decision(o railkit.Order) (what string, do func() error) {
	ctx, p := d.t.Context(), o.PayIn
	even := p != nil && minor(p.Amount, p.Currency)/100%2 == 0
	switch {
	case o.Status == "awaiting" && p == nil:
		return "cancel", func() error { _, err := d.Client().Orders.Cancel(ctx, o.ID); return err }
	case p == nil && o.Status == "payment_submitted" && o.References.PartnerTransferID != "" && o.DelayReason != "":
		return "clear", func() error { return d.Partner.Clear(ctx, o.References.PartnerTransferID) }
	case p == nil:
		return "", nil
	case p.Status == "held" && cents(o) == held, p.Status == "received" && cents(o) == neverSent:
		if even {
			return "release", func() error { return d.Partner.ReleaseDeposit(ctx, p.PartnerDepositID) }
		}
		return "return-deposit", func() error { return d.command("return-deposit", o) }
	case p.Status == "submitted" && cents(o) == otherHash && o.Type == "on_ramp":
		return "name-coins", func() error {
			f, err := d.Partner.FindDeposit(ctx, p.PartnerDepositID)
			if err != nil || len(f.Hashes) != 1 {
				return errors.Join(err, fmt.Errorf("%d transactions", len(f.Hashes)))
			}
			return d.command("name-coins", o, "--tx", f.Hashes[0])
		}
	case p.Status == "submitted" && o.DelayReason == "other_amount":
		return "accept-coins", func() error { return d.command("accept-coins", o) }
	case p.Status == "submitted" && o.DelayReason == "not_on_chain" && cents(o) == toStrangers:
		return "write-off-coins", func() error { return d.command("write-off-coins", o) }
	case p.Receivable != "" && even:
		return "settle-receivable", func() error { return d.command("settle-receivable", o) }
	case o.Status == "in_review" && o.ReviewReason == "deposit_recalled":
		return "give-back", func() error { return d.command("give-back", o) }
	}
	return "", nil
}

// command is railkit admin order, as an operator types it.
func (d operator) command(name string, o railkit.Order, more ...string) error {
	out, err := d.admin(append([]string{"order", name, "--workspace", d.Keys.WorkspaceID, "--order", o.ID}, more...)...)
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// admin runs railkit admin beside the server.
func (w *world) admin(args ...string) ([]byte, error) {
	program, err := testbin.Path("railkit")
	if err != nil {
		return nil, err
	}
	c := exec.Command(program, append([]string{"admin"}, args...)...)
	c.Env = append(os.Environ(), w.Reconciling()...)
	return c.CombinedOutput()
}
