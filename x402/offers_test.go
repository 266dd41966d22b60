package x402_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/railkit/railkit/x402"
)

func base(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func required(version int, offers string) string {
	return fmt.Sprintf(`{"x402Version":%d,"error":"pay","resource":{"url":"https://shop.example/a"},"accepts":[%s]}`,
		version, offers)
}

const chargeRequest = `{"amount":"10000","currency":"` + usdcText + `","recipient":"` + sellerText +
	`","methodDetails":{"chainId":84532,"credentialTypes":["permit2","authorization"]}}`

func challenge(request string) string {
	return `Payment id="abc", realm="shop.example", method="evm", intent="charge", request="` +
		base64.RawURLEncoding.EncodeToString([]byte(request)) + `"`
}

const oldBody = `{"paymentRequirement":{"amount":"0.01","currency":"USDC","network":"base","recipient":"` +
	sellerText + `","resource":"/a"}}`

// The dialect of an answer, by what it has. What has two is read as the first.
func TestReadOffersDialect(t *testing.T) {
	v1, v2 := required(1, offerV1(nil)), required(2, offerV2(nil))
	both := []x402.Dialect{x402.MPP, x402.Old}
	for name, c := range map[string]struct {
		header http.Header
		body   string
		also   []x402.Dialect
		want   x402.Dialect
	}{
		"v2":               {header("PAYMENT-REQUIRED", base(v2)), "{}", nil, x402.V2},
		"v1":               {nil, v1, nil, x402.V1},
		"v2 before v1":     {header("PAYMENT-REQUIRED", base(v2)), v1, both, x402.V2},
		"v1 before mpp":    {header("WWW-Authenticate", challenge(chargeRequest)), v1, both, x402.V1},
		"mpp":              {header("WWW-Authenticate", challenge(chargeRequest)), "", both, x402.MPP},
		"mpp not wanted":   {header("WWW-Authenticate", challenge(chargeRequest)), "", nil, ""},
		"mpp before older": {header("WWW-Authenticate", challenge(chargeRequest)), oldBody, both, x402.MPP},
		"older":            {nil, oldBody, both, x402.Old},
		"older not wanted": {nil, oldBody, nil, ""},
		"older, base64 in a body": {nil, `{"Payment-Required":"` + base(oldBody[22:len(oldBody)-1]) + `"}`, both,
			x402.Old},
		"older, in a header": {header("WWW-Authenticate",
			`x402 amount="0.01", currency="USDC", network="base", recipient="`+
				sellerText+`"`), "", both, x402.Old},
		"another scheme":     {header("WWW-Authenticate", `Basic realm="x"`), "<html>", both, ""},
		"v2 in the body":     {nil, v2, nil, x402.V2},
		"nothing":            {nil, "", both, ""},
		"a list in the body": {nil, "[1]", both, ""},
		"text in the body":   {nil, "Payment Required", both, ""},
		"another body":       {nil, `{"error":"pay"}`, both, ""},
		"mpp after another scheme": {header("WWW-Authenticate", `Basic realm="x", `+challenge(chargeRequest)), "",
			both, x402.MPP},
	} {
		got, err := x402.ReadOffers(402, c.header, []byte(c.body), c.also...)
		if c.want == "" {
			if !errors.Is(err, x402.ErrNoOffers) {
				t.Errorf("%s: %v, %v", name, got, err)
			}
			continue
		}
		if err != nil || got.Dialect != c.want || len(got.List) != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		if choice, skipped, ok := x402.Choose(got, ready()); !ok || choice.Amount.Int64() != 10000 ||
			choice.PayTo != seller.String() {
			t.Errorf("%s: not chosen: %+v", name, skipped)
		}
	}
	for _, status := range []int{200, 400, 401, 403, 500} {
		if _, err := x402.ReadOffers(status, header("PAYMENT-REQUIRED", base(v2)), nil); !errors.Is(err,
			x402.ErrNoOffers) {
			t.Errorf("status %d asks for money: %v", status, err)
		}
	}
}

// An answer that has a dialect and breaks its form is refused, and no other dialect is tried.
func TestAgents_OffersRefused(t *testing.T) {
	v1, v2 := required(1, offerV1(nil)), required(2, offerV2(nil))
	for name, c := range map[string]struct {
		header http.Header
		body   string
	}{
		"two headers":              {header("PAYMENT-REQUIRED", base(v2), "Payment-Required", base(v2)), v1},
		"a header that is no JSON": {header("PAYMENT-REQUIRED", "!!"), v1},
		"an empty header":          {header("PAYMENT-REQUIRED", ""), v1},
		"version 1 in the header":  {header("PAYMENT-REQUIRED", base(v1)), v1},
		"version 3 in the header":  {header("PAYMENT-REQUIRED", base(strings.Replace(v2, ":2,", ":3,", 1))), v1},
		"version as text":          {header("PAYMENT-REQUIRED", base(strings.Replace(v2, ":2,", `:"2",`, 1))), v1},
		"no offers":                {header("PAYMENT-REQUIRED", base(required(2, ""))), v1},
		"offers that are no list":  {header("PAYMENT-REQUIRED", base(`{"x402Version":2,"accepts":{}}`)), v1},
		"a header of two megabytes": {header("PAYMENT-REQUIRED", base(required(2,
			offerV2(fields{"pad": strings.Repeat("x", 2<<20)})))), ""},
		"101 offers":     {nil, required(1, strings.TrimSuffix(strings.Repeat(offerV1(nil)+",", 101), ","))},
		"a member twice": {nil, strings.Replace(v1, `"error"`, `"x402Version":1,"error"`, 1)},
		"a member of an offer twice": {nil, strings.Replace(v1, `"payTo"`,
			`"payTo":"0x0000000000000000000000000000000000000001","payTo"`, 1)},
		"a body of a megabyte": {nil, strings.Replace(v1, "pay", strings.Repeat("x", 1<<20), 1)},
	} {
		if got, err := x402.ReadOffers(402, c.header, []byte(c.body), x402.MPP, x402.Old); !errors.Is(err,
			x402.ErrOffers) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A list without offers, another way to pay, and no way at all are told apart.
func TestOffersThatAreNone(t *testing.T) {
	l402 := `L402 macaroon="AGIAJEemVQUTEyNCR0exk7ek90Cg==", invoice="lnbc1500n1"`
	for name, c := range map[string]struct {
		header http.Header
		body   string
		want   error
		never  error
	}{
		"accepts is empty":   {header("PAYMENT-REQUIRED", base(required(2, ""))), "", x402.ErrEmpty, x402.ErrNoOffers},
		"accepts is missing": {nil, `{"x402Version":1}`, x402.ErrOffers, x402.ErrEmpty},
		"L402":               {header("WWW-Authenticate", l402), "", x402.ErrL402, x402.ErrOffers},
		"LSAT, unquoted": {header("WWW-Authenticate", "LSAT macaroon=AGIA==, invoice=lnbc1"), "", x402.ErrL402,
			x402.ErrOffers},
		"nothing": {nil, "pay", x402.ErrNoOffers, x402.ErrL402},
	} {
		_, err := x402.ReadOffers(402, c.header, []byte(c.body))
		if !errors.Is(err, c.want) || errors.Is(err, c.never) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFiftyOffers(t *testing.T) {
	var list []string
	for i := range 50 {
		list = append(list, offerV1(fields{"maxAmountRequired": fmt.Sprint(50_000 - 100*i)}))
	}
	all, err := x402.ReadOffers(402, nil, []byte(required(1, strings.Join(list, ","))))
	if err != nil || len(all.List) != 50 {
		t.Fatalf("%d offers, %v", len(all.List), err)
	}
	if best, _, ok := x402.Choose(all, ready()); !ok || best.Amount.Int64() != 45_100 {
		t.Errorf("%v was chosen", best.Amount)
	}
}

// What is written is what the specification's examples have, and reads back.
func TestOffersRoundTrip(t *testing.T) {
	for d, text := range map[x402.Dialect]string{x402.V1: offerV1(nil), x402.V2: offerV2(nil)} {
		all := asked(t, d, text)
		all.List[0] = rebuilt(all.List[0])
		raw, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		again, err := x402.ParseOffers(d, raw)
		if err != nil || len(again.List) != 1 {
			t.Fatalf("%s: %v", raw, err)
		}
		if !all.List[0].Accepts(again.List[0]) {
			t.Errorf("%s is not the same offer", raw)
		}
		var members map[string]any
		if one, err := json.Marshal(again.List[0]); err != nil || json.Unmarshal(one, &members) != nil ||
			write(members) != text {
			t.Errorf("%s came back as %s", text, one)
		}
	}
}

// rebuilt is the offer without the bytes that it was read from.
func rebuilt(o x402.Offer) x402.Offer {
	return x402.Offer{
		Dialect: o.Dialect, Scheme: o.Scheme, Network: o.Network, Amount: o.Amount, Asset: o.Asset, PayTo: o.PayTo,
		MaxTimeoutSeconds: o.MaxTimeoutSeconds, Extra: o.Extra, Resource: o.Resource, Description: o.Description,
		MimeType: o.MimeType,
	}
}

func TestAccepts(t *testing.T) {
	mine := rebuilt(asked(t, x402.V2, offerV2(nil)).List[0])
	for name, c := range map[string]struct {
		change fields
		want   bool
	}{
		"the copy":           {nil, true},
		"more in extra":      {fields{"extra": fields{"name": "USDC", "version": "2", "more": true}}, true},
		"less in extra":      {fields{"extra": fields{"name": "USDC"}}, false},
		"another extra":      {fields{"extra": fields{"name": "USDC", "version": "1"}}, false},
		"no extra":           {fields{"extra": nil}, false},
		"another amount":     {fields{"amount": "1"}, false},
		"another payTo":      {fields{"payTo": gasText}, false},
		"another asset":      {fields{"asset": gasText}, false},
		"another network":    {fields{"network": "eip155:1"}, false},
		"another timeout":    {fields{"maxTimeoutSeconds": 61}, false},
		"another scheme":     {fields{"scheme": "upto"}, false},
		"one member more":    {fields{"discount": true}, false},
		"the other case":     {fields{"payTo": strings.ToLower(sellerText)}, false},
		"the price as a sum": {fields{"amount": "010000"}, false},
	} {
		copied, err := x402.ParseOffer(x402.V2, []byte(offerV2(c.change)))
		if err != nil {
			t.Fatal(err)
		}
		if got := mine.Accepts(copied); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
