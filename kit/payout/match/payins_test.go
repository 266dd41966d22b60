package match_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/match"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

var (
	sentIn = money.Of(500_000, money.MXN)
	coins  = money.Of(268_520_000, money.USDC)
)

// newAccount is an account number at which two things happened: a bank transfer that became coins in a wallet, and one
// that went back.
func newAccount() *match.Account {
	told := func(deposit string, t fiat.ActivityType, a money.Amount, at time.Time) fiat.Activity {
		return fiat.Activity{ID: deposit + string(t), DepositID: deposit, Type: t, Amount: a, At: at}
	}
	payIn := func(id string, status order.Status, p order.PayIn) order.Order {
		p.DepositID, p.Amount = "b"+id, sentIn
		return order.Order{
			ID: id, Reference: "ONR-" + id, Type: order.OnRamp, Status: status, PayIn: &p, CreatedAt: old,
			UpdatedAt: old,
		}
	}
	return &match.Account{
		Since: old.Add(-time.Hour),
		Orders: []order.Order{
			payIn("A", order.Completed, order.PayIn{
				Status: order.PayInSettled, Coins: coins,
				Transfer: &order.Deposit{TransferID: "tA", Hash: "0xA", Amount: coins, Final: true},
			}),
			payIn("B", order.Returned, order.PayIn{Status: order.PayInReturned, Returned: sentIn}),
		},
		Activities: []fiat.Activity{
			told("bA", fiat.FundsReceived, sentIn, old), told("bA", fiat.PaymentSubmitted, coins, old.Add(1)),
			told("bA", fiat.PaymentProcessed, coins, old.Add(2)),
			told("bB", fiat.FundsReceived, sentIn, old), told("bB", fiat.RefundInFlight, sentIn, old.Add(1)),
			told("bB", fiat.Refunded, sentIn, old.Add(2)),
			{ID: "switched", Type: fiat.AccountUpdated, At: old},
			told("m", fiat.Microdeposit, money.Of(1, money.MXN), old),
		},
		Coins: map[string]match.Deposit{"tA": {Transfer: watch.Transfer{
			ID: "tA", Tx: "0xA", State: watch.Final, BlockNumber: 7,
		}}},
	}
}

// tells adds an activity of the partner's.
func tells(a *match.Account, deposit string, t fiat.ActivityType, amount money.Amount, at time.Time) {
	a.Activities = append(a.Activities, fiat.Activity{DepositID: deposit, Type: t, Amount: amount, At: at})
}

// Whatever the partner, the orders or the chain have differently about a bank transfer is a difference.
func TestPayout_MatchFindsDifferencesOfPayIns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plant func(*match.Account)
		want  []string
	}{
		"nothing": {func(*match.Account) {}, nil},
		"no order has a bank transfer": {
			func(a *match.Account) { tells(a, "bC", fiat.FundsReceived, sentIn, old) },
			[]string{"payin | bank transfer bC | nothing | 5000.00 MXN, funds_received"},
		},
		"no order has one that is old": {func(a *match.Account) {
			tells(a, "bC", fiat.FundsReceived, sentIn, a.Since.Add(-time.Minute))
		}, nil},
		"the partner does not tell of one": {
			func(a *match.Account) { a.Activities = a.Activities[3:] },
			[]string{"payin | ONR-A, bank transfer bA | 5000.00 MXN | nothing"},
		},
		"another amount was sent": {
			func(a *match.Account) { a.Activities[0].Amount = money.Of(500_001, money.MXN) },
			[]string{"payin | ONR-A, bank transfer bA | 5000.00 MXN | 5000.01 MXN"},
		},
		"other coins were sent": {
			func(a *match.Account) { a.Activities[2].Amount = usdc(268_510_000) },
			[]string{"payin | ONR-A, bank transfer bA, coins | 268.52 USDC | 268.51 USDC"},
		},
		"coins of which no order knows": {
			func(a *match.Account) { tells(a, "bB", fiat.PaymentProcessed, coins, old) },
			[]string{"payin | ONR-B, bank transfer bB, coins | nothing | 268.52 USDC"},
		},
		"the fiat is back, and no order knows": {
			func(a *match.Account) { tells(a, "bA", fiat.Refunded, sentIn, old.Add(3)) },
			[]string{"payin | ONR-A, bank transfer bA, completed | settled | refunded"},
		},
		"the fiat is not back": {
			func(a *match.Account) { a.Activities[5].Type = fiat.RefundFailed },
			[]string{"payin | ONR-B, bank transfer bB, returned | returned | refund_failed"},
		},
		"something makes no sense": {
			func(a *match.Account) {
				a.Activities = append(a.Activities,
					fiat.Activity{ID: "x1", Type: fiat.Unreadable, Reason: "an amount"},
					fiat.Activity{ID: "x2", Type: fiat.Unreadable, DepositID: "bA", Reason: "an amount", At: old},
					fiat.Activity{ID: "x3", Type: fiat.Unreadable, DepositID: "bC", Reason: "an amount", At: old},
					fiat.Activity{ID: "x4", Type: fiat.Unreadable, Reason: "an amount", At: a.Since.Add(-time.Hour)})
			},
			[]string{
				"payin | activity x1 | an activity that makes sense | an amount",
				"payin | activity x2, bank transfer bA | an activity that makes sense | an amount",
				"payin | activity x3, bank transfer bC | an activity that makes sense | an amount",
				"payin | bank transfer bC | nothing | nothing, unreadable",
			},
		},
		"the watcher dropped the coins": {func(a *match.Account) {
			a.Coins = nil
		}, []string{"chain | ONR-A, coins 0xA | 268.52 USDC | nothing: no block has it"}},
		"the node does not have the coins": {func(a *match.Account) {
			d := a.Coins["tA"]
			d.Gone = true
			a.Coins["tA"] = d
		}, []string{"chain | ONR-A, coins 0xA | in block 7 | not on the node's chain"}},
		"coins of a global payment, which are a deposit": {func(a *match.Account) {
			a.Orders[0].Type, a.Coins = order.GlobalPayment, nil
		}, nil},
	} {
		a := newAccount()
		c.plant(a)
		var got []string
		for _, d := range match.CompareAccount(*a, now).Differences {
			got = append(got, fmt.Sprint(d.Check, " | ", d.About, " | ", d.Want, " | ", d.Got))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

// What one side alone has for a while is no difference.
func TestPayout_MatchWaitsForPayIns(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(*match.Account){
		"for us to hear of a bank transfer": func(a *match.Account) {
			tells(a, "bC", fiat.FundsReceived, sentIn, young)
		},
		"for us to hear of coins": func(a *match.Account) {
			a.Orders[0].PayIn.Coins, a.Activities[2].At = money.Amount{}, young
		},
		"for us to hear of a return": func(a *match.Account) { tells(a, "bA", fiat.Refunded, sentIn, young) },
		"for the partner to list a bank transfer": func(a *match.Account) {
			a.Activities, a.Orders[0].CreatedAt = a.Activities[3:], young
		},
	} {
		a := newAccount()
		plant(a)
		if r := match.CompareAccount(*a, now); len(r.Differences) > 0 || r.UnderWay != 1 {
			t.Errorf("%s: %q, %d under way", name, r.Differences, r.UnderWay)
		}
	}
}
