package railkit_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	railkit "github.com/railkit/railkit/sdk/go"
)

// own are the bodies that are not types of package rest, because they differ from the
// server's on purpose: by the schema of each, and the properties that they leave out.
var own = []struct {
	body   any
	schema string
	out    []string
}{
	// An address is one type here, whether it is sent or answered.
	{railkit.RecipientRequest{}, "RecipientRequest", nil},
	{railkit.BankAccountRequest{}, "BankAccountRequest", nil},
	// What is empty is not sent, or was null.
	{railkit.RecipientUpdate{}, "RecipientChange", nil},
	{railkit.RecipientOrder{}, "RecipientOrder", nil},
	{railkit.RecipientSummary{}, "RecipientPayments", nil},
	{railkit.RecipientWithAccounts{}, "RecipientWithAccounts", nil},
	{railkit.BankAccountUpdate{}, "BankAccountChange", []string{
		"account_number", "bank_name", "bic", "br_code", "clabe", "country", "currency", "iban", "legal_name",
		"pix_key",
		"rail", "rfc", "sort_code", "tax_id", // the API takes them to refuse them by name
	}},
	// Numbers are exact, digit by digit.
	{railkit.Quote{}, "Quote", nil},
	{railkit.FeeBreakdown{}, "FeeBreakdown", nil},
	{railkit.QuoteLimits{}, "AmountLimits", nil},
	{railkit.OffRampQuote{}, "OffRampQuote", nil},
	{railkit.QuoteRequest{}, "QuoteRequest", []string{ // a second form of the same question
		"destinationAmount", "destinationCurrency", "sourceAmount", "sourceCurrency",
	}},
}

// The client's own bodies have the properties that the document says.
func TestDocument(t *testing.T) {
	raw, err := os.ReadFile("../../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range own {
		got := append(propertiesOf(reflect.TypeOf(c.body)), c.out...)
		slices.Sort(got)
		if want := slices.Sorted(maps.Keys(doc.Components.Schemas[c.schema].Properties)); !slices.Equal(got, want) {
			t.Errorf("%T has %v, the schema %s %v", c.body, got, c.schema, want)
		}
	}
}

func propertiesOf(body reflect.Type) []string {
	var names []string
	for _, field := range reflect.VisibleFields(body) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}
