package payout_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
)

// The CLABE of a recipient is made without our fee, and the quote takes one.
func TestPayout_PayIn_TheCLABETakesOurFee(t *testing.T) {
	r := newRig(t)
	r.address("wallet")
	r.desk.sell = "0.0543"
	v, _, err := r.byBank("5000")
	if err != nil {
		t.Fatal(err)
	}
	clabe := r.virtual()
	r.desk.arrives(r.desk.virtuals[clabe].VirtualAccount, pesosOf(500_000), false)
	r.notice(clabe)
	all, err := r.store.Orders(t.Context(), orderview.Filter{WorkspaceID: ws, Page: page.Page{Limit: 10}})
	if err != nil || len(all) != 1 {
		t.Fatal(len(all), err)
	}
	if o := all[0]; o.PayIn.Fee.IsZero() || slices.Contains(o.Labels, order.OffFee) {
		t.Errorf("quoted fees %s MXN, %s coins; taken %s, %s coins, labels %v", v.Funding.Fees,
			v.Funding.StablecoinAmount, o.PayIn.Fee, o.PayIn.Coins, o.Labels)
	}
}

// The partner says 268.52 USDC, sends 100.00 to the withdrawal address, and nobody is told.
func TestPayout_PayIn_MissingCoinsOfAPaymentAreShown(t *testing.T) {
	r := newRig(t)
	r.desk.sell = "0.0543"
	a := r.address("wallet")
	clabe := r.virtual()
	r.tells(clabe, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	r.notice(clabe)
	r.arrive(a, "t1", "100000000", watch.Final, func(x *watch.Transfer) { x.Tx = coinsTx })
	r.take("t1")
	o := r.payIn("d1")
	stuck, _, _, err := r.Operator.Stuck(t.Context(), ws, page.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	if o.Delay == "" && len(o.Labels) == 0 && len(stuck) == 0 && len(r.differences()) == 0 {
		t.Errorf("%s, pay-in %s, next %s: 168.52 USDC are missing, and no delay, label, list or check says so", o.Status,
			o.PayIn.Status, o.Next(r.clock.Now()))
	}
	r.has(ledger.Suspense, money.USDC, 0)
}

// One bank transfer of 1.00 MXN takes the order of another amount's quote, and the real one opens a new order.
func TestPayout_PayIn_AStrayTransferTakesNoQuote(t *testing.T) {
	r := newRig(t)
	r.address("wallet")
	r.desk.sell = "0.0543"
	_, p, err := r.byBank("5000")
	if err != nil {
		t.Fatal(err)
	}
	clabe := r.virtual()
	r.desk.happens(clabe, fiat.Activity{
		Type: fiat.FundsReceived, DepositID: "stray", Amount: pesosOf(100), Rail: fiat.SPEI,
	})
	r.desk.happens(clabe, fiat.Activity{Type: fiat.Refunded, DepositID: "stray", Amount: pesosOf(100), Rail: fiat.SPEI})
	r.notice(clabe)
	r.clock.move(time.Minute)
	r.tells(clabe, "real", fiat.FundsReceived)
	r.notice(clabe)
	if o := r.payIn("real"); o.ID != p.OrderID {
		t.Errorf("5,000.00 MXN came for %s, which is %s by a stray 1.00 MXN; they are %s", p.Reference,
			r.order(p.OrderID).Status, o.Reference)
	}
}

// The partner says that more went back than came: nothing is written, and nobody is told.
func TestPayout_PayIn_MoreReturnedThanCameIsShown(t *testing.T) {
	r := newRig(t)
	a := r.depositRow(pesos())
	r.tells(a.PartnerID, "d1", fiat.FundsReceived)
	r.notice(a.PartnerID)
	r.desk.happens(a.PartnerID, fiat.Activity{
		Type: fiat.Refunded, DepositID: "d1", Amount: pesosOf(500_001), Rail: fiat.SPEI,
	})
	r.notice(a.PartnerID)
	if o := r.follow("d1"); o.PayIn.Status == order.PayInReceived && o.Delay == "" {
		t.Errorf("%s %s, delay %q", o.Status, o.PayIn.Status, o.Delay)
	}
}

// The coins are final in the wallet, and the partner's list cannot be read, or its account was changed: the order is
// not completed.
func TestPayout_PayIn_ThePartnerCannotStopTheChain(t *testing.T) {
	for name, breaks := range map[string]func(r *rig, account string){
		"no usable list": func(r *rig, _ string) {
			for range 20 {
				r.desk.breaks("Activities", breakage{err: fiat.ErrAnswer})
			}
		},
		"an account that leads elsewhere": func(r *rig, account string) {
			r.desk.virtuals[account].Address = otherAddress
			r.desk.happens(account, fiat.Activity{Type: fiat.AccountUpdated})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			a := r.depositRow(pesos())
			r.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
			r.notice(a.PartnerID)
			r.coins("t1", coinsOfPayIn, watch.Final)
			breaks(r, a.PartnerID)
			var err error
			for range 5 {
				r.clock.move(time.Hour)
				_, err = r.PayIns.Follow(t.Context(), r.payIn("d1"))
			}
			if o := r.payIn("d1"); o.Status != order.Completed {
				t.Errorf("%s, delay %q, five hours after its coins were final: %v", o.Status, o.Delay, err)
			}
		})
	}
}

// Each look at each open order of an account reads and writes all of the account's list.
func TestPayout_PayIn_OneLookServesAllOrdersOfAnAccount(t *testing.T) {
	r := newRig(t)
	a := r.depositRow(pesos())
	const n = 60
	for i := range n {
		r.tells(a.PartnerID, fmt.Sprintf("d%d", i), fiat.FundsReceived)
	}
	r.notice(a.PartnerID)
	before := r.desk.count("Activities")
	for i := range n {
		r.follow(fmt.Sprintf("d%d", i))
	}
	if calls := r.desk.count("Activities") - before; calls >= n {
		t.Errorf("%d open deposits: the list of %d activities is read %d times in one round, and each activity of it is "+
			"inserted and its order read: %d", n, n, calls, n*calls)
	}
}
