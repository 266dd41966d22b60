package payout_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/operator"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/screen"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/rest"
)

// denials is a list that the test writes, in place of a provider.
type denials struct {
	down      error
	has       map[string][]string // by value: ids of entries
	asked     []screen.Subject
	meanwhile func()
}

func (b *denials) Screen(_ context.Context, subjects []screen.Subject) (hits []screen.Hit, _ error) {
	if b.meanwhile != nil {
		b.meanwhile()
	}
	if b.down != nil {
		return nil, b.down
	}
	b.asked = append(b.asked, subjects...)
	for _, s := range subjects {
		for _, id := range b.has[s.Value] {
			hits = append(hits, screen.Hit{Subject: s, Entry: id})
		}
	}
	return hits, nil
}

// screens is a rig with a list.
func screens(t *testing.T, has map[string][]string) (*rig, *denials) {
	t.Helper()
	b := &denials{has: has}
	r := newRig(t, func(c *payout.Config) { c.Screening = screen.New(slog.New(slog.DiscardHandler), b) })
	return r, b
}

var decided = operator.Decision{By: "Carla", Reason: "another person: passport seen"}

func (r *rig) release(id string) {
	r.t.Helper()
	if _, err := r.Operator.Release(r.t.Context(), byOperator(), id, decided); err != nil {
		r.t.Fatal(err)
	}
}

// heldFor holds the hits of an order in review, and that nothing has left.
func (r *rig) heldFor(what string, o order.Order, hits string) {
	r.t.Helper()
	r.want(what, o, order.InReview)
	if o.Hold != order.HoldScreening || order.Describe(o.Hits()) != hits {
		r.t.Errorf("%s: held for %q by %q, want %q", what, o.Hold, order.Describe(o.Hits()), hits)
	}
}

// hitsInTimeline are what the API shows of the hits, with the entry's kind.
func (r *rig) hitsInTimeline(id string) (all []string) {
	r.t.Helper()
	rows, err := r.store.Timeline(r.t.Context(), ws, id)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range rows {
		if hits := e.Detail["hits"]; hits != "" {
			all = append(all, string(e.Kind)+" "+hits)
		}
		if strings.Contains(strings.Join(slices.Collect(maps.Values(e.Detail)), " "), "0xpayer") {
			r.t.Errorf("the timeline names who it is: %v", e.Detail)
		}
	}
	return all
}

// A name on a list holds the payout until an operator releases it. Then it is paid, and what was released does not hold
// it again; another hit does.
func TestPayout_ScreeningHoldsAndReleases(t *testing.T) {
	t.Parallel()
	r, list := screens(t, map[string][]string{"Ana": {"sdn-1"}, "0xpayer": {"sdn-3"}})
	_, o := r.ready("wallet")
	o, again := r.advance(o.ID)
	if again <= 0 {
		t.Errorf("looked at again in %v", again)
	}
	hits := "recipient name: sdn-1, sender address: sdn-3"
	r.heldFor("both are listed", o, hits)
	r.stuck(order.HoldScreening)
	list.has = nil // the list forgets, and does not decide
	asked := len(list.asked)
	if o, again = r.advance(o.ID); again <= 0 || len(list.asked) != asked || r.desk.paid() != 0 {
		t.Errorf("again in %v, %d questions after %d, %d payouts", again, len(list.asked), asked, r.desk.paid())
	}
	r.heldFor("nobody decided", o, hits)
	list.has = map[string][]string{"Ana": {"sdn-1", "sdn-9"}, "0xpayer": {"sdn-3"}}
	for _, d := range []operator.Decision{{By: "Carla"}, {Reason: "x"}, {By: " ", Reason: "x"}} {
		if _, err := r.Operator.Release(t.Context(), byOperator(), o.ID, d); err == nil {
			t.Errorf("nobody answers for it: %+v", d)
		}
	}
	r.jobsRan()
	before := r.jobs("payout_order")
	r.release(o.Reference)
	if n := r.jobs("payout_order"); n != before+1 {
		t.Errorf("%d jobs after %d", n, before)
	}
	if _, err := r.Operator.Release(t.Context(), byOperator(), o.ID, decided); !errors.Is(err, operator.ErrNotStuck) {
		t.Errorf("twice: %v", err)
	}
	o, _ = r.advance(o.ID)
	r.heldFor("another entry", o, "recipient name: sdn-9")
	if err := r.audited("order.release"); err != nil {
		t.Error(err)
	}
	r.release(o.ID)
	o, _ = r.advance(o.ID)
	r.want("released", o, order.PaymentSubmitted)
	r.desk.moves(fiat.TransferProcessed, 0)
	o, _ = r.advance(o.ID)
	r.want("paid", o, order.Completed)
	want := []string{
		"review.opened " + hits, "review.released " + hits,
		"review.opened recipient name: sdn-9", "review.released recipient name: sdn-9",
	}
	if got := r.hitsInTimeline(o.ID); !slices.Equal(got, want) || r.desk.paid() != 1 {
		t.Errorf("%d payouts\n%q\nwant\n%q", r.desk.paid(), got, want)
	}
	r.sums()
}

