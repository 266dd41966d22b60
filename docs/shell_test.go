package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pasted are the shell lines that tests run: of a page the blocks that have a text in them, and the file of the test,
// which names the page.
var pasted = []struct{ page, has, test string }{
	{"../README.md", "story/main.go", "cmd/railkit/readme_test.go"},
	{"agents-quickstart.md", "", "cmd/railkit/quickstart_test.go"},
	{"agents.md", "curl", "kit/agent/agents_curl_test.go"},
	{"approvals.md", "$API", "kit/signing/rules_curl_test.go"},
	{"balances.md", "/v1/balance", "kit/signing/balances_test.go"},
	{"balances.md", "/wallets/$WALLET", "kit/signing/balances_test.go"},
	{"batches.md", "", "kit/payout/batch_curl_test.go"},
	{"curl.md", "", "cmd/railkit/readme_test.go"},
	{"events.md", "/v1/events?types", "internal/test/stories/events_test.go"},
	{"invites.md", "/invite", "kit/payout/onramp_document_test.go"},
	{"kyb.md", "$T", "internal/test/stories/kyb_test.go"},
	{"lending.md", "lending", "kit/trade/lending_test.go"},
	{"mails.md", "/v1/auth/notifications", "kit/signing/told_test.go"},
	{"onramp.md", "$DEPOSIT", "kit/payout/onramp_document_test.go"},
	{"onramp.md", "/deposit-accounts", "kit/payout/onramp_document_test.go"},
	{"operations.md", "ask()", "chain/devnet/oracle_test.go"},
	{"operations.md", "railkit admin show", "cmd/railkit/internal/admin/show_test.go"},
	{"operations.md", "/etc/railkit", "internal/test/apptest/install_test.go"},
	{"operations.md", "createdb railkit", "internal/test/apptest/install_test.go"},
	{"operations.md", "/var/lib/railkit-signer/data", "internal/test/apptest/install_test.go"},
	{"payees.md", "/v1/signing/payees", "kit/signing/payees_curl_test.go"},
	{"payees.md", "withdraw-addresses", "sdk/go/withdraw_payee_test.go"},
	{"payouts.md", "/v1/orders/export", "kit/payout/export_test.go"},
	{"policies.md", "$API", "kit/signing/rules_curl_test.go"},
	{"quotes.md", "onramp/quote", "kit/payout/on_ramp_quotes_test.go"},
	{"quotes.md", `"currency":"MXN"`, "kit/payout/onramp_document_test.go"},
	{"rewards.md", "", "kit/widget/reward/reward_test.go"},
	{"skills.md", "", "kit/agent/skill/curl_test.go"},
	{"solana.md", "", "kit/signing/solana_test.go"},
	{"statements.md", "", "kit/payout/statements_test.go"},
	{"passkey-page.md", "$API", "kit/signing/returns_test.go"},
	{"swaps.md", "", "sdk/go/swaps_test.go"},
	{"webhooks.md", "/webhooks/endpoints", "internal/test/stories/webhooks_test.go"},
	{"widgets.md", "$API", "sdk/go/widgets_test.go"},
}

var (
	shellBlock = regexp.MustCompile("(?ms)^```(sh|console)\n(.*?)^```$")
	// A program's name in a block of another kind, or of none, would be judged by nobody.
	otherBlock = regexp.MustCompile("(?ms)^```(?:text)?\n(?:sudo |curl |make |railkit)")
	needs      = regexp.MustCompile(`<!-- needs: [^\n]+ -->\n$`)
)

// Whoever pastes a block of shell lines gets what the page says: a test has pasted it before, or a comment before the
// block says what it needs that no test has.
func TestShellLinesAreTried(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	used := make([]bool, len(pasted))
	for _, page := range append(pages, "../README.md", "../CONTRIBUTING.md", "../SECURITY.md") {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		for _, at := range shellBlock.FindAllStringSubmatchIndex(text, -1) {
			lines, line := text[at[4]:at[5]], 1+strings.Count(text[:at[0]], "\n")
			tried := false
			for i, p := range pasted {
				if p.page == page && strings.Contains(lines, p.has) {
					tried, used[i] = true, true
				}
			}
			marked := needs.MatchString(text[:at[0]])
			if text[at[2]:at[3]] == "console" {
				tried = false // it changes the machine
			}
			if tried == marked {
				t.Errorf("%s:%d: a test pastes it: %v; it says what it needs: %v; want one of the two",
					page, line, tried, marked)
			}
		}
		if at := otherBlock.FindStringIndex(text); at != nil {
			t.Errorf("%s:%d: shell lines in a block that is not sh", page, 1+strings.Count(text[:at[0]], "\n"))
		}
	}
	for i, p := range pasted {
		raw, err := os.ReadFile(filepath.Join("..", p.test))
		name := strings.TrimSuffix(filepath.Base(p.page), ".md")
		if err != nil || !strings.Contains(string(raw), name) {
			t.Errorf("%s does not paste %s: %v", p.test, p.page, err)
		}
		if !used[i] {
			t.Errorf("%s has no block with %q", p.page, p.has)
		}
	}
}
