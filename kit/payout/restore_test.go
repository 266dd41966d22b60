package payout_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// restorableRig is a rig whose database can be copied and put back.
func restorableRig(t *testing.T) *rig {
	t.Helper()
	r := emptyRig(t)
	r.db, r.queue = apptest.OpenEmbedded(t, r.clock)
	return r.begin()
}

// copied copies the database; putBack has the server go on with that copy, an hour later.
func (r *rig) copied() (putBack func()) {
	r.t.Helper()
	path := apptest.CopyOf(r.t, r.db)
	return func() {
		r.t.Helper()
		r.clock.move(time.Hour)
		r.db, r.queue = apptest.OpenFile(r.t, path, r.clock)
		r.serve()
	}
}

// mined is a deposit that is final at once, in a block of now. A watcher that looks again later finds the same block.
func (r *rig) mined(id string) func(*watch.Transfer) {
	at := r.clock.Now().Truncate(time.Second)
	return func(t *watch.Transfer) { t.MinedAt = at }
}

// R1: a deposit whose order is younger than the database that is put back is opened again. It gets the id and the
// reference that it had, and is paid once, also where the partner has forgotten the key.
func TestPayout_R1_DepositOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]time.Duration{"the next hour": 0, "days later": 3 * 24 * time.Hour} {
		r := restorableRig(t)
		a := r.address("wallet")
		r.desk.receives(100_000_000) // another deposit's money, which a second payment would take
		putBack := r.copied()
		block := r.mined("t1")
		r.arrive(a, "t1", "44400000", watch.Final, block)
		r.take("t1")
		r.desk.receives(44_400_000)
		was, _ := r.advance(r.orderOf("t1").ID)
		r.want(name+": paid", was, order.PaymentSubmitted)
		r.desk.moves(fiat.TransferProcessed, 0)

		putBack()
		if r.clock.move(later); later > 0 {
			r.desk.forgetsKeys()
		}
		r.arrive(a, "t1", "44400000", watch.Final, block)
		r.take("t1")
		o, _ := r.advance(r.orderOf("t1").ID)
		r.want(name+": taken over", o, order.Completed)
		if o.ID != was.ID || o.Reference != was.Reference || r.desk.paid() != 1 {
			t.Errorf("%s: %s became %s, %d payments", name, was.Reference, o.Reference, r.desk.paid())
		}
		r.sums()
		r.has(ledger.Order(o.ID), money.USDC, 0)
	}
}

// A deposit that paid for a quote is the same money, whatever the database has forgotten of the quote.
func TestPayout_R1_QuoteOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"the quote is forgotten": false, "the quote waits again": true} {
		r := restorableRig(t)
		a := r.address("wallet")
		r.desk.receives(300_000_000)
		putBack := r.copied()
		q := r.quote(a, 100_000_000, 100*24*time.Hour)
		if known {
			putBack = r.copied()
		}
		block := r.mined("t1")
		r.arrive(a, "t1", "100000000", watch.Final, block)
		r.take("t1")
		r.desk.receives(100_000_000)
		was, _ := r.advance(q.ID)
		r.want(name+": paid", was, order.PaymentSubmitted)
		r.desk.moves(fiat.TransferProcessed, 0)

		putBack()
		r.clock.move(48 * time.Hour)
		r.desk.forgetsKeys()
		r.desk.sell = "18.61" // the rate has moved since
		r.arrive(a, "t1", "100000000", watch.Final, block)
		r.take("t1")
		o, _ := r.advance(r.orderOf("t1").ID)
		if r.desk.paid() != 1 || o.Payout.TransferID != was.Payout.TransferID {
			t.Errorf("%s: %d payments, %s has %q, not %q", name, r.desk.paid(), o.Status, o.Payout.TransferID,
				was.Payout.TransferID)
		}
		r.sums()
	}
}

