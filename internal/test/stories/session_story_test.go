package stories_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
)

// elapsed is a clock that the test moves on, by so much since it began.
type elapsed struct {
	mu   sync.Mutex
	more time.Duration
}

func (h *elapsed) clock() clock.Clock {
	began := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	return clock.Func(func() time.Time {
		h.mu.Lock()
		defer h.mu.Unlock()
		return began.Add(h.more)
	})
}

func (h *elapsed) set(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.more = d
}

const refreshCookie = "railkit_refresh"

// A person is invited, becomes a member by a passkey, logs out and in again.
func TestPlatform_LoginStory(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	b := a.NewBrowser()
	token := a.Invite(a.Keys.WorkspaceID, "Ada@Example.com", auth.RoleManager)
	opened := b.Post("/v1/auth/invitations/open", map[string]string{"token": token})
	var invited struct {
		WorkspaceName, Email, Role string
		Options                    json.RawMessage
	}
	if err := opened.Into(&invited); err != nil || invited.Email != "Ada@Example.com" || invited.Role != "manager" ||
		invited.WorkspaceName != "Sandbox" {
		t.Fatalf("%v %s", err, opened.Body)
	}
	accepted := b.Accept(token)
	wantCode(t, "accepting", accepted, 201, "")
	o := b.Take(accepted)
	if o.IntegratorID != a.Keys.WorkspaceID || o.Member.Email != "Ada@Example.com" || o.Member.Role != "manager" {
		t.Errorf("logged in as %+v", o)
	}
	c := b.Cookies[refreshCookie]
	if c == nil || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/v1/auth" ||
		strings.Contains(accepted.Body, c.Value) {
		t.Fatalf("cookie %+v", c)
	}
	me := b.Do("GET", "/v1/auth/me", "")
	if me.Status != 200 || !strings.Contains(me.Body, `"internal_role":"manager"`) ||
		!strings.Contains(me.Body, `"active_modules":["signing"`) {
		t.Errorf("me: %s", me.Body)
	}
	wantCode(t, "a wallet list", b.Do("GET", "/v1/signing/wallets", ""), 200, "")
	wantCode(t, "the team, as a manager",
		b.Do("DELETE", "/v1/integrators/"+a.Keys.WorkspaceID+"/members/"+b.MemberID, ""), 403, "insufficient_scope")

	refreshed := b.Post("/v1/auth/refresh", "")
	wantCode(t, "refreshing", refreshed, 200, "")
	if b.Cookies[refreshCookie].Value == c.Value {
		t.Error("the refresh token was not replaced")
	}
	wantCode(t, "logging out", b.Post("/v1/auth/logout", ""), 200, "")
	wantCode(t, "the access token after it", b.Do("GET", "/v1/auth/me", ""), 401, "session_invalid")
	b.Cookies[refreshCookie] = c
	wantCode(t, "its refresh token", b.Post("/v1/auth/refresh", ""), 401, "session_invalid")
	wantCode(t, "logging out again", b.Post("/v1/auth/logout", ""), 200, "")

	again := b.Take(b.Login())
	if again.Member.ID != o.Member.ID || again.AccessToken == o.AccessToken {
		t.Errorf("logged in as %+v", again)
	}
	wantCode(t, "me", b.Do("GET", "/v1/auth/me", ""), 200, "")
	for _, secret := range []string{token, c.Value, again.AccessToken, b.Cookies[refreshCookie].Value} {
		if strings.Contains(a.Log.String(), secret) {
			t.Error("the log holds a secret")
		}
	}
}

