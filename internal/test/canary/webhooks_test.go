package canary_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// webhooks makes an endpoint and rotates its secret with a client of its own, whose answers are where secrets belong.
// The endpoint cannot be reached, and callers make mistakes with the secret.
func (p *platform) webhooks() {
	p.t.Helper()
	ctx, key := context.Background(), p.webhooksKey()
	c, own := p.client(key), p.ownClient(key)
	made, err := own.Webhooks.Create(ctx, railkit.WebhookEndpointRequest{URL: "https://hooks.example.invalid/"})
	p.must(err)
	rotated, err := own.Webhooks.RotateSecret(ctx, made.ID, railkit.WebhookRotation{})
	p.must(err)
	for _, secret := range []string{made.Secret, rotated.Secret} {
		text, found := strings.CutPrefix(secret, "whsec_")
		key, err := base64.StdEncoding.DecodeString(text)
		p.must(err)
		if !found {
			p.t.Error("a webhook's secret is no whsec_")
		}
		p.cage.Add("webhook's key", key)
		p.cage.AddText("webhook's secret", secret)
	}
	ping, err := c.Webhooks.Ping(ctx, made.ID)
	p.must(err)
	if ping.Attempt.Reason == "" {
		p.t.Error("a server that is not there answered")
	}
	_, err = c.Webhooks.Get(ctx, made.ID)
	p.must(err)
	_, err = c.Webhooks.List(ctx, railkit.ListOptions{})
	p.must(err)
	_, err = c.Webhooks.ListDeliveries(ctx, made.ID, railkit.WebhookDeliveryOptions{})
	p.must(err)
	for _, wrong := range []string{
		`{"url":"` + made.Secret + `"}`, `{"secret":"` + made.Secret + `"}`, `"` + made.Secret + `"`,
		`{"url":"https://hooks.example.invalid/","types":["` + made.Secret + `"]}`,
	} {
		p.do("POST", "/v1/webhooks/endpoints", wrong, "Authorization", "ApiKey "+key)
	}
	p.do("POST", "/v1/webhooks/endpoints/"+made.ID+"/rotate-secret", `{"oldSecretHours":"`+rotated.Secret+`"}`,
		"Authorization", "ApiKey "+key)
}

// webhooksKey makes an API key that may change webhooks. Its text, too, is told once.
func (p *platform) webhooksKey() string {
	p.t.Helper()
	a := apptest.Call(p.t, "POST", p.baseURL()+"/v1/integrators/"+p.keys.WorkspaceID+"/api-keys",
		`{"name":"Webhooks","scopes":["webhooks"]}`, "Authorization", "ApiKey "+p.keys.AdminKey,
		"Idempotency-Key", uuid.NewString())
	var made struct{ Key string }
	p.must(json.Unmarshal(a.Data(), &made))
	p.cage.AddText("webhooks' API key", made.Key)
	return made.Key
}
