package walk

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

const (
	lendingPath   = "/v1/defi/lending/"
	executingPath = "/v1/protocols/lending/aave/execute/"
)

// order asks for the next step of a wallet's supply or withdrawal.
func order(w *World, token string, amount any) map[string]any {
	return map[string]any{
		"signWith": w.Owner().Address.Address, "tokenAddress": token, "amount": amount, "chainId": 84532,
	}
}

func prepareLendingSupply(w *World) Request {
	return w.post(executingPath+"supply", order(w, "native", 0.001))
}

// prepareLendingWithdrawal is of an owner who has supplied.
func prepareLendingWithdrawal(w *World) Request {
	w.T.Helper()
	ctx := context.Background()
	has, err := w.client().Lending.Positions(ctx, w.Owner().Address.Address, 84532)
	if err != nil {
		w.T.Fatal(err)
	}
	if len(has.Supplies) == 0 {
		for range 2 { // the allowance, and the supply
			p := w.prepare(executingPath+"supply", order(w, "USDC", 2))
			w.must(w.confirmation(p, true), nil)
			if _, err := w.client().Transactions.WaitConfirmed(ctx, p.id, 20*time.Millisecond); err != nil {
				w.T.Fatal(err)
			}
		}
	}
	return w.post(executingPath+"withdraw", order(w, "USDC", 0.5))
}

func getLendingStatus(w *World) Request {
	return w.get(executingPath + "status/" + w.prepare(executingPath+"supply", order(w, "native", 0.001)).id)
}

// unsigned asks for a transaction that an address of one's own is to sign.
func unsigned(path string) func(*World) Request {
	return func(w *World) Request {
		return w.post(path, map[string]any{
			"userAddress": w.Owner().Address.Address, "tokenAddress": "avax", "amount": "0.001", "chainId": 43113,
		})
	}
}

// avax is unsigned without the name of a token.
func avax(path string) func(*World) Request {
	return func(w *World) Request {
		return w.post(path, map[string]any{"userAddress": w.Owner().Address.Address, "amount": 0.001, "chainId": 43113})
	}
}

// miniApp lists one that tips the owner, as the operator does.
func (w *World) miniApp() (id string) {
	w.T.Helper()
	order := &command.Command{
		Principal: auth.Principal{Kind: auth.Kind(audit.Operator), ID: "ops"}, Operation: "admin miniapp add",
		Render: func(r command.Reply) ([]byte, error) { return json.Marshal(r.Data) },
	}
	const ana = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	answer, err := miniapp.New(w.App.Store.Widgets(), chain.Sandbox, clock.System{}).Add(
		w.T.Context(), order, miniapp.Listing{
			Metadata: []byte(`{"url":"https://app.example/tip","icon":"https://app.example/tip.png","title":"Tip jar",
				"description":"A tip","actions":[{"type":"transfer","label":"Tip","to":"` + ana + `",
				"chains":{"source":"base-sepolia"}}]}`),
			Operator: "Ana Apps", Type: "Tips", Wallet: ana, Chain: "base",
		})
	if err != nil {
		w.T.Fatal(err)
	}
	var made struct{ ID string }
	if err := json.Unmarshal(answer.Body, &made); err != nil {
		w.T.Fatal(err)
	}
	return made.ID
}

// reportExecutions reports a transaction that no block has.
func reportExecutions(w *World) Request {
	return w.post("/v1/action/indexing/events", map[string]any{
		"miniAppId": w.miniApp(), "txHash": fmt.Sprintf("0x%064x", time.Now().UnixNano()), "chainId": 84532,
		"userAddress": w.Owner().Address.Address,
	})
}
