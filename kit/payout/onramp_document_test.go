package payout_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The lines of docs/onramp.md about money that comes in work when they are pasted, one block after the other.
func TestPayout_PayInLinesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	owner := a.Fund(c, "ana@example.com")
	account := must(c.DepositAccounts.Create(t.Context(), railkit.DepositAccountRequest{
		WalletID: owner.Wallet.WalletID, SourceCurrency: "mxn",
	}))(t)
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
func payInLines(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, block := range strings.Split(string(must(os.ReadFile("../../docs/onramp.md"))(t)), "```sh\n")[1:] {
		if lines, _, _ := strings.Cut(block, "```"); strings.Contains(lines, "$DEPOSIT") {
			all.WriteString(lines)
		}
	}
	return all.String()
}
