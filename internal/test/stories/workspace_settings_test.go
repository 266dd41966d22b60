package stories_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
)

// What is on counts from the next call on. Agents sign, so they bring signing.
func TestPlatform_Modules(t *testing.T) {
	w := newWorkspaceWorld(t)
	for _, c := range []struct {
		body, on string
		wallets  int
	}{
		{`{"modules":["widget","payout"]}`, "[payout widget]", 403},
		{`{"modules":["agents"]}`, "[signing agents]", 200},
		{`{"modules":[]}`, "[]", 403},
		{`{"active_modules":["signing"]}`, "[signing]", 200},
		{`{"modules":["widget","agents","signing","payout"]}`, "[signing payout agents widget]", 200},
	} {
		for range 2 { // the same again does nothing more
			got, _ := w.want(200, w.Keys.AdminKey, "PATCH", w.ws+"/modules", c.body)
			if fmt.Sprint(got["modules"]) != c.on {
				t.Errorf("%s: %v", c.body, got["modules"])
			}
		}
		w.want(c.wallets, w.Keys.APIKey, "GET", wallets, "")
	}
}

// The payout kit has no route yet: one behind its guard stands for it.
func TestPlatform_KYB(t *testing.T) {
	w := newWorkspaceWorld(t)
	keys, strangers := edge.DefaultLimiters(clock.System{})
	server := edge.New(edge.Config{
		Auth:       &auth.Authenticator{Store: w.Store, Clock: clock.System{}, Environment: "sandbox"},
		Workspaces: w.service(),
		Keys:       keys,
		Strangers:  strangers,
	})
	edge.Get(server, edge.Op{ID: "getPaid", Path: "/paid", Tag: "T", Module: auth.Payout},
		func(context.Context, auth.Principal, *struct{}) (string, error) {
			return "paid", nil
		})
	made, _ := w.want(201, w.Keys.AdminKey, "POST", "/v1/integrators", `{"name":"Shop","modules":["payout"]}`)
	path := "/v1/integrators/" + made["id"].(string)
	paid := func() int {
		r := httptest.NewRequest("GET", "/paid", nil)
		r.Header.Set("Authorization", "ApiKey "+made["apiKey"].(string))
		a := httptest.NewRecorder()
		server.ServeHTTP(a, r)
		return a.Code
	}
	if got := paid(); got != 403 {
		t.Errorf("pending: %d", got)
	}
	for _, c := range []struct {
		key, status string
		paid        int
	}{{w.Keys.InternalKey, "approved", 200}, {w.Keys.AdminKey,
		"rejected", 403}, {w.Keys.AdminKey, "approved", 200}, {w.Keys.AdminKey, "pending", 403}} {
		got, _ := w.want(200, c.key, "PATCH", path+"/kyb", `{"status":"`+c.status+`","reason":"papers"}`)
		if got["kybStatus"] != c.status || got["kybReason"] != "papers" || paid() != c.paid {
			t.Errorf("%s: %v, %d", c.status, got, paid())
		}
	}
	// No workspace approves itself: not with its keys, and not by its admin.
	_, mine := w.NewWorkspace([]auth.Scope{auth.Integrator, auth.AuditRead}, auth.Payout)
	w.want(403, mine, "PATCH", path+"/kyb", `{"status":"approved"}`)
	w.want(403, made["apiKey"].(string), "PATCH", path+"/kyb", `{"status":"approved"}`)
	_, err := kyb.New(kyb.Config{Store: w.Store.KYB(), Clock: clock.System{}}).Decide(t.Context(),
		w.order(auth.BySession, auth.RoleAdmin.Scopes()...), rest.KybRequest{Status: "approved"})
	if !errors.Is(err, auth.ErrScope) {
		t.Errorf("an admin of its own: %v", err)
	}
}

