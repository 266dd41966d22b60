package payout_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/depositaccount"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/operator"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
	"github.com/railkit/railkit/rest"
)

func (s *sightings) TransfersOfTx(_ context.Context, _, chain, tx string) (found []watch.Transfer, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.all {
		if t.Chain == chain && t.Tx == tx {
			found = append(found, t)
		}
	}
	return found, nil
}

const coinsTx = "0x00000000000000000000000000000000000000000000000000000000000000c0"

func pesosOf(minor int64) money.Amount { return money.Of(minor, money.MXN) }

// coinsOfPayIn is what 5,000.00 MXN become in these tests, and our fee of 1.1 %.
var coinsOfPayIn, feeOfPayIn = money.Of(268_520_000, money.USDC), pesosOf(5_500)

// tells has the partner tell of a bank transfer of 5,000.00 MXN to an account number.
func (r *rig) tells(partnerAccount, depositID string, types ...fiat.ActivityType) {
	r.t.Helper()
	for _, kind := range types {
		a := fiat.Activity{
			Type: kind, DepositID: depositID, Amount: pesosOf(500_000), Rail: fiat.SPEI, SenderName: "Ana Ruiz",
			Trace: "K" + depositID,
		}
		if kind == fiat.PaymentSubmitted || kind == fiat.PaymentProcessed {
			a.Amount, a.Fee, a.Hash = coinsOfPayIn, feeOfPayIn, coinsTx
		}
		r.clock.move(time.Second)
		r.desk.happens(partnerAccount, a)
	}
}

// notice has the kit hear that something happened at an account.
func (r *rig) notice(partnerAccount string) {
	r.t.Helper()
	if err := r.PayIns.Noticed(r.t.Context(), partnerAccount); err != nil {
		r.t.Fatal(err)
	}
}

// payIn is the one order of a bank transfer.
func (r *rig) payIn(depositID string) order.Order {
	r.t.Helper()
	o, err := r.store.Order(r.t.Context(), ws, depositID)
	if err != nil {
		r.t.Fatal(err)
	}
	return o
}

// follow does what there is to do for the order of a bank transfer.
func (r *rig) follow(depositID string) order.Order {
	r.t.Helper()
	o, _ := r.advance(r.payIn(depositID).ID)
	return o
}

// coins are a transfer to the wallet that the watcher sees.
func (r *rig) coins(id string, amount money.Amount, state watch.State, change ...func(*watch.Transfer)) {
	r.t.Helper()
	r.arrive(withdraw.Address{}, id, "", state, append([]func(*watch.Transfer){func(t *watch.Transfer) {
		t.Owner, t.OwnerID, t.To, t.Tx = watch.Wallet, "wallet", ownAddress, coinsTx
		t.Amount = strconv.FormatInt(amount.Minor, 10)
	}}, change...)...)
}

// holdsPayIn wants an order's status and those of its pay-in.
func (r *rig) holdsPayIn(what string, o order.Order, status order.Status, in order.PayInStatus, delay string) {
	r.t.Helper()
	if o.Status != status || o.PayIn.Status != in || o.Delay != delay {
		r.t.Fatalf("%s: %s, %s, delay %q (%v); want %s, %s, delay %q", what, o.Status, o.PayIn.Status, o.Delay,
			r.kinds(o.ID), status, in, delay)
	}
	r.sums()
}

// decides has an operator act on the order of a bank transfer.
func (r *rig) decides(
	depositID string, do func(*operator.Service, context.Context, *command.Command, string) (command.Answer, error),
) {
	r.t.Helper()
	if _, err := do(r.Operator, r.t.Context(), call(), r.payIn(depositID).ID); err != nil {
		r.t.Fatal(err)
	}
}

// differences are what a check of the books finds.
func (r *rig) differences() (all []string) {
	r.t.Helper()
	found, err := reconcile.NewBooks(r.store, r.clock, slog.New(slog.DiscardHandler)).Reconcile(r.t.Context(), ws)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, one := range found {
		for _, d := range one.Differences {
			all = append(all, d.Check+": "+d.About+": "+d.Got)
		}
	}
	return all
}

