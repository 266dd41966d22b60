package stories_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// auditPage is what GET /v1/audit answers.
type auditPage struct {
	Data []rest.AuditEntry
	Meta struct {
		Page, Limit, Total, TotalPages int
		NextCursor                     string
	}
}

func read(t *testing.T, a *apptest.App, key, query string) (l auditPage) {
	t.Helper()
	got := a.Do(key, "GET", "/v1/audit?"+query, "")
	if got.Status != 200 {
		t.Fatalf("%s: %d %s", query, got.Status, got.Body)
	}
	if err := json.Unmarshal([]byte(got.Body), &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// challenges makes entries, one each.
func challenges(t *testing.T, a *apptest.App, key string, n int) {
	t.Helper()
	for i := range n {
		got := a.Do(key, "POST", "/v1/signing/passkeys/challenge", fmt.Sprintf(`{"email":"a%d@example.com"}`, i))
		if got.Status != 201 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
}

func TestPlatform_AuditList(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	id, key := a.NewWorkspace([]auth.Scope{auth.Integrator, auth.AuditRead}, auth.Signing)
	if l := read(t, a, key, ""); l.Data == nil || len(l.Data) != 0 || l.Meta.Total != 0 || l.Meta.NextCursor != "" {
		t.Errorf("of a new workspace: %+v", l)
	}
	challenges(t, a, key, 3)
	challenges(t, a, a.Keys.APIKey, 1)
	all := read(t, a, key, "")
	if len(all.Data) != 3 || all.Meta.Total != 3 || all.Data[0].Seq != 3 ||
		all.Data[0].PreviousHash != all.Data[1].Hash || all.Data[2].PreviousHash != "" {
		t.Fatalf("%+v", all)
	}
	e := all.Data[0]
	if e.Action != "passkey.challenge" || e.Operation != "createPasskeyChallenge" ||
		e.Actor.Type != string(audit.APIKey) || e.Actor.ID == "" ||
		e.RequestID == "" || e.IP != "127.0.0.1" || e.Detail == nil || len(e.Hash) != 64 {
		t.Errorf("%+v", e)
	}
	for query, want := range map[string]int{
		"action=passkey.challenge": 3, "action=passkey.*": 3, "action=passkey": 0, "action=wallet.*": 0,
		"actorType=api_key": 3, "actorType=system": 0, "actorId=" + e.Actor.ID: 3, "actorId=other": 0,
		"resource=other": 0, "requestId=" + e.RequestID: 1, "requestId=other": 0,
		"from=2020-01-01T00:00:00Z": 3, "to=2020-01-01T00:00:00Z": 0,
		"from=" + e.Timestamp + "&to=2999-01-01T00:00:00%2B01:00&action=passkey.challenge": -1, "integratorId=" + id: 3,
	} {
		if l := read(t, a, key, query); len(l.Data) != l.Meta.Total || (want >= 0 && len(l.Data) != want) {
			t.Errorf("%s: %+v, want %d", query, l, want)
		}
	}
	if l := read(t, a, a.Keys.AdminKey, "integratorId="+id); len(l.Data) != 3 {
		t.Errorf("the operator sees %+v", l)
	}
}

// A cursor goes on where it was, whatever came in the meantime.
func TestPlatform_AuditPages(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	_, key := a.NewWorkspace([]auth.Scope{auth.Integrator, auth.AuditRead}, auth.Signing)
	challenges(t, a, key, 5)
	var seqs []int64
	cursor := ""
	for pages := 0; pages == 0 || cursor != ""; pages++ {
		l := read(t, a, key, "limit=2&cursor="+url.QueryEscape(cursor))
		for _, e := range l.Data {
			seqs = append(seqs, e.Seq)
		}
		cursor = l.Meta.NextCursor
		challenges(t, a, key, 1)
	}
	if fmt.Sprint(seqs) != "[5 4 3 2 1]" {
		t.Errorf("%v", seqs)
	}
	if l := read(t, a, key, "limit=2&page=2"); len(l.Data) != 2 || l.Data[0].Seq != 6 || l.Meta.Page != 2 ||
		l.Meta.TotalPages != 4 {
		t.Errorf("second page: %+v", l)
	}
}

func TestPlatform_AuditRefusals(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	_, other := a.NewWorkspace([]auth.Scope{auth.AuditRead}, auth.Signing)
	for query, want := range map[string]string{
		"actorType=root": "actorType", "from=yesterday": "from", "to=1": "to", "cursor=x": "cursor", "limit=0": "limit",
		"offset=1&page=2": "offset", "action=" + strings.Repeat("a", 65): "action",
	} {
		got := a.Do(other, "GET", "/v1/audit?"+query, "")
		if message, _ := got.Field("message").(string); got.Status != 400 ||
			!strings.HasPrefix(message, "Validation failed: "+want+" must ") {
			t.Errorf("%s: %d %s", query, got.Status, got.Body)
		}
	}
	if got := a.Do(other, "GET", "/v1/audit?integratorId="+a.Keys.WorkspaceID, ""); got.Status != 403 {
		t.Errorf("another workspace: %d %s", got.Status, got.Body)
	}
	for name, scopes := range map[string][]auth.Scope{
		"integrator": {auth.Integrator}, "viewer": auth.RoleViewer.Scopes(), "manager": auth.RoleManager.Scopes(),
	} {
		_, key := a.NewWorkspace(scopes, auth.Signing)
		if got := a.Do(key, "GET", "/v1/audit", ""); got.Status != 403 || got.Field("error") != "insufficient_scope" {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	for name, scopes := range map[string][]auth.Scope{
		"auditor": auth.RoleAuditor.Scopes(), "admin": auth.RoleAdmin.Scopes(),
	} {
		_, key := a.NewWorkspace(scopes)
		if got := a.Do(key, "GET", "/v1/audit", ""); got.Status != 200 {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
}

// A server that cannot write the record, or could change it, does not start.
func TestPlatform_AuditNoSinkNoStart(t *testing.T) {
	t.Parallel()
	trigger := map[bool]string{
		false: "DROP TRIGGER audit_loses_none", true: "ALTER TABLE audit DISABLE TRIGGER audit_keeps_rows",
	}
	for _, c := range []struct{ sqlite, postgres, want string }{
		{trigger[false], trigger[true],
			"a row: the database allows it: a trigger of migration 12 is missing or switched off"},
		{"ALTER TABLE audit_heads RENAME TO heads", "ALTER TABLE audit_heads RENAME TO heads", "audit_heads"},
		{"DROP TABLE audit", "DROP TABLE audit", "audit"},
		{"CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'disk full'); END",
			"ALTER TABLE audit ADD CONSTRAINT disk_full CHECK (seq < 0) NOT VALID", "writing the audit row"},
	} {
		a := apptest.Rig(t)
		statement := c.sqlite
		if a.OnPostgres() {
			statement = c.postgres
		}
		if _, err := a.Store.Writer().ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		a.StopServer()
		server, err := app.New(t.Context(), a.Config())
		if err == nil {
			_ = server.Close(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}
