package payout_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

const partnerSends = "0x00000000000000000000000000000000000000aa"

// sends has a sender bring the coins of 5,000.00 MXN to the recipient's withdrawal address, in a transaction, and gives
// the order that they belong to.
func (r *rig) sends(id, tx, from string, several ...string) order.Order {
	r.t.Helper()
	all, err := r.store.WithdrawAddressesOf(r.t.Context(), ws, r.account.ID)
	if err != nil || len(all) != 1 {
		r.t.Fatal(len(all), err)
	}
	r.arrive(all[0], id, strconv.FormatInt(coinsOfPayIn.Minor, 10), watch.Final, func(t *watch.Transfer) {
		t.Tx, t.From, t.Senders = tx, from, several
	})
	r.take(id)
	r.desk.receives(coinsOfPayIn.Minor)
	rows, err := r.store.Orders(r.t.Context(), orderview.Filter{WorkspaceID: ws, Page: pageOf(50)})
	at := slices.IndexFunc(rows, func(o order.Order) bool { return o.Deposit != nil && o.Deposit.TransferID == id })
	if err != nil || at < 0 {
		r.t.Fatalf("no order has %s: %v", id, err)
	}
	o, _ := r.advance(rows[at].ID)
	return o
}

// pays has the partner tell of pesos at a recipient's CLABE and send their coins: the recipient is paid.
func (r *rig) pays() (clabe string, o order.Order) {
	r.t.Helper()
	r.address("wallet")
	clabe = r.virtual()
	r.tells(clabe, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	o = r.sends("t1", coinsTx, partnerSends)
	if o.Type != order.GlobalPayment || r.desk.paid() != 1 {
		r.t.Fatalf("%s %s, %d transfers", o.Type, o.Status, r.desk.paid())
	}
	return clabe, o
}

// Coins that the partner sends twice, in one transaction or in two, wait for an operator: they do not pay the recipient
// again.
func TestPayout_PayIn_CoinsSentTwiceAreHeld(t *testing.T) {
	t.Parallel()
	for name, tx := range map[string]string{"in one transaction": coinsTx, "in another": "0xagain"} {
		r := newRig(t)
		_, first := r.pays()
		o := r.sends("t2", tx, "0x00000000000000000000000000000000000000AA")
		if o.Status != order.InReview || o.Hold != order.HoldSentTwice || o.Repeats != first.Reference ||
			r.desk.paid() != 1 {
			t.Fatalf("%s: %s, hold %q, repeats %q, %d transfers", name, o.Status, o.Hold, o.Repeats, r.desk.paid())
		}
		r.stuck(order.HoldSentTwice)
		r.clock.move(time.Hour)
		if o, _ = r.advance(o.ID); o.Hold != order.HoldSentTwice || r.desk.paid() != 1 {
			t.Errorf("%s, an hour later: %s, hold %q, %d transfers", name, o.Status, o.Hold, r.desk.paid())
		}
		if third := r.sends("t3", "0xthird", partnerSends); third.Hold != order.HoldSentTwice {
			t.Errorf("%s, and a third time: %s, hold %q", name, third.Status, third.Hold)
		}
	}
}

// An operator says that the coins are meant for the recipient: they are paid out.
func TestPayout_PayIn_CoinsSentTwiceAreReleased(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pays()
	o := r.sends("t2", "0xagain", partnerSends)
	if _, err := r.Operator.Release(t.Context(), byOperator(), o.ID, decided); err != nil {
		t.Fatal(err)
	}
	r.auditSays("order.release", decided.By, decided.Reason, order.HoldSentTwice, "in_review")
	o, _ = r.advance(o.ID)
	r.want("released", o, order.PaymentSubmitted)
	r.stuck("")
}

// An operator says that the coins are the partner's: they go to nobody's return address and pay for no quote, but stay
// in suspense until the partner has taken them.
func TestPayout_PayIn_CoinsSentTwiceArePutAside(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pays()
	o := r.sends("t2", "0xagain", partnerSends)
	if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	o, _ = r.advance(o.ID)
	r.want("put aside", o, order.Error)
	if o.Refund != nil || o.Failure == nil || o.Failure.Code != order.HoldSentTwice || r.desk.paid() != 1 {
		t.Errorf("refund %+v, failure %+v, %d transfers", o.Refund, o.Failure, r.desk.paid())
	}
	r.has(ledger.Order(o.ID), money.USDC, 0)
	r.has(ledger.Held(o.WithdrawAddressID), money.USDC, 0)
	r.has(ledger.Suspense, money.USDC, coinsOfPayIn.Minor)
	if d := r.differences(); len(d) > 0 {
		t.Error(d)
	}
}

// Somebody else sends just as much from a wallet of his own, and the partner sends coins of another bank transfer that
// are as many: neither is held.
func TestPayout_PayIn_AsManyCoinsAreNotTheSameCoins(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	clabe, _ := r.pays()
	r.want("a depositor's own", r.sends("t2", "0xhonest", "0xpayer"), order.PaymentSubmitted)
	r.tells(clabe, "d2", fiat.FundsReceived)
	r.desk.happens(clabe, fiat.Activity{
		Type: fiat.PaymentProcessed, DepositID: "d2", Amount: coinsOfPayIn, Fee: feeOfPayIn, Hash: "0xnext",
	})
	o := r.sends("t3", "0xnext", partnerSends)
	r.want("of another bank transfer", o, order.PaymentSubmitted)
	if o.Type != order.GlobalPayment || r.desk.paid() != 3 {
		t.Errorf("%s, %d transfers", o.Type, r.desk.paid())
	}
}

// Where several pay for a transfer together, it has no one sender. What strangers send so is not held as sent twice;
// what one of them sends again is.
func TestPayout_PayIn_CoinsOfSeveralSenders(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.address("wallet")
	clabe := r.virtual()
	r.tells(clabe, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	first := r.sends("t1", coinsTx, "", partnerSends, "0xpartners-other")
	r.want("the partner's", first, order.PaymentSubmitted)
	r.want("of two strangers", r.sends("t2", "0xhonest", "", "0xone", "0xtwo"), order.PaymentSubmitted)
	for id, from := range map[string][]string{"t3": {"", "0xpartners-other", "0xthree"}, "t4": {partnerSends}} {
		if o := r.sends(id, "0x"+id, from[0], from[1:]...); o.Hold != order.HoldSentTwice {
			t.Errorf("again, from %q: %s, hold %q", from, o.Status, o.Hold)
		}
	}
}

// The coins that the partner does not name come first and are paid out. Those that it names, which come after them,
// wait for an operator.
func TestPayout_PayIn_NamedCoinsAfterTheSameUnnamedOnesAreHeld(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.address("wallet")
	clabe := r.virtual()
	first := r.sends("t1", "0xunnamed", partnerSends)
	r.want("as a deposit", first, order.PaymentSubmitted)
	r.tells(clabe, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	o := r.sends("t2", coinsTx, partnerSends)
	if o.Type != order.GlobalPayment || o.Hold != order.HoldSentTwice || o.Repeats != first.Reference ||
		r.desk.paid() != 1 {
		t.Fatalf("%s %s, hold %q, repeats %q, %d transfers", o.Type, o.Status, o.Hold, o.Repeats, r.desk.paid())
	}
	if _, err := r.Operator.GiveBack(t.Context(), byOperator(), o.ID); err != nil {
		t.Fatal(err)
	}
	r.has(ledger.Suspense, money.USDC, coinsOfPayIn.Minor)
	if d := r.differences(); len(d) > 0 {
		t.Error(d)
	}
}

// The partner tells late of which bank transfer the held coins are: they are no repetition, and are paid out.
func TestPayout_PayIn_HeldCoinsThatAreNamedLaterGoOn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	clabe, _ := r.pays()
	o := r.sends("t2", "0xnext", partnerSends)
	r.want("told by nobody", o, order.InReview)
	r.tells(clabe, "d2", fiat.FundsReceived)
	r.desk.happens(clabe, fiat.Activity{
		Type: fiat.PaymentProcessed, DepositID: "d2", Amount: coinsOfPayIn, Fee: feeOfPayIn, Hash: "0xnext",
	})
	r.notice(clabe)
	o, _ = r.advance(o.ID)
	r.want("its own bank transfer's", o, order.PaymentSubmitted)
	if o.Type != order.GlobalPayment || o.PayIn.DepositID != "d2" {
		t.Errorf("%s, %+v", o.Type, o.PayIn)
	}
}
