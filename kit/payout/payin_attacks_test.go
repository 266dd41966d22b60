package payout_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/operator"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
)

// The watcher sees the coins before the partner has named their transaction: fiat received, or submitted without hash.
func TestPayout_PayIn_CoinsWaitForTheirOrder(t *testing.T) {
	r := newRig(t)
	r.address("wallet")
	clabe := r.virtual()
	r.tells(clabe, "d1", fiat.FundsReceived)
	r.notice(clabe)
	r.comes("t1") // the partner's list does not have the hash yet
	r.tells(clabe, "d1", fiat.PaymentProcessed)
	r.notice(clabe)
	o := r.payIn("d1")
	r.clock.move(25 * time.Hour)
	o, _ = r.advance(o.ID)
	all, err := r.store.Orders(t.Context(), orderview.Filter{WorkspaceID: ws, Page: page.Page{Limit: 10}})
	if err != nil {
		t.Fatal(err)
	}
	_, wrote := r.Operator.WriteOffCoins(t.Context(), call(), o.ID)
	if len(all) != 1 {
		t.Errorf("one payment is %d orders", len(all))
	}
	for _, x := range all {
		t.Logf("%s %s %s, delay %q, next %q", x.Reference, x.Type, x.Status, x.Delay, x.Next(r.clock.Now()))
	}
	r.has(ledger.Partner, money.USDC, 0)
	if wrote != nil && o.PayIn.Status != order.PayInSettled {
		t.Errorf("a day later the operator cannot end %s: %v", o.Reference, wrote)
	}
}

