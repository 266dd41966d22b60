package payout_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/money"
	railkit "github.com/railkit/railkit/sdk/go"
)

const depositPath = "/v1/payout/onramp/deposit-accounts"

// Over the public API, with the sandbox's partner and signer: accounts of every currency, what is refused, and the
// lines of the document.
func TestPayout_DepositAccountsOverHTTP(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	owner := a.Fund(c, "ana@example.com")
	for _, source := range money.Fiat {
		made, err := c.DepositAccounts.Create(t.Context(), railkit.DepositAccountRequest{
			WalletID: owner.Wallet.WalletID, SourceCurrency: string(source),
		})
		if err != nil || made.SourceDepositInstructions == nil || bankNumber(*made) == "" || made.Status != "active" ||
			made.DestinationAddress != owner.Address.Address {
			t.Errorf("%s: %+v, %v", source, made, err)
		}
	}
	listed := 0
	for _, err := range c.DepositAccounts.All(t.Context(), railkit.ListOptions{Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		listed++
	}
	if listed != len(money.Fiat) {
		t.Errorf("%d are listed", listed)
	}
	_, foreign := a.NewWorkspace(nil)
	if got := a.Do(foreign, "GET", depositPath, ""); got.Status/100 == 2 {
		t.Errorf("a key without the module: %s", got.Body)
	}
	depositDocument(t, a, owner)
	for what, body := range map[string]struct{ body, code string }{
		"another chain": {
			`{"wallet_id":"` + owner.Wallet.WalletID + `","source_currency":"mxn","chain":"polygon"}`,
			"deposit_account_differs",
		},
		"usdt where it is not": {
			`{"wallet_id":"` + owner.Wallet.WalletID + `","source_currency":"mxn","destination_currency":"usdt",` +
				`"chain":"base"}`, "pair_unsupported",
		},
		"a chain without a node": {
			`{"wallet_id":"` + owner.Wallet.WalletID + `","source_currency":"mxn","chain":"ethereum"}`,
			"chain_not_watched",
		},
		"a foreign address": {
			`{"currency":"mxn","country":"MX","stablecoin":"usdc","chain":"base","destinationAddress":"` + thief + `"}`,
			"not_found",
		},
		"a field of neither form": {`{"wallet":"x"}`, "validation_failed"},
	} {
		if got := a.Do(a.Keys.BenchKey, "POST", depositPath, body.body); got.Field("error") != body.code {
			t.Errorf("%s: %d %s", what, got.Status, got.Body)
		}
	}
	a.Edit(`UPDATE addresses SET address = $1 WHERE address = $2`, thief, owner.Address.Address)
	got := a.Do(a.Keys.BenchKey, "POST", depositPath,
		`{"wallet_id":"`+owner.Wallet.WalletID+`","source_currency":"mxn"}`)
	if got.Status != 409 || got.Field("error") != "address_unproved" {
		t.Errorf("an edited row: %d %s", got.Status, got.Body)
	}
}

// The lines of docs/onramp.md work, and answer in the form that it says.
func depositDocument(t *testing.T, a *apptest.App, owner apptest.Owner) {
	t.Helper()
	raw := must(os.ReadFile("../../docs/onramp.md"))(t)
	env := append(os.Environ(), "API="+a.BaseURL, "KEY="+a.Keys.BenchKey, "WALLET="+owner.Wallet.WalletID,
		"ADDRESS="+owner.Address.Address)
	id := ""
	for i, block := range strings.Split(string(raw), "```sh\n")[1:4] {
		lines, _, _ := strings.Cut(block, "```")
		script := exec.Command("sh", "-eu", "-c", lines)
		script.Env = append(env, "ID="+id)
		out, err := script.CombinedOutput()
		if err != nil {
			t.Fatalf("%s%s (%v)", lines, out, err)
		}
		switch i {
		case 0:
			var v railkit.DepositAccount
			if err := json.Unmarshal(out, &v); err != nil || v.SourceDepositInstructions == nil {
				t.Fatalf("%s (%v)", out, err)
			}
			id = v.ID
		case 1:
			var v struct{ Data railkit.DepositAccountNumber }
			if err := json.Unmarshal(out, &v); err != nil || v.Data.ID != id || len(v.Data.CLABE) != 18 {
				t.Errorf("%s (%v)", out, err)
			}
		case 2:
			answers := strings.Split(strings.TrimSpace(string(out)), "\n")
			if len(answers) != 3 || !strings.HasPrefix(answers[0], "[{") || !strings.Contains(answers[1], id) ||
				answers[2] != "[]" {
				t.Errorf("%s", out)
			}
		}
	}
}
