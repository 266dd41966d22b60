package agent_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
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
	bot := newPayer(t, a, c, alice, "Paying")
	widen(t, c, alice, bot.made.AgentID, []string{ana, "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"})
	var waits *railkit.QueuedError
	apptest.Eventually(t, "the signer's first seconds are over", func() bool {
		_, err := bot.Pay(ctx, toAna("600000"))
		return errors.As(err, &waits)
	})
	out := &watched{word: `"agent_payment"`, seen: func() {
		look := func(*railkit.Preview) error { return nil }
		if _, err := c.Approvals.Approve(ctx, alice.Passkey, waits.ApprovalID, look); err != nil {
			t.Error(err)
		}
	}}
	script := exec.Command("sh", "-eu", "-c", shellLines(t, "../../docs/agents.md", "curl"))
	script.Env = append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.APIKey, "AGENT="+made.AgentID,
		"WALLET="+alice.Address.Address, "BOT="+bot.made.AgentID, "SECRET="+bot.made.AgentSecret,
		"APPROVAL="+waits.ApprovalID)
	script.Stdout, script.Stderr = out, out
	if err := script.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.text.String())
	}
	text := out.text.String()
	good, bad := strings.Count(text, `"success":true`), strings.Count(text, `"success":false`)
	if good != 22 || bad > 0 || !strings.Contains(text, `"status":"approved"`) {
		t.Errorf("%d calls worked and %d were refused, want 22 and none:\n%s", good, bad, text)
	}
	if got, err := c.Agents.Get(ctx, made.AgentID); err != nil || got.Status != "killed" ||
		got.Limits.PaymentsMonthlyUSDC != "5" {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
}

// widen lets an agent make a wallet, and pay these.
func widen(t *testing.T, c *railkit.Client, o apptest.Owner, id string, recipients []string) {
	t.Helper()
	wider, one := railkit.AgentBudgetChange{}, 1
	wider.MaxWallets, wider.AllowedRecipients = &one, recipients
	wider.SignedActivity = stampedBy(t, o)(c.Agents.PrepareBudget(ctx, id, wider))
	if _, err := c.Agents.SetBudget(ctx, id, wider); err != nil {
		t.Fatal(err)
	}
}

// watched is what a program prints, and does something in the background once the program has printed a word.
type watched struct {
	text strings.Builder
	word string
	seen func()
	once sync.Once
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.text.Write(p)
	if strings.Contains(w.text.String(), w.word) {
		w.once.Do(func() { go w.seen() })
	}
	return n, err
}
