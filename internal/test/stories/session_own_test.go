package stories_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
)

type named struct {
	ID      string
	Label   string
	Current bool
}

func list(t *testing.T, b *apptest.Browser, path string) []named {
	t.Helper()
	var all []named
	if answer := b.Do("GET", path, ""); answer.Into(&all) != nil || answer.Status != 200 {
		t.Fatalf("%s: %d %s", path, answer.Status, answer.Body)
	}
	return all
}

// add adds a passkey of another authenticator.
func add(t *testing.T, b *apptest.Browser, label string) apptest.Answer {
	t.Helper()
	options := b.Do("POST", "/v1/auth/passkeys/challenge", "")
	wantCode(t, "asking", options, 200, "")
	return b.Do("POST", "/v1/auth/passkeys", `{"label":"`+label+`","credential":`+b.Create(options.Data())+`}`)
}

// A member has several passkeys, and never none.
func TestPlatform_OwnPasskeys(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	b, other := a.Join("ada@example.com", auth.RoleViewer), a.Join("bob@example.com", auth.RoleAdmin)
	first := list(t, b, "/v1/auth/passkeys")
	if len(first) != 1 || first[0].Label != "Laptop" {
		t.Fatalf("passkeys %+v", first)
	}
	wantCode(t, "the last", b.Do("DELETE", "/v1/auth/passkeys/"+first[0].ID, ""), 409, "last_login_passkey")
	wantCode(t, "another member's", other.Do("DELETE", "/v1/auth/passkeys/"+first[0].ID, ""), 404, "not_found")
	wantCode(t, "adding one", add(t, b, "Phone"), 201, "")
	both := list(t, b, "/v1/auth/passkeys")
	if len(both) != 2 || both[1].Label != "Phone" {
		t.Fatalf("passkeys %+v", both)
	}
	b.Take(b.Login()) // by the new one
	var wg sync.WaitGroup
	answers := make([]apptest.Answer, 2)
	for i := range both {
		wg.Go(func() { answers[i] = b.Do("DELETE", "/v1/auth/passkeys/"+both[i].ID, "") })
	}
	wg.Wait()
	if left := list(t, b, "/v1/auth/passkeys"); len(left) != 1 || answers[0].Status+answers[1].Status != 200+409 {
		t.Errorf("%d left after %d and %d", len(left), answers[0].Status, answers[1].Status)
	}
}

// One credential is one member's: a second member cannot register it.
func TestPlatform_OwnPasskeyKnown(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	b, other := a.Join("ada@example.com", auth.RoleViewer), a.Join("bob@example.com", auth.RoleAdmin)
	held := b.Authenticator.Credentials[0]
	options := other.Do("POST", "/v1/auth/passkeys/challenge", "")
	made := b.Again(options.Data(), held)
	wantCode(t, "the same credential", other.Do("POST", "/v1/auth/passkeys", `{"credential":`+made+`}`),
		409, "login_passkey_exists")
	wantCode(t, "its member logs in", b.Login(), 201, "")
	challenge := b.Do("POST", "/v1/auth/passkeys/challenge", "").Data()
	wantCode(t, "another's challenge",
		other.Do("POST", "/v1/auth/passkeys", `{"credential":`+other.Create(challenge)+`}`), 401, "login_refused")
	var o struct{ ExcludeCredentials []json.RawMessage }
	if err := json.Unmarshal(challenge, &o); err != nil || len(o.ExcludeCredentials) != 1 {
		t.Errorf("excluded: %s, %v", challenge, err)
	}
}

// A member sees its sessions and can end each.
func TestPlatform_OwnSessions(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	b, other := a.Join("ada@example.com", auth.RoleViewer), a.Join("bob@example.com", auth.RoleAdmin)
	phone := twin(b)
	phone.Take(phone.Login())
	all := list(t, b, "/v1/auth/sessions")
	if len(all) != 2 || !all[0].Current || all[1].Current {
		t.Fatalf("sessions %+v", all)
	}
	wantCode(t, "another member's", other.Do("DELETE", "/v1/auth/sessions/"+all[1].ID, ""), 404, "not_found")
	wantCode(t, "the phone's", b.Do("DELETE", "/v1/auth/sessions/"+all[1].ID, ""), 200, "")
	wantCode(t, "the phone", phone.Do("GET", "/v1/auth/me", ""), 401, "session_invalid")
	wantCode(t, "the phone's cookie", phone.Post("/v1/auth/refresh", ""), 401, "session_invalid")
	wantCode(t, "twice", b.Do("DELETE", "/v1/auth/sessions/"+all[1].ID, ""), 404, "not_found")
	wantCode(t, "an API key", a.Do(a.Keys.AdminKey, "GET", "/v1/auth/me?integratorId="+a.Keys.WorkspaceID, ""),
		401, "authorization_scheme")
}

// A member has at most twenty passkeys, also where two are added at once.
func TestPlatform_OwnPasskeysAreCounted(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	b := a.Join("ada@example.com", auth.RoleAuditor)
	for range 18 {
		wantCode(t, "one more", add(t, b, "Key"), 201, "")
	}
	bodies, answers := make([]string, 2), make([]apptest.Answer, 2)
	for i := range bodies {
		bodies[i] = `{"credential":` + b.Create(b.Do("POST", "/v1/auth/passkeys/challenge", "").Data()) + `}`
	}
	var wg sync.WaitGroup
	for i, body := range bodies {
		wg.Go(func() { answers[i] = b.Do("POST", "/v1/auth/passkeys", body) })
	}
	wg.Wait()
	if answers[0].Status+answers[1].Status != 201+409 || len(list(t, b, "/v1/auth/passkeys")) != 20 {
		t.Errorf("%s and %s", answers[0].Body, answers[1].Body)
	}
	wantCode(t, "the twenty-first", add(t, b, "Key"), 409, "too_many_login_passkeys")
}

// A logout that could not be written down leaves the cookie, which alone can end the session.
func TestPlatform_LogoutThatFails(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	b := a.Join("ada@example.com", auth.RoleViewer)
	rename := func(from, to string) {
		if _, err := a.Store.Writer().ExecContext(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to); err != nil {
			t.Fatal(err)
		}
	}
	rename("audit_heads", "lost")
	wantCode(t, "a broken database", b.Post("/v1/auth/logout", ""), 500, "internal")
	if b.Cookies[refreshCookie] == nil {
		t.Fatal("the cookie is gone and the session lives")
	}
	rename("lost", "audit_heads")
	wantCode(t, "the session", b.Do("GET", "/v1/auth/me", ""), 200, "")
	wantCode(t, "again", b.Post("/v1/auth/logout", ""), 200, "")
	if b.Cookies[refreshCookie] != nil {
		t.Error("the cookie is left")
	}
}
