package stories_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
)

// workspaceWorld is the server and the way into one workspace.
type workspaceWorld struct {
	*apptest.App
	t  *testing.T
	ws string // "/v1/integrators/{id}" of the sandbox's workspace
}

func newWorkspaceWorld(t *testing.T, options ...apptest.Option) workspaceWorld {
	t.Helper()
	t.Parallel()
	a := apptest.Rig(t, options...)
	return workspaceWorld{a, t, "/v1/integrators/" + a.Keys.WorkspaceID}
}

// want calls and wants a status; what it answers is the data, or the message.
func (w workspaceWorld) want(status int, key, method, path, body string) (data map[string]any, message string) {
	w.t.Helper()
	a := w.Do(key, method, path, body)
	var e struct {
		Message string
		Data    any
	}
	if err := json.Unmarshal([]byte(a.Body), &e); err != nil || a.Status != status {
		w.t.Fatalf("%s %s %s: %d %s, want %d", method, path, body, a.Status, a.Body, status)
	}
	data, _ = e.Data.(map[string]any) // of a list there is none
	return data, e.Message
}

// list reads a list, which has to be answered with 200.
func (w workspaceWorld) list(key, path string) (items []map[string]any) {
	w.t.Helper()
	a := w.Do(key, "GET", path, "")
	if err := a.Into(&items); err != nil || a.Status != 200 {
		w.t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	return items
}

// newKey makes a key with the benefits of the admin key.
func (w workspaceWorld) newKey(body string) (id, text string) {
	w.t.Helper()
	data, _ := w.want(201, w.Keys.AdminKey, "POST", w.ws+"/api-keys", body)
	return data["id"].(string), data["key"].(string)
}

// wallets is a read that any key of scope integrator may do.
const wallets = "/v1/signing/wallets"

func TestPlatform_Integrators(t *testing.T) {
	w := newWorkspaceWorld(t)
	admin := w.Keys.AdminKey
	made, message := w.want(201, w.Keys.InternalKey, "POST", "/v1/integrators",
		`{"name":"Shop","email":"ops@shop.example"}`)
	id, _ := made["id"].(string)
	if u, err := uuid.Parse(id); err != nil || u.Version() != 4 || message != "Workspace created" ||
		made["environment"] != "sandbox" || made["kybStatus"] != "pending" {
		t.Errorf("%v %v", message, made)
	}
	first := made["apiKey"].(string)
	w.want(200, first, "GET", wallets, "")
	path := "/v1/integrators/" + id
	got, _ := w.want(200, admin, "GET", path, "")
	if got["name"] != "Shop" || got["email"] != "ops@shop.example" || got["apiKey"] != nil ||
		got["modules"].([]any)[0] != "signing" {
		t.Errorf("%v", got)
	}
	got, _ = w.want(200, admin, "PATCH", path, `{"name":"Shop 2","email":"a@shop.example"}`)
	if got["name"] != "Shop 2" || got["email"] != "a@shop.example" || got["kybStatus"] != "pending" {
		t.Errorf("%v", got)
	}
	list := w.list(admin, "/v1/integrators?email=A@SHOP.example")
	if len(list) != 1 || list[0]["id"] != id {
		t.Errorf("%v", list)
	}
	if list = w.list(admin, "/v1/integrators?search=nobody"); len(list) != 0 {
		t.Errorf("%v", list)
	}
	for _, key := range []string{first, w.Keys.APIKey} {
		w.want(403, key, "GET", path, "")
		w.want(403, key, "GET", "/v1/integrators", "")
		w.want(403, key, "POST", "/v1/integrators", `{"name":"x"}`)
	}
	if strings.Contains(w.Log.String(), first) {
		t.Error("the log has the key")
	}
}