// Pesos arrive at the CLABE of a wallet, and their coins in the wallet: each step is an event, the postings sum to
// zero, and the account's reference finds the order.
func TestPayout_PayIn_LandsInTheWallet(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.desk.sell = "0.0543"
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived)
	r.notice(a.PartnerID)
	o := r.payIn("d1")
	r.holdsPayIn("the pesos are there", o, order.FundsReceived, order.PayInReceived, "")
	r.has(ledger.Order(o.ID), money.MXN, 500_000)
	r.tells(a.PartnerID, "d1", fiat.PaymentSubmitted)
	r.holdsPayIn("the coins are sent", r.follow("d1"), order.PaymentSubmitted, order.PayInSubmitted, "")
	r.coins("t1", coinsOfPayIn, watch.Seen)
	r.holdsPayIn("they are in a block", r.follow("d1"), order.PaymentSubmitted, order.PayInSubmitted, "")
	r.tells(a.PartnerID, "d1", fiat.PaymentProcessed)
	r.coins("t1", coinsOfPayIn, watch.Final)
	o = r.follow("d1")
	r.holdsPayIn("they are final", o, order.Completed, order.PayInSettled, "")
	r.has(ledger.Bank("spei"), money.MXN, -500_000)
	r.has(ledger.FeesPlatform, money.MXN, 2_500)
	r.has(ledger.FeesNetwork, money.MXN, 3_000)
	r.has(ledger.Chain("base"), money.USDC, coinsOfPayIn.Minor)
	r.has(ledger.Partner, money.USDC, 0)
	want := []order.Kind{order.FiatArrived, order.CoinsSubmitted, order.CoinsDetected, order.CoinsConfirmed}
	if got := r.kinds(o.ID); !slices.Equal(got, want) {
		t.Errorf("timeline %v, want %v", got, want)
	}
	if found, err := r.store.Order(t.Context(), ws, a.Reference); err != nil || found.ID != o.ID {
		t.Errorf("by the account's reference: %v, %v", found.ID, err)
	}
	if d := r.differences(); len(d) > 0 || !slices.Equal(o.Labels, []order.Label{order.OtherSender}) {
		t.Errorf("differences %v, labels %v", d, o.Labels)
	}
	events, total, err := r.store.DepositEvents(t.Context(), ws, a.ID, page.Page{Limit: 10})
	if err != nil || total != 3 || events[0].Type != depositaccount.Received ||
		events[2].Type != depositaccount.Processed {
		t.Errorf("%v %d %v", events, total, err)
	}
}

// Notices come twice, at once from many servers, or never: a bank transfer is one order.
func TestPayout_PayIn_NoticesAreOnlyHints(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentSubmitted)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if err := r.PayIns.Noticed(t.Context(), a.PartnerID); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	r.holdsPayIn("told sixteen times at once", r.payIn("d1"), order.PaymentSubmitted, order.PayInSubmitted, "")
	r.has(ledger.Bank("spei"), money.MXN, -500_000)

	r.tells(a.PartnerID, "d2", fiat.FundsReceived)
	r.clock.move(11 * time.Minute)
	if err := r.PayIns.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.holdsPayIn("the notice was lost", r.payIn("d2"), order.FundsReceived, order.PayInReceived, "")
	found, err := r.store.Orders(t.Context(), orderview.Filter{
		WorkspaceID: ws, DepositAccountID: a.ID, Page: page.Page{Limit: 10},
	})
	if err != nil || len(found) != 2 {
		t.Errorf("%d orders, %v", len(found), err)
	}
}

