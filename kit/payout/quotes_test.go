package payout_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

const quotePath = "/v1/payout/accounts/quote"

// The amount is fixed at the end whose currency it is in; numbers are exact.
func TestPayout_Quotes(t *testing.T) {
	t.Parallel()
	d := newCounter(t)
	source := railkit.Quote{
		Rate: "18.4075", Fees: "0.75", NetAmount: "1826.94", SourceAmount: "100", SourceCurrency: "USDC",
		DestinationCurrency: "MXN",
		FeeBreakdown: railkit.FeeBreakdown{
			Network: "0.5", Platform: "0.25", Converted: "99.249763", Residue: "0.000237",
		},
	}
	target := source
	target.Fees, target.NetAmount, target.SourceAmount = "0.750093", "1827.17", "100.012351"
	target.FeeBreakdown = railkit.FeeBreakdown{
		Network: "0.500062", Platform: "0.250031", Converted: "99.262258", Residue: "0",
	}
	for _, c := range []struct {
		body, amount, currency string
		want                   railkit.Quote
	}{
		{`"amount":100,"currency":"USDC"`, "100", "USDC", source},
		{`"amount":100.00,"currency":"usd"`, "100", "USD", source},
		{`"amount":1827.17,"currency":"MXN"`, "1827.17", "MXN", target},
		{`"source_amount":"100","source_currency":"usdc","destination_currency":"mxn"`, "100", "USDC", source},
		{`"source_amount":"100","source_currency":"USD","destination_currency":"MXN"`, "100", "USD", source},
		{`"destinationAmount":"1827.17","sourceCurrency":"usdc","destinationCurrency":"mxn","token":"usdc","chain":"base"`, "1827.17", "MXN", target},
		{`"amount":100,"currency":"USDC","beneficiary_account_id":"` + d.account.ID + `"`, "100", "USDC", source},
	} {
		a := d.Do(d.Keys.BenchKey, "POST", quotePath, `{"beneficiaryId":"`+d.to.ID+`",`+c.body+`}`)
		var got struct{ Data railkit.Quote }
		if err := json.Unmarshal([]byte(a.Body), &got); err != nil || a.Status != 200 {
			t.Fatalf("%s: %d %s", c.body, a.Status, a.Body)
		}
		q := got.Data
		c.want.Amount, c.want.Currency = railkit.Number(c.amount), c.currency
		short := railkit.Quote{
			Amount: q.Amount, Currency: q.Currency, Rate: q.Rate, Fees: q.Fees, NetAmount: q.NetAmount,
			SourceAmount:   q.SourceAmount,
			SourceCurrency: q.SourceCurrency, DestinationCurrency: q.DestinationCurrency, FeeBreakdown: q.FeeBreakdown,
		}
		if short != c.want {
			t.Errorf("%s:\n%+v, want\n%+v", c.body, short, c.want)
		}
		if q.MidmarketRate != "18.5" ||
			q.SpreadBps != 50 || q.Rail != "spei" || q.Chain != "base" || q.Token != "usdc" ||
			q.WithdrawAddress != d.address.Address ||
			q.Limits != (railkit.QuoteLimits{Minimum: "1", Maximum: "1000000"}) ||
			uuid.Validate(q.QuoteID) != nil || q.ExpiresAt <= q.RateFetchedAt {
			t.Errorf("%s: %+v", c.body, q)
		}
	}
	t.Run("Refused", d.refusesQuotes)
	t.Run("Names", d.namesForQuotes)
	t.Run("OffRamp", d.offRampQuotes)
	t.Run("BankingDays", d.bankingDays)
	t.Run("Stale", d.staleRates) // last: it spoils the desk
}

