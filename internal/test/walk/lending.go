package walk

import (
	"context"
	"time"
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