// A payout of another amount out of the same wallet, which no order here has, may have been this order's: nobody here
// knows. An operator says whose it was.
func TestPayout_R1_UnknownTransferIsHeld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		do     func(*rig, string) error
		status order.Status
		paid   int
	}{
		{func(r *rig, id string) error {
			_, err := r.Operator.DisownTransfer(r.t.Context(), byOperator(), id, r.desk.orders[0], decided)
			return err
		}, order.PaymentSubmitted, 2},
		{func(r *rig, id string) error {
			_, err := r.Operator.AcceptTransfer(r.t.Context(), byOperator(), id, decided)
			return err
		}, order.Completed, 1},
	} {
		r := restorableRig(t)
		a := r.address("wallet")
		r.desk.receives(300_000_000)
		putBack := r.copied()
		r.come(a, "t1", "70000000")
		r.advance(r.orderOf("t1").ID)
		delete(r.sees.all, "t1")

		putBack()
		block := r.mined("t2")
		r.clock.move(20 * time.Minute)
		r.arrive(a, "t2", "44000000", watch.Final, block)
		r.take("t2")
		o, again := r.advance(r.orderOf("t2").ID)
		if o.Hold != order.HoldForgotten || again <= 0 || r.desk.paid() != 1 {
			t.Fatalf("%s, hold %q, %d payments", o.Status, o.Hold, r.desk.paid())
		}
		if err := c.do(r, o.ID); err != nil {
			t.Fatal(err)
		}
		o, _ = r.advance(o.ID)
		r.want("an operator knows", o, c.status)
		if r.desk.paid() != c.paid || r.alarms() != 0 {
			t.Errorf("%d payments", r.desk.paid())
		}
	}
}

// R1: so with refunds: one that an older database has forgotten is not sent again, and nothing is refunded that was
// paid.
func TestPayout_R1_RefundOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{"it was refunded": true, "it was paid": false} {
		r := restorableRig(t)
		a := r.address("wallet")
		r.desk.receives(300_000_000)
		putBack := r.copied()
		block := r.mined("t1")
		r.arrive(a, "t1", "44400000", watch.Final, block)
		r.take("t1")
		if refused {
			r.desk.breaks("CreateTransfer", breakage{&fiat.Refusal{Code: "invalid_account"}, false})
		}
		was, _ := r.advance(r.orderOf("t1").ID)
		r.desk.moves(fiat.TransferProcessed, 0)

		putBack()
		r.clock.move(30 * time.Hour)
		r.desk.forgetsKeys()
		r.arrive(a, "t1", "44400000", watch.Final, block)
		r.take("t1")
		if refused {
			r.desk.breaks("CreateTransfer", breakage{&fiat.Refusal{Code: "invalid_account"}, false})
		}
		o := r.orderOf("t1")
		r.apply(o, order.Event{Kind: order.ReviewOpened, By: order.System, At: r.clock.Now(), Reason: "x"})
		if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err != nil {
			t.Fatal(err)
		}
		o, _ = r.advance(o.ID)
		switch {
		case r.desk.paid() != 1:
			t.Errorf("%s: %d transfers", name, r.desk.paid())
		case refused && (o.Refund.Status != order.RefundCompleted || o.Refund.TransferID != was.Refund.TransferID ||
			o.Refund.Reference != was.Refund.Reference || o.Refund.ID != was.Refund.ID):
			t.Errorf("%s: %+v, then %+v", name, was.Refund, o.Refund)
		case !refused && (o.Refund.Status != order.RefundFailed || o.Refund.Reason != order.HoldForgotten):
			t.Errorf("%s: %+v", name, o.Refund)
		}
		r.sums()
	}
}

