package payout_test

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// J7: a server that is told to stop while the partner is being asked for a payout
// ends when it has the answer, or without it long before the partner's two minutes are over. Nothing is lost, also
// where it is killed before, and nobody is paid twice.
func TestPayout_J7_ShutdownDrains(t *testing.T) {
	t.Parallel()
	p := apptest.NewOrdinaryProcesses(t)
	r := must(p.Client().Recipients.Create(t.Context(), person("Ana")))(t)
	account := must(p.Client().BankAccounts.Create(t.Context(), r.ID, mexican))(t)
	a := must(p.Client().WithdrawAddresses.Create(
		t.Context(), railkit.WithdrawAddressRequest{BeneficiaryAccountID: account.ID},
	))(t)
	for i, c := range []struct {
		what   string
		answer time.Duration // of the partner
		kill   bool
	}{
		{"the answer comes", 5 * time.Second, false},
		{"no answer comes", 2 * time.Minute, false},
		{"killed", 2 * time.Minute, true},
	} {
		fault := control.Fault{
			Kind: "slow", Method: "POST", Path: "/transfers", DelayMs: int(c.answer.Milliseconds()), Times: 1,
		}
		if err := p.Partner.Fault(t.Context(), fault); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Devnet.Faucet(t.Context(), "base", a.Address, "USDC", "100"); err != nil {
			t.Fatal(err)
		}
		o := reserved(t, p, i+1)
		pid := p.PID(apptest.Server)
		p.Signal(apptest.Server, syscall.SIGTERM)
		if c.kill {
			p.Kill(apptest.Server)
		}
		apptest.Eventually(t, c.what+": the server ends", func() bool {
			return syscall.Kill(pid, 0) != nil || p.PID(apptest.Server) != pid
		})
		apptest.Eventually(t, c.what+": the order is paid", func() bool {
			got, err := p.Client().Orders.Get(t.Context(), o.ID)
			return err == nil && got.Status == "completed"
		})
		l := must(p.Partner.Ledger(t.Context(), o.Reference+":1"))(t)
		if !l.Balanced || len(l.Payouts) != 1 || l.Payouts[0].Paid != 1 || len(l.Payouts[0].Transfers) != 1 {
			t.Errorf("%s: the partner's ledger has %+v", c.what, l.Payouts)
		}
	}
}

// reserved waits until the newest of so many orders is one that the partner is being asked about. A busy machine may
// look only after the answer: the order is paid then, and the test goes on with it.
func reserved(t *testing.T, p *apptest.Processes, n int) (o *railkit.OrderDetail) {
	t.Helper()
	apptest.Eventually(t, "the payout is reserved", func() bool {
		page, err := p.Client().Orders.List(t.Context(), railkit.OrderListOptions{})
		if err != nil || len(page.Items) != n {
			return false
		}
		o, err = p.Client().Orders.Get(t.Context(), page.Items[0].ID)
		return err == nil && slices.ContainsFunc(o.Timeline, func(e railkit.TimelineEntry) bool {
			return e.Type == "payout.reserved"
		})
	})
	return o
}
