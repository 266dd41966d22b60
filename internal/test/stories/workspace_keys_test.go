package stories_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/workspace"
)

// service is the server's own, for what would need too many calls or a member.
func (w workspaceWorld) service() *workspace.Service {
	return workspace.New(w.Store.Workspaces(), clock.System{})
}

// order is a command of the sandbox's workspace, by a caller with the scopes.
func (w workspaceWorld) order(kind auth.Kind, scopes ...auth.Scope) *command.Command {
	p := auth.Principal{Kind: kind, ID: "caller", Environment: "sandbox", Scopes: scopes}
	p.WorkspaceID = w.Keys.WorkspaceID
	return &command.Command{
		Principal: p, Operation: "test", Render: func(r command.Reply) ([]byte, error) { return json.Marshal(r.Data) },
	}
}

// Nobody gives a key what they may not do themselves.
func TestPlatform_KeyScopes(t *testing.T) {
	w := newWorkspaceWorld(t)
	usual := []auth.Scope{
		auth.Integrator, auth.IntegratorRead, auth.IntegratorWrite, auth.PayoutWrite, auth.Agent, auth.Client,
		auth.Webhooks,
	}
	for _, c := range []struct {
		who    string
		kind   auth.Kind
		scopes []auth.Scope
		may    []auth.Scope
	}{
		{"admin", auth.BySession, auth.RoleAdmin.Scopes(), append([]auth.Scope{auth.AuditRead}, usual...)},
		{"manager", auth.BySession, auth.RoleManager.Scopes(), usual},
		{"internal key", auth.ByKey, []auth.Scope{auth.Internal}, append([]auth.Scope{auth.Internal}, usual...)},
		{"admin key", auth.ByKey, []auth.Scope{auth.Admin}, auth.Assignable},
		{"nobody", auth.ByKey, []auth.Scope{auth.Client}, []auth.Scope{auth.Client}},
	} {
		member := ""
		if c.kind == auth.BySession {
			member = w.Join(c.who+"@example.com", auth.Role(c.who)).MemberID
		}
		order := func() *command.Command {
			o := w.order(c.kind, c.scopes...)
			if member != "" {
				o.Principal.ID, o.Principal.Role = member, auth.Role(c.who)
			}
			return o
		}
		for _, scope := range auth.Assignable {
			_, err := w.service().CreateKey(t.Context(), order(), workspace.APIKeyInput{
				Name: "k", Scopes: []auth.Scope{auth.Client, scope},
			})
			if may := slices.Contains(c.may, scope); may != (err == nil) ||
				!may && !errors.Is(err, workspace.ErrBeyond) {
				t.Errorf("%s gives %s: %v", c.who, scope, err)
			}
		}
		limits := workspace.APIKeyInput{
			Name: "k", Scopes: []auth.Scope{auth.Client}, RateLimits: &workspace.RateLimits{Standard: 500},
		}
		if _, err := w.service().CreateKey(t.Context(), order(), limits); (c.who == "admin key") != (err == nil) {
			t.Errorf("%s gives limits: %v", c.who, err)
		}
	}
	for key, want := range map[string]int{w.Keys.InternalKey: 403, w.Keys.AdminKey: 201, w.Keys.APIKey: 403} {
		w.want(want, key, "POST", w.ws+"/api-keys", `{"name":"k","scopes":["admin"]}`)
		w.want(want, key, "POST", w.ws+"/api-keys", `{"name":"k","rateLimits":{"standard":500}}`)
	}
	made, _ := w.want(201, w.Keys.AdminKey, "POST", w.ws+"/api-keys", `{"name":"k","rateLimits":{"standard":500}}`)
	if limits := made["rateLimits"].(map[string]any); limits["standard"] != 500.0 || limits["financial"] != 20.0 {
		t.Errorf("%v", limits)
	}
}

// The text of a key is in its first answer, and in that answer's replays, only.
func TestPlatform_KeyShownOnce(t *testing.T) {
	w := newWorkspaceWorld(t)
	once := []string{"Idempotency-Key", uuid.NewString()}
	body := `{"name":"Server","description":"of the shop","scopes":["integrator:read","payout:write"]}`
	first := w.Do(w.Keys.AdminKey, "POST", w.ws+"/api-keys", body, once...)
	again := w.Do(w.Keys.AdminKey, "POST", w.ws+"/api-keys", body, once...)
	if first.Status != 201 || again.Body != first.Body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Fatalf("%d %d", first.Status, again.Status)
	}
	if other := w.Do(w.Keys.AdminKey, "POST", w.ws+"/api-keys", `{"name":"x"}`, once...); other.Status != 422 {
		t.Errorf("another body: %d", other.Status)
	}
	data := first.Field("data").(map[string]any)
	text, id := data["key"].(string), data["id"].(string)
	w.want(200, text, "GET", wallets, "")
	got, _ := w.want(200, w.Keys.AdminKey, "GET", w.ws+"/api-keys/"+id, "")
	if got["prefix"] != text[:20] || got["lastFour"] != text[len(text)-4:] || got["name"] != "Server" ||
		got["description"] != "of the shop" ||
		fmt.Sprint(got["scopes"]) != "[integrator:read payout:write]" || got["active"] != true ||
		got["lastUsedAt"] != nil {
		t.Errorf("%v", got)
	}
	for _, path := range []string{w.ws + "/api-keys", w.ws + "/api-keys/" + id} {
		if a := w.Do(w.Keys.AdminKey, "GET", path, ""); a.Status != 200 || strings.Contains(a.Body, text) ||
			strings.Contains(a.Body, auth.Hash(text)) {
			t.Errorf("%s: %d, or it shows the key", path, a.Status)
		}
	}
	if strings.Contains(w.Log.String(), text) {
		t.Error("the log has the key")
	}
}

