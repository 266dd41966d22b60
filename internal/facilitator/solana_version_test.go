package facilitator_test

import (
	"encoding/json"
	"testing"

	"github.com/railkit/railkit/x402"
)

// older is an offer in the words of version 1.
func older(o x402.Offer) x402.Offer {
	o.Dialect, o.Network, o.Resource = x402.V1, "solana-devnet", "https://shop.example/weather"
	return o
}

// A payment of version 1 is settled as one of version 2 is, once, whichever version it is handed in by; and what mixes
// them is refused by the word for it.
func TestAgents_SolanaVersion1(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	f := c.serve()
	first := c.pay(older(c.offer("10000")))
	if v, err := f.Verify(t.Context(), first); err != nil || !v.Valid || v.Payer != solanaOf(c.buyer).String() {
		t.Fatalf("%+v, %v", v, err)
	}
	receipt, err := f.Settle(t.Context(), first)
	if err != nil || !receipt.Success || receipt.Network != "solana-devnet" || c.has() != 10_000 {
		t.Fatalf("%+v, %v, the seller has %d", receipt, err, c.has())
	}
	asSecond := second(t, c, first)
	fresh := c.pay(older(c.offer("10000")))
	as := func(version int, payload x402.Request, requirements []byte) x402.Request {
		return x402.Request{Version: version, Payload: payload.Payload, Requirements: requirements}
	}
	for name, tc := range map[string]struct {
		r    x402.Request
		want string
	}{
		"again":                         {first, x402.ReasonDuplicateSettlement},
		"again as version 2":            {asSecond, x402.ReasonDuplicateSettlement},
		"version 1 of version 2":        {as(1, asSecond, asSecond.Requirements), x402.ReasonInvalidVersion},
		"version 2 of version 1":        {as(2, fresh, fresh.Requirements), x402.ReasonInvalidVersion},
		"version 3":                     {as(3, fresh, fresh.Requirements), x402.ReasonInvalidVersion},
		"an offer of the other version": {as(1, fresh, asSecond.Requirements), x402.ReasonSVMNetwork},
		"an offer of another network":   {as(1, fresh, changed(t, fresh, "network", "solana")), x402.ReasonSVMNetwork},
		"nobody who pays the fee": {
			as(1, fresh, changed(t, fresh, "extra", map[string]any{})), x402.ReasonSVMNoFeePayer,
		},
	} {
		got, err := f.Settle(t.Context(), tc.r)
		if err != nil || got.Success || got.ErrorReason != tc.want {
			t.Errorf("%s: %+v, %v, want %s", name, got, err, tc.want)
		}
	}
	if c.has() != 10_000 || c.signer.signed != 1 {
		t.Errorf("the seller has %d, and %d were signed", c.has(), c.signer.signed)
	}
}

// second is a payment of version 1 as one of version 2: the same transaction.
func second(t *testing.T, c *cluster, first x402.Request) x402.Request {
	t.Helper()
	r := c.pay(c.offer("10000"))
	var is, was map[string]json.RawMessage
	if err := json.Unmarshal(r.Payload, &is); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(first.Payload, &was); err != nil {
		t.Fatal(err)
	}
	is["payload"] = was["payload"]
	raw, err := json.Marshal(is)
	if err != nil {
		t.Fatal(err)
	}
	r.Payload = raw
	return r
}

// changed is the offer of a request with another member.
func changed(t *testing.T, r x402.Request, member string, value any) []byte {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal(r.Requirements, &o); err != nil {
		t.Fatal(err)
	}
	o[member] = value
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
