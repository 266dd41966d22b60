package stories_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
)

type row struct{ ID, Email, Role, Status, MailStatus string }

func rows(t *testing.T, answer apptest.Answer) []row {
	t.Helper()
	var v []row
	if err := json.Unmarshal(answer.Data(), &v); err != nil || answer.Status != 200 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	return v
}

func TestPlatform_Members(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	path := "/v1/integrators/" + a.Keys.WorkspaceID
	ada, bob := a.Join("Ada@example.com", auth.RoleAdmin), a.Join("bob@example.com", auth.RoleViewer)
	all := rows(t, ada.Do("GET", path+"/members", ""))
	if len(all) != 2 || all[0].Email != "bob@example.com" || all[1].Email != "Ada@example.com" {
		t.Fatalf("members %+v", all)
	}
	if page := rows(t, ada.Do("GET", path+"/members?limit=1&page=2", "")); len(page) != 1 ||
		page[0].Email != "Ada@example.com" {
		t.Errorf("second page %+v", page)
	}
	invite := func(body string) apptest.Answer { return ada.Do("POST", path+"/members", body) }
	wantCode(t, "a member's e-mail", invite(`{"email":"aDA@example.com","role":"viewer"}`), 409, "member_exists")
	for _, bad := range []string{
		"a", "a b@example.com", "A <a@example.com>", "a@example.com, b@example.com",
		"a@example.com\\r\\nBcc: b@example.com", "@example.com",
	} {
		wantCode(t, bad, invite(`{"email":"`+bad+`","role":"viewer"}`), 400, "validation_failed")
	}
	wantCode(t, "no such role", invite(`{"email":"c@example.com","role":"owner"}`), 400, "validation_failed")
	invited := invite(`{"email":"c@example.com","internal_role":"manager"}`)
	wantCode(t, "by the old name", invited, 201, "")
	if !strings.Contains(invited.Body, `"mailStatus":"queued"`) || strings.Contains(invited.Body, "#") {
		t.Errorf("invited: %s", invited.Body)
	}
	wantCode(t, "as a viewer", bob.Do("POST", path+"/members", `{"email":"d@example.com","role":"viewer"}`),
		403, "insufficient_scope")
	wantCode(t, "as a viewer, reading", bob.Do("GET", path+"/members", ""), 403, "insufficient_scope")
	wantCode(t, "an integrator's key", a.Do(a.Keys.APIKey, "GET", path+"/members", ""), 403, "insufficient_scope")
	wantCode(t, "the operator's key", a.Do(a.Keys.InternalKey, "GET", path+"/members", ""), 200, "")

	// A role holds from the next call on, a removal too.
	wantCode(t, "promoting", ada.Do("PATCH", path+"/members/"+bob.MemberID, `{"role":"admin"}`), 200, "")
	wantCode(t, "as an admin", bob.Do("GET", path+"/members", ""), 200, "")
	wantCode(t, "nobody", ada.Do("PATCH", path+"/members/"+a.Keys.WorkspaceID, `{"role":"admin"}`), 404, "not_found")
	// What bob made and has seen goes on working, and whoever takes his rights away is told of it.
	made := bob.Do("POST", path+"/api-keys", `{"name":"Bob's server"}`)
	wantCode(t, "making a key", made, 201, "")
	data, _ := made.Field("data").(map[string]any)
	key, _ := data["key"].(string)
	keyID, _ := data["id"].(string)
	left := func(step string, a apptest.Answer) {
		t.Helper()
		wantCode(t, step, a, 200, "")
		if !strings.Contains(a.Body, `"apiKeys":[{"id":"`+keyID+`","name":"Bob's server"`) {
			t.Errorf("%s tells no key: %s", step, a.Body)
		}
	}
	left("demoting", ada.Do("PATCH", path+"/members/"+bob.MemberID, `{"role":"viewer"}`))
	wantCode(t, "a key of a viewer", bob.Do("POST", path+"/api-keys", `{"name":"k"}`), 403, "insufficient_scope")
	left("removing", ada.Do("DELETE", path+"/members/"+bob.MemberID, ""))
	wantCode(t, "the key of a removed member", a.Do(key, "GET", "/v1/signing/wallets", ""), 200, "")
	shown := ada.Do("GET", path+"/api-keys/"+keyID, "")
	if !strings.Contains(shown.Body, `"createdBy":"`+bob.MemberID+`"`) {
		t.Errorf("the key is made by somebody else: %s", shown.Body)
	}
	if record := ada.Do("GET", "/v1/audit?action=member.remove", ""); !strings.Contains(record.Body, keyID) {
		t.Errorf("the record of the removal does not name the key: %s", record.Body)
	}
	wantCode(t, "revoking it", ada.Do("DELETE", path+"/api-keys/"+keyID, ""), 200, "")
	wantCode(t, "a revoked key", a.Do(key, "GET", "/v1/signing/wallets", ""), 404, "api_key_not_found")
	wantCode(t, "after that", bob.Do("GET", path+"/members", ""), 401, "session_invalid")
	wantCode(t, "its cookie", bob.Post("/v1/auth/refresh", ""), 401, "session_invalid")
	wantCode(t, "its passkey", bob.Login(), 401, "login_refused")
	wantCode(t, "coming back",
		a.NewBrowser().Accept(a.Invite(a.Keys.WorkspaceID, "bob@example.com", auth.RoleViewer)), 201, "")
}

