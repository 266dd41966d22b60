package payout_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/payin"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// countedPayIns counts what pay-ins ask of the database.
type countedPayIns struct {
	payin.Store
	calls map[string]int
}

func (c countedPayIns) Order(ctx context.Context, workspaceID, id string) (order.Order, error) {
	c.calls["Order"]++
	return c.Store.Order(ctx, workspaceID, id)
}

func (c countedPayIns) OrderOf(ctx context.Context, k order.ClaimKind, id string) (string, string, error) {
	c.calls["OrderOf"]++
	return c.Store.OrderOf(ctx, k, id)
}

func (c countedPayIns) OrdersWithClaims(
	ctx context.Context, workspaceID string, k order.ClaimKind, ids []string,
) ([]order.Order, error) {
	c.calls["OrdersWithClaims"]++
	c.calls["claims"] += len(ids)
	return c.Store.OrdersWithClaims(ctx, workspaceID, k, ids)
}

func (c countedPayIns) KnownDepositEvents(
	ctx context.Context, workspaceID, accountID string, ids []string,
) ([]string, error) {
	c.calls["KnownDepositEvents"]++
	c.calls["events"] += len(ids)
	return c.Store.KnownDepositEvents(ctx, workspaceID, accountID, ids)
}

func (c countedPayIns) Work(
	ctx context.Context, workspaceID string, fn func(context.Context, payin.Tx) (command.Audit, error),
) error {
	c.calls["Work"]++
	return c.Store.Work(ctx, workspaceID, fn)
}

// counted is a rig whose pay-ins are counted.
func counted(t *testing.T) (*rig, countedPayIns) {
	c := countedPayIns{calls: map[string]int{}}
	return newRig(t, func(config *payout.Config) {
		c.Store = config.Stores.PayIns
		config.Stores.PayIns = c
	}), c
}

// A shop has 300 deposits behind it. A new one costs the same as the first: it alone is looked at, and the others are a
// row of one query, or not even read.
func TestPayout_PayIn_ABusyAccount(t *testing.T) {
	t.Parallel()
	r, c := counted(t)
	a := r.depositRow(pesos())
	for i := range 300 {
		r.tells(a.PartnerID, fmt.Sprintf("d%03d", i), fiat.FundsReceived)
		r.clock.move(2 * time.Second) // 15 minutes in all
	}
	r.notice(a.PartnerID)
	look := func(what string, most map[string]int) {
		t.Helper()
		clear(c.calls)
		r.notice(a.PartnerID)
		for name, n := range c.calls {
			if n > most[name] {
				t.Errorf("%s: %d times %s, want at most %d", what, n, name, most[name])
			}
		}
	}
	few := map[string]int{"OrdersWithClaims": 1, "KnownDepositEvents": 1, "claims": 210, "events": 210, "Work": 1}
	look("nothing new", few)
	r.tells(a.PartnerID, "new", fiat.FundsReceived)
	few["Work"], few["OrderOf"] = 3, 1 // the event, the order, how far
	look("one new deposit", few)
	r.holdsPayIn("the new one", r.payIn("new"), order.FundsReceived, order.PayInReceived, "")
	r.clock.move(11 * time.Minute)
	few["claims"], few["events"], few["OrderOf"], few["Work"] = 301, 301, 0, 1
	look("all of it, once in a while", few)
}

// What a busy account's partner tells late, or changes, is found by the next full read; what does not explain itself is
// looked for at once.
func TestPayout_PayIn_LateAtABusyAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	for i := range 250 {
		r.tells(a.PartnerID, fmt.Sprintf("d%03d", i), fiat.FundsReceived)
	}
	r.notice(a.PartnerID)
	late := fiat.Activity{
		Type: fiat.FundsReceived, DepositID: "late", Amount: pesosOf(500_000), Rail: fiat.SPEI,
		At: r.clock.Now().Add(-5 * time.Hour),
	}
	r.desk.happens(a.PartnerID, late)
	r.clock.move(time.Minute)
	r.tells(a.PartnerID, "next", fiat.FundsReceived)
	r.notice(a.PartnerID)
	r.payIn("next")
	r.clock.move(10 * time.Minute)
	r.notice(a.PartnerID)
	r.holdsPayIn("told five hours late", r.payIn("late"), order.FundsReceived, order.PayInReceived, "")

	late.DepositID = "later"
	r.desk.happens(a.PartnerID, late)
	r.tells(a.PartnerID, "later", fiat.PaymentProcessed)
	r.notice(a.PartnerID)
	r.holdsPayIn("only its coins are new", r.payIn("later"), order.PaymentSubmitted, order.PayInSubmitted, "")
	if d := r.differences(); len(d) > 0 {
		t.Error(d)
	}
}

