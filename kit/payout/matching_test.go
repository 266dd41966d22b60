package payout_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/watch"
)

// nodes are chains on which all is as it was, but for what a test took away.
type nodes struct {
	gone []string
	down error
	asks int
}

func (n *nodes) Gone(_ context.Context, _ string, some []watch.Transfer) (ids []string, _ error) {
	n.asks++
	for _, t := range some {
		if slices.Contains(n.gone, t.ID) {
			ids = append(ids, t.ID)
		}
	}
	return ids, n.down
}

// matcher is a rig whose chain is in the database too, with the comparison.
type matcher struct {
	*rig
	*reconcile.Matcher
	nodes nodes
}

func newMatcher(t *testing.T) *matcher {
	t.Helper()
	m := &matcher{rig: newRig(t)}
	m.Matcher = m.server()
	return m
}

// server is a comparison of its own, as another server has one.
func (m *matcher) server() *reconcile.Matcher {
	return reconcile.NewMatcher(m.store, m.sees, m.desk, &m.nodes, m.clock, slog.New(slog.NewJSONHandler(m.log, nil)))
}

// pays lets 100 USDC arrive at an address and pays them out.
func (m *matcher) pays(a withdraw.Address, id string, change ...func(*watch.Transfer)) order.Order {
	m.t.Helper()
	m.lands(a, id, change...)
	o, _ := m.advance(m.orderOf(id).ID)
	m.want("with the partner", o, order.PaymentSubmitted)
	m.desk.moves(fiat.TransferProcessed, 0)
	o, _ = m.advance(o.ID)
	m.want("paid", o, order.Completed)
	return o
}

