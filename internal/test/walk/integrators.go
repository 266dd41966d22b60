package walk

const integratorsPath = "/v1/integrators"

// operate makes a request under the operator's key.
func (w *World) operate(method, path string, body any) Request {
	r := w.by(method, path, body)
	r.Authorization = "ApiKey " + w.Operator
	return r
}

// ofIntegrator is a path of the workspace.
func (w *World) ofIntegrator(path string) string { return integratorsPath + "/" + w.WorkspaceID + path }

func createIntegrator(w *World) Request {
	return w.operate("POST", integratorsPath, map[string]string{"name": w.name("Integrator"), "email": w.email()})
}

func updateIntegrator(w *World) Request {
	return w.operate("PATCH", w.ofIntegrator(""), map[string]string{"name": w.name("Renamed")})
}

func setIntegratorKyb(w *World) Request {
	return w.operate("PATCH", w.ofIntegrator("/kyb"), map[string]string{"status": "approved", "reason": w.name("seen")})
}

func setIntegratorAgentLimits(w *World) Request {
	return w.operate("PATCH", w.ofIntegrator("/agent-limits"),
		map[string]any{"rateLimits": map[string]int{"standard": 1000, "financial": 1000}})
}

func setIntegratorModules(w *World) Request {
	return w.operate("PATCH",
		w.ofIntegrator("/modules"), map[string][]string{"modules": {"signing", "payout", "agents", "widget"}})
}

func createAPIKey(w *World) Request {
	return w.operate("POST", w.ofIntegrator("/api-keys"), map[string]string{"name": w.name("key")})
}

// apiKey is the path of a new key.
func (w *World) apiKey() string {
	w.T.Helper()
	var made struct{ ID string }
	w.must(createAPIKey(w), &made)
	return w.ofIntegrator("/api-keys/" + made.ID)
}

func revokeAPIKey(w *World) Request { return w.operate("DELETE", w.apiKey(), nil) }
func getAPIKey(w *World) Request    { return w.operate("GET", w.apiKey(), nil) }
