package signing_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
)

// The curl lines of docs/payees.md work when they are pasted.
func TestSigning_PayeeLinesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	a.Register(c, "bob@example.com") // the workspace has two sub-organizations, and every line goes on working
	p := added(t, c, alice, payeeOf(alice, "Bea", "0x90F79bf6EB2c4f870365E785982E1f101E93b906"))
	script := exec.Command("sh", "-eu", "-c", shellLines(t, "../../docs/payees.md", "/v1/signing/payees"))
	script.Env = append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.APIKey, "PAYEE="+p.ID,
		"SUB="+alice.Sub.SubOrganizationID)
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	if good, bad := strings.Count(text, `"success":true`), strings.Count(text, `"success":false`); good < 6 || bad > 0 {
		t.Errorf("%d calls worked and %d were refused, want 6 and none:\n%s", good, bad, text)
	}
	for _, want := range []string{`"status":"pending_approval"`, `ACTIVITY_TYPE_REMOVE_PAYEE`, `"name":"Bea"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the lines answer without %s:\n%s", want, text)
		}
	}
}
