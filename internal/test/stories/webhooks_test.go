package stories_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

// hook is the server of somebody who receives webhooks, and verifies them with the client's helper.
type hook struct {
	*httptest.Server

	mu     sync.Mutex
	secret string
	status int
	events []railkit.Event
	wrong  error
}

func newHook(t *testing.T) *hook {
	h := &hook{status: http.StatusOK}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err == nil {
		var e *railkit.Event
		if e, err = railkit.VerifyWebhook(r.Header, body, h.secret); err == nil {
			h.events = append(h.events, *e)
		}
	}
	if err != nil && h.status == http.StatusOK {
		h.wrong = err
	}
	w.WriteHeader(h.status)
	_, _ = io.WriteString(w, strings.Repeat("x", 3000)) // who asks for less hangs up
}

func (h *hook) set(secret string, status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.secret, h.status = secret, status
}

// names are the recipients that it was told of.
func (h *hook) names() (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		if e.Type == "recipient.created" {
			all = append(all, e.Object.ID)
		}
	}
	return all
}

// hooked is a platform whose servers may ask the receiver.
func hooked(t *testing.T, h *hook) *apptest.App {
	return apptest.Rig(t, func(c *apptest.Config) { c.FetchLocal = strings.TrimPrefix(h.URL, "http://") })
}