// The test calls from 127.0.0.1.
func TestPlatform_KeyAllowlist(t *testing.T) {
	w := newWorkspaceWorld(t)
	for _, c := range []struct {
		list, shown string
		status      int
	}{
		{`["127.0.0.1"]`, "[127.0.0.1]", 200},
		{`["192.0.2.7","127.0.0.0/8","192.0.2.7/32"]`, "[192.0.2.7 127.0.0.0/8]", 200},
		{`["::ffff:127.0.0.1"]`, "[127.0.0.1]", 200},
		{`["::ffff:127.0.0.0/104"]`, "[127.0.0.0/8]", 200},
		{`["0.0.0.0/0"]`, "[0.0.0.0/0]", 200},
		{`["127.0.0.2"]`, "[127.0.0.2]", 403},
		{`["2001:DB8:0::/32","::1"]`, "[2001:db8::/32 ::1]", 403},
		{`["::/0"]`, "[::/0]", 403},
	} {
		id, text := w.newKey(`{"name":"k","ipAllowlist":` + c.list + `}`)
		got, _ := w.want(200, w.Keys.AdminKey, "GET", w.ws+"/api-keys/"+id, "")
		if fmt.Sprint(got["ipAllowlist"]) != c.shown {
			t.Errorf("%s is shown as %v", c.list, got["ipAllowlist"])
		}
		if a := w.Do(text, "GET", wallets, ""); a.Status != c.status ||
			c.status == 403 && a.Field("error") != "ip_not_allowed" {
			t.Errorf("%s: %d %s", c.list, a.Status, a.Body)
		}
	}
}

func TestPlatform_KeyExpires(t *testing.T) {
	var now hands
	now.set(time.Now())
	w := newWorkspaceWorld(t, apptest.WithClock(&now))
	end := now.Now().Add(time.Hour)
	id, text := w.newKey(`{"name":"k","expiresAt":"` + end.Format(time.RFC3339Nano) + `"}`)
	now.set(end.Add(-time.Millisecond))
	w.want(200, text, "GET", wallets, "")
	now.set(end)
	if _, m := w.want(404, text, "GET", wallets, ""); m != "API key not found" {
		t.Error(m)
	}
	if got, _ := w.want(200, w.Keys.AdminKey, "GET", w.ws+"/api-keys/"+id, ""); got["active"] != false ||
		got["revokedAt"] != nil {
		t.Errorf("%v", got)
	}
}

// hands is a clock that the test moves.
type hands struct {
	mu  sync.Mutex
	now time.Time
}

func (h *hands) Now() time.Time { h.mu.Lock(); defer h.mu.Unlock(); return h.now }

func (h *hands) set(t time.Time) { h.mu.Lock(); defer h.mu.Unlock(); h.now = t }

// A key is over with the call after its revocation, also at another server of
// the same database.
func TestPlatform_KeyRevoked(t *testing.T) {
	w := newWorkspaceWorld(t)
	other, err := app.New(t.Context(), w.Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close(t.Context()) })
	elsewhere := func(key string) int {
		r := httptest.NewRequest("GET", wallets, nil)
		r.Header.Set("Authorization", "ApiKey "+key)
		a := httptest.NewRecorder()
		other.Handler.ServeHTTP(a, r)
		return a.Code
	}
	id, text := w.newKey(`{"name":"k"}`)
	for range 2 {
		w.want(200, text, "GET", wallets, "")
		if got := elsewhere(text); got != http.StatusOK {
			t.Fatalf("at the other server: %d", got)
		}
	}
	path := w.ws + "/api-keys/" + id
	left, message := w.want(200, w.Keys.AdminKey, "DELETE", path, "")
	w.want(404, text, "GET", wallets, "")
	if got := elsewhere(text); got != http.StatusNotFound {
		t.Errorf("at the other server: %d", got)
	}
	again, _ := w.want(200, w.Keys.AdminKey, "DELETE", path, "")
	if message != "API key revoked" || left["id"] != id || left["name"] != "k" ||
		fmt.Sprint(left) != fmt.Sprint(again) {
		t.Errorf("%s %v %v", message, left, again)
	}
	if got, _ := w.want(200, w.Keys.AdminKey, "GET", path, ""); got["active"] != false ||
		got["revokedAt"] != left["revokedAt"] {
		t.Errorf("%v", got)
	}
	// A key may end itself.
	id, text = w.newKey(`{"name":"k","scopes":["internal"]}`)
	w.want(200, text, "DELETE", w.ws+"/api-keys/"+id, "")
	w.want(404, text, "DELETE", w.ws+"/api-keys/"+id, "")
}

