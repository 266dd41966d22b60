package payout_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

const onRampPath = "/v1/payout/onramp/quote"

// What a deposit gives, to the smallest unit, in both forms of the request.
func TestPayout_OnRampQuotes(t *testing.T) {
	t.Parallel()
	d := newCounter(t)
	got := must(d.Payments.QuoteOnRamp(
		t.Context(),
		railkit.OnRampQuoteRequest{SourceAmount: "5000", SourceCurrency: "mxn", DestinationCurrency: "usdc"},
	))(t)
	want := railkit.OnRampQuote{
		Estimate: railkit.Estimate{
			SourceAmount: "5000.00", SourceCurrency: "mxn", DestinationAmount: "265.960790",
			DestinationCurrency: "usdc", MinimumAmount: "100.00", MaximumAmount: "20000000.00",
			MidmarketRate: "0.05405405", SellRate: "0.05378377975", DisplayRate: "1 USDC ≈ 18.59 MXN",
			NetworkFeePercent: "0.6", NetworkFeeAmount: "30.00", ServiceFeePercent: "0.5", ServiceFeeAmount: "25.00",
			TotalFeePercent: "1.1", TotalFeeAmount: "55.00", EstimatedArrival: "minutes",
		},
		ConvertedAmount: "4945.00", BeyondAmount: "0.000000", SourcePaymentRail: "spei",
	}
	want.DeveloperFeePercent, want.DeveloperFeeAmount = want.ServiceFeePercent, want.ServiceFeeAmount
	if *got != want {
		t.Errorf("%+v, want\n%+v", *got, want)
	}
	alias := d.Do(d.Keys.BenchKey, "POST", onRampPath,
		`{"from":{"currency":"mxn","country":"MX"},"to":{"currency":"usdc","chain":"base"},"amount":"5000"}`)
	var same struct{ Data railkit.OnRampQuote }
	if err := json.Unmarshal([]byte(alias.Body), &same); err != nil || alias.Status != 200 || same.Data != want {
		t.Errorf("the samples' form: %d %s", alias.Status, alias.Body)
	}
	t.Run("Targets", d.onRampTargets)
	t.Run("Refused", d.refusesOnRampQuotes)
	t.Run("Rails", d.onRampRails)
	t.Run("Document", d.onRampDocument)
}

// For every pair, what is asked for is what arrives, and the deposit for it is the smallest.
func (d *counter) onRampTargets(t *testing.T) {
	for _, from := range money.Fiat {
		for _, to := range money.Stablecoins {
			target := must(d.Payments.QuoteOnRamp(t.Context(), railkit.OnRampQuoteRequest{
				DestinationAmount: "250.000001", SourceCurrency: string(from), DestinationCurrency: string(to),
			}))(t)
			source := must(d.Payments.QuoteOnRamp(t.Context(), railkit.OnRampQuoteRequest{
				SourceAmount: target.SourceAmount, SourceCurrency: string(from), DestinationCurrency: string(to),
			}))(t)
			parse := func(text string) int64 { return must(money.Parse(text, to))(t).Minor }
			if target.DestinationAmount != "250.000001" || source.TotalFeeAmount != target.TotalFeeAmount ||
				parse(target.DestinationAmount)+parse(target.BeyondAmount) != parse(source.DestinationAmount) {
				t.Errorf("%s to %s: %+v, and the deposit gives\n%+v", from, to, *target, *source)
			}
		}
	}
}

func (d *counter) refusesOnRampQuotes(t *testing.T) {
	for body, message := range map[string]string{
		`{"source_currency":"mxn","destination_currency":"usdc"}`:                                                      "source_amount or destination_amount is required",
		`{"source_amount":"1","destination_amount":"1","source_currency":"mxn","destination_currency":"usdc"}`:         "and not both",
		`{"source_amount":"100","source_currency":"usdc","destination_currency":"usdc"}`:                               "source_currency must be one of",
		`{"source_amount":"100","source_currency":"mxn","destination_currency":"usd"}`:                                 "destination_currency must be one of",
		`{"source_amount":"100","source_currency":"mxn","destination_currency":"usdc","source_payment_rail":"ach"}`:    "source_payment_rail must be one of the source currency's",
		`{"source_amount":"100.001","source_currency":"mxn","destination_currency":"usdc"}`:                            "source_amount must have at most 2 decimals",
		`{"source_amount":"99.99","source_currency":"mxn","destination_currency":"usdc"}`:                              "source_amount must be at least 100.00 MXN",
		`{"source_amount":"20000000.01","source_currency":"mxn","destination_currency":"usdc"}`:                        "source_amount must be at most 20000000.00 MXN",
		`{"destination_amount":"1","source_currency":"usd","destination_currency":"usdt"}`:                             "destination_amount takes a deposit of 1.02 USD, which must be at least 5.00 USD",
		`{"destination_amount":"9000000000000","source_currency":"mxn","destination_currency":"usdc"}`:                 "which must be at most 20000000.00 MXN",
		`{"destination_amount":"9","amount":"9","from":{"currency":"usd"},"to":{"currency":"usdt"}}`:                   "and not both",
		`{"source_amount":"1","amount":"2","source_currency":"usd","destination_currency":"usdt","chain":"base"}`:      "amount",
		`{"source_amount":"1000","source_currency":"mxn","destination_currency":"usdc","destination_payment_rail":""}`: "destination_payment_rail",
	} {
		a := d.Do(d.Keys.BenchKey, "POST", onRampPath, body)
		wantCode(t, body, a, 400, "validation_failed", message)
	}
	for chain, code := range map[string]string{
		"base": "pair_unsupported", "near": "pair_unsupported", "arbitrum": "chain_not_watched", "polygon": "",
	} {
		a := d.Do(d.Keys.BenchKey, "POST", onRampPath,
			`{"source_amount":"1000","source_currency":"mxn","destination_currency":"usdt","chain":"`+chain+`"}`)
		if got, _ := a.Field("error").(string); got != code {
			t.Errorf("USDT on %s, which has no account there: %d %s", chain, a.Status, a.Body)
		}
	}
	a := d.Do(d.Keys.BenchKey, "POST", onRampPath,
		`{"source_amount":"4.99","source_currency":"eur","destination_currency":"usdc"}`)
	details, _ := a.Field("details").(map[string]any)
	if details["field"] != "source_amount" || details["minimum"] != "5.00" || details["maximum"] != "1000000.00" ||
		details["currency"] != "EUR" {
		t.Errorf("the limits are not told: %d %s", a.Status, a.Body)
	}
}