// From an empty workspace to events that arrive, are listed, are sent again and survive the end of the server that sent
// them; the admins know of it.
func TestPlatform_WebhookStory(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	a := hooked(t, h)
	ws, key := a.NewWorkspace([]auth.Scope{auth.Integrator, auth.Webhooks}, auth.Payout)
	a.JoinBy(a.Keys.InternalKey, ws, "boss@example.com", auth.RoleAdmin)
	c, ctx, known := clientOf(t, a, key), t.Context(), a.Mail.Mails()
	made, err := c.Webhooks.Create(ctx, railkit.WebhookEndpointRequest{
		URL: h.URL + "/railkit", Types: []string{"recipient.*"}, Description: "orders",
	})
	if err != nil || made.Status != "disabled" || made.Reason != "not_pinged" ||
		!strings.HasPrefix(made.Secret, "whsec_") {
		t.Fatalf("%+v, %v", made, err)
	}
	if m := a.MailTo("boss@example.com", known...); !strings.Contains(m.Text, made.ID) {
		t.Errorf("%s", m.Text)
	}
	newRecipient(t, a, key, "Before")
	h.set("whsec_"+strings.Repeat("A", 44), http.StatusUnauthorized) // not configured yet
	ping, err := c.Webhooks.Ping(ctx, made.ID)
	if err != nil || ping.Endpoint.Status != "disabled" || ping.Attempt.HTTPStatus != 401 ||
		len(ping.Attempt.Answer) != 1024 {
		t.Fatalf("%+v, %v", ping, err)
	}
	h.set(made.Secret, http.StatusOK)
	if ping, err = c.Webhooks.Ping(ctx, made.ID); err != nil || ping.Endpoint.Status != "active" {
		t.Fatalf("%+v, %v", ping, err)
	}
	newRecipient(t, a, key, "Ana")
	apptest.Eventually(t, "Ana is told", func() bool { return len(h.names()) == 1 })
	h.set(made.Secret, http.StatusInternalServerError)
	newRecipient(t, a, key, "Bea")
	open := railkit.WebhookDeliveryOptions{Status: "pending"}
	failed := deliveries(t, c, made.ID, open, func(d railkit.WebhookDelivery) bool {
		return d.LastAttempt != nil && d.LastAttempt.HTTPStatus == 500 && d.NextAttemptAt != nil
	})
	a.StopServer()
	h.set(made.Secret, http.StatusOK)
	a.StartServer()
	c = clientOf(t, a, key)
	if _, err := c.Webhooks.Resend(ctx, made.ID, failed.EventID); err != nil {
		t.Fatal(err)
	}
	apptest.Eventually(t, "Bea is told", func() bool { return len(h.names()) == 2 })
	deliveries(t, c, made.ID, railkit.WebhookDeliveryOptions{}, func(d railkit.WebhookDelivery) bool {
		return d.EventID == failed.EventID && d.Status == "delivered"
	})
	one, err := c.Webhooks.GetDelivery(ctx, made.ID, failed.EventID)
	if err != nil || len(one.Attempts) < 2 || !strings.Contains(string(one.Body), `"Bea"`) ||
		len(one.Attempts[0].Answer) != 1024 {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err := c.Webhooks.Replay(ctx, made.ID, railkit.WebhookReplay{}); err != nil {
		t.Fatal(err)
	}
	apptest.Eventually(t, "what was before is told", func() bool { return len(h.names()) == 3 })
	h.mu.Lock()
	if h.wrong != nil {
		t.Error(h.wrong)
	}
	h.mu.Unlock()
}

// deliveries waits until the first of a list is as wanted.
func deliveries(
	t *testing.T, c *railkit.Client, id string, o railkit.WebhookDeliveryOptions, is func(railkit.WebhookDelivery) bool,
) (d railkit.WebhookDelivery) {
	t.Helper()
	apptest.Eventually(t, "a delivery", func() bool {
		all, err := c.Webhooks.ListDeliveries(t.Context(), id, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Items) == 0 {
			return false
		}
		d = all.Items[0]
		return is(d)
	})
	return d
}

// What cannot be done is refused by a name: to members who are no managers, to keys without the scope, to disabled
// endpoints, and beyond what a workspace may have.
func TestPlatform_WebhookRefusals(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	a := hooked(t, h)
	ws, key := a.NewWorkspace([]auth.Scope{auth.Webhooks}, auth.Payout)
	c, ctx := clientOf(t, a, key), t.Context()
	make := func(url string, types ...string) (*railkit.WebhookEndpointCreated, error) {
		return c.Webhooks.Create(ctx, railkit.WebhookEndpointRequest{URL: url, Types: types})
	}
	_, err := make("http://hooks.example.com/")
	wantError(t, "http", err, 400, "validation_failed")
	_, err = make("https://hooks.example.com/", "order.unknown")
	wantError(t, "an unknown type", err, 400, "validation_failed")
	first, err := make(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Webhooks.Replay(ctx, first.ID, railkit.WebhookReplay{})
	wantError(t, "a replay to a disabled one", err, 409, "webhook_endpoint_disabled")
	h.set(first.Secret, http.StatusOK)
	if p, err := c.Webhooks.Ping(ctx, first.ID); err != nil || p.Endpoint.Status != "active" {
		t.Fatalf("%+v, %v", p, err)
	}
	a.Edit("UPDATE webhook_endpoints SET replay_to = 1000000, paused_until = 9000000000000000 WHERE id = $1", first.ID)
	_, err = c.Webhooks.Replay(ctx, first.ID, railkit.WebhookReplay{})
	wantError(t, "a second replay", err, 409, "webhook_replay_running")
	for range 19 {
		if _, err := make("https://hooks.example.com/"); err != nil {
			t.Fatal(err)
		}
	}
	_, err = make("https://hooks.example.com/")
	wantError(t, "one more", err, 422, "too_many_webhook_endpoints")
	if _, err := c.Webhooks.Delete(ctx, first.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := make("https://hooks.example.com/"); err != nil {
		t.Errorf("in the place of a deleted one: %v", err)
	}
	_, err = c.Webhooks.Get(ctx, first.ID)
	wantError(t, "a deleted one", err, 404, "not_found")
	_, plain := a.NewWorkspace([]auth.Scope{auth.Integrator}, auth.Payout)
	_, err = clientOf(t, a, plain).Webhooks.List(ctx, railkit.ListOptions{})
	wantError(t, "a key without the scope", err, 403, "insufficient_scope")
	a.Edit("UPDATE audit_heads SET events = 9, events_removed = 5 WHERE workspace_id = $1", ws)
	second, err := c.Webhooks.List(ctx, railkit.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Webhooks.Replay(ctx, second.Items[0].ID, railkit.WebhookReplay{After: 4})
	wantError(t, "a range that is removed", err, 410, "events_removed")
}

// The lines of docs/webhooks.md work when they are pasted.
func TestPlatform_WebhookDocument(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	a := hooked(t, h)
	_, key := a.NewWorkspace([]auth.Scope{auth.Integrator, auth.Webhooks}, auth.Payout)
	document, err := os.ReadFile("../../../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, block := range strings.Split(string(document), "```sh\n")[1:] {
		if shell, _, _ := strings.Cut(block, "```"); strings.Contains(shell, "/webhooks/endpoints") {
			lines.WriteString(shell)
		}
	}
	script := exec.Command("sh", "-eu", "-c", lines.String())
	script.Env = append(os.Environ(), "B="+a.BaseURL, "K="+key, "URL="+h.URL)
	h.set("", http.StatusNoContent)
	out, err := script.CombinedOutput()
	if err != nil || strings.Count(string(out), `"success":true`) != strings.Count(lines.String(), "curl ") {
		t.Errorf("%v\n%s", err, out)
	}
}