func (d *counter) refusesQuotes(t *testing.T) {
	for body, want := range map[string]struct {
		status        int
		code, message string
	}{
		`"amount":"100","currency":"USDC"`: {
			400, "validation_failed", "amount must be a number",
		},
		`"amount":1e2,"currency":"USDC"`: {
			400, "validation_failed", "amount must be a plain decimal number",
		},
		`"amount":-1,"currency":"USDC"`: {
			400, "validation_failed", "amount must be greater than 0",
		},
		`"amount":0.00,"currency":"USDC"`: {
			400, "validation_failed", "amount must be greater than 0",
		},
		`"amount":1.0000001,"currency":"USDC"`: {
			400, "validation_failed", "amount must have at most 6 decimals",
		},
		`"amount":1.001,"currency":"USD"`: {
			400, "validation_failed", "amount must have at most 2 decimals",
		},
		`"amount":99999999999999,"currency":"USDC"`: {
			400, "validation_failed", "amount is out of range",
		},
		`"currency":"USDC"`: {
			400, "validation_failed", "amount is required",
		},
		`"amount":1`: {
			400, "validation_failed", "currency is required",
		},
		`"amount":1,"currency":"XYZ"`: {
			400, "validation_failed", "currency must be one of",
		},
		`"amount":1,"currency":"EUR"`: {
			400, "validation_failed", "currency must be MXN, USDC, USDT, USD or the bank account's own: there is no account number in EUR",
		},
		`"amount":1,"currency":"USDC","token":"usdt"`: {
			400, "validation_failed", "token must be the stablecoin that the amount is in",
		},
		`"amount":1,"currency":"USDC","source_amount":"1"`: {
			400, "validation_failed", "must not be given with the fields of source",
		},
		`"source_amount":"1","destination_amount":"1"`: {
			400, "validation_failed", "sourceAmount or destinationAmount is required",
		},
		`"source_amount":"1","destination_currency":"mxn"`: {
			400, "validation_failed", "sourceCurrency is required",
		},
		`"source_amount":"1","source_currency":"usdc"`: {
			400, "validation_failed", "destinationCurrency is required",
		},
		`"source_amount":"1","source_currency":"usdc","destination_currency":"usd"`: {
			400, "validation_failed", "destinationCurrency must be the bank account's",
		},
		`"source_amount":"1","source_currency":"mxn","destination_currency":"mxn"`: {
			400, "validation_failed", "sourceAmount takes a deposit of 1.00 MXN, which must be at least 100.00 MXN",
		},
		`"destination_amount":"1","source_currency":"usdt","destination_currency":"mxn"`: {422, "withdraw_address_missing", "make one with"},
		`"amount":1,"currency":"USDT"`: {
			422, "withdraw_address_missing", "make one with",
		},
		`"amount":1,"currency":"USDC","chain":"polygon"`: {
			422, "withdraw_address_missing", "make one with",
		},
		`"amount":0.0005,"currency":"USDC"`: {
			422, "amount_too_small", "nothing is left",
		},
		`"amount":0.999999,"currency":"USDC"`: {
			422, "amount_out_of_bounds", "from 1.00 USDC to 1000000.00 USDC",
		},
		`"amount":1000000.000001,"currency":"USDC"`: {
			422, "amount_out_of_bounds", "from 1.00 USDC",
		},
		`"amount":92233720368547758.07,"currency":"MXN"`: {
			422, "amount_out_of_bounds", "from 1.00 USDC",
		},
		`"amount":1,"currency":"USDC","beneficiaryAccountId":"` + uuid.NewString() + `"`: {
			422, "bank_account_missing", "no such active bank account",
		},
	} {
		a := d.Do(d.Keys.BenchKey, "POST", quotePath, `{"beneficiaryId":"`+d.to.ID+`",`+body+`}`)
		wantCode(t, body, a, want.status, want.code, want.message)
	}
}

