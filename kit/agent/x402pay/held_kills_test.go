package x402pay_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/malltest"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/internal/test/x402test"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A purchase that waits for votes is one purchase as well, whatever dies. What it does the signer says once it holds
// it; whoever votes is shown that, also where the server died before it had asked, and the agent never comes back.
func TestAgents_X402KillsWhileHeld(t *testing.T) {
	t.Parallel()
	shops := malltest.Build(t)
	p := apptest.NewProcesses(t, testenv.TestEngine(t), "RAILKIT_FETCH_LOCAL="+shops.Places())
	shops.Open(p.App, x402test.ChainAt(t, p.DevnetURL))
	m := &mall{shops, t}
	b := m.newBuyerOf("1", "0.009")
	bought := 0
	for _, d := range testenv.Sample(t, dying(commits("x402_payment.prepared"), around("Submit"), around("Preview"),
		commits("payX402"), []string{"payX402.before-response"}), 4) {
		p.ArmAt(d.part, d.point, d.n)
		q := m.queued(b, fmt.Sprintf("%+v", d))
		testwait.Until(t, fmt.Sprintf("%+v", d), func() bool { return p.Died(d.part, d.point) })
		m.agreed(b, q)
		bought++
	}
	settled := ofThem(t, shops, b.id, "settled")
	if took := m.Chain.Balance(m.PayTo); settled != bought || took != int64(bought)*10_000 {
		t.Errorf("%d purchases: %d settled, the seller has %d", bought, settled, took)
	}
	p.Arm(apptest.Server, "Preview.before-call")
	once := b.trying(m.BaseURL, railkit.Retry{Attempts: 1})
	got, err := once.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
	if err == nil || !p.Died(apptest.Server, "Preview.before-call") {
		t.Fatalf("the server did not die: %+v, %v", got, err)
	}
	p.Edit("UPDATE activities SET created_at = created_at - 60000000 WHERE state = 'awaiting_signature'")
	testwait.Until(t, "the approval of a purchase whose agent is gone", func() bool {
		page, err := m.Client.Approvals.List(ctx, railkit.ApprovalListOptions{Status: "pending"})
		return err == nil && len(page.Items) == 1 && page.Items[0].Preview != nil && page.Items[0].AgentID == b.id
	})
	noHoldIsLeft(t, p)
}

// queued buys what waits for votes, under one key until there is an answer.
func (m *mall) queued(b buyer, what string) *railkit.QueuedError {
	m.t.Helper()
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	for deadline := time.Now().Add(testwait.Bound); ; time.Sleep(50 * time.Millisecond) { // between two tries
		got, err := b.PayX402(key, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
		q, e := new(railkit.QueuedError), new(railkit.Error)
		if errors.As(err, &q) {
			return q
		}
		if err == nil || time.Now().After(deadline) ||
			errors.As(err, &e) && e.Status < http.StatusInternalServerError && e.Status != http.StatusConflict {
			m.t.Fatalf("%s: %+v, %v", what, got, err)
		}
	}
}

// agreed has the owner let a purchase through, whom the preview of the approval tells what it is, and goes on with it.
func (m *mall) agreed(b buyer, q *railkit.QueuedError) {
	m.t.Helper()
	seen := func(shown *railkit.Preview) error {
		if len(shown.Effects) != 1 || shown.Effects[0].To != m.PayTo.String() {
			m.t.Errorf("the passkey sees %+v", shown)
		}
		return nil
	}
	if a, err := m.Client.Approvals.Get(ctx, q.ApprovalID); err != nil || a.AgentID != b.id || a.Preview == nil {
		m.t.Fatalf("%+v, %v", a, err)
	}
	if _, err := m.Client.Approvals.Approve(ctx, m.Owner.Passkey, q.ApprovalID, seen); err != nil {
		m.t.Fatal(err)
	}
	testwait.Until(m.t, "the seller to be paid", func() bool {
		got, err := b.PayX402(ctx, railkit.X402Request{PaymentID: q.PaymentID})
		return err == nil && got.Payment.State == "settled"
	})
}