// A bank transfer whose order cannot be written is taken again by the next read, and holds up no other.
func TestPayout_PayIn_FailedTakesAreRepeated(t *testing.T) {
	t.Parallel()
	broken := true
	r := newRig(t, func(config *payout.Config) {
		config.Stores.PayIns = brokenPayIns{config.Stores.PayIns, &broken}
	})
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived)
	r.tells(a.PartnerID, "d2", fiat.FundsReceived)
	r.desk.happens(a.PartnerID, fiat.Activity{
		Type: fiat.FundsReceived, DepositID: "bad", Amount: pesosOf(66_600), Rail: fiat.SPEI, SenderName: "Mallory",
	})
	r.clock.move(time.Second)
	if err := r.PayIns.Noticed(t.Context(), a.PartnerID); err == nil {
		t.Fatal("a write failed, and nobody hears of it")
	}
	r.payIn("d1")
	r.payIn("d2")
	r.clock.move(48 * time.Hour)
	r.tells(a.PartnerID, "d3", fiat.FundsReceived)
	if err := r.PayIns.Noticed(t.Context(), a.PartnerID); err == nil {
		t.Fatal("it fails again, and nobody hears of it")
	}
	broken = false
	r.notice(a.PartnerID)
	r.payIn("bad")
	events, total, err := r.store.DepositEvents(t.Context(), ws, a.ID, page.Page{Limit: 10})
	if err != nil || total != 4 || len(events) != 4 {
		t.Errorf("%d events, %v", total, err)
	}
}

// brokenPayIns refuses the orders of 666.00 MXN while it is broken.
type brokenPayIns struct {
	payin.Store
	broken *bool
}

func (f brokenPayIns) Work(
	ctx context.Context, workspaceID string, fn func(context.Context, payin.Tx) (command.Audit, error),
) error {
	return f.Store.Work(ctx, workspaceID, func(ctx context.Context, tx payin.Tx) (command.Audit, error) {
		return fn(ctx, brokenPayInsTx{tx, f.broken})
	})
}

type brokenPayInsTx struct {
	payin.Tx
	broken *bool
}

func (f brokenPayInsTx) Apply(ctx context.Context, c order.Change) error {
	if *f.broken && c.Order.PayIn.Amount == pesosOf(66_600) {
		return fmt.Errorf("the disk is full")
	}
	return f.Tx.Apply(ctx, c)
}

// The partner reviews a bank transfer for days. When it tells of the coins at last, its list does not reach back to the
// fiat: other deposits came in between.
func TestPayout_PayIn_CoinsDaysAfterTheFiat(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.FundsInReview)
	r.notice(a.PartnerID)
	r.clock.move(3 * 24 * time.Hour)
	r.tells(a.PartnerID, "d2", fiat.FundsReceived)
	r.notice(a.PartnerID)
	r.clock.move(25 * time.Hour)
	r.tells(a.PartnerID, "d1", fiat.PaymentProcessed)
	r.notice(a.PartnerID)
	r.holdsPayIn("the coins are sent", r.payIn("d1"), order.PaymentSubmitted, order.PayInSubmitted, "")
}

// The partner takes a fee that is all of the deposit: the order waits for an operator, who finds it.
func TestPayout_PayIn_AFeeOfAllOfIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived)
	r.clock.move(time.Second)
	r.desk.happens(a.PartnerID, fiat.Activity{
		Type: fiat.PaymentProcessed, DepositID: "d1", Amount: coinsOfPayIn, Fee: pesosOf(500_000),
		Hash: coinsTx, Rail: fiat.SPEI,
	})
	for range 3 {
		r.clock.move(time.Minute)
		r.notice(a.PartnerID)
	}
	o := r.payIn("d1")
	r.holdsPayIn("all of it is fee", o, order.FundsReceived, order.PayInReceived, order.DelayMismatch)
	stuck, _, _, err := r.Operator.Stuck(t.Context(), ws, page.Page{Limit: 10})
	if err != nil || !slices.ContainsFunc(stuck, func(x order.Order) bool { return x.ID == o.ID }) {
		t.Errorf("the operator's list has %d orders, not this one (%v)", len(stuck), err)
	}
	if n := len(r.kinds(o.ID)); n != 2 || !strings.Contains(r.log.String(), "does not fit") {
		t.Errorf("%d events; log %s", n, r.log)
	}
}