// Lists of workspaces and keys, from their first page to none.
func TestPlatform_WorkspaceLists(t *testing.T) {
	w := newWorkspaceWorld(t)
	for i := range 4 {
		w.want(201, w.Keys.AdminKey, "POST", "/v1/integrators",
			fmt.Sprintf(`{"name":"Shop %d","email":"%d@shop.example"}`, i, i))
		w.newKey(fmt.Sprintf(`{"name":"key %d"}`, i))
	}
	for _, c := range []struct {
		path string
		want []string
	}{
		{"/v1/integrators", []string{"Shop 3", "Shop 2", "Shop 1", "Shop 0", "Sandbox"}},
		{w.ws + "/api-keys", []string{"key 3", "key 2", "key 1", "key 0", "Sandbox benchmark key", "Sandbox admin key",
			"Sandbox internal key", "Sandbox key"}},
	} {
		if got := w.names(c.path + "?limit=2&page=2"); !slices.Equal(got, c.want[2:4]) {
			t.Errorf("second page: %q", got)
		}
		if got := w.names(c.path + "?limit=200&page=2"); len(got) != 0 {
			t.Errorf("beyond the end: %q", got)
		}
		var all []string
		cursor := ""
		for range len(c.want) {
			a := w.Do(w.Keys.AdminKey, "GET", c.path+"?limit=3&cursor="+cursor, "")
			meta, _ := a.Field("meta").(map[string]any)
			if meta["total"] != float64(len(c.want)) {
				t.Fatalf("%s", a.Body)
			}
			all = append(all, namesOf(a)...)
			if cursor, _ = meta["nextCursor"].(string); cursor == "" {
				break
			}
		}
		if !slices.Equal(all, c.want) {
			t.Errorf("by cursor: %q", all)
		}
	}
	// A workspace without a key is one that the shell made.
	empty, err := w.service().Create(t.Context(), w.order(auth.ByKey, auth.Admin),
		workspace.IntegratorInput{Name: "Empty"}, true)
	id := strings.Split(string(empty.Body), `"`)[3]
	if err != nil || uuid.Validate(id) != nil {
		t.Fatalf("%v %s", err, empty.Body)
	}
	if a := w.Do(w.Keys.AdminKey, "GET", "/v1/integrators/"+id+"/api-keys", ""); a.Status != 200 ||
		!strings.Contains(a.Body, `"data":[]`) {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

func (w workspaceWorld) names(path string) []string {
	w.t.Helper()
	return namesOf(w.Do(w.Keys.AdminKey, "GET", path, ""))
}

func namesOf(a apptest.Answer) (names []string) {
	items, _ := a.Field("data").([]any)
	for _, item := range items {
		names = append(names, item.(map[string]any)["name"].(string))
	}
	return names
}

// Each is refused with the field that is wrong, and never with what it was.
func TestPlatform_WorkspaceInputs(t *testing.T) {
	w := newWorkspaceWorld(t)
	long := strings.Repeat("x", 256)
	keys, list := w.ws+"/api-keys", func(n int) string { return `"10.0.0.1"` + strings.Repeat(`,"10.0.0.1"`, n-1) }
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/v1/integrators", `{}`, "name is required"},
		{"POST", "/v1/integrators", `{"name":""}`, "name must not be empty"},
		{"POST", "/v1/integrators", `{"name":"` + long + `"}`, "name must have at most 255 characters"},
		{"POST", "/v1/integrators", `{"name":"n","email":"secret"}`, "email must be an e-mail address"},
		{"POST", "/v1/integrators", `{"name":"n","modules":["secret"]}`,
			"modules[0] must be one of signing, payout, agents, widget"},
		{"POST", "/v1/integrators", `{"name":"n","modules":["signing"],"active_modules":["signing"]}`,
			"modules must not be given under two names"},
		{"PATCH", w.ws, `{}`, "body must have name or email"},
		{"PATCH", w.ws, `{"kybStatus":"approved"}`, "kybStatus is not allowed"},
		{"PATCH", w.ws + "/kyb", `{"status":"secret"}`,
			"status must be one of pending, approved, rejected, more_information"},
		{"PATCH", w.ws + "/kyb", `{}`, "status is required"},
		{"PATCH", w.ws + "/modules", `{}`, "modules is required"},
		{"PATCH", w.ws + "/modules", `{"modules":["signing","signing"]}`, "modules must not have the same item twice"},
		{"POST", keys, `{"name":"` + long + `"}`, "name must have at most 255 characters"},
		{"POST", keys, `{"name":"k","scopes":["manage"]}`, "scopes[0] must be one of integrator,"},
		{"POST", keys, `{"name":"k","scopes":[]}`, "scopes must have at least 1 items"},
		{"POST", keys, `{"name":"k","ipAllowlist":[]}`, "ipAllowlist must have at least 1 items"},
		{"POST", keys, `{"name":"k","ipAllowlist":[` + list(51) + `]}`, "ipAllowlist must have at most 50 items"},
		{"POST", keys, `{"name":"k","ipAllowlist":["10.0.0.1","10.0.0.1/8"]}`,
			"ipAllowlist[1] must be a network: its address has bits beyond its length"},
		{"POST", keys, `{"name":"k","ipAllowlist":["::ffff:10.0.0.1/104"]}`, "ipAllowlist[0] must be a network"},
		{"POST", keys, `{"name":"k","ipAllowlist":["secret"]}`, "ipAllowlist[0] must be an IP address or a network"},
		{"POST", keys, `{"name":"k","ipAllowlist":["010.0.0.1"]}`, "ipAllowlist[0] must be an IP address"},
		{"POST", keys, `{"name":"k","ipAllowlist":["fe80::1%secret"]}`, "ipAllowlist[0] must be an IP address"},
		{"POST", keys, `{"name":"k","ipAllowlist":["10.0.0.0/33"]}`, "ipAllowlist[0] must be an IP address"},
		{"POST", keys, `{"name":"k","expiresAt":"secret"}`, "expiresAt must be an ISO 8601 date and time"},
		{"POST", keys, `{"name":"k","expiresAt":"2001-01-01T00:00:00Z"}`, "expiresAt must be in the future"},
		{"POST", keys, `{"name":"k","rateLimits":{"standard":99}}`, "rateLimits.standard must be at least 100"},
		{"GET", "/v1/integrators/secret", ``, "integratorId must be a UUID"},
		{"GET", "/v1/integrators?cursor=secret", ``, "cursor must be the nextCursor of an earlier page"},
		{"GET", keys + "?limit=201", ``, "limit must be at most 200"},
	} {
		if _, m := w.want(400, w.Keys.AdminKey, c.method,
			c.path, c.body); !strings.HasPrefix(m, "Validation failed: "+c.want) || strings.Contains(m, "secret") {
			t.Errorf("%s %s %.60s: %s", c.method, c.path, c.body, m)
		}
	}
	w.newKey(`{"name":"k","ipAllowlist":[` + list(50) + `]}`)
}

// Two servers on one database, one of each environment: each knows its own
// workspaces and keys only.
func TestPlatform_Environments(t *testing.T) {
	w := newWorkspaceWorld(t)
	production := w.production()
	ctx, service := t.Context(), w.service()
	other := workspace.Workspace{
		ID: uuid.NewString(), Name: "Bank", Environment: "production", Modules: []auth.Module{auth.Signing},
	}
	if err := service.Ensure(ctx, other); err != nil {
		t.Fatal(err)
	}
	live, err := service.AddKey(ctx, other.ID, workspace.KeySpec{Name: "k", Scopes: []auth.Scope{auth.Admin}})
	if err != nil {
		t.Fatal(err)
	}
	call := func(key, method, path, body string) (int, string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "ApiKey "+key)
		r.Header.Set("Content-Type", "application/json")
		a := httptest.NewRecorder()
		production.ServeHTTP(a, r)
		return a.Code, a.Body.String()
	}
	w.want(404, live, "GET", wallets, "")
	for _, key := range []string{w.Keys.APIKey, w.Keys.AdminKey} {
		if code, body := call(key, "GET", wallets, ""); code != 404 || !strings.Contains(body, "API key not found") {
			t.Errorf("a sandbox key in production: %d %s", code, body)
		}
	}
	if code, body := call(live, "GET", "/v1/integrators", ""); code != 200 ||
		strings.Contains(body, w.Keys.WorkspaceID) || !strings.Contains(body, other.ID) {
		t.Errorf("production lists %d %s", code, body)
	}
	if got := w.names("/v1/integrators"); slices.Contains(got, "Bank") {
		t.Errorf("the sandbox lists %q", got)
	}
	w.want(404, w.Keys.AdminKey, "GET", "/v1/integrators/"+other.ID, "")
	if code, body := call(live, "POST", w.ws+"/api-keys", `{"name":"k"}`); code != 404 {
		t.Errorf("production makes a sandbox key: %d %s", code, body)
	}
	if _, err := service.CreateKey(ctx, w.order(auth.ByKey, auth.Admin), workspace.APIKeyInput{Name: "k"}); err != nil {
		t.Error(err)
	}
	foreign := w.order(auth.ByKey, auth.Admin)
	foreign.Principal.Environment = "production"
	if _, err := service.CreateKey(ctx, foreign, workspace.APIKeyInput{Name: "k"}); err == nil {
		t.Error("a key of another environment's workspace")
	}
}

