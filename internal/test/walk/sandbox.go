package walk

import "path"

func simulateDeposit(w *World) Request {
	return w.post("/v1/sandbox/simulate-deposit", map[string]string{
		"chain": "base", "address": payee, "amount": "0.01",
	})
}

// simulateBankDeposit pays less than the partner takes: the money goes back, and nothing else moves.
func simulateBankDeposit(w *World) Request {
	w.T.Helper()
	return w.post("/v1/sandbox/simulate-bank-deposit", map[string]string{
		"depositAccountId": path.Base(w.depositAccount()), "amount": "1.00",
	})
}

func advanceSandbox(w *World) Request {
	return w.post("/v1/sandbox/advance", map[string]int{"seconds": 1})
}

// The chain that others do not use has the blocks that are made and replaced.

func mineSandbox(w *World) Request {
	return w.post("/v1/sandbox/mine", map[string]any{"chain": "arbitrum"})
}

func reorgSandbox(w *World) Request {
	w.T.Helper()
	w.must(mineSandbox(w), nil)
	return w.post("/v1/sandbox/reorg", map[string]any{"chain": "arbitrum", "depth": 1})
}