// Whose name the bank account has, and how much came, are remarks on the order: they stop nothing.
func TestPayout_PayIn_Labels(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	for name, c := range map[string]struct {
		sender string
		minor  int64
		want   []order.Label
	}{
		"own":        {"ÁCME ", 500_000, nil},
		"another":    {"Bruno Gil", 500_000, []order.Label{order.OtherSender}},
		"too little": {"Acme", 9_999, []order.Label{order.Under}},
		"too much":   {"Acme", 10_000_000_000_00, []order.Label{order.Over}},
	} {
		r.desk.happens(a.PartnerID, fiat.Activity{
			Type: fiat.FundsReceived, DepositID: name, Amount: pesosOf(c.minor), Rail: fiat.SPEI, SenderName: c.sender,
		})
		r.notice(a.PartnerID)
		if o := r.payIn(name); !slices.Equal(o.Labels, c.want) || o.Status != order.FundsReceived {
			t.Errorf("%s: %s, labels %v, want %v", name, o.Status, o.Labels, c.want)
		}
	}
}

// What can go wrong before the coins are sent, and its end.
func TestPayout_PayIn_BeforeTheCoins(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "back", fiat.FundsReceived, fiat.RefundInFlight, fiat.Refunded)
	r.tells(a.PartnerID, "held", fiat.FundsReceived, fiat.FundsInReview)
	r.tells(a.PartnerID, "silent", fiat.FundsReceived)
	r.notice(a.PartnerID)
	r.holdsPayIn("sent back", r.payIn("back"), order.Returned, order.PayInReturned, "")
	r.holdsPayIn("reviewed", r.payIn("held"), order.InReview, order.PayInHeld, "")
	r.tells(a.PartnerID, "held", fiat.PaymentSubmitted)
	r.holdsPayIn("the review ended", r.follow("held"), order.PaymentSubmitted, order.PayInSubmitted, "")

	r.clock.move(25 * time.Hour)
	o := r.follow("silent")
	r.holdsPayIn("no word for a day", o, order.FundsReceived, order.PayInReceived, order.DelayNotTold)
	stuck, _, _, err := r.Operator.Stuck(t.Context(), ws, page.Page{Limit: 10})
	if err != nil || !slices.ContainsFunc(stuck, func(s order.Order) bool { return s.ID == o.ID }) {
		t.Errorf("an operator does not see it: %v, %v", stuck, err)
	}
	r.decides("silent", (*operator.Service).ReturnDeposit)
	o = r.follow("silent")
	r.holdsPayIn("an operator wants it sent back", o, order.InReview, order.PayInReturning, order.DelayNotTold)
	r.tells(a.PartnerID, "silent", fiat.Refunded)
	r.holdsPayIn("it is back", r.follow("silent"), order.Returned, order.PayInReturned, "")
	r.has(ledger.Bank("spei"), money.MXN, -500_000) // of "held", which became coins
	if d := r.differences(); len(d) > 0 {
		t.Error(d)
	}
}

// The partner refuses to send fiat back, then does.
func TestPayout_PayIn_AReturnFails(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.FundsInReview)
	r.notice(a.PartnerID)
	r.desk.breaks("ReturnDeposit", breakage{err: &fiat.Refusal{Code: "compliance"}})
	r.decides("d1", (*operator.Service).ReturnDeposit)
	r.holdsPayIn("refused", r.follow("d1"), order.Error, order.PayInFailed, "")
	r.decides("d1", (*operator.Service).ReturnDeposit)
	r.holdsPayIn("asked again", r.follow("d1"), order.InReview, order.PayInReturning, "")
	if n := r.desk.count("ReturnDeposit"); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// The bank takes the pesos back when the coins are gone: the books have a receivable until an operator settles it.
func TestPayout_PayIn_ReturnedAfterTheCoins(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(a.PartnerID)
	r.coins("t1", coinsOfPayIn, watch.Final)
	r.holdsPayIn("delivered", r.follow("d1"), order.Completed, order.PayInSettled, "")
	r.tells(a.PartnerID, "d1", fiat.RefundInFlight, fiat.Refunded)
	r.notice(a.PartnerID)
	o := r.payIn("d1")
	r.holdsPayIn("taken back", o, order.Returned, order.PayInReturned, "")
	r.has(ledger.Receivable, money.MXN, -500_000)
	if d := r.differences(); len(d) != 1 || !slices.Contains(o.Labels, order.Recalled) {
		t.Errorf("%v, labels %v", d, o.Labels)
	}
	r.decides("d1", (*operator.Service).SettleReceivable)
	r.has(ledger.Receivable, money.MXN, 0)
	if d := r.differences(); len(d) > 0 {
		t.Error(d)
	}
	if _, err := r.Operator.SettleReceivable(t.Context(), call(), o.ID); !errors.Is(err, operator.ErrNotStuck) {
		t.Errorf("settled twice: %v", err)
	}
}