// One thing that the partner tells makes no sense: the others are taken in, and an operator sees it.
func TestPayout_PayIn_Unreadable(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.address("wallet")
	clabe, a := r.virtual(), r.depositRow(pesos())
	for i, partnerAccount := range []string{clabe, a.PartnerID} {
		bad, good := fmt.Sprintf("bad%d", i), fmt.Sprintf("good%d", i)
		r.tells(partnerAccount, bad, fiat.FundsReceived)
		r.notice(partnerAccount)
		none := fiat.Activity{Type: fiat.Unreadable, DepositID: bad, Reason: "payment_processed: an amount"}
		r.desk.happens(partnerAccount, none)
		none.DepositID = ""
		r.desk.happens(partnerAccount, none)
		none.DepositID = "nobody's" + bad
		r.desk.happens(partnerAccount, none)
		r.tells(partnerAccount, good, fiat.FundsReceived)
		r.notice(partnerAccount)
		r.holdsPayIn("the other one", r.payIn(good), order.FundsReceived, order.PayInReceived, "")
		r.holdsPayIn("of which something makes no sense", r.payIn(bad), order.FundsReceived, order.PayInReceived,
			order.DelayMismatch)
		r.notice(partnerAccount)
		if kinds := r.kinds(r.payIn(bad).ID); len(kinds) != 2 {
			t.Errorf("read again: %v", kinds)
		}
		r.tells(partnerAccount, bad, fiat.PaymentProcessed) // the partner corrects itself
		r.notice(partnerAccount)
		if o := r.payIn(bad); o.PayIn.Status != order.PayInSubmitted {
			t.Errorf("%s", o.PayIn.Status)
		}
	}
	events, total, err := r.store.DepositEvents(t.Context(), ws, a.ID, page.Page{Limit: 10})
	unread := slices.DeleteFunc(events, func(e depositaccount.Event) bool { return e.RawType != "unreadable" })
	if err != nil || total != 6 || len(unread) != 3 || unread[0].Type != depositaccount.Unknown {
		t.Errorf("%d events, not to be read %+v, %v", total, unread, err)
	}
	if n := strings.Count(r.log.String(), "makes no sense"); n < 6 {
		t.Errorf("%d lines of the log", n)
	}
}

// shortReads is a partner whose lists are told up to a length.
type shortReads struct {
	fiat.Partner
	most int
}

func (s *shortReads) Activities(
	ctx context.Context, customerID, accountID string, since time.Time,
) ([]fiat.Activity, error) {
	all, err := s.Partner.Activities(ctx, customerID, accountID, since)
	if err == nil && len(all) > s.most {
		return all[:s.most], fiat.ErrLong
	}
	return all, err
}

// The list of a day is too long to be read: the account goes on with less of it. Where even that is too long, what is
// told is taken in, and the rest is neither counted as taken in nor forgotten.
func TestPayout_PayIn_AListTooLong(t *testing.T) {
	t.Parallel()
	short := &shortReads{most: 1000}
	r := newRig(t, func(config *payout.Config) {
		short.Partner = config.Partner
		config.Partner = short
	})
	a := r.depositRow(pesos())
	tell := func(what string, n int) {
		for i := range n {
			r.clock.move(2 * time.Minute)
			r.tells(a.PartnerID, fmt.Sprintf("%s%d", what, i), fiat.FundsReceived)
		}
	}
	tell("a", 10)
	r.notice(a.PartnerID)
	r.clock.move(time.Hour)
	tell("b", 5)
	short.most = 13 // of 15; ten minutes have 9 or 10 of them
	r.notice(a.PartnerID)
	r.payIn("b4")
	until := func() time.Time {
		row, err := r.store.DepositAccount(t.Context(), ws, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		return row.ActivitiesUntil
	}
	was := until()
	r.clock.move(time.Hour)
	tell("c", 20)
	if err := r.PayIns.Noticed(t.Context(), a.PartnerID); err == nil {
		t.Error("not all was read, and nobody hears of it")
	}
	r.payIn("c19")
	_, unheard := r.store.Order(t.Context(), ws, "c0")
	if now := until(); !now.Equal(was) || unheard == nil {
		t.Errorf("a bank transfer that was not read counts as taken in: %s, %v", now, unheard)
	}
	short.most = 1000
	r.notice(a.PartnerID)
	r.payIn("c0")
}