// production is the interface of a production server on the same database.
func (w workspaceWorld) production() http.Handler {
	keys, strangers := edge.DefaultLimiters(clock.System{})
	return api.New(api.Deps{
		Edge: edge.Config{
			Auth:       &auth.Authenticator{Store: w.Store, Clock: clock.System{}, Environment: "production"},
			Workspaces: w.service(), Once: idempotency.New(w.Store, clock.System{}), Keys: keys, Strangers: strangers,
		},
		Environment: "production", Workspaces: w.service(), Signing: w.Signing,
	})
}

// A key's last use is written down behind the calls.
func TestPlatform_KeyLastUsed(t *testing.T) {
	var now hands
	now.set(time.Now().Truncate(time.Millisecond))
	w := newWorkspaceWorld(t, apptest.WithClock(&now))
	id, text := w.newKey(`{"name":"k"}`)
	lastUsed := func() any {
		got, _ := w.want(200, w.Keys.AdminKey, "GET", w.ws+"/api-keys/"+id, "")
		return got["lastUsedAt"]
	}
	used := now.Now()
	for range 3 {
		used = used.Add(time.Second)
		now.set(used)
		w.want(200, text, "GET", wallets, "")
	}
	if got := lastUsed(); got != nil {
		t.Errorf("written at once: %v", got)
	}
	w.Uses.Flush(t.Context())
	if got := lastUsed(); got != clock.ISO(used) {
		t.Errorf("%v, want %v", got, clock.ISO(used))
	}
	now.set(used.Add(time.Minute))
	w.want(200, text, "GET", wallets, "")
	w.StopServer() // writes down what is left
	w.StartServer()
	if got := lastUsed(); got != clock.ISO(used.Add(time.Minute)) {
		t.Errorf("after a restart: %v", got)
	}
}

