package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// An amount is read to the last digit, as a text and as a number, or not at all.
func TestPayout_AmountsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]money.Currency{money.USD, money.MXN, money.USDC}).Draw(t, "currency")
		text := rapid.OneOf(
			rapid.StringMatching(`(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?`),
			rapid.StringMatching(`-?[0-9]{1,4}([.eE+-][0-9]{0,4}){0,2}`),
		).Draw(t, "text")
		for _, literal := range []string{`"` + text + `"`, text} {
			var a struct {
				Amount decimal `json:"amount"`
			}
			if decode([]byte(`{"amount":`+literal+`}`), &a) != nil {
				continue // not a JSON number
			}
			got, err := a.Amount.amount(c)
			want, exact := minor(text, c)
			if (err == nil) != exact || err == nil && got != want || err != nil && !errors.Is(err, fiat.ErrAnswer) {
				t.Fatalf("%s %s: %v %v, want %v %v", literal, c, got, err, want, exact)
			}
		}
	})
}

// minor counts with big rationals; it is false for what has no plain form or does
// not fit.
func minor(text string, c money.Currency) (money.Amount, bool) {
	whole, _, _ := strings.Cut(text, ".")
	if strings.ContainsAny(text, "eE+-") || strings.HasSuffix(text, ".") ||
		len(whole) > 1 && whole[0] == '0' || whole == "" {
		return money.Amount{}, false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return money.Amount{}, false
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.Places())), nil)))
	if !r.IsInt() || !r.Num().IsInt64() {
		return money.Amount{}, false
	}
	return money.Of(r.Num().Int64(), c), true
}

// Whatever fields a transfer comes with, it is never taken for a payment that was
// not told, and what is taken holds together.
func TestPayout_TransfersOfAnyShape(t *testing.T) {
	texts := rapid.SampledFrom([]any{nil, "", "100", "100.0", "0", "1836.12", "-1", "1e9", 100, true, "usdc", "mxn",
		"tr_1", "payment_processed", "refunded", []any{}, map[string]any{}})
	fields := []string{"id", "client_reference_id", "state", "on_behalf_of", "amount", "developer_fee", "source",
		"destination", "receipt", "return_details", "updated_at"}
	rapid.Check(t, func(t *rapid.T) {
		var whole map[string]any
		if err := json.Unmarshal([]byte(taken), &whole); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			at := whole
			name := rapid.SampledFrom(fields).Draw(t, "field")
			if inner, ok := at[name].(map[string]any); ok && len(inner) > 0 && rapid.Bool().Draw(t, "inner") {
				at, name = inner, rapid.SampledFrom([]string{
					"currency", "amount", "initial_amount", "final_amount", "developer_fee", "exchange_rate",
				}).Draw(t, "name")
			}
			at[name] = texts.Draw(t, "value")
		}
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		var a transferAnswer
		if decode(text, &a) != nil {
			return
		}
		got, err := a.transfer()
		if err != nil {
			if !errors.Is(err, fiat.ErrAnswer) {
				t.Fatalf("%v", err)
			}
			return
		}
		processed := strings.Contains(fmt.Sprint(whole["state"]), "payment_processed")
		if (got.State == fiat.TransferProcessed) != processed || processed && got.Destination.Minor <= 0 ||
			got.Fee.Minor > got.Source.Minor || !got.Source.Currency.Known() {
			t.Fatalf("%s: %+v", text, got)
		}
	})
}

func TestPayout_Countries(t *testing.T) {
	for alpha2, want := range map[string]string{
		"MX":  "MEX",
		"us":  "USA",
		"GB":  "GBR",
		"DE":  "DEU",
		"BR":  "BRA",
		"NL":  "NLD",
		"CH":  "CHE",
		"QQ":  "",
		"":    "",
		"MEX": "",
	} {
		if got, ok := alpha3(alpha2); got != want || ok != (want != "") {
			t.Errorf("%s: %s", alpha2, got)
		}
	}
	seen := map[string]bool{}
	for _, code := range alpha3s {
		seen[code] = true
	}
	if len(alpha3s) != 249 || len(seen) != 249 {
		t.Errorf("%d countries, %d codes", len(alpha3s), len(seen))
	}
}
