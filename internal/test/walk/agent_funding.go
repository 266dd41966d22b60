package walk

import railkit "github.com/railkit/railkit/sdk/go"

func prepareAgentFunding(w *World) Request {
	return w.post(w.agentPath()+"/fund/prepare", map[string]any{"amount": 1, "from": w.Owner().Address.Address})
}

func confirmAgentFunding(w *World) Request {
	w.T.Helper()
	path := w.agentPath()
	var p railkit.PreparedFunding
	w.must(w.post(path+"/fund/prepare", map[string]any{"amount": 1, "from": w.Owner().Address.Address}), &p)
	return w.post(path+"/fund/confirm", map[string]any{
		"fundRequestId": p.FundRequestID, "signedActivity": w.stamps(p.Prepared),
	})
}
