package signing_test

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/mailsink"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
)

// about is the newest mail to somebody that says a word, once there is one.
func about(t *testing.T, a *apptest.App, email, word string) (found mailsink.Mail) {
	t.Helper()
	apptest.Eventually(t, "a mail to "+email+" about "+word, func() bool {
		for _, m := range a.Mail.Mails() {
			if len(m.To) == 1 && m.To[0] == email && strings.Contains(m.Subject, word) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

// dueNow lets the time go by that mails of a workspace wait to be gathered, and since the last mail, once they are
// written.
func dueNow(t *testing.T, a *apptest.App, kind string) {
	t.Helper()
	if _, err := a.Store.Writer().Exec("UPDATE notification_mails SET created_at = created_at - 600000000 "+
		"WHERE workspace_id = $1", a.Keys.WorkspaceID); err != nil {
		t.Fatal(err)
	}
	apptest.Eventually(t, kind, func() bool {
		_, err := a.Store.Writer().Exec(
			"UPDATE notifications SET due_at = 0 WHERE workspace_id = $1 AND kind = $2", a.Keys.WorkspaceID, kind)
		return err == nil &&
			count(t, a, "notifications WHERE workspace_id = $1 AND kind = $2", a.Keys.WorkspaceID, kind) > 0
	})
}

// A voter who is a member is mailed in the language that she chose, with a link that changes nothing, and then of what
// became of it. A user of the wallets without a login is mailed without a link.
func TestSigning_VotersAreMailed(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	const email = "told@example.com"
	alice := a.Fund(c, email)
	b := a.JoinBy(a.Keys.InternalKey, a.Keys.WorkspaceID, email, auth.RoleManager)
	script := exec.Command("sh", "-eu", "-c", shellLines(t, "../../docs/mails.md", "/v1/auth/notifications"))
	script.Env = append(os.Environ(), "B="+a.BaseURL, "TOKEN="+b.Access)
	if out, err := script.CombinedOutput(); err != nil || !strings.Contains(string(out), `"language":"es"`) {
		t.Errorf("docs/mails.md: %v: %s", err, out)
	}
	wantError(t, b.Do(http.MethodPatch, "/v1/auth/notifications", `{"security":false}`), 400, "validation_failed")
	wantError(t, b.Do(http.MethodPatch, "/v1/auth/notifications", `{"language":"de"}`), 400, "validation_failed")
	chosen := b.Do(http.MethodPatch, "/v1/auth/notifications", `{"language":"pt"}`)
	again := b.Do(http.MethodGet, "/v1/auth/notifications", "")
	if chosen.Status != 200 || !strings.Contains(again.Body, `"language":"pt","requests":true`) ||
		!strings.Contains(again.Body, `"agents":false,"security":true`) {
		t.Fatalf("choosing: %d %s, then %s", chosen.Status, chosen.Body, again.Body)
	}

	id := queued(t, b.Do("POST", "/v1/transactions/sign", apptest.JSON(t, toSign(t, alice, 0))))
	dueNow(t, a, "request_waiting")
	m := about(t, a, email, "espera o seu voto")
	for _, want := range []string{
		apptest.Dashboard + "/approvals/" + id, "Uma transação", "told@ example. com", "0 de 1 votos", "não muda nada",
	} {
		if !strings.Contains(m.Text, want) || strings.Contains(m.Text, email) {
			t.Errorf("the mail does not say %q:\n%s", want, m.Text)
		}
	}
	if got := approve(t, a, id, alice); got.Status != 201 {
		t.Fatalf("the vote: %d %s", got.Status, got.Body)
	}
	dueNow(t, a, "request_decided")
	if m = about(t, a, email, "pedido está decidido"); !strings.Contains(m.Text, "Aprovado") {
		t.Errorf("of the decision:\n%s", m.Text)
	}
}