// The rail of a deposit says when it arrives.
func (d *counter) onRampRails(t *testing.T) {
	for _, c := range []struct{ currency, rail, want, text string }{
		{"usd", "", "ach", "by "}, {"usd", "wire", "wire", "by "}, {"eur", "", "sepa", "minutes by SEPA Instant"},
		{"brl", "", "pix", "seconds"}, {"gbp", "faster_payments", "faster_payments", "minutes"},
	} {
		q := must(d.Payments.QuoteOnRamp(t.Context(), railkit.OnRampQuoteRequest{
			SourceAmount: "250", SourceCurrency: c.currency, DestinationCurrency: "usdt", SourcePaymentRail: c.rail,
		}))(t)
		days := c.want == "ach" || c.want == "wire" || c.want == "sepa"
		if q.SourcePaymentRail != c.want || !strings.HasPrefix(q.EstimatedArrival, c.text) ||
			(q.CutOffAt != "") != days || (q.ArrivesBy > q.CutOffAt) != days {
			t.Errorf("%s by %q: %+v", c.currency, c.rail, *q)
		}
	}
}

// The line and the table of docs/quotes.md about deposits are what the server answers.
func (d *counter) onRampDocument(t *testing.T) {
	raw := must(os.ReadFile("../../docs/quotes.md"))(t)
	_, lines, _ := strings.Cut(string(raw), "```sh\ncurl -s $API"+onRampPath)
	lines, _, _ = strings.Cut(lines, "```")
	script := exec.Command("sh", "-eu", "-c", "curl -sS $API"+onRampPath+lines)
	script.Env = append(os.Environ(), "API="+d.BaseURL, "KEY="+d.Keys.BenchKey)
	out, err := script.CombinedOutput()
	var told struct{ Data map[string]any }
	if err != nil || json.Unmarshal(out, &told) != nil {
		t.Fatalf("%s (%v)", out, err)
	}
	for field, currency := range map[string]string{
		"source_amount": " MXN", "network_fee_amount": " MXN", "service_fee_amount": " MXN",
		"converted_amount": " MXN", "sell_rate": "", "destination_amount": " USDC",
	} {
		value, _ := told.Data[field].(string)
		if line := "| `" + field + "` | " + value + currency + " |\n"; !strings.Contains(string(raw), line) {
			t.Errorf("docs/quotes.md has no line %s", line)
		}
	}
}

// The operator sets fees and limits. A currency that is not named keeps its own.
func TestPayout_OnRampQuotesAsConfigured(t *testing.T) {
	t.Parallel()
	d := newCounter(t, func(c *apptest.Config) {
		c.DepositNetworkFee, c.DepositPlatformFee = "0", "100"
		c.DepositLeast, c.DepositMost = map[string]int64{"mxn": 200}, map[string]int64{"mxn": 5000}
	})
	q := must(d.Payments.QuoteOnRamp(t.Context(), railkit.OnRampQuoteRequest{
		SourceAmount: "200", SourceCurrency: "mxn", DestinationCurrency: "usdc",
	}))(t)
	if q.TotalFeeAmount != "2.00" || q.NetworkFeeAmount != "0.00" || q.TotalFeePercent != "1" ||
		q.MinimumAmount != "200.00" || q.MaximumAmount != "5000.00" {
		t.Errorf("%+v", *q)
	}
	_, key := d.NewWorkspace([]auth.Scope{auth.Agent}, auth.Payout)
	_, err := d.ClientWith(key).Payments.QuoteOnRamp(t.Context(), railkit.OnRampQuoteRequest{
		SourceAmount: "200", SourceCurrency: "mxn", DestinationCurrency: "usdc",
	})
	wantError(t, "a key of another scope", err, 403, "insufficient_scope")
	d.rate("18.5", 3600)
	_, err = d.Payments.QuoteOnRamp(t.Context(), railkit.OnRampQuoteRequest{
		SourceAmount: "200", SourceCurrency: "brl", DestinationCurrency: "usdt",
	})
	wantError(t, "an old rate", err, 503, "rate_stale")
}