// Whom a quote is for has to be said where it is not plain.
func (d *counter) namesForQuotes(t *testing.T) {
	ask := func(to *railkit.Recipient, more ...string) apptest.Answer {
		body := map[string]any{"beneficiaryId": to.ID, "amount": json.Number("10"), "currency": "USD"}
		for i := 0; i < len(more); i += 2 {
			body[more[i]] = more[i+1]
		}
		return d.post(quotePath, body)
	}
	bea, clabe := d.recipient("Bea", mexican)
	wantCode(t, "no address", ask(bea), 422, "withdraw_address_missing", "withdraw-addresses")
	d.receive(clabe, "polygon", money.USDC)
	d.receive(clabe, "polygon", money.USDT)
	if a := ask(bea); a.Status != 200 || !strings.Contains(a.Body, `"sourceCurrency":"USDC"`) {
		t.Errorf("two tokens: %d %s", a.Status, a.Body)
	}
	if a := ask(bea, "token", "usdt"); a.Status != 200 || !strings.Contains(a.Body, `"sourceCurrency":"USDT"`) {
		t.Errorf("with a token: %d %s", a.Status, a.Body)
	}
	if a := ask(bea, "currency", "USDT"); a.Status != 200 {
		t.Errorf("with a currency that says it: %d %s", a.Status, a.Body)
	}
	d.receive(clabe, "arbitrum", money.USDC)
	wantCode(
		t, "two chains, and neither is base", ask(bea, "currency", "USDC"), 400, "validation_failed",
		"chain is required",
	)
	d.receive(clabe, "base", money.USDC)
	for _, currency := range []string{"USDC", "USD"} { // the body of the contract, and nothing more
		if a := ask(bea, "currency", currency); a.Status != 200 {
			t.Errorf("the one on base: %d %s", a.Status, a.Body)
		}
	}
	second := d.open(bea, railkit.BankAccountRequest{Country: "MX", Currency: "mxn", CLABE: "002010077777777771"})
	wantCode(t, "two accounts", ask(bea), 400, "validation_failed", "beneficiaryAccountId is required")
	if a := ask(bea, "beneficiaryAccountId", clabe.ID, "chain", "base"); a.Status != 200 {
		t.Errorf("with an account: %d %s", a.Status, a.Body)
	}
	archived := false
	if _, err := d.BankAccounts.Update(
		t.Context(), bea.ID, second.ID, railkit.BankAccountUpdate{IsActive: &archived},
	); err != nil {
		t.Fatal(err)
	}
	wantCode(
		t, "an archived account", ask(bea, "beneficiaryAccountId", second.ID), 422, "bank_account_missing",
		"no such active",
	)
	if _, err := d.Recipients.SetStatus(
		t.Context(), bea.ID, railkit.RecipientStatusRequest{Status: "archived"},
	); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "an archived recipient", ask(bea, "chain", "base"), 422, "recipient_not_found", "Recipient not found")
	_, key := d.NewWorkspace([]auth.Scope{auth.PayoutWrite}, auth.Payout)
	_, err := d.ClientWith(
		key,
	).Payments.Quote(t.Context(), railkit.QuoteRequest{BeneficiaryID: d.to.ID, Amount: "10", Currency: "USDC"})
	wantError(t, "another workspace's recipient", err, 422, "recipient_not_found")
	bare := must(d.Recipients.Create(t.Context(), person("Cid")))(t)
	wantCode(t, "no account", ask(bare), 422, "bank_account_missing", "no such active")
}

func (d *counter) offRampQuotes(t *testing.T) {
	q := must(d.Payments.QuoteOffRamp(
		t.Context(),
		railkit.OffRampQuoteRequest{SourceAmount: "100", SourceCurrency: "usdc", DestinationCurrency: "mxn"},
	))(t)
	want := railkit.OffRampQuote{DestinationPaymentRail: "spei", Estimate: railkit.Estimate{
		SourceAmount: "100.000000", SourceCurrency: "usdc", DestinationAmount: "1826.94", DestinationCurrency: "mxn",
		MinimumAmount: "1.000000", MaximumAmount: "1000000.000000",
		MidmarketRate: "18.5", SellRate: "18.4075", DisplayRate: "1 USDC ≈ 18.41 MXN",
		NetworkFeePercent: "0.5", NetworkFeeAmount: "0.500000", ServiceFeePercent: "0.25", ServiceFeeAmount: "0.250000",
		TotalFeePercent: "0.75", TotalFeeAmount: "0.750000", EstimatedArrival: "minutes",
	}}
	if *q != want {
		t.Errorf("%+v, want\n%+v", *q, want)
	}
	const path = "/v1/payout/offramp/quote"
	alias := d.Do(d.Keys.BenchKey, "POST", path, `{"from":{"currency":"usdc","chain":"base"},"to":{"currency":"mxn","country":"MX"},"amount":"100"}`)
	if data, _ := alias.Field("data").(map[string]any); alias.Status != 200 || data["destination_amount"] != "1826.94" {
		t.Errorf("the samples' form: %d %s", alias.Status, alias.Body)
	}
	for body, message := range map[string]string{
		`{"source_currency":"usdc","destination_currency":"mxn"}`:                                                               "source_amount or destination_amount is required",
		`{"source_amount":"1","source_currency":"mxn","destination_currency":"mxn"}`:                                            "source_currency must be one of",
		`{"source_amount":"1","source_currency":"usdc","destination_currency":"mxn","destination_payment_rail":"sepa"}`:         "destination_payment_rail must be one of the destination",
		`{"source_amount":"1.0000001","source_currency":"usdc","destination_currency":"mxn","destination_payment_rail":"spei"}`: "source_amount must have at most 6 decimals",
	} {
		wantCode(t, body, d.Do(d.Keys.BenchKey, "POST", path, body), 400, "validation_failed", message)
	}
}