// The audit entry of a release says who, why and of what.
func TestPayout_ScreeningReleaseIsAudited(t *testing.T) {
	t.Parallel()
	r, _ := screens(t, map[string][]string{"0xpayer": {"sdn-3"}})
	_, o := r.ready("wallet")
	r.advance(o.ID)
	r.release(o.ID)
	r.auditSays("order.release", decided.By, decided.Reason, "sender address: sdn-3", "in_review")
}

// auditSays holds the texts that the only audit entry of an action has.
func (r *rig) auditSays(action string, texts ...string) {
	r.t.Helper()
	var body string
	const query = "SELECT before || after FROM audit WHERE action = $1"
	if err := r.db.Writer().QueryRow(query, action).Scan(&body); err != nil {
		r.t.Fatal(err)
	}
	for _, part := range texts {
		if text, err := json.Marshal(part); err != nil || !strings.Contains(body, string(text)) {
			r.t.Errorf("%s: %s is not in %s", action, text, body)
		}
	}
}

// A hit that an operator gives back goes to the return address, if that is on no list either. A refund that is held
// stays the order's until it is released.
func TestPayout_ScreeningGivesBack(t *testing.T) {
	t.Parallel()
	for wallet, returnsTo := range map[string]string{"wallet": "0x00000000000000000000000000000000000000ff", "": ""} {
		r, list := screens(t, map[string][]string{"0xpayer": {"sdn-3"}})
		a, o := r.ready(wallet)
		o, _ = r.advance(o.ID)
		r.heldFor("listed", o, "sender address: sdn-3")
		list.has[returnsTo] = []string{"sdn-4"}
		if _, err := r.Operator.GiveBackFor(t.Context(), byOperator(), o.ID, decided); err != nil {
			t.Fatal(err)
		}
		r.auditSays("order.give_back", decided.By, decided.Reason, "sender address: sdn-3", "in_review")
		o, _ = r.advance(o.ID)
		if wallet == "" {
			r.want("there is no return address", o, order.Error)
			r.has(ledger.Held(a.ID), money.USDC, 100_000_000)
			continue
		}
		r.heldFor("its return address is listed", o, "return_address address: sdn-4")
		r.stuck(order.HoldScreening)
		r.has(ledger.Order(o.ID), money.USDC, 100_000_000)
		if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); !errors.Is(err, operator.ErrNotStuck) {
			t.Errorf("it is being given back: %v", err)
		}
		if o, again := r.advance(o.ID); o.Status != order.InReview || again <= 0 || r.desk.paid() != 0 {
			t.Errorf("%s, again in %v, %d transfers", o.Status, again, r.desk.paid())
		}
		r.release(o.ID)
		o, _ = r.advance(o.ID)
		r.desk.moves(fiat.TransferProcessed, 0)
		o, _ = r.advance(o.ID)
		if o.Status != order.Returned || o.Refund.Status != order.RefundCompleted ||
			r.desk.wallets[a.PartnerWalletID] != 0 {
			t.Errorf("%s, %+v", o.Status, o.Refund)
		}
		r.sums()
	}
}

