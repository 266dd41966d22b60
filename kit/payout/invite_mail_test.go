package payout_test

import (
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/mailsink"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// inviteMail is how far the mail of the newest invite is.
func inviteMail(t *testing.T, c *railkit.Client, recipientID string) string {
	t.Helper()
	return must(c.Invites.Get(t.Context(), recipientID))(t).MailStatus
}

func tokenIn(m mailsink.Mail) string {
	_, rest, _ := strings.Cut(m.Text, "/invite#")
	token, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(token)
}

// A link is mailed to whom the caller says, as soon as the mail server takes it;
// neither it nor the address is in a log.
func TestPayout_InviteIsMailed(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	c, ctx := a.Client(), t.Context()
	ana := must(c.Recipients.Create(ctx, person("Ana")))(t)
	quiet := must(c.Invites.Create(ctx, ana.ID))(t)
	if quiet.Email != "" || quiet.MailStatus != "" || len(a.Mail.Mails()) != 0 {
		t.Errorf("without an e-mail: %+v, %d mails", quiet, len(a.Mail.Mails()))
	}
	a.Mail.Refuse(451)
	link := must(c.Invites.Mail(ctx, ana.ID, "ana@example.com"))(t)
	if link.Email != "ana@example.com" || link.MailStatus != "queued" {
		t.Errorf("%+v", link)
	}
	apptest.Eventually(t, "a try that failed", func() bool { return strings.Contains(a.Log.String(), "payout_invite") })
	if s := inviteMail(t, c, ana.ID); s != "queued" {
		t.Errorf("while the mail server is down it is %s", s)
	}
	a.Mail.Refuse(0)
	m := a.MailTo("ana@example.com")
	apptest.Eventually(t, "the mail to be sent", func() bool { return inviteMail(t, c, ana.ID) == "sent" })
	if tokenIn(m) != link.Token ||
		!strings.HasPrefix(m.Text, `"Sandbox" quiere pagarle.`) || strings.Contains(m.Text, "<") {
		t.Errorf("the mail is %q", m.Text)
	}
	if opened := openInvite(a, tokenIn(m)); opened.Status != 200 {
		t.Errorf("its link: %d %s", opened.Status, opened.Body)
	}
	if log := a.Log.String(); strings.Contains(log, link.Token) || strings.Contains(log, "ana@example.com") {
		t.Error("the log holds the token or the e-mail")
	}
	known := a.Mail.Mails()
	second := must(c.Invites.Mail(ctx, ana.ID, "ana@example.com"))(t)
	if got := tokenIn(a.MailTo("ana@example.com", known...)); got != second.Token {
		t.Error("a new invite is not mailed with its own link")
	}
	wantCode(
		t, "no e-mail", a.Do(a.Keys.BenchKey, "POST", recipientsPath+"/"+ana.ID+"/invite", `{"email":"ana"}`), 400,
		"validation_failed", "email must be an e-mail address",
	)
}

// What the mail server refuses for good has failed, and so has what was over before it was sent.
func TestPayout_InviteMailFails(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	c, ctx := a.Client(), t.Context()
	ana := must(c.Recipients.Create(ctx, person("Ana")))(t)
	a.Mail.Refuse(550)
	must(c.Invites.Mail(ctx, ana.ID, "ana@example.com"))(t)
	apptest.Eventually(t, "the mail to fail", func() bool { return inviteMail(t, c, ana.ID) == "failed" })

	a.Mail.Refuse(451)
	must(c.Invites.Mail(ctx, ana.ID, "ana@example.com"))(t)
	must(c.Recipients.SetStatus(ctx, ana.ID, railkit.RecipientStatusRequest{Status: "archived"}))(t)
	a.StopServer() // a try that began before the link was over has ended
	a.Mail.Refuse(0)
	a.StartServer()
	apptest.Eventually(t, "nobody waits for it", func() bool {
		return len(must(a.Store.Payout().UnsentInvites(ctx, time.Now(), 10))(t)) == 0
	})
	if n := len(a.Mail.Mails()); n != 0 {
		t.Errorf("%d mails of a link that is over", n)
	}
}

// Mail that waited while there was no mail server goes out once there is one.
func TestPayout_InviteMailSetUpLater(t *testing.T) {
	t.Parallel()
	var smtp string
	a := apptest.New(t, func(c *apptest.Config) { smtp, c.SMTPURL = c.SMTPURL, "" })
	c := a.Client()
	ana := must(c.Recipients.Create(t.Context(), person("Ana")))(t)
	link := must(c.Invites.Mail(t.Context(), ana.ID, "ana@example.com"))(t)
	if _, err := a.Store.Writer().Exec("UPDATE recipient_invites SET created_at = created_at - 120000000"); err != nil {
		t.Fatal(err) // the sweeper leaves what is young alone
	}
	a.StopServer()
	a.Reconfigure(func(c *apptest.Config) { c.SMTPURL = smtp })
	a.StartServer()
	if got := tokenIn(a.MailTo("ana@example.com")); got == "" || got != link.Token {
		t.Error("another link is mailed")
	}
	if d := time.Until(must(time.Parse(time.RFC3339, link.ExpiresAt))(t)); d < 6*24*time.Hour {
		t.Errorf("it ends in %s", d)
	}
}
