package x402_test

import (
	"encoding/base64"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/x402"
)

// A header that is read is written again and read as the same.
func FuzzHeader(f *testing.F) {
	for _, text := range []string{
		"", "e30=", "e30", "eyJhIjoxLCJhIjoyfQ==", base(required(2, offerV2(nil))), base(`{"a":"~~~???"}`), "----",
		"====",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := x402.DecodeHeader(text)
		if err != nil {
			return
		}
		again, err := x402.EncodeHeader(raw)
		if err != nil {
			t.Fatalf("%s was read and cannot be written: %v", raw, err)
		}
		if got, err := x402.DecodeHeader(again); err != nil || string(got) != string(raw) {
			t.Fatalf("%s came back as %s, %v", raw, got, err)
		}
	})
}

// Whatever a shop answers: what is chosen is within the buyer's limits, a token of the registry, and paid to whom the
// offer names.
func FuzzOffers(f *testing.F) {
	for _, body := range []string{
		"", "{}", required(1, offerV1(nil)), required(1, offerV1(fields{"maxAmountRequired": "1e3"})), oldBody,
		required(1, `"x",`+offerV1(nil)), required(1, strings.TrimSuffix(strings.Repeat(offerV1(nil)+",", 50), ",")),
	} {
		f.Add("", "", body)
	}
	for _, o := range []string{
		offerV2(nil), offerV2(fields{"extra": fields{"assetTransferMethod": "permit2"}}),
		offerV2(fields{"scheme": "upto", "extra": fields{"facilitatorAddress": gasText}}),
		offerV2(fields{"network": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"}), offerSolana(nil),
		offerSolana(fields{"extra": fields{
			"feePayer": sponsorSolana.String(), "memo": "order-1", "recentBlockhash": "x",
		}}),
	} {
		f.Add(base(required(2, o)), "", "")
	}
	f.Add("", challenge(chargeRequest), "")
	f.Add("", `Basic x, Payment id=1,realm="\"",a = b`, "")
	w := ready()
	f.Fuzz(func(t *testing.T, required, authenticate, body string) {
		h := http.Header{}
		if required != "" {
			h.Set(x402.HeaderRequired, required)
		}
		if authenticate != "" {
			h.Set("WWW-Authenticate", authenticate)
		}
		all, err := x402.ReadOffers(402, h, []byte(body), x402.MPP, x402.Old)
		if err != nil {
			return
		}
		c, skipped, ok := x402.Choose(all, w)
		if !ok && len(skipped) != len(all.List) {
			t.Fatalf("%d of %d are skipped, and none fits", len(skipped), len(all.List))
		}
		if !ok {
			return
		}
		if c.Amount.Sign() <= 0 || c.Amount.Cmp(w.Max) > 0 || c.PayTo == "" || slices.Contains(w.Own, c.PayTo) ||
			slices.Contains(w.Own, c.FeePayer) || c.Token.Symbol != "USDC" || c.Seconds < 10 || c.Seconds > 120 {
			t.Fatalf("%+v", c)
		}
		if !strings.EqualFold(c.PayTo, c.Offer.PayTo) {
			t.Fatalf("%s is paid for %s", c.PayTo, c.Offer.PayTo)
		}
		if _, found := c.Network.TokenByAddress(c.Token.Address); !found {
			t.Fatalf("%s is no token of %s", c.Token.Address, c.Network.Slug)
		}
	})
}

// A payment that is read has numbers that contracts can read, and its digest can be made.
func FuzzPayload(f *testing.F) {
	for _, v := range readVectors(f).Payments {
		if v.Version == 2 {
			f.Add([]byte(`{"x402Version":2,"accepted":` + string(v.Offer) + `,"payload":` + string(v.Payload) + `}`))
		} else {
			f.Add([]byte(`{"x402Version":1,"scheme":"exact","network":"base-sepolia","payload":` + string(v.Payload) +
				`}`))
		}
	}
	f.Add([]byte(`{"x402Version":1,"payload":{"signature":"0x","authorization":{}}}`))
	f.Add([]byte(`{"x402Version":2,"accepted":null,"payload":null}`))
	f.Add([]byte(`{"x402Version":2,"accepted":` + offerSolana(nil) + `,"payload":{"transaction":"` + goldenText +
		`"}}`))
	c := chosen(f, asked(f, x402.V2, offerV2(nil)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := x402.ParsePayload(raw)
		if err != nil {
			return
		}
		if p.Transaction != nil {
			again, err := x402.ParsePayload(p.Raw)
			if err != nil || again.ID() != p.ID() || again.Payer() != p.Payer() {
				t.Fatalf("%s is read as another payment: %v", p.Raw, err)
			}
			return
		}
		var check error
		if p.Permit != nil {
			check = p.Permit.Check()
		} else {
			check = p.Authorization.Check()
		}
		if check != nil || p.End().Cmp(new(big.Int)) < 0 || p.ID() == "" {
			t.Fatalf("%s: %v", raw, check)
		}
		if from, err := p.Recover(c.Domain()); err == nil && from == (evm.Address{}) {
			t.Fatal("signed by nobody")
		}
		again, err := x402.ParsePayload(p.Raw)
		if err != nil || again.ID() != p.ID() || again.Digest(c.Domain()) != p.Digest(c.Domain()) {
			t.Fatalf("%s is read as another payment: %v", p.Raw, err)
		}
	})
}

func FuzzReceipt(f *testing.F) {
	f.Add(base(`{"success":true,"transaction":"0xab","network":"eip155:84532"}`), "")
	f.Add("", base64.RawURLEncoding.EncodeToString([]byte(`{"status":"success","timestamp":"2026-01-02T03:04:05Z"}`)))
	f.Fuzz(func(t *testing.T, v2, mpp string) {
		h := http.Header{"Payment-Receipt": {mpp}}
		if v2 != "" {
			h.Set(x402.HeaderReceipt, v2)
		}
		if r, _, err := x402.ReadReceipt(h); err == nil && r.Success && r.Pending() {
			t.Fatalf("%+v", r)
		}
	})
}
