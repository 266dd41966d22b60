package walk

func simulateDeposit(w *World) Request {
	return w.post("/v1/sandbox/simulate-deposit", map[string]string{
		"chain": "base", "address": payee, "amount": "0.01",
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
