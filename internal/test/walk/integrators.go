package walk

import (
	"net/http"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

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

const webhooksPath = "/v1/webhooks/endpoints"

// hooks makes a request about webhooks of the workspace.
func hooks(w *World, method, path string, body any) Request {
	return w.operate(method, path+"?integratorId="+w.WorkspaceID, body)
}

// createWebhookEndpoint makes an endpoint at the chain's node, which the tests' servers may ask, and which answers 200.
func createWebhookEndpoint(w *World) Request {
	w.T.Helper()
	var all []railkit.WebhookEndpoint
	w.must(hooks(w, "GET", webhooksPath, nil), &all)
	if len(all) > 15 { // a workspace may have 20
		w.must(hooks(w, http.MethodDelete, webhooksPath+"/"+all[len(all)-1].ID, nil), nil)
	}
	return hooks(w, "POST", webhooksPath, map[string]any{
		"url": w.App.Devnet.RPCURL("base"), "description": w.name("Endpoint"), "types": []string{"api_key.created"},
	})
}

func webhookPath(w *World) string {
	w.T.Helper()
	var e railkit.WebhookEndpoint
	w.must(createWebhookEndpoint(w), &e)
	return webhooksPath + "/" + e.ID
}

// activeWebhook is the path of an endpoint that was pinged.
func activeWebhook(w *World) string {
	w.T.Helper()
	path := webhookPath(w)
	var p railkit.WebhookPing
	w.must(hooks(w, "POST", path+"/ping", nil), &p)
	if p.Endpoint.Status != "active" {
		w.T.Fatalf("%+v", p)
	}
	return path
}

// delivery is the path of an event that was sent, below that of its endpoint.
func delivery(w *World) (endpoint, path string) {
	w.T.Helper()
	endpoint = activeWebhook(w)
	w.apiKey()
	var all []railkit.WebhookDelivery
	apptest.Eventually(w.T, "an event is sent", func() bool {
		w.must(hooks(w, "GET", endpoint+"/deliveries", nil), &all)
		return len(all) > 0 && all[0].Status == "delivered"
	})
	return endpoint, endpoint + "/deliveries/" + all[0].EventID
}

func updateWebhookEndpoint(w *World) Request {
	return hooks(w, http.MethodPatch, webhookPath(w), map[string]any{"description": w.name("Endpoint")})
}

func resendWebhook(w *World) Request {
	_, path := delivery(w)
	return hooks(w, "POST", path+"/resend", nil)
}

func replayWebhooks(w *World) Request {
	endpoint, _ := delivery(w)
	return hooks(w, "POST", endpoint+"/replay", map[string]any{"after": 0})
}

func rotateWebhookSecret(w *World) Request {
	return hooks(w, "POST", webhookPath(w)+"/rotate-secret", map[string]any{"oldSecretHours": 1})
}