// An attempt that the copy has as reserved was refused after the copy, and the next one was paid: the first is not
// asked for again, which the partner would take for a new payment once it has forgotten the refusal.
func TestPayout_R1_AttemptOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	r := restorableRig(t)
	a, o := r.ready("wallet")
	r.desk.receives(300_000_000)
	r.desk.breaks("CreateTransfer", breakage{fiat.ErrUnavailable, false})
	r.unsure(o.ID)
	putBack := r.copied()
	r.desk.breaks("CreateTransfer", breakage{fiat.ErrInsufficient, false})
	if o, _ = r.advance(o.ID); o.Paying {
		t.Fatalf("%+v", o)
	}
	was, _ := r.advance(o.ID)
	r.want("the second attempt", was, order.PaymentSubmitted)
	r.desk.moves(fiat.TransferProcessed, 0)

	putBack()
	for range 3 {
		o, _ = r.advance(o.ID)
	}
	r.want("put back", o, order.Completed)
	if o.Payout.TransferID != was.Payout.TransferID || r.desk.paid() != 1 || o.Attempt != 2 {
		t.Errorf("%d payments, attempt %d, %+v at %s", r.desk.paid(), o.Attempt, o.Payout, a.ID)
	}
	r.sums()
}

// The list of a partner that makes no sense holds no payout: what has the order's name is looked for.
func TestPayout_R1_UnreadableList(t *testing.T) {
	t.Parallel()
	r := restorableRig(t)
	r.desk.breaks("Transfers", breakage{fiat.ErrAnswer, false})
	_, o := r.ready("wallet")
	o, _ = r.advance(o.ID)
	r.want("one that cannot be read", o, order.PaymentSubmitted)
	r.desk.breaks("Transfers", breakage{fiat.ErrUnavailable, false})
	other := r.come(r.address("wallet"), "t2", "100000000")
	r.unsure(other.ID)
	if r.desk.paid() != 1 {
		t.Errorf("%d payments", r.desk.paid())
	}
}

// What lies at an address by our books pays for a quote only if the wallet has all of it: books that are older than the
// partner's have money twice.
func TestPayout_R1_MoneyAtAnAddressOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.address("wallet")
	for _, id := range []string{"t1", "t2"} {
		o := r.come(a, id, "100000000")
		r.desk.receives(100_000_000)
		r.apply(o, order.Event{Kind: order.ReviewOpened, By: order.System, At: r.clock.Now(), Reason: "x"})
	}
	for _, lacks := range []int64{0, 1} {
		r.desk.receives(-lacks)
		o := r.quoted(a, 100_000_000)
		r.write(func(ctx context.Context, tx payout.Tx) error {
			return tx.Book(ctx, ws, r.clock.Now(), laid(a.ID, o.ID, 100_000_000))
		})
		r.desk.receives(100_000_000)
		r.apply(o, order.Event{Kind: order.Funded, By: order.User, At: r.clock.Now()})
		o, _ = r.advance(o.ID)
		if paid := o.Status == order.PaymentSubmitted; paid != (lacks == 0) {
			t.Errorf("%d less: %s", lacks, o.Status)
		}
	}
}

// laid is an entry of the ledger: an amount lies at an address.
func laid(addressID, ref string, minor int64) ledger.Op {
	return ledger.Op{Do: ledger.Record, Ref: "laid:" + ref, Kind: "drain", Entries: []ledger.Entry{
		{Account: ledger.Chain("base"), Amount: money.Of(-minor, money.USDC)},
		{Account: ledger.Held(addressID), Amount: money.Of(minor, money.USDC)},
	}}
}

