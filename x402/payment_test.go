package x402_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/x402"
)

// sign is the buyer's signature of a payment.
func sign(t rapid.TB, p x402.Payment) []byte {
	t.Helper()
	sig, err := evm.Sign(buyerKey, [32]byte(toSign(t, p)))
	if err != nil {
		t.Fatal(err)
	}
	return signed.WriteSignature(sig)
}

func toSign(t rapid.TB, p x402.Payment) []byte {
	t.Helper()
	what, err := p.ToSign()
	if err != nil {
		t.Fatal(err)
	}
	return what
}

func chosen(t testing.TB, all x402.Offers) x402.Choice {
	t.Helper()
	c, skipped, ok := x402.Choose(all, ready())
	if !ok {
		t.Fatalf("nothing was chosen: %+v", skipped)
	}
	return c
}

// What npm's @x402/evm pays is read here, is its payer's, and is what we would sign for the offer.
func TestPaymentsOfOthers(t *testing.T) {
	for _, v := range readVectors(t).Payments {
		d := dialect(v.Version)
		offer, err := x402.ParseOffer(d, v.Offer)
		if err != nil {
			t.Fatal(err)
		}
		whole := fmt.Sprintf(`{"x402Version":2,"accepted":%s,"payload":%s}`, v.Offer, v.Payload)
		if d == x402.V1 {
			whole = fmt.Sprintf(`{"x402Version":1,"scheme":"exact","network":"base-sepolia","payload":%s}`, v.Payload)
		}
		p, err := x402.ParsePayload([]byte(whole))
		if err != nil {
			t.Fatalf("%s: %v", v.Name, err)
		}
		c := chosen(t, x402.Offers{Dialect: d, List: []x402.Offer{offer}})
		if from, err := p.Recover(c.Domain()); err != nil || from != buyer || p.From() != buyer {
			t.Errorf("%s: of %s, %v", v.Name, from, err)
		}
		if digest := p.Digest(c.Domain()); chain.Hex(digest[:]) != v.Digest {
			t.Errorf("%s: digest %x, want %s", v.Name, digest, v.Digest)
		}
		if p.Permit == nil {
			continue
		}
		mine := x402.Payment{
			Choice: c, From: buyer.String(), Nonce: [32]byte(p.Permit.Nonce.FillBytes(make([]byte, 32))),
			ValidBefore: p.End().Int64(),
		}
		if digest := toSign(t, mine); chain.Hex(digest) != v.Digest {
			t.Errorf("%s: ours is %x, want %s", v.Name, digest, v.Digest)
		}
	}
}

// paid signs a payment and reads its header as a shop does.
func paid(t testing.TB, c x402.Choice, nonce [32]byte) (x402.Payment, x402.Payload) {
	t.Helper()
	payment := c.Pay(buyer.String(), nonce, now)
	name, value, err := payment.Header(sign(t, payment))
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	h.Set(name, value)
	p, found, err := x402.ReadPayment(h)
	if err != nil || !found {
		t.Fatalf("%s: %v %v", name, found, err)
	}
	return payment, p
}

// A seller finds its extensions again in the payment, as they were; version 1 has none.
func TestPaymentEchoesExtensions(t *testing.T) {
	const extensions = `{"order":{"info":{"id":"7"},"schema":{}}}`
	all := asked(t, x402.V2, offerV2(nil))
	all.Extensions = []byte(extensions)
	if _, p := paid(t, chosen(t, all), [32]byte{1}); string(p.Extensions) != extensions {
		t.Errorf("the payment has the extensions %s", p.Extensions)
	}
	if _, p := paid(t, chosen(t, asked(t, x402.V1, offerV1(nil))), [32]byte{1}); p.Extensions != nil {
		t.Errorf("a payment of version 1 has the extensions %s", p.Extensions)
	}
}

