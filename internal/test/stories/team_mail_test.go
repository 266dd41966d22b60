package stories_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
)

// mailStatus is that of the newest invitation.
func mailStatus(t *testing.T, a *apptest.App) string {
	t.Helper()
	return rows(t,
		a.Do(a.Keys.InternalKey, "GET", "/v1/integrators/"+a.Keys.WorkspaceID+"/invitations", ""))[0].MailStatus
}

// A mail server that is down keeps nobody from inviting: the mail comes later.
func TestPlatform_MailComesLater(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	path := "/v1/integrators/" + a.Keys.WorkspaceID
	a.Mail.Refuse(451)
	wantCode(t, "inviting",
		a.Do(a.Keys.InternalKey, "POST", path+"/members", `{"email":"ada@example.com","role":"viewer"}`), 201, "")
	apptest.Eventually(t, "a try that failed", func() bool { return strings.Contains(a.Log.String(), "team_mail") })
	if s := mailStatus(t, a); s != "queued" {
		t.Errorf("while it is down: %s", s)
	}
	a.Mail.Refuse(0)
	first := a.MailTo("ada@example.com")
	apptest.Eventually(t, "the mail is sent", func() bool { return mailStatus(t, a) == "sent" })
	if !strings.Contains(first.Text, apptest.Dashboard+"/invitation#") ||
		strings.Contains(strings.ToLower(first.Text), "<html") {
		t.Errorf("mail: %s", first.Text)
	}

	// Sent again it is the same mail, with the same link.
	id := rows(t, a.Do(a.Keys.InternalKey, "GET", path+"/invitations", ""))[0].ID
	known := a.Mail.Mails()
	wantCode(t, "sending again", a.Do(a.Keys.InternalKey, "POST", path+"/invitations/"+id+"/resend", ""), 200, "")
	apptest.Eventually(t, "a second mail", func() bool { return len(a.Mail.Mails()) == len(known)+1 })
	if again := a.Mail.Mails()[0]; again.Text != first.Text || again.ID != first.ID {
		t.Errorf("again: %+v", again)
	}
	wantCode(t, "its link", a.NewBrowser().Accept(apptest.TokenOf(first)), 201, "")
	if log := a.Log.String(); strings.Contains(log, apptest.TokenOf(first)) ||
		strings.Contains(log, "ada@example.com") {
		t.Error("the log holds the token or the e-mail")
	}
}

// Whoever is invited in a language gets the invitation in it, and what comes after.
func TestPlatform_InvitedInSpanish(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	path := "/v1/integrators/" + a.Keys.WorkspaceID + "/members"
	wantCode(t, "a language that nobody writes",
		a.Do(a.Keys.InternalKey, "POST", path, `{"email":"ana@example.com","role":"viewer","language":"de"}`), 400,
		"validation_failed")
	wantCode(t, "inviting",
		a.Do(a.Keys.InternalKey, "POST", path, `{"email":"ana@example.com","role":"viewer","language":"es"}`), 201, "")
	m := a.MailTo("ana@example.com")
	if m.Subject != "Su invitación" || !strings.Contains(m.Text, "como lector") {
		t.Errorf("mail: %+v", m)
	}
	b := a.NewBrowser()
	b.Take(b.Accept(apptest.TokenOf(m)))
	if got := b.Do("GET", "/v1/auth/notifications", ""); !strings.Contains(got.Body, `"language":"es"`) {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	known := a.Mail.Mails()
	wantCode(t, "another passkey", add(t, b, "Phone"), 201, "")
	if m = a.MailTo("ana@example.com", known...); !strings.Contains(m.Subject, "puede iniciar sesión por usted") {
		t.Errorf("of the passkey: %+v", m)
	}
}

// A mail that is refused for good is said to have failed, until it is sent again.
func TestPlatform_MailFails(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	path := "/v1/integrators/" + a.Keys.WorkspaceID
	a.Mail.Refuse(550)
	wantCode(t, "inviting",
		a.Do(a.Keys.InternalKey, "POST", path+"/members", `{"email":"ada@example.com","role":"viewer"}`), 201, "")
	apptest.Eventually(t, "the mail has failed", func() bool { return mailStatus(t, a) == "failed" })
	a.Mail.Refuse(0)
	id := rows(t, a.Do(a.Keys.InternalKey, "GET", path+"/invitations", ""))[0].ID
	wantCode(t, "sending again", a.Do(a.Keys.InternalKey, "POST", path+"/invitations/"+id+"/resend", ""), 200, "")
	wantCode(t, "its link", a.NewBrowser().Accept(apptest.TokenOf(a.MailTo("ada@example.com"))), 201, "")
}

// Mail that waited while there was no mail server goes out once there is one.
func TestPlatform_MailSetUpLater(t *testing.T) {
	t.Parallel()
	var smtp string
	a := apptest.Rig(t, func(c *apptest.Config) { smtp, c.SMTPURL = c.SMTPURL, "" })
	path := "/v1/integrators/" + a.Keys.WorkspaceID
	wantCode(t, "inviting",
		a.Do(a.Keys.InternalKey, "POST", path+"/members", `{"email":"ada@example.com","role":"viewer"}`), 201, "")
	// The sweeper leaves what is young alone.
	if _, err := a.Store.Writer().Exec("UPDATE invitations SET created_at = created_at - 120000000"); err != nil {
		t.Fatal(err)
	}
	a.StopServer()
	a.Reconfigure(func(c *apptest.Config) { c.SMTPURL = smtp })
	a.StartServer()
	wantCode(t, "its link", a.NewBrowser().Accept(apptest.TokenOf(a.MailTo("ada@example.com"))), 201, "")
}

// An invitation outlives the session key: its first link stays good, and one that
// is mailed under another key is good too.
func TestPlatform_MailUnderAnotherKey(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	path := "/v1/integrators/" + a.Keys.WorkspaceID
	first := a.Invite(a.Keys.WorkspaceID, "ada@example.com", auth.RoleViewer)
	apptest.Eventually(t, "the mail is sent", func() bool { return mailStatus(t, a) == "sent" })
	a.StopServer()
	a.Reconfigure(func(c *apptest.Config) { c.SessionKeyFile = filepath.Join(t.TempDir(), "session.key") })
	a.StartServer()
	id := rows(t, a.Do(a.Keys.InternalKey, "GET", path+"/invitations", ""))[0].ID
	known := a.Mail.Mails()
	wantCode(t, "sending again", a.Do(a.Keys.InternalKey, "POST", path+"/invitations/"+id+"/resend", ""), 200, "")
	second := apptest.TokenOf(a.MailTo("ada@example.com", known...))
	if second == first {
		t.Error("two keys make one token")
	}
	for _, token := range []string{first, second} {
		wantCode(t, "opening",
			a.NewBrowser().Post("/v1/auth/invitations/open", map[string]string{"token": token}), 200, "")
	}
	wantCode(t, "the second", a.NewBrowser().Accept(second), 201, "")
	wantCode(t, "the first then", a.NewBrowser().Accept(first), 404, "not_found")
}
