package signing_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The curl lines of docs/agents.md work when they are pasted.
func TestSigning_AgentLinesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	made, err := c.Agents.Create(ctx, alice.Passkey, agentOf(alice, "Documented"))
	if err != nil {
		t.Fatal(err)
	}
	reporting, one := agentOf(alice, "Reporting"), 1
	reporting.MaxWallets = &one
	bot, err := c.Agents.Create(ctx, alice.Passkey, reporting)
	if err != nil {
		t.Fatal(err)
	}
	apptest.Eventually(t, "the signer's first seconds are over", func() bool {
		_, err := agentClient(t, a, bot, false).ReportEvents(ctx, railkit.AgentEvent{Type: "error"})
		return err == nil
	})
	script := exec.Command("sh", "-eu", "-c", shellLines(t, "../../docs/agents.md", "/v1/agents"))
	script.Env = append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.APIKey, "AGENT="+made.AgentID,
		"WALLET="+alice.Address.Address, "BOT="+bot.AgentID, "SECRET="+bot.AgentSecret)
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	good, bad := strings.Count(text, `"success":true`), strings.Count(text, `"success":false`)
	if good != 18 || bad > 0 {
		t.Errorf("%d calls worked and %d were refused, want 18 and none:\n%s", good, bad, text)
	}
	if got, err := c.Agents.Get(ctx, made.AgentID); err != nil || got.Status != "killed" ||
		got.Limits.PaymentsMonthlyUSDC != "5" {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
}