// A global payment's coins never come: nobody is told, and nobody can end it.
func TestPayout_PayIn_CoinsOfAPaymentThatNeverComeAreWrittenOff(t *testing.T) {
	r := newRig(t)
	r.address("wallet")
	clabe := r.virtual()
	r.tells(clabe, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(clabe)
	r.clock.move(72 * time.Hour)
	o := r.follow("d1")
	stuck, _, _, err := r.Operator.Stuck(t.Context(), ws, page.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	_, wrote := r.Operator.WriteOffCoins(t.Context(), call(), o.ID)
	if len(stuck) == 0 || wrote != nil {
		t.Errorf("after three days: %s %s, delay %q, on the operator's list %d, write-off: %v",
			o.Status, o.PayIn.Status,
			o.Delay, len(stuck), wrote)
	}
}

// A global payment is returned after the coins were sent, and the coins arrive: nobody takes them.
func TestPayout_PayIn_CoinsAfterAReturnAreTakenIn(t *testing.T) {
	r := newRig(t)
	a := r.address("wallet")
	clabe := r.virtual()
	r.tells(clabe, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(clabe)
	r.tells(clabe, "d1", fiat.Refunded)
	r.notice(clabe)
	r.arrive(a, "t1", fmt.Sprint(coinsOfPayIn.Minor), watch.Final, func(x *watch.Transfer) { x.Tx = coinsTx })
	if _, err := r.Arrivals.Take(t.Context(), ws, "t1"); err != nil {
		t.Errorf("268.52 USDC lie at the address, and no order, drain or posting has them: %v", err)
	}
}

// A bank takes back less than came, ten days later; another deposit came in between.
func TestPayout_PayIn_ALateReturnOfLessIsAReceivable(t *testing.T) {
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(a.PartnerID)
	r.coins("t1", coinsOfPayIn, watch.Final)
	r.holdsPayIn("delivered", r.follow("d1"), order.Completed, order.PayInSettled, "")
	r.clock.move(10 * 24 * time.Hour)
	r.tells(a.PartnerID, "d2", fiat.FundsReceived)
	r.notice(a.PartnerID)
	r.clock.move(25 * time.Hour)
	r.desk.happens(a.PartnerID, fiat.Activity{
		Type: fiat.Refunded, DepositID: "d1", Amount: pesosOf(494_500), Rail: fiat.SPEI,
	})
	r.notice(a.PartnerID)
	o := r.payIn("d1")
	if o.PayIn.Status != order.PayInReturned {
		t.Errorf("%s %s: the bank took 4,945.00 MXN, and nobody knows", o.Status, o.PayIn.Status)
	}
	r.has(ledger.Receivable, money.MXN, -494_500)
}

// A depositor writes the reference of somebody's payment into a bank transfer: it then names the depositor's order.
func TestPayout_PayIn_ADepositorCannotTakeAReference(t *testing.T) {
	r := newRig(t)
	victim := r.quote(r.address("wallet"), 100_000_000, time.Hour)
	a := r.depositRow(pesos())
	r.desk.happens(a.PartnerID, fiat.Activity{
		Type: fiat.FundsReceived, DepositID: "d1", Amount: pesosOf(10_000), Rail: fiat.SPEI, SenderName: "Mallory",
		Trace: victim.Reference,
	})
	r.clock.move(time.Second)
	r.notice(a.PartnerID)
	found, err := r.store.Order(t.Context(), ws, victim.Reference)
	if err != nil || found.ID != victim.ID {
		t.Errorf("%s names %s %s of %s: %v", victim.Reference, found.Type, found.Reference, found.PayIn.Sender, err)
	}
	if _, err := r.Orders.FindOne(t.Context(), ws, victim.Reference); err != nil {
		t.Errorf("it cannot be canceled by its reference any more: %v", err)
	}
}

// The partner has no activities of an account any more: it is asked about it for ever, before all others.
func TestPayout_PayIn_AnEmptyListCountsAsAnAnswer(t *testing.T) {
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(a.PartnerID)
	r.desk.mu.Lock()
	r.desk.virtuals[a.PartnerID].activities = nil
	r.desk.mu.Unlock()
	r.clock.move(time.Hour)
	if err := r.PayIns.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	due, err := r.store.DepositAccountsToPoll(t.Context(), r.clock.Now().Add(-10*time.Minute), 50)
	if err != nil || len(due) != 0 {
		t.Errorf("just asked, and %d are due: fifty such accounts are all that a sweep ever asks about (%v)", len(due), err)
	}
}

// The partner uses one id for bank transfers to two accounts: each is an order.
func TestPayout_PayIn_OneIDAtTwoAccountsIsTwoOrders(t *testing.T) {
	r := newRig(t)
	a := r.depositRow(pesos())
	in := pesos()
	in.SourceCurrency = "usd"
	b := r.depositRow(in)
	r.tells(a.PartnerID, "d1", fiat.FundsReceived)
	r.notice(a.PartnerID)
	r.desk.happens(b.PartnerID, fiat.Activity{
		Type: fiat.FundsReceived, DepositID: "d1", Amount: money.Of(70_000, money.USD), Rail: fiat.ACH,
	})
	r.notice(b.PartnerID)
	found, err := r.store.Orders(t.Context(), orderview.Filter{
		WorkspaceID: ws, DepositAccountID: b.ID, Page: page.Page{Limit: 10},
	})
	if o := r.payIn("d1"); err != nil || len(found) != 1 || o.Delay != "" {
		t.Errorf("700.00 USD at the second account are %d orders; that of the first account has delay %q", len(found),
			o.Delay)
	}
}

// The partner names a transaction that brought the same amount to the wallet a week before the bank transfer.
func TestPayout_PayIn_OlderCoinsAreNotTaken(t *testing.T) {
	r := newRig(t)
	a := r.depositRow(pesos())
	r.coins("t1", coinsOfPayIn, watch.Final) // a customer's, from a week ago
	r.clock.move(7 * 24 * time.Hour)
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(a.PartnerID)
	if o := r.follow("d1"); o.Status == order.Completed {
		t.Errorf("completed with coins that came %s before the pesos", o.PayIn.ArrivedAt.Sub(r.sees.all["t1"].SeenAt))
	}
}

// The partner corrects the amount of the pesos, and other coins come than told: the order is written for ever.
func TestPayout_PayIn_TheTimelineGrowsOnlyWithNews(t *testing.T) {
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(a.PartnerID)
	r.desk.happens(a.PartnerID, fiat.Activity{
		Type: fiat.FundsReceived, DepositID: "d1", Amount: pesosOf(499_900), Rail: fiat.SPEI,
	})
	r.coins("t1", money.Of(coinsOfPayIn.Minor-10_000, money.USDC), watch.Final)
	for range 10 {
		r.follow("d1")
	}
	n := len(r.kinds(r.payIn("d1").ID))
	for range 10 {
		r.follow("d1")
	}
	if more := len(r.kinds(r.payIn("d1").ID)); more != n {
		t.Errorf("nothing happened, and the timeline grew from %d to %d entries in 10 looks", n, more)
	}
}

// A held order's coins vanish in a reorg; it is released, and completed without coins.
func TestPayout_PayIn_AHeldOrderIsFollowed(t *testing.T) {
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(a.PartnerID)
	r.coins("t1", coinsOfPayIn, watch.Final)
	o := r.payIn("d1")
	r.apply(o, order.Event{Kind: order.PayInHold, By: order.System, Reason: order.HoldScreening, At: r.clock.Now(),
		Hits: []order.Hit{{Role: "sender", Kind: "name", Entry: "sdn-1", Of: "x"}}})
	r.follow("d1")
	r.coins("t1", coinsOfPayIn, watch.Dropped)
	r.clock.move(7 * time.Hour)
	o = r.follow("d1")
	if o.PayIn.Status == order.PayInSettled {
		t.Errorf("%s %s: the coins are gone since seven hours, next %q",
			o.Status, o.PayIn.Status, o.Next(r.clock.Now()))
	}
}

// The partner names the transaction of another bank transfer, and corrects itself.
func TestPayout_PayIn_AWrongTransactionCanBeCorrected(t *testing.T) {
	r := newRig(t)
	a := r.depositRow(pesos())
	const h2 = "0x00000000000000000000000000000000000000000000000000000000000000c2"
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed) // coinsTx, which is that of d2
	r.notice(a.PartnerID)
	other := money.Of(100_000_000, money.USDC)
	r.coins("t2", other, watch.Final)
	r.follow("d1")
	r.clock.move(time.Second)
	r.desk.happens(a.PartnerID, fiat.Activity{
		Type: fiat.PaymentProcessed, DepositID: "d1", Amount: coinsOfPayIn, Fee: feeOfPayIn, Hash: h2,
	})
	r.tells(a.PartnerID, "d2", fiat.FundsReceived)
	r.desk.happens(a.PartnerID, fiat.Activity{
		Type: fiat.PaymentProcessed, DepositID: "d2", Amount: other, Fee: feeOfPayIn, Hash: coinsTx,
	})
	r.notice(a.PartnerID)
	r.coins("t1", coinsOfPayIn, watch.Final, func(x *watch.Transfer) { x.Tx = h2 })
	o1, o2 := r.follow("d1"), r.follow("d2")
	if o1.Status == order.Completed && o2.Status == order.Completed {
		return
	}
	t.Errorf("both came as the partner says now; %s, delay %q, and %s, delay %q",
		o1.Status, o1.Delay, o2.Status, o2.Delay)
	answer, err := r.Operator.NameCoins(t.Context(), call(), o1.ID, h2)
	if err == nil && r.follow("d1").Status != order.Completed {
		t.Errorf("an operator names the right one, and hears that it is done: %s", answer.Body)
	}
}

// Two bank transfers to one recipient are settled by two transfers of one transaction: each pays the other's order.
func TestPayout_PayIn_EachOrderTakesItsOwnCoinsOfATransaction(t *testing.T) {
	r := newRig(t)
	at := r.address("wallet")
	clabe := r.virtual()
	other := money.Of(100_000_000, money.USDC)
	r.tells(clabe, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(clabe)
	r.clock.move(time.Second)
	r.desk.happens(clabe, fiat.Activity{
		Type: fiat.FundsReceived, DepositID: "d2", Amount: pesosOf(190_000), Rail: fiat.SPEI,
	})
	r.desk.happens(clabe, fiat.Activity{
		Type: fiat.PaymentProcessed, DepositID: "d2", Amount: other, Fee: pesosOf(2_090), Hash: coinsTx,
	})
	r.notice(clabe)
	for id, amount := range map[string]money.Amount{"t1": coinsOfPayIn, "t2": other} {
		r.arrive(at, id, fmt.Sprint(amount.Minor), watch.Final, func(x *watch.Transfer) { x.Tx = coinsTx })
	}
	r.take("t1")
	r.take("t2")
	if o := r.payIn("d1"); o.Deposit == nil || o.Deposit.Amount != coinsOfPayIn {
		t.Errorf("5,000.00 MXN became 268.52 USDC, and their order pays out %+v", o.Deposit)
	}
}

// Coins that an operator gave up come after all. WriteOffCoins says that the order then goes on.
func TestPayout_PayIn_GivenUpCoinsCountOnceTheyCome(t *testing.T) {
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(a.PartnerID)
	r.clock.move(11 * time.Minute)
	r.follow("d1")
	r.decides("d1", (*operator.Service).WriteOffCoins)
	r.coins("t1", coinsOfPayIn, watch.Final)
	for range 5 {
		r.clock.move(time.Hour)
		_ = r.PayIns.Sweep(t.Context())
		r.follow("d1")
	}
	if o := r.payIn("d1"); o.PayIn.Status != order.PayInSettled {
		t.Errorf("%s %s, next %q: the coins are in the wallet for five hours", o.Status, o.PayIn.Status,
			o.Next(r.clock.Now()))
	}
}

// A partner that names a transaction which brought tokens of another mint to the wallet, or the right ones to another
// owner, is not believed.
func TestPayout_PayIn_AnotherMintSettlesNothing(t *testing.T) {
	for what, change := range map[string]func(*watch.Transfer){
		"another mint":   func(x *watch.Transfer) { x.Symbol, x.Token = "USDT", "the other one's" },
		"another owner":  func(x *watch.Transfer) { x.To = otherAddress },
		"another chain":  func(x *watch.Transfer) { x.Chain = "polygon" },
		"a letter of it": func(x *watch.Transfer) { x.To = strings.Replace(ownAddress, "fF", "fE", 1) },
	} {
		t.Run(what, func(t *testing.T) {
			r := newRig(t)
			a := r.depositRow(pesos())
			r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
			r.notice(a.PartnerID)
			r.coins("t1", coinsOfPayIn, watch.Final, change)
			o := r.follow("d1")
			if o.Status == order.Completed || o.PayIn.Transfer != nil {
				t.Errorf("it is %s with %+v", o.Status, o.PayIn.Transfer)
			}
			r.clock.move(11 * time.Minute)
			r.holdsPayIn("later", r.follow("d1"), order.PaymentSubmitted, order.PayInSubmitted, order.DelayNotSeen)
		})
	}
}