// Where a list does not answer the money waits, says why, and goes by itself once the list answers.
func TestPayout_ScreeningDoesNotAnswer(t *testing.T) {
	t.Parallel()
	r, list := screens(t, nil)
	_, o := r.ready("wallet")
	list.down = screen.ErrUnavailable
	var waits []time.Duration
	for range 4 {
		var again time.Duration
		o, again = r.advance(o.ID)
		r.want("nobody knows", o, order.InReview)
		if o.Hold != order.HoldUnscreened || r.desk.paid() != 0 {
			t.Fatalf("hold %q, %d payouts", o.Hold, r.desk.paid())
		}
		waits = append(waits, again)
		r.clock.move(20 * time.Minute)
	}
	want := []time.Duration{5 * time.Second, time.Minute, time.Minute, 10 * time.Minute}
	if !slices.Equal(waits, want) {
		t.Errorf("asked again after %v, want %v", waits, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	list.meanwhile, list.down = cancel, context.Canceled
	version := r.order(o.ID).Version
	if _, err := r.Payments.Advance(ctx, ws, o.ID); err == nil || r.order(o.ID).Version != version {
		t.Errorf("the server ends: %v", err)
	}
	list.meanwhile, list.down = nil, nil
	o, _ = r.advance(o.ID)
	r.want("it answers", o, order.PaymentSubmitted)

	list.down = screen.ErrUnavailable
	r.desk.moves(fiat.TransferRefunded, 99_250_000)
	o, _ = r.advance(o.ID)
	if o.Status != order.InReview || o.Hold != order.HoldUnscreened || o.Refund.Status != order.RefundPending {
		t.Errorf("its refund: %s, %q, %+v", o.Status, o.Hold, o.Refund)
	}
	list.down = nil
	o, _ = r.advance(o.ID)
	if o.Status != order.Returned || o.Refund.Status != order.RefundSubmitted {
		t.Errorf("it answers: %s, %+v", o.Status, o.Refund)
	}
	r.sums()
}

// All whom the payout is for are asked about; a name that changes while the list is asked is asked about too.
func TestPayout_ScreeningAsksAboutAll(t *testing.T) {
	t.Parallel()
	r, list := screens(t, nil)
	row, err := r.store.BankAccount(t.Context(), ws, r.account.ID)
	if err != nil {
		t.Fatal(err)
	}
	row.Shown.LegalName = "Ana SA"
	r.write(func(ctx context.Context, tx payout.Tx) error { return tx.UpdateBankAccount(ctx, row) })
	_, o := r.ready("wallet")
	name := "Bo"
	list.meanwhile = func() {
		list.meanwhile = nil
		if _, err := r.Recipients.Update(
			t.Context(), call(), r.recipient.ID, rest.RecipientChange{Name: &name},
		); err != nil {
			t.Error(err)
		}
	}
	list.has = map[string][]string{name: {"sdn-7"}}
	o, _ = r.advance(o.ID)
	r.heldFor("renamed while the list was asked", o, "recipient name: sdn-7")
	for _, want := range []screen.Subject{
		{Kind: screen.Name, Role: screen.Recipient, Value: "Ana"},
		{Kind: screen.Name, Role: screen.Recipient, Value: "Bo"},
		{Kind: screen.Name, Role: screen.AccountOwner, Value: "Ana SA", Country: "MX"},
		{Kind: screen.Address, Role: screen.Sender, Value: "0xpayer", Chain: "base"},
	} {
		if !slices.Contains(list.asked, want) {
			t.Errorf("nobody asked about %+v: %+v", want, list.asked)
		}
	}
}

// Money that lies at an address keeps its senders: what was given back without a return address, and what was too
// small to be paid out.
func TestPayout_ScreeningOfMoneyAtAnAddress(t *testing.T) {
	t.Parallel()
	r, list := screens(t, map[string][]string{"0xpayer": {"sdn-3"}})
	a, o := r.ready("")
	o, _ = r.advance(o.ID)
	if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	r.arrive(a, "t2", "500000", watch.Final, from("0xsmall"))
	r.take("t2")
	r.arrive(a, "t3", "20000000", watch.Final, from("0xother"))
	r.take("t3")
	r.desk.receives(20_500_000)
	next := r.funded(a, 100_000_000)
	next, _ = r.advance(next.ID)
	r.heldFor("it is the same money", next, "sender address: sdn-3")
	var senders []string
	for _, s := range list.asked[len(list.asked)-2:] {
		senders = append(senders, s.Value)
	}
	if !slices.Equal(senders, []string{"0xpayer", "0xsmall"}) {
		t.Errorf("senders %v", senders)
	}
}

func from(address string) func(*watch.Transfer) {
	return func(t *watch.Transfer) { t.From = address }
}

// funded is the order of a quote that is paid from what lies at the address.
func (r *rig) funded(a withdraw.Address, minor int64) order.Order {
	r.t.Helper()
	o := r.quoted(a, minor)
	o.ExpiresAt = r.clock.Now().Add(time.Hour)
	r.apply(o, order.Event{Kind: order.Funded, By: order.User, At: r.clock.Now()})
	return r.order(o.ID)
}

// Workers that find a hit at the same time write it down once, also while an operator releases it.
func TestPayout_ScreeningByTwoWorkers(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(c *payout.Config) {
		d, err := screen.Load(strings.NewReader("sdn-1 name ANA"))
		if err != nil {
			t.Fatal(err)
		}
		c.Screening = screen.New(slog.New(slog.DiscardHandler), d)
	})
	_, o := r.ready("wallet")
	both := func() {
		done := make(chan error)
		go func() {
			_, err := r.Payments.Advance(t.Context(), ws, o.ID)
			done <- err
		}()
		if _, err := r.Payments.Advance(t.Context(), ws, o.ID); errors.Join(err, <-done) != nil {
			t.Error(err)
		}
	}
	both()
	r.heldFor("both found it", r.order(o.ID), "recipient name: sdn-1")
	released := make(chan error)
	go func() {
		_, err := r.Operator.Release(t.Context(), byOperator(), o.ID, decided)
		released <- err
	}()
	both()
	if err := <-released; err != nil {
		t.Error(err)
	}
	both()
	r.want("released", r.order(o.ID), order.PaymentSubmitted)
	want := []string{"review.opened recipient name: sdn-1", "review.released recipient name: sdn-1"}
	if got := r.hitsInTimeline(o.ID); !slices.Equal(got, want) || r.desk.paid() != 1 {
		t.Errorf("%d payouts, %q", r.desk.paid(), got)
	}
	r.sums()
}