// R1: a batch was executed and its rows were paid. The older copy has only its preview, or not even that: it is
// executed again, before the watcher finds the deposits again or after. Each row is paid once by its deposit. What is
// priced anew at another rate promises another amount than was paid: an operator looks at it.
func TestPayout_R1_BatchOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		previewed, late bool
		sell            string
		hold            bool
	}{
		"the preview is there, executed first": {true, false, "18.61", false},
		"the preview is there, executed last":  {true, true, "18.61", false},
		"the same price, executed first":       {false, false, "18.4075", false},
		"another price, executed first":        {false, false, "18.61", true},
		"another price, executed last":         {false, true, "18.61", false},
	} {
		r := restorableRig(t)
		r.serve(func(c *payout.Config) { c.Quoting.Life = 7 * 24 * time.Hour })
		a := r.address("wallet")
		r.desk.receives(300_000_000) // other deposits' money, which second payments would take
		putBack := r.copied()
		b := r.previewed("100", "50", "100")
		if c.previewed {
			putBack = r.copied()
		}
		r.executed(b)
		block := r.mined("")
		deposits := map[string]int64{"t1": 100_000_000, "t2": 50_000_000, "t3": 100_000_000}
		for id, minor := range deposits {
			r.arrive(a, id, fmt.Sprint(minor), watch.Final, block)
			r.take(id)
			r.desk.receives(minor)
			o, _ := r.advance(r.orderOf(id).ID)
			r.want(name+": paid", o, order.PaymentSubmitted)
			r.desk.moves(fiat.TransferProcessed, 0)
		}

		putBack()
		r.clock.move(2 * time.Hour)
		r.desk.forgetsKeys()
		r.desk.sell = c.sell
		again := func() {
			if !c.previewed {
				b = r.previewed("100", "50", "100")
			}
			b = r.executed(b)
		}
		if !c.late {
			again()
		}
		transfers := map[string]bool{}
		for id, minor := range deposits {
			r.arrive(a, id, fmt.Sprint(minor), watch.Final, block)
			r.take(id)
			o, _ := r.advance(r.orderOf(id).ID)
			if c.hold {
				if o.Hold != order.HoldForgotten {
					t.Errorf("%s: %s, hold %q", name, o.Status, o.Hold)
				}
				continue
			}
			r.want(name+": taken over", o, order.Completed)
			transfers[o.Payout.TransferID] = true
			if took := r.desk.transfers[o.Payout.TransferID].Source; took.Minor != minor {
				t.Errorf("%s: %d is paid by the transfer of %s", name, minor, took)
			}
		}
		if c.late {
			again()
		}
		for _, row := range b.Rows {
			if o, _ := r.advance(row.OrderID); c.late != (o.Status == order.Awaiting) {
				t.Errorf("%s: row %d is %s", name, row.Row, o.Status)
			}
		}
		if r.desk.paid() != 3 || !c.hold && len(transfers) != 3 {
			t.Errorf("%s: %d payments, %v taken over", name, r.desk.paid(), transfers)
		}
		r.has(ledger.Held(a.ID), money.USDC, 0)
		r.sums()
	}
}

// R1: so with a batch that money at the address paid for: its payout is found, also days later, and also where the
// wallet has as much again from a deposit that nobody has seen yet.
func TestPayout_R1_BatchOfMoneyAtAnAddress(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]time.Duration{"soon": 0, "days later": 5 * 24 * time.Hour} {
		r := restorableRig(t)
		r.serve(func(c *payout.Config) { c.Quoting.Life = 7 * 24 * time.Hour })
		a := r.address("wallet")
		r.write(func(ctx context.Context, tx payout.Tx) error {
			return tx.Book(ctx, ws, r.clock.Now(), laid(a.ID, "before", 150_000_000))
		})
		r.desk.receives(150_000_000)
		b := r.previewed("100")
		putBack := r.copied()
		was, _ := r.advance(r.executed(b).Rows[0].OrderID)
		r.want(name+": paid", was, order.PaymentSubmitted)
		r.desk.moves(fiat.TransferProcessed, 0)
		r.desk.receives(100_000_000) // of a deposit that nobody has seen yet

		putBack()
		r.clock.move(later)
		r.desk.forgetsKeys()
		o, _ := r.advance(r.executed(b).Rows[0].OrderID)
		if found := o.Payout.TransferID == was.Payout.TransferID; r.desk.paid() != 1 || !found {
			t.Errorf("%s: %d payments, %s (hold %q), %+v", name, r.desk.paid(), o.Status, o.Hold, o.Payout)
		}
		r.sums()
	}
}

