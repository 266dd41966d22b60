package crash_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The points at which server and signer die while an agent pays on Solana.
var agentPoints = map[string][]string{
	apptest.Server: slices.Concat(call("Submit"), []string{"node.before-send", "node.after-send"},
		request("signAgentTransaction")),
	apptest.Enclave: execution,
}

// Server and signer die between every two steps of an agent's payment on Solana. The agent asks again under its key,
// signed anew each time, and its payee is paid once: between signer and row a death leaves a payment that only the
// signer knows of.
func TestAgents_SolanaPaymentCrashes(t *testing.T) {
	t.Parallel()
	for _, engine := range testenv.Sample(t, []string{"sqlite", "postgres"}, 1) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, engine)
			agent := w.agentOnSolana()
			var all []death
			for _, part := range slices.Sorted(maps.Keys(agentPoints)) {
				for _, point := range agentPoints[part] {
					all = append(all, death{part: part, point: point})
				}
			}
			for i, d := range testenv.Sample(t, all, 5) {
				w.Arm(d.part, d.point)
				ctx := railkit.WithIdempotencyKey(t.Context(), uuid.NewString())
				var paid *railkit.Transaction
				w.until("a payment of an agent", func() (err error) {
					paid, err = agent.Pay(ctx, railkit.AgentPayment{
						ActionType: "payment", Amount: "10000", Destination: solanaPayee, TokenMint: "USDC",
						Cluster: "solana",
					})
					return err
				})
				w.until(d.point, func() error { return w.dead(d.part, d.point) })
				apptest.Eventually(t, "it is confirmed", func() bool {
					tx, err := w.api.Transactions.Get(t.Context(), paid.TransactionID)
					return err == nil && tx.Status == "confirmed"
				})
				if got, want := w.heldOnSolana(solanaPayee), uint64(i+1)*10_000; got != want {
					t.Fatalf("%s of the %s: the payee has %d, want %d", d.point, d.part, got, want)
				}
			}
		})
	}
}

// agentOnSolana is an agent with money there.
func (w *world) agentOnSolana() *railkit.AgentClient {
	w.t.Helper()
	made, err := w.api.Agents.Create(w.t.Context(), w.owner.Passkey, railkit.AgentRequest{
		Name: "Buyer", SubOrganizationID: w.owner.Sub.SubOrganizationID,
		Budget:     railkit.AgentBudget{InfraMonthlyUSD: "50", TokensMonthlyUSD: "0", PaymentsMonthlyUSDC: "10"},
		AgentReach: railkit.AgentReach{AnyRecipient: true},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	is, err := w.api.Agents.Wallet(w.t.Context(), made.AgentID)
	if err != nil {
		w.t.Fatal(err)
	}
	for asset, amount := range map[string]string{"native": "1", "USDC": "10"} {
		if _, err := w.api.Sandbox.Faucet(w.t.Context(), railkit.FaucetRequest{
			Chain: "solana", Address: is.Address, Asset: asset, Amount: amount,
		}); err != nil {
			w.t.Fatal(err)
		}
	}
	agent, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: w.BaseURL, AgentID: made.AgentID, Secret: made.AgentSecret,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return agent
}