// A workspace keeps an admin: also of two who demote each other, or remove
// themselves, at once, one stays.
func TestPlatform_LastAdmin(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	path := "/v1/integrators/" + a.Keys.WorkspaceID + "/members/"
	ada := a.Join("ada@example.com", auth.RoleAdmin)
	wantCode(t, "demoting the last", ada.Do("PATCH", path+ada.MemberID, `{"role":"manager"}`), 409, "last_admin")
	wantCode(t, "removing the last", ada.Do("DELETE", path+ada.MemberID, ""), 409, "last_admin")
	wantCode(t, "what changes nothing", ada.Do("PATCH", path+ada.MemberID, `{"role":"admin"}`), 200, "")
	bob := a.Join("bob@example.com", auth.RoleAdmin)
	for _, change := range [][2]string{{"PATCH", `{"role":"viewer"}`}, {"DELETE", ""}} {
		for range 3 {
			var wg sync.WaitGroup
			answers := make([]apptest.Answer, 2)
			for i, id := range []string{ada.MemberID, bob.MemberID} {
				wg.Go(func() {
					answers[i] = a.Do(a.Keys.InternalKey, change[0], path+id, change[1])
				})
			}
			wg.Wait()
			if answers[0].Status+answers[1].Status != 200+409 {
				t.Fatalf("%s %s, %s", change[0], answers[0].Body, answers[1].Body)
			}
			if change[0] == "DELETE" {
				return
			}
			for _, id := range []string{ada.MemberID, bob.MemberID} {
				wantCode(t, "back", a.Do(a.Keys.InternalKey, "PATCH", path+id, `{"role":"admin"}`), 200, "")
			}
		}
	}
}

// Members of one workspace are nothing in another, also the same person.
func TestPlatform_MembersOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	id, key := a.NewWorkspace([]auth.Scope{auth.Internal})
	ada := a.Join("ada@example.com", auth.RoleAdmin)
	there := a.NewBrowser()
	there.Take(there.Accept(a.Invite(id, "ada@example.com", auth.RoleViewer)))
	for _, call := range [][2]string{{"GET", "/members"}, {"GET",
		"/invitations"}, {"DELETE", "/members/" + there.MemberID}, {"PATCH", "/members/" + there.MemberID}} {
		body := ""
		if call[0] == "PATCH" {
			body = `{"role":"admin"}`
		}
		wantCode(t, call[0]+call[1], ada.Do(call[0], "/v1/integrators/"+id+call[1], body), 404, "not_found")
	}
	wantCode(t, "by its own path",
		ada.Do("DELETE", "/v1/integrators/"+a.Keys.WorkspaceID+"/members/"+there.MemberID, ""), 404, "not_found")
	if all := rows(t, a.Do(key, "GET", "/v1/integrators/"+id+"/members", "")); len(all) != 1 ||
		all[0].ID != there.MemberID {
		t.Errorf("members there: %+v", all)
	}
}