func TestPaymentRoundTrip(t *testing.T) {
	permit := fields{"extra": fields{"assetTransferMethod": "permit2"}}
	upto := fields{"scheme": "upto", "extra": fields{"facilitatorAddress": gasText}}
	for name, all := range map[string]x402.Offers{
		"v2":      asked(t, x402.V2, offerV2(fields{"unknown": []int{1}})),
		"v1":      asked(t, x402.V1, offerV1(nil)),
		"permit2": asked(t, x402.V2, offerV2(permit)),
		"upto":    asked(t, x402.V2, offerV2(upto)),
	} {
		c := chosen(t, all)
		rapid.Check(t, func(t *rapid.T) {
			nonce := [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "nonce"))
			payment := c.Pay(buyer.String(), nonce, now)
			header, value, err := payment.Header(sign(t, payment))
			if err != nil {
				t.Fatal(err)
			}
			p, found, err := x402.ReadPayment(http.Header{header: {value}})
			if err != nil || !found {
				t.Fatal(found, err)
			}
			if from, err := p.Recover(c.Domain()); err != nil || from != buyer {
				t.Fatalf("%s: %s %v", name, from, err)
			}
			if p.Digest(c.Domain()) != [32]byte(toSign(t, payment)) || p.End().Int64() != now.Unix()+60 {
				t.Fatalf("%s: another payment was read", name)
			}
			if p.Dialect == x402.V2 && !c.Offer.Accepts(p.Accepted) {
				t.Fatalf("%s: another offer was accepted", name)
			}
			if p.Dialect == x402.V1 && (p.Scheme != "exact" || p.Network != "base-sepolia") {
				t.Fatalf("%s: %s %s", name, p.Scheme, p.Network)
			}
			if p.Permit != nil && p.Spender != p.Permit.Spender() {
				t.Fatalf("%s: spender %s", name, p.Spender)
			}
		})
	}
}

// The same money has one name, whatever the version that it is paid in.
func TestPayloadID(t *testing.T) {
	nonce := [32]byte{7}
	_, one := paid(t, chosen(t, asked(t, x402.V1, offerV1(nil))), nonce)
	_, two := paid(t, chosen(t, asked(t, x402.V2, offerV2(nil))), nonce)
	_, other := paid(t, chosen(t, asked(t, x402.V2, offerV2(nil))), [32]byte{8})
	if one.ID() != two.ID() || one.ID() == other.ID() {
		t.Errorf("%q %q %q", one.ID(), two.ID(), other.ID())
	}
}

// A payment lives as long as the offer allows, and never longer than MaxLife.
func TestPaymentLife(t *testing.T) {
	for offered, want := range map[int]int64{10: 10, 60: 60, 120: 120, 86400: 120} {
		c := chosen(t, asked(t, x402.V2, offerV2(fields{"maxTimeoutSeconds": offered})))
		if got := c.Pay(buyer.String(), [32]byte{}, now).ValidBefore - now.Unix(); got != want {
			t.Errorf("%d s were offered, it lives %d s", offered, got)
		}
	}
}

// No header leaves with another's signature, or with one over other terms.
func TestAgents_PaymentOfAnotherSigner(t *testing.T) {
	payment := chosen(t, asked(t, x402.V2, offerV2(nil))).Pay(buyer.String(), [32]byte{1}, now)
	sig := sign(t, payment)
	for name, change := range map[string]func(p *x402.Payment){
		"payer":  func(p *x402.Payment) { p.From = seller.String() },
		"nonce":  func(p *x402.Payment) { p.Nonce[0]++ },
		"life":   func(p *x402.Payment) { p.ValidBefore++ },
		"amount": func(p *x402.Payment) { p.Choice.Amount = big.NewInt(10001) },
		"payTo":  func(p *x402.Payment) { p.Choice.PayTo = gasText },
		"token":  func(p *x402.Payment) { p.Choice.Token.Address = gasText },
		"chain":  func(p *x402.Payment) { p.Choice.Network.ChainID = 8453 },
	} {
		other := payment
		change(&other)
		if _, _, err := other.Header(sig); err == nil {
			t.Errorf("%s: a header was written", name)
		}
	}
}

