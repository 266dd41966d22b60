package walk

import "path"

func simulateDeposit(w *World) Request {
	return w.post("/v1/sandbox/simulate-deposit", map[string]string{
		"chain": "base", "address": payee, "amount": "0.01",
	})
}

// simulateBankDeposit pays an amount that the partner holds: its order comes after the answer, and stays in review. A
// first such deposit makes the rows that all others share.
func simulateBankDeposit(w *World) Request {
	w.T.Helper()
	r := w.post("/v1/sandbox/simulate-bank-deposit", map[string]string{
		"depositAccountId": path.Base(w.depositAccount()), "amount": "100.03",
	})
	w.must(r, nil)
	return r
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
