package payout_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The lines of docs/onramp.md and docs/invites.md work when they are pasted, one block after the other.
func TestPayout_PayInLinesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	owner := a.Fund(c, "ana@example.com")
	account := must(c.DepositAccounts.Create(t.Context(), railkit.DepositAccountRequest{
		WalletID: owner.Wallet.WalletID, SourceCurrency: "mxn",
	}))(t)
	bea := must(c.Recipients.Create(t.Context(), person("Bea")))(t)
	for page, id := range map[string]string{"onramp": account.ID, "invites": bea.ID} {
		lines := shellLines(t, page, map[string]string{"onramp": "/deposit-accounts", "invites": "/invite"}[page])
		calls := exec.CommandContext(t.Context(), "sh", "-eu", "-c", lines)
		calls.Env = append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.BenchKey, "WALLET="+owner.Wallet.WalletID,
			"ADDRESS="+owner.Address.Address, "ID="+id)
		out, err := calls.CombinedOutput()
		if text := string(out); err != nil || !strings.Contains(text, id) || strings.Contains(text, `"success":false`) {
			t.Errorf("%s: %v\n%s", page, err, out)
		}
	}
	script := exec.CommandContext(t.Context(), "timeout", "60", "sh", "-eu", "-c", payInLines(t))
	script.Env = append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.BenchKey, "ID="+account.ID)
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		`"type":"payin.received"`, `"type":"crypto.confirmed"`, `"sender":"Bruno Gil"`, `"status":"returned"`,
		`"labels":["other_sender","recalled"]`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the lines answer without %s:\n%s", want, out)
		}
	}
}

// payInLines are the document's blocks of shell lines about bank transfers.
func payInLines(t *testing.T) string { return shellLines(t, "onramp", "$DEPOSIT") }

// shellLines are the blocks of shell lines of a page of the documentation that have a text in them.
func shellLines(t *testing.T, page, text string) string {
	t.Helper()
	var all strings.Builder
	for _, block := range strings.Split(string(must(os.ReadFile("../../docs/"+page+".md"))(t)), "```sh\n")[1:] {
		if lines, _, _ := strings.Cut(block, "```"); strings.Contains(lines, text) {
			all.WriteString(lines)
		}
	}
	return all.String()
}
