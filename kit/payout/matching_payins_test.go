package payout_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// The orders of account numbers are held against what the partner tells of each, and against the chain.
func TestPayout_MatchPayIns(t *testing.T) {
	t.Parallel()
	m := newMatcher(t)
	a := m.depositRow(pesos())
	m.tells(a.PartnerID, "d1", fiat.FundsReceived, fiat.PaymentProcessed)
	m.notice(a.PartnerID)
	m.coins("t1", coinsOfPayIn, watch.Final)
	one := m.follow("d1")
	m.holdsPayIn("in the wallet", one, order.Completed, order.PayInSettled, "")
	m.address("wallet")
	clabe := m.virtual()
	m.tells(clabe, "d2", fiat.FundsReceived)
	m.notice(clabe)
	two := m.payIn("d2")
	m.clock.move(time.Hour)
	if got := m.found(); got != nil {
		t.Fatalf("differences where there are none: %q", got)
	}
	deposits, recipients := m.desk.virtuals[a.PartnerID], m.desk.virtuals[clabe]
	had, had2 := deposits.activities, recipients.activities
	for what, c := range map[string]struct {
		plant, back func()
		want        []string
	}{
		"a bank transfer that no order has": {
			func() {
				m.desk.happens(a.PartnerID, fiat.Activity{
					Type: fiat.FundsReceived, DepositID: "d9", Amount: pesosOf(500_000), At: one.CreatedAt,
				})
			},
			func() { deposits.activities = had },
			[]string{"payin | bank transfer d9 | nothing | 5000.00 MXN, funds_received"},
		},
		"a bank transfer in another currency than the account's, which is no order": {
			func() {
				m.desk.happens(a.PartnerID, fiat.Activity{
					Type: fiat.FundsReceived, DepositID: "d8", Amount: money.Of(1_000, money.EUR), At: one.CreatedAt,
				})
				m.notice(a.PartnerID)
			},
			func() { deposits.activities = had },
			[]string{"payin | bank transfer d8 | nothing | 10.00 EUR, funds_received"},
		},
		"a recipient's that the partner does not tell": {
			func() { recipients.activities = nil }, func() { recipients.activities = had2 },
			[]string{"payin | " + two.Reference + ", bank transfer d2 | 5000.00 MXN | nothing"},
		},
		"the chain lost the coins": {
			func() { m.nodes.gone = []string{"t1"} }, func() { m.nodes.gone = nil },
			[]string{"chain | " + one.Reference + ", coins " + coinsTx + " | in block 100 | not on the node's chain"},
		},
		"the partner does not answer": {
			func() { m.desk.breaks("Activities", breakage{err: fiat.ErrUnavailable}) }, func() {},
			[]string{"asking the partner for activities: the partner is not available"},
		},
	} {
		c.plant()
		if got := m.found(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", what, got, c.want)
		}
		c.back()
		if got := m.found(); got != nil {
			t.Fatalf("%s, and put right: %q", what, got)
		}
	}
	// A bank takes the fiat back long after: of the bank transfer the partner had told before.
	m.clock.move(5 * 24 * time.Hour)
	m.tells(a.PartnerID, "d1", fiat.Refunded)
	m.notice(a.PartnerID)
	m.clock.move(time.Hour)
	if got := m.found(); got != nil {
		t.Errorf("taken back: %q", got)
	}
}