// The partner's word about coins is not believed: they count where the watcher has them.
func TestPayout_PayIn_ALyingPartner(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	sent := []fiat.ActivityType{fiat.FundsReceived, fiat.PaymentProcessed}
	r.tells(a.PartnerID, "d1", sent...)
	r.notice(a.PartnerID)
	elsewhere := func(x *watch.Transfer) { x.To = otherAddress }
	r.coins("t1", coinsOfPayIn, watch.Final, elsewhere)
	r.clock.move(11 * time.Minute)
	r.holdsPayIn("to another address", r.follow("d1"), order.PaymentSubmitted, order.PayInSubmitted, order.DelayNotSeen)
	r.decides("d1", (*operator.Service).WriteOffCoins)
	r.holdsPayIn("given up", r.payIn("d1"), order.Error, order.PayInWrittenOff, order.DelayNotSeen)
	r.has(ledger.Suspense, money.USDC, coinsOfPayIn.Minor)

	less := money.Of(coinsOfPayIn.Minor-10_000, money.USDC)
	r.tells(a.PartnerID, "d2", sent...)
	r.notice(a.PartnerID)
	r.coins("t2", less, watch.Final)
	r.holdsPayIn("another amount", r.follow("d2"), order.PaymentSubmitted, order.PayInSubmitted, order.DelayAmount)
	r.decides("d2", (*operator.Service).AcceptCoins)
	o := r.payIn("d2")
	r.holdsPayIn("accepted", o, order.Completed, order.PayInSettled, "")
	r.has(ledger.Suspense, money.USDC, coinsOfPayIn.Minor+10_000)

	// A second bank transfer cannot be settled by the same coins.
	r.tells(a.PartnerID, "d3", sent...)
	r.notice(a.PartnerID)
	r.holdsPayIn("the coins of another order", r.follow("d3"), order.PaymentSubmitted, order.PayInSubmitted, "")
	named := "0x00000000000000000000000000000000000000000000000000000000000000c3"
	r.decides("d3", func(
		s *operator.Service, ctx context.Context, c *command.Command, which string,
	) (command.Answer, error) {
		return s.NameCoins(ctx, c, which, named)
	})
	r.coins("t3", coinsOfPayIn, watch.Final, func(x *watch.Transfer) { x.Tx = named })
	r.holdsPayIn("an operator named them", r.follow("d3"), order.Completed, order.PayInSettled, "")
	r.notice(a.PartnerID)
	if o := r.payIn("d3"); slices.Contains(o.Labels, order.PaidTwice) {
		t.Error("the partner told one transaction, though a wrong one, and the order says that it paid twice")
	}
	if d := r.differences(); len(d) > 0 {
		t.Error(d)
	}
}

// A reorg takes the coins away, before and after they were final, and brings them again.
func TestPayout_PayIn_Reorg(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(a.PartnerID)
	for _, state := range []watch.State{watch.Seen, watch.Final} {
		r.coins("t1", coinsOfPayIn, state)
		r.follow("d1")
		r.coins("t1", coinsOfPayIn, watch.Dropped)
		r.clock.move(7 * time.Hour)
		r.holdsPayIn("dropped when "+string(state), r.follow("d1"), order.PaymentSubmitted, order.PayInSubmitted, "")
		r.has(ledger.Chain("base"), money.USDC, 0)
	}
	r.coins("t1", coinsOfPayIn, watch.Final)
	r.holdsPayIn("mined again", r.follow("d1"), order.Completed, order.PayInSettled, "")
	r.has(ledger.Chain("base"), money.USDC, coinsOfPayIn.Minor)
}

