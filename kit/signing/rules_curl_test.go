package signing_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The curl lines of docs/policies.md and docs/approvals.md work when they are pasted, one page after the other.
func TestSigning_RuleLinesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	k := newClub(t, apptest.Rig(t))
	_, approval, _ := k.held("25.50")
	p, err := k.c.Policies.Create(ctx, railkit.PolicyRequest{
		Name: "Least", WalletID: k.alice.Wallet.WalletID, Rules: railkit.PolicyRules{MaxValueUSD: "100"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		page string
		want []string
	}{
		{"policies", []string{`"asset":"ETH"`, `"name":"Daily"`, `"status":"pending_approval"`, `"authorizations":[`}},
		{"approvals", []string{`"includeMessages":true`, `"approvalId":"` + approval, `"unsignedActivity":`,
			`"status":"rejected"`}},
	} {
		lines := shellLines(t, "../../docs/"+c.page+".md", "$API")
		script := exec.Command("sh", "-eu", "-c", lines)
		script.Env = append(os.Environ(), "API="+k.BaseURL, "KEY="+k.Keys.BenchKey, "ID="+approval, "POLICY="+p.ID,
			"WALLET="+k.alice.Wallet.WalletID, "SUB="+k.alice.Sub.SubOrganizationID)
		out, err := script.CombinedOutput()
		text := string(out)
		good, calls := strings.Count(text, `"success":true`), strings.Count(lines, "curl ")
		if err != nil || good != calls || calls < 5 {
			t.Errorf("%s: %v, %d of %d calls worked:\n%s", c.page, err, good, calls, text)
		}
		for _, words := range c.want {
			if !strings.Contains(text, words) {
				t.Errorf("the lines of %s answer without %s:\n%s", c.page, words, text)
			}
		}
	}
}
