package admin

import (
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
)

// The first admin of an installation comes by a link that the shell prints, also
// where there is no mail yet.
func TestPlatform_AdminInvitesAMember(t *testing.T) {
	a := apptest.New(t, func(c *apptest.Config) { c.SMTPURL = "" })
	s := beside(t, a)
	ws := []string{"member", "invite", "--workspace", a.Keys.WorkspaceID}
	dashboard := []string{"--dashboard-origin", apptest.Dashboard, "--rp-id", "localhost"}
	with := func(args ...string) []string { return append(append(append([]string{}, ws...), args...), dashboard...) }
	link, said := s.must(with("--email", "ada@example.com", "--role", "admin")...)
	token, found := strings.CutPrefix(link, apptest.Dashboard+"/invitation#")
	if !found || !strings.Contains(said, "invited as admin") || strings.Contains(said, token) {
		t.Fatalf("%q %q", link, said)
	}
	b := a.NewBrowser()
	b.Take(b.Accept(token))
	if got := b.Do("GET", "/v1/integrators/"+a.Keys.WorkspaceID+"/members", ""); got.Status != 200 {
		t.Errorf("as an admin: %d %s", got.Status, got.Body)
	}
	var actor string
	if err := a.Store.Writer().QueryRow("SELECT actor FROM audit WHERE action = 'invitation.create'").Scan(
		&actor,
	); err != nil || actor != "operator" {
		t.Errorf("the record says %q, %v", actor, err)
	}
	for want, args := range map[string][]string{
		"--role: must be":              with("--email", "bob@example.com", "--role", "owner"),
		"--email: must be":             with("--email", "bob", "--role", "viewer"),
		"A member has this e-mail":     with("--email", "ADA@example.com", "--role", "viewer"),
		"--dashboard-origin is needed": append(ws, "--email", "bob@example.com", "--role", "viewer"),
		"--workspace: there is none with": append([]string{
			"member", "invite", "--workspace", "x", "--email", "bob@example.com", "--role", "viewer",
		}, dashboard...),
	} {
		if code, out, err := s.run(args...); code == 0 || out != "" || !strings.Contains(err, want) {
			t.Errorf("%s: %d %q %q", want, code, out, err)
		}
	}
}