// The partner says that it sent the coins twice: the order is done, and somebody has to look.
func TestPayout_PayIn_PaidTwice(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(a.PartnerID)
	r.coins("t1", coinsOfPayIn, watch.Final)
	r.follow("d1")
	r.desk.happens(a.PartnerID, fiat.Activity{
		Type: fiat.PaymentProcessed, DepositID: "d1", Amount: coinsOfPayIn, Fee: feeOfPayIn, Hash: "0xagain",
	})
	r.notice(a.PartnerID)
	o := r.payIn("d1")
	r.holdsPayIn("twice", o, order.Completed, order.PayInSettled, "")
	if !slices.Contains(o.Labels, order.PaidTwice) {
		t.Errorf("labels %v", o.Labels)
	}
}

// virtual is the partner's id of the account number of the rig's recipient.
func (r *rig) virtual() string {
	r.t.Helper()
	_, err := r.Virtuals.SetUp(r.t.Context(), call(), rest.VirtualAccountRequest{
		BeneficiaryID: r.recipient.ID, BeneficiaryAccountID: r.account.ID,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	v, err := r.store.VirtualAccountOf(r.t.Context(), ws, r.account.ID, money.MXN)
	if err != nil {
		r.t.Fatal(err)
	}
	return v.PartnerID
}

// comes has the coins of a bank transfer arrive at the recipient's withdrawal address.
func (r *rig) comes(id string) {
	r.t.Helper()
	all, err := r.store.WithdrawAddressesOf(r.t.Context(), ws, r.account.ID)
	if err != nil || len(all) != 1 {
		r.t.Fatal(len(all), err)
	}
	r.arrive(all[0], id, strconv.FormatInt(coinsOfPayIn.Minor, 10), watch.Final, func(t *watch.Transfer) {
		t.Tx = coinsTx
	})
	r.take(id)
}

// A recipient's CLABE: pesos become coins at the withdrawal address, and the bank is paid, in one order, whether the
// partner tells of the pesos before the coins are seen, with them, or long after.
func TestPayout_PayIn_OnToTheBank(t *testing.T) {
	t.Parallel()
	sent := []fiat.ActivityType{fiat.FundsReceived, fiat.PaymentProcessed}
	for name, steps := range map[string][]func(*rig, string){
		"told first": {
			func(r *rig, clabe string) { r.tells(clabe, "d1", fiat.FundsReceived); r.notice(clabe) },
			func(r *rig, clabe string) { r.tells(clabe, "d1", fiat.PaymentSubmitted) },
			func(r *rig, _ string) { r.comes("t1") },
		},
		"told when the coins are seen": {
			func(r *rig, clabe string) { r.tells(clabe, "d1", sent...) },
			func(r *rig, _ string) { r.comes("t1") },
		},
		"told after the coins were seen": {
			func(r *rig, _ string) { r.comes("t1") },
			func(r *rig, clabe string) { r.tells(clabe, "d1", sent...); r.notice(clabe) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			address := r.address("wallet")
			clabe := r.virtual()
			for _, step := range steps {
				step(r, clabe)
			}
			o := r.payIn("d1")
			r.desk.receives(coinsOfPayIn.Minor)
			r.advance(o.ID)
			r.desk.moves(fiat.TransferProcessed, 0)
			o, _ = r.advance(o.ID)
			r.holdsPayIn("at the bank", o, order.Completed, order.PayInSettled, "")
			if o.WithdrawAddressID != address.ID ||
				o.Type != order.GlobalPayment || o.Pair() != "MXN/MXN" || o.Deposit.TransferID != "t1" {
				t.Errorf("%s %s, deposit %+v", o.Type, o.Pair(), o.Deposit)
			}
			if d := r.differences(); len(d) > 0 {
				t.Error(d)
			}
			all, err := r.store.Orders(t.Context(), orderview.Filter{WorkspaceID: ws, Page: page.Page{Limit: 10}})
			if err != nil || len(all) != 1 {
				t.Errorf("%d orders, %v", len(all), err)
			}
		})
	}
}