// lands lets 100 USDC arrive at an address, final, on all sides.
func (m *matcher) lands(a withdraw.Address, id string, change ...func(*watch.Transfer)) {
	m.t.Helper()
	place := func(t *watch.Transfer) { t.LogIndex = int64(len(m.sees.all)) }
	m.arrive(a, id, "100000000", watch.Final, append(change, place)...)
	x := m.sees.all[id]
	err := m.db.Watch().Write(m.t.Context(), func(ctx context.Context, tx watch.Tx) error {
		if _, err := tx.See(ctx, x); err != nil {
			return err
		}
		_, err := tx.Settle(ctx, x.Chain, x.BlockNumber, nil, m.clock.Now())
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	m.desk.deposits(a.PartnerWalletID, a.PartnerID, x.Tx, money.Of(100_000_000, money.USDC))
	m.take(id)
}

func (m *matcher) found() (lines []string) {
	m.t.Helper()
	err := m.Match(m.t.Context(), reconcile.UsedWallet{}, m.clock.Now().Add(-48*time.Hour), func(
		found reconcile.Matched,
	) bool {
		for _, d := range found.Differences {
			lines = append(lines, fmt.Sprint(d.Check, " | ", d.About, " | ", d.Want, " | ", d.Got))
		}
		if found.Err != nil {
			lines = append(lines, found.Err.Error())
		}
		return false
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return lines
}

// What orders, ledger, chain and partner say is held against each other: whatever
// one of them says differently is found, with the order that it is about.
func TestPayout_MatchThreeWays(t *testing.T) {
	t.Parallel()
	m := newMatcher(t)
	a := m.address("wallet")
	one := m.pays(a, "t1")
	two := m.pays(a, "t2")
	m.desk.moves(fiat.TransferRefunded, 99_250_000)
	two, _ = m.advance(two.ID)
	m.want("sent back", two, order.Returned)
	m.desk.moves(fiat.TransferProcessed, 0)
	two, _ = m.advance(two.ID)
	if two.Refund.Status != order.RefundCompleted {
		t.Fatalf("%+v", two.Refund)
	}
	m.clock.move(time.Hour)
	if got := m.found(); got != nil {
		t.Fatalf("differences where there are none: %q", got)
	}
	exec := func(sql string) func() {
		return func() {
			if _, err := m.db.Writer().ExecContext(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
	}
	sent := m.desk.transfers[one.Payout.TransferID]
	for what, c := range map[string]struct {
		plant, back func()
		want        []string
	}{
		"the ledger has more": {
			exec("UPDATE ledger_balances SET posted = 5 WHERE account = 'order:" + one.ID + "'"),
			exec("UPDATE ledger_balances SET posted = 0 WHERE account = 'order:" + one.ID + "'"),
			[]string{"wallet | balance | 0.000005 USDC | 0.00 USDC"},
		},
		"the chain lost a deposit": {
			func() { m.nodes.gone = []string{"t1"} }, func() { m.nodes.gone = nil },
			[]string{"chain | " + one.Reference + ", deposit 0xt1 | in block 100 | not on the node's chain"},
		},
		"the watcher dropped a deposit": {
			exec("UPDATE transfers SET state = 'dropped' WHERE id = 't2'"),
			exec("UPDATE transfers SET state = 'final' WHERE id = 't2'"),
			[]string{
				"chain | " + two.Reference + ", deposit 0xt2 | 100.00 USDC | nothing: no block has it",
				"drain | deposit 0xt2 | nothing | 100.00 USDC, payment_processed",
			},
		},
		"a deposit was never taken in": {
			exec("UPDATE drains SET order_id = '' WHERE id = 't1'"),
			exec("UPDATE drains SET order_id = '" + one.ID + "' WHERE id = 't1'"),
			[]string{"deposit | deposit 0xt1 | 100.00 USDC for an order | no order"},
		},
		"the partner forgot a deposit": {
			func() { m.desk.drains[1].DepositHash = "0xx" }, func() { m.desk.drains[1].DepositHash = "0xt1" },
			[]string{
				"drain | " + one.Reference + ", deposit 0xt1 | 100.00 USDC | nothing",
				"drain | deposit 0xx | nothing | 100.00 USDC, payment_processed",
			},
		},
		"the partner's wallet is short": {
			func() { m.desk.wallets[a.PartnerWalletID]-- }, func() { m.desk.wallets[a.PartnerWalletID]++ },
			[]string{"wallet | balance | 0.00 USDC | -0.000001 USDC"},
		},
		"the partner paid less": {
			func() { sent.Destination.Minor-- }, func() { sent.Destination.Minor++ },
			[]string{"payout | " + one.Reference + ", transfer " + sent.ID + ", paid | 1826.94 MXN | 1826.93 MXN"},
		},
		"the partner took more": {
			func() { sent.Source.Minor++ }, func() { sent.Source.Minor-- },
			[]string{"payout | " + one.Reference + ", transfer " + sent.ID + ", taken | 100.00 USDC | 100.000001 USDC"},
		},
		"the partner paid somebody besides": {
			func() { m.desk.orders = append(m.desk.orders, "x"); x := *sent; x.ID = "x"; m.desk.transfers["x"] = &x },
			func() { m.desk.orders = m.desk.orders[:len(m.desk.orders)-1] },
			[]string{"payout | transfer x of " + one.Reference + ":1 | nothing | 100.00 USDC, payment_processed"},
		},
		"a node does not answer": {
			func() { m.nodes.down = errors.New("down") }, func() { m.nodes.down = nil },
			[]string{"asking the node of base: down"},
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
	// What is older than was asked for is known all the same.
	exec("UPDATE orders SET created_at = 1 WHERE id = '" + one.ID + "'")()
	m.desk.wallets[a.PartnerWalletID]++
	if got := m.found(); !reflect.DeepEqual(got, []string{"wallet | balance | 0.00 USDC | 0.000001 USDC"}) {
		t.Errorf("with an older order: %q", got)
	}
}

// A round goes over all wallets, a few at a time, by one server at a time; another
// goes on where one stopped, and a partner that does not answer is asked later.
func TestPayout_MatchRounds(t *testing.T) {
	t.Parallel()
	m := newMatcher(t)
	for _, name := range []string{"Eva", "Iva", "Ada"} {
		m.recipient, m.account = m.payee(name)
		m.pays(m.address("wallet"), "t-"+name)
	}
	m.clock.move(time.Hour)
	run := func() reconcile.MatchRun {
		t.Helper()
		r, err := m.store.MatchRun(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	m.desk.wallets[slices.Max(slices.Collect(maps.Keys(m.desk.wallets)))]++ // the last that is looked at
	m.desk.breaks("WalletBalances", breakage{}, breakage{}, breakage{err: fiat.ErrUnavailable})
	if err := m.Matcher.Sweep(t.Context()); !errors.Is(err, fiat.ErrUnavailable) {
		t.Fatal(err)
	}
	began := run()
	if began.TakenAt.IsZero() || !began.EndedAt.IsZero() || began.Found.Wallets != 2 {
		t.Errorf("while the partner is down: %+v", began)
	}
	other := m.server()
	if err := other.Sweep(t.Context()); err != nil || run() != began {
		t.Errorf("beside a server that is at it: %v, %+v", err, run())
	}
	m.clock.move(11 * time.Minute)
	if err := other.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := run()
	if ended.Last != (reconcile.MatchTally{Wallets: 3, Differences: 1}) ||
		!ended.EndedAt.Equal(m.clock.Now()) || !ended.TakenAt.IsZero() || !ended.BeganAt.IsZero() {
		t.Errorf("a whole round: %+v", ended)
	}
	if said := m.log.String(); !strings.Contains(said, "the partner, the chain and the books differ") ||
		!strings.Contains(said, "0.000001 USDC") {
		t.Error(said)
	}
	asked := m.nodes.asks
	if err := m.Matcher.Sweep(t.Context()); err != nil || run() != ended || m.nodes.asks != asked {
		t.Errorf("before it is time: %v %+v", err, run())
	}
	m.clock.move(61 * time.Minute)
	if err := m.Matcher.Sweep(t.Context()); err != nil ||
		run().Last != ended.Last || run().EndedAt.Equal(ended.EndedAt) {
		t.Errorf("the next round: %v %+v", err, run())
	}
}

// A rate that moves while the partner is asked leaves something in the wallet, or
// takes something besides. The books have it, and so nothing differs: not while it
// is under way, not when it is paid, and not when it comes back.
func TestPayout_MatchMovedQuote(t *testing.T) {
	t.Parallel()
	for _, sell := range []string{"18.30", "18.50"} {
		m := newMatcher(t)
		a := m.address("wallet")
		quoted := m.quote(a, 100_000_000, time.Hour)
		m.lands(a, "t1")
		m.lands(a, "t2") // of which there is enough
		same := func(what string) {
			t.Helper()
			m.clock.move(time.Hour)
			if got := m.found(); got != nil {
				t.Errorf("at %s, %s: %q", sell, what, got)
			}
		}
		m.desk.breaks("CreateTransfer", breakage{err: fiat.ErrUnavailable})
		if _, err := m.Payments.Advance(t.Context(), ws, quoted.ID); err == nil {
			t.Fatal("the partner's failure is lost")
		}
		same("before it is asked again")
		m.desk.sell = sell
		o, _ := m.advance(quoted.ID)
		m.want("submitted", o, order.PaymentSubmitted)
		sent := m.desk.transfers[o.Payout.TransferID]
		if sent.Source == o.Terms.Gross {
			t.Fatalf("nothing moved: %+v", sent)
		}
		same("submitted")
		m.desk.moves(fiat.TransferProcessed, 0)
		o, _ = m.advance(o.ID)
		m.want("paid", o, order.Completed)
		same("paid")
		m.desk.moves(fiat.TransferRefunded, sent.Source.Minor-sent.Fee.Minor)
		o, _ = m.advance(o.ID)
		m.want("sent back", o, order.Returned)
		same("sent back")
		m.desk.moves(fiat.TransferProcessed, 0)
		m.advance(o.ID)
		same("refunded")
	}
}

// A quoted payout that the partner cancels is booked back as it was booked, also what
// the rate had moved: none of that was in the wallet.
func TestPayout_MatchCanceledQuote(t *testing.T) {
	t.Parallel()
	for _, wallet := range []string{"wallet", ""} {
		for _, back := range []bool{false, true} {
			m := newMatcher(t)
			a := m.address(wallet)
			quoted := m.quote(a, 100_000_000, time.Hour)
			m.lands(a, "t1")
			m.desk.sell = "18.50"
			o, _ := m.advance(quoted.ID)
			m.want("submitted", o, order.PaymentSubmitted)
			sent := m.desk.transfers[o.Payout.TransferID]
			m.desk.moves(fiat.TransferCanceled, 0)
			m.desk.receives(sent.Source.Minor)
			m.advance(o.ID)
			then := m.Operator.RetryPayout
			if back {
				then = m.Operator.GiveBack
			}
			if _, err := then(t.Context(), byOperator(), o.ID); err != nil {
				t.Fatal(err)
			}
			o, _ = m.advance(o.ID)
			if !back || wallet != "" {
				m.desk.moves(fiat.TransferProcessed, 0)
				m.advance(o.ID)
			}
			m.clock.move(time.Hour)
			if got := m.found(); got != nil {
				t.Errorf("return address %q, given back %v: %q", wallet, back, got)
			}
			m.sums()
		}
	}
}