func TestPaymentMPP(t *testing.T) {
	line := challenge(chargeRequest) + `, opaque="e30", other="1", header="Payment-Authorization"`
	all, err := x402.ReadOffers(402, header("WWW-Authenticate", line), nil, x402.MPP)
	if err != nil {
		t.Fatal(err)
	}
	payment := chosen(t, all).Pay(buyer.String(), [32]byte{9}, now)
	if payment.Nonce != evm.Keccak256([]byte("abcshop.example")) {
		t.Errorf("nonce %x is not bound to the challenge", payment.Nonce)
	}
	name, value, err := payment.Header(sign(t, payment))
	if err != nil || name != "Payment-Authorization" {
		t.Fatal(name, err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(value, "Payment "))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Challenge map[string]string
		Source    string
		Payload   map[string]string
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.Challenge["id"] != "abc" || got.Challenge["opaque"] != "e30" || got.Challenge["other"] != "" ||
		got.Source != "did:pkh:eip155:84532:"+buyer.String() || got.Payload["type"] != "authorization" ||
		got.Payload["value"] != "10000" || got.Payload["nonce"] != chain.Hex(payment.Nonce[:]) ||
		len(got.Payload) != 8 {
		t.Errorf("%s", raw)
	}
}

func TestPaymentOlder(t *testing.T) {
	all, err := x402.ReadOffers(402, nil, []byte(oldBody), x402.Old)
	if err != nil {
		t.Fatal(err)
	}
	_, p := paid(t, chosen(t, all), [32]byte{1})
	if p.Dialect != x402.V1 || p.Network != "base-sepolia" || p.Authorization.Value.Int64() != 10000 {
		t.Errorf("%+v", p)
	}
}

// Each way in which a payment cannot be read.
func TestPayloadRefused(t *testing.T) {
	_, p := paid(t, chosen(t, asked(t, x402.V2, offerV2(nil))), [32]byte{1})
	good := string(p.Raw)
	swap := func(from, to string) string {
		if !strings.Contains(good, from) {
			t.Fatalf("%s is not in %s", from, good)
		}
		return strings.Replace(good, from, to, 1)
	}
	sig := chain.Hex(p.Signature)
	for name, text := range map[string]string{
		"no JSON":              "x",
		"a list":               "[]",
		"no version":           swap(`"x402Version":2`, `"x":2`),
		"version 3":            swap(`"x402Version":2`, `"x402Version":3`),
		"no accepted":          swap(`"accepted"`, `"taken"`),
		"no payload":           swap(`"payload"`, `"paid"`),
		"no authorization":     swap(`"authorization"`, `"auth"`),
		"both methods":         swap(`"authorization"`, `"permit2Authorization":{},"authorization"`),
		"a member twice":       swap(`"value"`, `"value":"1","value"`),
		"a number for a text":  swap(`"value":"10000"`, `"value":10000`),
		"a negative value":     swap(`"value":"10000"`, `"value":"-1"`),
		"an exponent":          swap(`"value":"10000"`, `"value":"1e4"`),
		"a leading zero":       swap(`"value":"10000"`, `"value":"010000"`),
		"over 256 bits":        swap(`"value":"10000"`, `"value":"`+max256[:77]+`6"`),
		"a short nonce":        swap(`"nonce":"0x01`, `"nonce":"0x`),
		"a nonce without 0x":   swap(`"nonce":"0x`, `"nonce":"`),
		"no address":           swap(`"from":"`+buyer.String(), `"from":"0x12`),
		"a wrong checksum":     swap(`"to":"`+sellerText, `"to":"0x70997970c51812dc3A010C7d01b50e0d17dc79C8`),
		"a signature as text":  swap(sig, "signed"),
		"half a digit":         swap(sig, sig[:len(sig)-1]),
		"signature without 0x": swap(sig, sig[2:]),
	} {
		if got, err := x402.ParsePayload([]byte(text)); !errors.Is(err, x402.ErrPayload) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := x402.ParsePayload([]byte(good)); err != nil {
		t.Error(err)
	}
}

// Headers that are no payment are an error, and none at all is no error.
func TestReadPayment(t *testing.T) {
	_, p := paid(t, chosen(t, asked(t, x402.V2, offerV2(nil))), [32]byte{1})
	good := base(string(p.Raw))
	for name, h := range map[string]http.Header{
		"garbage":             header("Payment-Signature", "garbage"),
		"empty":               header("Payment-Signature", ""),
		"twice":               header("Payment-Signature", good, "Payment-Signature", good),
		"version 2 in v1's":   header("X-Payment", good),
		"garbage before good": header("Payment-Signature", "garbage", "X-Payment", good),
	} {
		if _, found, err := x402.ReadPayment(h); !found || err == nil {
			t.Errorf("%s: %v %v", name, found, err)
		}
	}
	if _, found, err := x402.ReadPayment(header("X-Other", good)); found || err != nil {
		t.Error(found, err)
	}
	if _, found, err := x402.ReadPayment(header("payment-signature", good)); !found || err != nil {
		t.Error(found, err)
	}
}

func TestRecoverForms(t *testing.T) {
	c := chosen(t, asked(t, x402.V2, offerV2(nil)))
	_, p := paid(t, c, [32]byte{1})
	sig, err := signed.ReadSignature(p.Signature)
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{
		"v 0 or 1":  sig.Bytes(),
		"high s":    highS(p.Signature),
		"64 bytes":  p.Signature[:64],
		"66 bytes":  append(append([]byte{}, p.Signature...), 0),
		"all zeros": make([]byte, 65),
	} {
		bad := p
		bad.Signature = raw
		if from, err := bad.Recover(c.Domain()); err == nil {
			t.Errorf("%s is a signature of %s", name, from)
		}
	}
}

// highS is the other signature that the curve's equation holds for.
func highS(sig []byte) []byte {
	order, _ := new(big.Int).SetString("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)
	s := new(big.Int).Sub(order, new(big.Int).SetBytes(sig[32:64]))
	return append(append(append([]byte{}, sig[:32]...), s.FillBytes(make([]byte, 32))...), 27+28-sig[64])
}

func TestReadReceipt(t *testing.T) {
	v2 := base(`{"success":true,"transaction":"0xab","network":"eip155:84532","payer":"0x1","amount":"7"}`)
	pending := base(`{"success":false,"errorReason":"settlement_pending","transaction":"0xcd","network":"base-sepolia"}`)
	mpp := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil,
		`{"status":"success","method":"evm","timestamp":%q,"reference":"0xef"}`, now.Format(time.RFC3339)))
	for name, c := range map[string]struct {
		header  http.Header
		want    x402.Receipt
		pending bool
	}{
		"v2":  {header("PAYMENT-RESPONSE", v2), x402.Receipt{Success: true, Transaction: "0xab"}, false},
		"v1":  {header("X-PAYMENT-RESPONSE", pending), x402.Receipt{Transaction: "0xcd"}, true},
		"mpp": {header("Payment-Receipt", mpp), x402.Receipt{Success: true, Transaction: "0xef"}, false},
	} {
		got, found, err := x402.ReadReceipt(c.header)
		if err != nil || !found || got.Success != c.want.Success || got.Transaction != c.want.Transaction ||
			got.Pending() != c.pending {
			t.Errorf("%s: %+v %v %v", name, got, found, err)
		}
	}
	if _, found, err := x402.ReadReceipt(header("X-Other", v2)); found || err != nil {
		t.Error(found, err)
	}
	for _, bad := range []http.Header{
		header("PAYMENT-RESPONSE", "x"), header("PAYMENT-RESPONSE", v2, "PAYMENT-RESPONSE", v2),
		header("PAYMENT-RESPONSE", base(`{"success":"yes"}`)), header("Payment-Receipt", base(`{"timestamp":"now"}`)),
	} {
		if got, found, err := x402.ReadReceipt(bad); !found || err == nil {
			t.Errorf("%v: %+v", bad, got)
		}
	}
}