// What the database holds opens nothing.
func TestPlatform_LoginSecretsAreHashed(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	token := a.Invite(a.Keys.WorkspaceID, "ada@example.com", auth.RoleViewer)
	b := a.NewBrowser()
	b.Take(b.Accept(token))
	begun := b.Post("/v1/auth/login/begin", "")
	var ask struct{ Challenge string }
	if err := begun.Into(&ask); err != nil {
		t.Fatal(err)
	}
	for name, secret := range map[string]string{
		"invitation": token, "refresh": b.Cookies[refreshCookie].Value, "access": b.Access, "challenge": ask.Challenge,
	} {
		for _, column := range []string{
			"token_hash FROM invitation_directory", "token_hash FROM refresh_directory", "hash FROM login_challenges",
			"token_hash || before_hash || salt FROM sessions", "detail || resource || actor_id FROM audit",
		} {
			rows, err := a.Store.Writer().QueryContext(t.Context(), "SELECT "+column)
			if err != nil {
				t.Fatal(err)
			}
			for rows.Next() {
				var text string
				if err := rows.Scan(&text); err != nil {
					t.Fatal(err)
				}
				if strings.Contains(text, secret) {
					t.Errorf("%s holds the %s", column, name)
				}
			}
			if err := rows.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Only the dashboard's pages may use the cookie.
// A login passkey that comes into a synced keychain, or out of one, goes on logging in.
func TestPlatform_LoginPasskeyIsSynced(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	b := a.Join("synced@example.com", auth.RoleManager)
	for _, eligible := range []bool{true, true, false} {
		b.Authenticator.Options.BackupEligible = eligible
		b.Authenticator.Options.BackupState = eligible
		b.Take(b.Login())
	}
	b.Authenticator.Options.BackupState = true
	wantCode(t, "backed up, though it cannot be", b.Login(), 401, "login_refused")
}

func TestPlatform_LoginOnlyFromTheDashboard(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	b := a.Join("ada@example.com", auth.RoleAdmin)
	before := b.Cookies[refreshCookie].Value
	for _, path := range []string{
		"/v1/auth/refresh", "/v1/auth/logout", "/v1/auth/login/begin", "/v1/auth/login/finish",
		"/v1/auth/invitations/open", "/v1/auth/invitations/accept",
	} {
		for _, origin := range []string{
			"", "https://evil.example", "null", a.Origin, "http://localhost:32100", "HTTP://LOCALHOST:3210",
		} {
			wantCode(t, path+" from "+origin, b.Post(path, "", "Origin", origin), 403, "origin_refused")
		}
	}
	if b.Cookies[refreshCookie].Value != before {
		t.Error("a refused call replaced the cookie")
	}
	wantCode(t, "the dashboard itself", b.Post("/v1/auth/refresh", ""), 200, "")
}

// Each way in which an answer of a passkey can be wrong.
func TestPlatform_LoginRefuses(t *testing.T) {
	t.Parallel()
	h := &elapsed{}
	a := apptest.Rig(t, apptest.WithClock(h.clock()))
	b, other := a.Join("ada@example.com", auth.RoleAdmin), a.Join("bob@example.com", auth.RoleViewer)
	begin := func() json.RawMessage { return b.Post("/v1/auth/login/begin", "").Data() }
	finish := func(assertion string) apptest.Answer {
		return b.Post("/v1/auth/login/finish", `{"credential":`+assertion+`}`)
	}
	wantCode(t, "nothing", finish(`{}`), 401, "login_refused")
	options := begin()
	used := b.Assert(options)
	wantCode(t, "a good one", finish(used), 201, "")
	wantCode(t, "the same again", finish(used), 401, "login_refused")
	wantCode(t, "the same challenge again", finish(b.Assert(options)), 401, "login_refused")
	wantCode(t, "a challenge of its own",
		finish(
			b.Assert(json.RawMessage(`{"challenge":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","rpId":"localhost"}`)),
		), 401, "login_refused")

	b.Authenticator.Options.UserNotVerified = true
	wantCode(t, "without user verification", finish(b.Assert(begin())), 401, "login_refused")
	b.Authenticator.Options.UserNotVerified = false
	b.Origin = "http://localhost:9"
	wrong := b.Assert(begin2(b))
	b.Origin = apptest.Dashboard
	wantCode(t, "another origin", finish(wrong), 401, "login_refused")
	mine := b.Authenticator.Options.UserHandle
	b.Authenticator.Options.UserHandle = []byte(other.MemberID)
	wantCode(t, "another member's handle", finish(b.Assert(begin())), 401, "login_refused")
	b.Authenticator.Options.UserHandle = mine
	stranger := a.NewBrowser()
	stranger.Create(json.RawMessage(`{"challenge":"AAAA","rp":{"id":"localhost"},"user":{"id":"` + "YQ" +
		`","name":"x","displayName":"x"}}`))
	wantCode(t, "an unknown passkey", finish(stranger.Assert(begin())), 401, "login_refused")
	key := &b.Authenticator.Credentials[0]
	last := key.Counter
	key.Counter = 0
	wantCode(t, "a counter that went back", finish(b.Assert(begin())), 401, "login_refused")
	key.Counter = last

	options = begin()
	h.set(5*time.Minute - time.Microsecond)
	wantCode(t, "just in time", finish(b.Assert(options)), 201, "")
	options = begin()
	h.set(10*time.Minute - time.Microsecond)
	wantCode(t, "five minutes later", finish(b.Assert(options)), 401, "login_refused")
}

func begin2(b *apptest.Browser) json.RawMessage {
	return b.Post("/v1/auth/login/begin", "", "Origin", apptest.Dashboard).Data()
}

// Of two browsers that hand in one challenge, or accept one invitation, one gets in.
func TestPlatform_InvitationRace(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	token := a.Invite(a.Keys.WorkspaceID, "ada@example.com", auth.RoleAdmin)
	var mu sync.Mutex
	var wg sync.WaitGroup
	statuses := map[int]int{}
	for range 8 {
		b := a.NewBrowser()
		wg.Go(func() {
			answer := b.Accept(token)
			mu.Lock()
			defer mu.Unlock()
			statuses[answer.Status]++
		})
	}
	wg.Wait()
	if statuses[201] != 1 || statuses[404] != 7 {
		t.Errorf("statuses %v", statuses)
	}
}

// An invitation is good for seven days less a moment, once, and until it is
// replaced or revoked. What is wrong with one, nobody is told.
func TestPlatform_InvitationEnds(t *testing.T) {
	t.Parallel()
	h := &elapsed{}
	a := apptest.Rig(t, apptest.WithClock(h.clock()))
	open := func(token string) apptest.Answer {
		return a.NewBrowser().Post("/v1/auth/invitations/open", map[string]string{"token": token})
	}
	ws := a.Keys.WorkspaceID
	first := a.Invite(ws, "ada@example.com", auth.RoleViewer)
	second := a.Invite(ws, "ADA@example.com", auth.RoleManager)
	unknown := open("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	wantCode(t, "unknown", unknown, 404, "not_found")
	for name, token := range map[string]string{"replaced": first, "empty": "x"} {
		got := open(token)
		wantCode(t, name, got, 404, "not_found")
		if got.Field("message") != unknown.Field("message") {
			t.Errorf("%s: %s", name, got.Body)
		}
	}
	late := a.NewBrowser()
	var v struct{ Options json.RawMessage }
	h.set(7*24*time.Hour - time.Second)
	opened := late.Post("/v1/auth/invitations/open", map[string]string{"token": second})
	wantCode(t, "a second before its end", opened, 200, "")
	if err := opened.Into(&v); err != nil {
		t.Fatal(err)
	}
	h.set(7 * 24 * time.Hour)
	wantCode(t, "opened at its end", open(second), 404, "not_found")
	wantCode(t, "accepted at its end", late.Post("/v1/auth/invitations/accept",
		`{"token":"`+second+`","credential":`+late.Create(v.Options)+`}`), 404, "not_found")
	third := a.Invite(ws, "ada@example.com", auth.RoleManager)
	b := a.NewBrowser()
	wantCode(t, "a new one", b.Accept(third), 201, "")
	wantCode(t, "used", open(third), 404, "not_found")
}

// A passkey answers the challenge of its own invitation only.
func TestPlatform_InvitationPasskey(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	mine, other := a.Invite(a.Keys.WorkspaceID,
		"ada@example.com", auth.RoleViewer), a.Invite(a.Keys.WorkspaceID, "bob@example.com", auth.RoleAdmin)
	b := a.NewBrowser()
	var v struct{ Options json.RawMessage }
	if err := b.Post("/v1/auth/invitations/open", map[string]string{"token": mine}).Into(&v); err != nil {
		t.Fatal(err)
	}
	made := b.Create(v.Options)
	wantCode(t, "for another invitation",
		b.Post("/v1/auth/invitations/accept", `{"token":"`+other+`","credential":`+made+`}`), 401, "login_refused")
	wantCode(t, "not a passkey", b.Post("/v1/auth/invitations/accept", `{"token":"`+mine+`","credential":{"id":"x"}}`),
		400, "validation_failed")
	b.Authenticator.Options.UserNotVerified = true
	wantCode(t, "not verified", b.Post("/v1/auth/invitations/accept",
		`{"token":"`+mine+`","credential":`+b.Create(v.Options)+`}`), 400, "validation_failed")
	wantCode(t, "its own", b.Post("/v1/auth/invitations/accept", `{"token":"`+mine+`","credential":`+made+`}`), 201, "")
}
