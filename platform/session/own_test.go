package session_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/railkit/railkit/internal/apptest"
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
	want(t, "asking", options, 200, "")
	return b.Do("POST", "/v1/auth/passkeys", `{"label":"`+label+`","credential":`+b.Create(options.Data())+`}`)
}

// A member has several passkeys, and never none.
func TestPlatform_OwnPasskeys(t *testing.T) {
	a := apptest.New(t)
	b, other := a.Join("ada@example.com", auth.RoleViewer), a.Join("bob@example.com", auth.RoleAdmin)
	first := list(t, b, "/v1/auth/passkeys")
	if len(first) != 1 || first[0].Label != "Laptop" {
		t.Fatalf("passkeys %+v", first)
	}
	want(t, "the last", b.Do("DELETE", "/v1/auth/passkeys/"+first[0].ID, ""), 409, "last_login_passkey")
	want(t, "another member's", other.Do("DELETE", "/v1/auth/passkeys/"+first[0].ID, ""), 404, "not_found")
	want(t, "adding one", add(t, b, "Phone"), 201, "")
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
	a := apptest.New(t)
	b, other := a.Join("ada@example.com", auth.RoleViewer), a.Join("bob@example.com", auth.RoleAdmin)
	held := b.Authenticator.Credentials[0]
	options := other.Do("POST", "/v1/auth/passkeys/challenge", "")
	made := b.Again(options.Data(), held)
	want(t, "the same credential", other.Do("POST", "/v1/auth/passkeys", `{"credential":`+made+`}`), 409, "login_passkey_exists")
	want(t, "its member logs in", b.Login(), 201, "")
	challenge := b.Do("POST", "/v1/auth/passkeys/challenge", "").Data()
	want(t, "another's challenge", other.Do("POST", "/v1/auth/passkeys", `{"credential":`+other.Create(challenge)+`}`), 401, "login_refused")
	var o struct{ ExcludeCredentials []json.RawMessage }
	if err := json.Unmarshal(challenge, &o); err != nil || len(o.ExcludeCredentials) != 1 {
		t.Errorf("excluded: %s, %v", challenge, err)
	}
}

// A member sees its sessions and can end each.
func TestPlatform_OwnSessions(t *testing.T) {
	a := apptest.New(t)
	b, other := a.Join("ada@example.com", auth.RoleViewer), a.Join("bob@example.com", auth.RoleAdmin)
	phone := twin(b)
	phone.Take(phone.Login())
	all := list(t, b, "/v1/auth/sessions")
	if len(all) != 2 || !all[0].Current || all[1].Current {
		t.Fatalf("sessions %+v", all)
	}
	want(t, "another member's", other.Do("DELETE", "/v1/auth/sessions/"+all[1].ID, ""), 404, "not_found")
	want(t, "the phone's", b.Do("DELETE", "/v1/auth/sessions/"+all[1].ID, ""), 200, "")
	want(t, "the phone", phone.Do("GET", "/v1/auth/me", ""), 401, "session_invalid")
	want(t, "the phone's cookie", phone.Post("/v1/auth/refresh", ""), 401, "session_invalid")
	want(t, "twice", b.Do("DELETE", "/v1/auth/sessions/"+all[1].ID, ""), 404, "not_found")
	want(t, "an API key", a.Do(a.Keys.AdminKey, "GET", "/v1/auth/me?integratorId="+a.Keys.WorkspaceID, ""), 401, "authorization_scheme")
}
