package apptest

import (
	"net"
	"net/http"
	"strings"

	"github.com/railkit/railkit/internal/mailsink"
	"github.com/railkit/railkit/platform/auth"
)

// startMail runs the sink that the application's mail goes to, and returns its URL.
func (a *App) startMail() string {
	a.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		a.t.Fatal(err)
	}
	a.Mail = mailsink.New()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = a.Mail.Serve(l) // ends when it is closed
	}()
	a.t.Cleanup(func() {
		_ = a.Mail.Close()
		<-done
	})
	return "smtp+plaintext://" + l.Addr().String()
}

// MailTo waits for the newest mail to an address that is not among those known.
func (a *App) MailTo(email string, known ...mailsink.Mail) mailsink.Mail {
	a.t.Helper()
	var found mailsink.Mail
	Eventually(a.t, "a mail to "+email, func() bool {
		for _, m := range a.Mail.Mails() {
			if len(m.To) == 1 && m.To[0] == email && !among(known, m) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

func among(known []mailsink.Mail, m mailsink.Mail) bool {
	for _, k := range known {
		if k.At.Equal(m.At) && k.Text == m.Text {
			return true
		}
	}
	return false
}

// Invite invites into a workspace with an operator's key, and returns the
// invitation's token, which is in its mail.
func (a *App) Invite(workspaceID, email string, role auth.Role) string {
	a.t.Helper()
	return a.InviteBy(a.Keys.InternalKey, workspaceID, email, role)
}

// InviteBy is Invite with another key.
func (a *App) InviteBy(key, workspaceID, email string, role auth.Role) string {
	a.t.Helper()
	known := a.Mail.Mails()
	answer := a.Do(key, http.MethodPost, "/v1/integrators/"+workspaceID+"/members",
		`{"email":"`+email+`","role":"`+string(role)+`"}`)
	if answer.Status != http.StatusCreated {
		a.t.Fatalf("inviting: %d %s", answer.Status, answer.Body)
	}
	return TokenOf(a.MailTo(email, known...))
}

// TokenOf is the token in an invitation's mail.
func TokenOf(m mailsink.Mail) string {
	_, after, _ := strings.Cut(m.Text, "#")
	token, _, _ := strings.Cut(after, "\n")
	return token
}

// Join is a browser in which a new member of the sandbox's workspace is logged in.
func (a *App) Join(email string, role auth.Role) *Browser {
	a.t.Helper()
	return a.JoinBy(a.Keys.InternalKey, a.Keys.WorkspaceID, email, role)
}

// JoinBy is Join with another key, into another workspace.
func (a *App) JoinBy(key, workspaceID, email string, role auth.Role) *Browser {
	a.t.Helper()
	b := a.NewBrowser()
	b.Take(b.Accept(a.InviteBy(key, workspaceID, email, role)))
	return b
}