// An operator's key opens every workspace: no member of the one that it lies in
// may end it.
func TestPlatform_KeyOfTheOperator(t *testing.T) {
	w := newWorkspaceWorld(t)
	admin := auth.RoleAdmin.Scopes()
	for scope, want := range map[string]error{"internal": auth.ErrScope, "admin": auth.ErrScope, "audit:read": nil} {
		id, _ := w.newKey(`{"name":"k","scopes":["` + scope + `"]}`)
		if _, err := w.service().RevokeKey(t.Context(), w.order(auth.BySession, admin...), id); !errors.Is(err, want) {
			t.Errorf("%s: %v", scope, err)
		}
	}
}

// A key of another workspace and none look the same.
func TestPlatform_KeysOfOthers(t *testing.T) {
	w := newWorkspaceWorld(t)
	made, _ := w.want(201, w.Keys.AdminKey, "POST", "/v1/integrators", `{"name":"Other"}`)
	foreign, unknown := made["apiKeyId"].(string), uuid.NewString()
	for _, method := range []string{"GET", "DELETE"} {
		var said []string
		for _, id := range []string{foreign, unknown} {
			a := w.Do(w.Keys.AdminKey, method, w.ws+"/api-keys/"+id, "")
			said = append(said, fmt.Sprintln(a.Status, a.Field("message"), a.Field("error"), len(a.Body)))
		}
		if said[0] != said[1] || !strings.HasPrefix(said[0], "404 API key not found not_found") {
			t.Errorf("%s: %q", method, said)
		}
	}
	w.want(200, made["apiKey"].(string), "GET", wallets, "")
	w.want(404, w.Keys.AdminKey, "GET", "/v1/integrators/"+unknown+"/api-keys", "")
}

func TestPlatform_KeysAreBounded(t *testing.T) {
	w := newWorkspaceWorld(t)
	make := func() error {
		_, err := w.service().CreateKey(t.Context(), w.order(auth.ByKey, auth.Admin), workspace.APIKeyInput{Name: "k"})
		return err
	}
	const first, most = 4, 100 // the sandbox's own
	for range most - first - 3 {
		if err := make(); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	made := 0
	for range 8 {
		wg.Go(func() {
			err := make()
			mu.Lock()
			defer mu.Unlock()
			switch f, _ := fault.As(err); {
			case err == nil:
				made++
			case f == nil || f.Code != "too_many_api_keys":
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made != 3 {
		t.Errorf("%d keys were made where three had a place", made)
	}
	if _, m := w.want(422, w.Keys.AdminKey, "POST",
		w.ws+"/api-keys", `{"name":"k"}`); m != "The workspace has too many active API keys" {
		t.Error(m)
	}
	id := w.list(w.Keys.AdminKey, w.ws+"/api-keys?limit=1")[0]["id"].(string)
	w.want(200, w.Keys.AdminKey, "DELETE", w.ws+"/api-keys/"+id, "")
	w.newKey(`{"name":"k"}`)
}

// send is the body of the answer, or why there is none.
func send(req *http.Request) string {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// Of many that call at once under one key, one makes a key and all get it.
func TestPlatform_KeyCreateOnce(t *testing.T) {
	w := newWorkspaceWorld(t)
	once := uuid.NewString()
	bodies := make(chan string, 16)
	for range cap(bodies) {
		go func() {
			req, err := http.NewRequest("POST", w.BaseURL+w.ws+"/api-keys", strings.NewReader(`{"name":"once"}`))
			if err != nil {
				bodies <- err.Error()
				return
			}
			for name, value := range map[string]string{
				"Authorization":   "ApiKey " + w.Keys.AdminKey,
				"Content-Type":    "application/json",
				"Idempotency-Key": once,
			} {
				req.Header.Set(name, value)
			}
			bodies <- send(req)
		}()
	}
	first := <-bodies
	for range cap(bodies) - 1 {
		if again := <-bodies; again != first {
			t.Errorf("%s\n%s", first, again)
		}
	}
	var e struct{ Data struct{ Key string } }
	if err := json.Unmarshal([]byte(first), &e); err != nil || !auth.WellFormed(e.Data.Key) {
		t.Fatalf("%v", err)
	}
	if n := len(w.list(w.Keys.AdminKey, w.ws+"/api-keys")); n != 5 {
		t.Errorf("%d keys", n)
	}
}