func TestPlatform_Invitations(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	path := "/v1/integrators/" + a.Keys.WorkspaceID
	ada := a.Join("ada@example.com", auth.RoleAdmin)
	token := a.Invite(a.Keys.WorkspaceID, "bob@example.com", auth.RoleViewer)
	all := rows(t, ada.Do("GET", path+"/invitations", ""))
	if len(all) != 2 || all[0].Status != "pending" || all[1].Status != "accepted" {
		t.Fatalf("invitations %+v", all)
	}
	wantCode(t, "sending again", ada.Do("POST", path+"/invitations/"+all[0].ID+"/resend", ""), 200, "")
	wantCode(t, "sending an accepted one",
		ada.Do("POST", path+"/invitations/"+all[1].ID+"/resend", ""), 404, "not_found")
	wantCode(t, "revoking", ada.Do("DELETE", path+"/invitations/"+all[0].ID, ""), 200, "")
	wantCode(t, "revoking twice", ada.Do("DELETE", path+"/invitations/"+all[0].ID, ""), 404, "not_found")
	wantCode(t, "revoking an accepted one", ada.Do("DELETE", path+"/invitations/"+all[1].ID, ""), 404, "not_found")
	wantCode(t, "accepting it then", a.NewBrowser().Accept(token), 404, "not_found")
	wantCode(t, "sending it then", ada.Do("POST", path+"/invitations/"+all[0].ID+"/resend", ""), 404, "not_found")
}

// Many invite one person at once: all are told that they did, one link works.
func TestPlatform_InviteRace(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	path := "/v1/integrators/" + a.Keys.WorkspaceID
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			wantCode(t, "inviting", a.Do(a.Keys.InternalKey, "POST", path+"/members",
				`{"email":"Ada@example.com","role":"viewer"}`), 201, "")
		})
	}
	wg.Wait()
	pending := 0
	for _, i := range rows(t, a.Do(a.Keys.InternalKey, "GET", path+"/invitations", "")) {
		if i.Status == "pending" {
			pending++
		}
	}
	if pending != 1 {
		t.Errorf("%d are pending", pending)
	}
}

// Without a dashboard nobody is invited and nobody logs in; the rest works.
func TestPlatform_WithoutADashboard(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, func(c *apptest.Config) { c.DashboardOrigin = "" })
	path := "/v1/integrators/" + a.Keys.WorkspaceID
	wantCode(t, "inviting", a.Do(a.Keys.InternalKey, "POST", path+"/members",
		`{"email":"a@example.com","role":"viewer"}`), 503, "login_not_configured")
	b := a.NewBrowser()
	wantCode(t, "logging in", b.Post("/v1/auth/login/begin", ""), 503, "login_not_configured")
	wantCode(t, "logging in", b.Post("/v1/auth/login/finish", `{"credential":{}}`), 503, "login_not_configured")
	wantCode(t, "refreshing", b.Post("/v1/auth/refresh", ""), 503, "login_not_configured")
	wantCode(t, "logging out", b.Post("/v1/auth/logout", ""), 503, "login_not_configured")
	wantCode(t, "accepting", b.Post("/v1/auth/invitations/accept", `{"token":"x","credential":{}}`),
		503, "login_not_configured")
	b.Access = "x"
	wantCode(t, "a token", b.Do("GET", "/v1/auth/me", ""), 401, "session_invalid")
	wantCode(t, "members", a.Do(a.Keys.InternalKey, "GET", path+"/members", ""), 200, "")
}