// Where banks have closing days, quotes name the cut-off and the day on which the money is there.
func (d *counter) bankingDays(t *testing.T) {
	from := time.Now()
	check := func(what, text, cutOffAt, arrivesBy string) {
		t.Helper()
		cutOff, err := time.Parse(time.RFC3339, cutOffAt)
		by, wrong := time.Parse(time.RFC3339, arrivesBy)
		if err != nil || wrong != nil || !cutOff.After(from) || !by.After(cutOff) {
			t.Errorf("%s: cut-off at %q, there by %q (%v, %v)", what, cutOffAt, arrivesBy, err, wrong)
		}
		if !strings.HasPrefix(text, "by ") {
			t.Errorf("%s: %q, want a day", what, text)
		}
	}
	o := must(d.Payments.QuoteOffRamp(
		t.Context(),
		railkit.OffRampQuoteRequest{SourceAmount: "100", SourceCurrency: "usdc", DestinationCurrency: "usd"},
	))(t)
	check("an estimate by ACH", o.EstimatedArrival, o.CutOffAt, o.ArrivesBy)
	_, account := d.recipient(
		"Ida", railkit.BankAccountRequest{
			Currency: "usd", AccountNumber: "1234567890", RoutingNumber: "111000025", AccountType: "checking",
			BankName: "First", Rail: "wire",
		},
	)
	d.receive(account, "base", money.USDC)
	q := must(d.Payments.Quote(
		t.Context(), railkit.QuoteRequest{BeneficiaryID: account.RecipientID, Amount: "10", Currency: "USD"},
	))(t)
	check("a quote by wire", q.EstimatedArrival, q.CutOffAt, q.ArrivesBy)
	if q := d.quote("100", "USDC"); q.CutOffAt != "" || q.ArrivesBy != "" || q.EstimatedArrival != "minutes" {
		t.Errorf("a quote by SPEI: %q, cut-off at %q, there by %q", q.EstimatedArrival, q.CutOffAt, q.ArrivesBy)
	}
}

// A rate of which nobody knows that it still holds makes no price.
func (d *counter) staleRates(t *testing.T) {
	d.rate("19", 0)
	if q := d.quote("100", "USDC"); q.Rate != "18.4075" {
		t.Errorf("within half a minute another rate: %s", q.Rate)
	}
	d.rate("19", 3600)
	body := map[string]any{"beneficiaryId": d.to.ID, "amount": json.Number("10"), "currency": "EUR"}
	_, account := d.recipient(
		"Eva", railkit.BankAccountRequest{Currency: "EUR", IBAN: "DE89 3704 0044 0532 0130 00", BIC: "AGBMDEMM"},
	)
	d.receive(account, "base", money.USDC)
	body["beneficiaryId"] = account.RecipientID
	a := d.post(quotePath, body)
	wantCode(t, "an old rate", a, 503, "rate_stale", "no fresh exchange rate")
	if a.Header.Get("Retry-After") == "" {
		t.Error("nothing says when to come again")
	}
	_, err := d.Payments.QuoteOffRamp(
		t.Context(),
		railkit.OffRampQuoteRequest{SourceAmount: "100", SourceCurrency: "usdt", DestinationCurrency: "gbp"},
	)
	wantError(t, "an old rate for nobody", err, 503, "rate_stale")
	d.rate("19", 0)
	if a := d.post(quotePath, body); a.Status != 200 {
		t.Errorf("once it is fresh: %d %s", a.Status, a.Body)
	}
}

// Without a partner there is no rate.
func TestPayout_QuoteWithoutPartner(t *testing.T) {
	t.Parallel()
	_, err := apptest.New(t).Client().Payments.QuoteOffRamp(
		t.Context(),
		railkit.OffRampQuoteRequest{SourceAmount: "100", SourceCurrency: "usdc", DestinationCurrency: "mxn"},
	)
	wantError(t, "without a partner", err, 503, "rate_stale")
}