// R1: a bank transfer became coins after the copy. A notice, or the sweep that reads the partner's list, opens its
// order again under the id and the reference that it had, and the coins count once.
func TestPayout_R1_BankTransferOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	for name, find := range map[string]func(*rig, string){
		"a notice": (*rig).notice,
		"the sweep": func(r *rig, _ string) {
			r.clock.move(3 * 24 * time.Hour)
			if err := r.PayIns.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
	} {
		r := restorableRig(t)
		a := r.depositRow(pesos())
		putBack := r.copied()
		r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentSubmitted, fiat.PaymentProcessed)
		r.notice(a.PartnerID)
		block := r.mined("t1")
		r.coins("t1", coinsOfPayIn, watch.Final, block)
		was := r.follow("d1")
		r.holdsPayIn(name+": before", was, order.Completed, order.PayInSettled, "")
		delete(r.sees.all, "t1")

		putBack()
		r.desk.forgetsKeys()
		if _, err := r.store.Order(t.Context(), ws, "d1"); err == nil {
			t.Fatal("the copy has the order")
		}
		for range 2 {
			find(r, a.PartnerID)
		}
		r.coins("t1", coinsOfPayIn, watch.Final, block)
		o := r.follow("d1")
		r.holdsPayIn(name+": again", o, order.Completed, order.PayInSettled, "")
		if o.ID != was.ID || o.Reference != was.Reference {
			t.Errorf("%s: %s %s became %s %s", name, was.ID, was.Reference, o.ID, o.Reference)
		}
		r.has(ledger.Bank("spei"), money.MXN, -500_000)
		r.has(ledger.Chain("base"), money.USDC, coinsOfPayIn.Minor)
		r.has(ledger.Partner, money.USDC, 0)
		if d := r.differences(); len(d) > 0 || r.desk.paid()+len(r.desk.returns) != 0 {
			t.Errorf("%s: differences %v, %d transfers, returns %v", name, d, r.desk.paid(), r.desk.returns)
		}
	}
}

// A withdrawal address that the partner made after the copy is unknown after it: it is listed, and taken over by an
// operator's word. Its next deposit is paid.
func TestPayout_R1_AddressOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	r := restorableRig(t)
	r.address("wallet") // so that the workspace is known to the partner
	mia, clabe := r.payee("Mia")
	r.recipient, r.account = mia, clabe
	putBack := r.copied()
	was := r.address("wallet")
	putBack()

	made := withdraw.Made{
		PartnerID: was.PartnerID, CustomerID: was.CustomerID, WalletID: was.PartnerWalletID, Chain: was.Chain,
		Currency: string(was.Currency), Address: was.Address,
	}
	list := func(context.Context, string) ([]withdraw.Made, error) { return []withdraw.Made{made}, nil }
	strays := func() []reconcile.Stray {
		t.Helper()
		found, looked, err := reconcile.Strays(t.Context(), r.store, "", list)
		if err != nil || looked != 1 {
			t.Fatalf("%d addresses, %v", looked, err)
		}
		return found
	}
	if found := strays(); len(found) != 1 || found[0].WorkspaceID != ws || found[0].Made != made {
		t.Fatalf("%+v", found)
	}
	if _, err := r.Addresses.TakeOver(t.Context(), call(), clabe.ID, made); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Addresses.TakeOver(t.Context(), call(), clabe.ID, made); !errors.Is(err, withdraw.ErrHasAddress) {
		t.Errorf("twice: %v", err)
	}
	if found := strays(); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	a, err := r.store.WithdrawAddressByPartner(t.Context(), made.PartnerID)
	if err != nil || a.Address != was.Address || a.BankAccountID != clabe.ID {
		t.Fatalf("%+v, %v", a, err)
	}
	r.come(a, "t9", "61300000")
	r.desk.receives(61_300_000)
	o, _ := r.advance(r.orderOf("t9").ID)
	r.want("a deposit there", o, order.PaymentSubmitted)
}