// Every change is in the record of the workspace that it is about.
func TestPlatform_WorkspacesAudited(t *testing.T) {
	w := newWorkspaceWorld(t)
	made, _ := w.want(201, w.Keys.AdminKey, "POST", "/v1/integrators", `{"name":"Shop"}`)
	id := made["id"].(string)
	path := "/v1/integrators/" + id
	w.want(200, w.Keys.AdminKey, "PATCH", path, `{"name":"Shop 2"}`)
	w.want(200, w.Keys.AdminKey, "PATCH", path+"/kyb", `{"status":"approved"}`)
	w.want(200, w.Keys.AdminKey, "PATCH", path+"/modules", `{"modules":["agents"]}`)
	key, _ := w.want(201, w.Keys.AdminKey, "POST", path+"/api-keys", `{"name":"k"}`)
	w.want(200, w.Keys.AdminKey, "DELETE", path+"/api-keys/"+key["id"].(string), "")
	rows, err := w.Store.Writer().QueryContext(t.Context(),
		"SELECT action, actor, detail, before, after FROM audit WHERE workspace_id = $1 ORDER BY id", id)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var actions, changed []string
	for rows.Next() {
		var action, actor, detail, before, after string
		if err := rows.Scan(&action, &actor, &detail, &before, &after); err != nil || actor != "api_key" ||
			strings.Contains(detail, key["key"].(string)) {
			t.Errorf("%s by %s: %v", action, actor, err)
		}
		actions, changed = append(actions, action), append(changed, before+after)
	}
	want := []string{"workspace.create", "workspace.rename", "workspace.kyb", "workspace.modules",
		"api_key.create", "api_key.revoke"}
	if err := rows.Err(); err != nil || !slices.Equal(actions, want) {
		t.Errorf("%q, %v", actions, err)
	}
	for i, want := range []string{
		`{"name":"Shop"}{"name":"Shop 2"}`, `{"kybStatus":"pending"}{"kybStatus":"approved"}`,
		`{"modules":"signing"}{"modules":"signing, agents"}`,
	} {
		if got := changed[i+1]; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
