package payout_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
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
	if account.WalletID != owner.Wallet.WalletID {
		t.Errorf("the account has the wallet %s, every other call %s", account.WalletID, owner.Wallet.WalletID)
	}
	pesosForDollars(t, a, c)
	most := fmt.Sprint(testwait.Bound.Seconds())
	script := exec.CommandContext(t.Context(), "timeout", most, "sh", "-eu", "-c", payInLines(t))
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

// pesosForDollars pastes the lines of docs/quotes.md about a payment by bank transfer, and executes the quote.
func pesosForDollars(t *testing.T, a *apptest.App, c *railkit.Client) {
	t.Helper()
	ann := must(c.Recipients.Create(t.Context(), person("Ann Hill")))(t)
	where := must(c.BankAccounts.Create(t.Context(), ann.ID, railkit.BankAccountRequest{
		Currency: "usd", AccountNumber: "1234567890", RoutingNumber: "111000025", AccountType: "checking",
	}))(t)
	must(c.WithdrawAddresses.Create(t.Context(), railkit.WithdrawAddressRequest{BeneficiaryAccountID: where.ID}))(t)
	lines := shellLines(t, "quotes", `"currency":"MXN"`)
	script := exec.CommandContext(t.Context(), "sh", "-eu", "-c", lines)
	script.Env = append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.BenchKey, "RECIPIENT="+ann.ID)
	out, err := script.CombinedOutput()
	var q struct {
		Data struct {
			QuoteID, Currency string
			Amount            json.Number
		}
	}
	if err != nil || json.Unmarshal(out, &q) != nil || q.Data.Currency != "MXN" || q.Data.Amount != "3000" {
		t.Fatalf("%v\n%s", err, out)
	}
	p := must(c.Payments.Execute(t.Context(), railkit.ExecuteRequest{
		QuoteID: q.Data.QuoteID, BeneficiaryID: ann.ID,
	}))(t)
	if p.DepositInstructions == nil || p.DepositInstructions.CLABE == "" || p.Rate == "" || p.Fees == "" {
		t.Errorf("%+v", p)
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
