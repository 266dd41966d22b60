package x402_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/x402"
)

// Of Solana's devnet. usdcAccount is the buyer's token account, of which nobody has a key.
const (
	devnet      = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
	mintText    = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
	blockhash   = "4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM"
	usdcAccount = "H1AviagU5Y17z77v1F9qZPJ9kCbCsL4ewiZABNfGYoRs"
)

// goldenText is what @x402/svm 2.27.0 pays 0.01 USDC with, with the memo order-1.
const goldenText = "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADKWap/" +
	"oT7YLTFSipvWuaIkaUOdDYxoy0tttb6x6eHCc/szz06V2TDrMm4fkWeCSOANmMBQAmNVrVr9FsgTPjMGgAIBBAiBOXcOqH0XX1ajVGbDTH7My42K" +
	"kbTuN6Jd9g9bj8mzlIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29cVfrYUDwcTMIz1rajclqlUU/uq3ieryKWb3Ki2UMxyVvtxjbgQB4p" +
	"wJnqJwOAZZHm5AvuwQkVBwJdu/5tY3Yf4jtELLORIVfxOpM9ATQoLQMrX/7NAaLb8bd5BgjfAC6nAwZGb+UhFzL/7K26csOb57yM5bvF9xJrLEOb" +
	"OkAAAAAFSlNamSkhBk0k6HFg2jh8fDW13bySu4HkH6hAQQVEjQbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpAQAAAAAAAAAAAAAAAAAA" +
	"AAAAAAAAAAAAAAAAAAAAAAAEBQAFAiBOAAAFAAkDAQAAAAAAAAAHBAMEAgEKDBAnAAAAAAAABgYAB29yZGVyLTEA"

var (
	buyerSolanaKey, buyerSolana = solanaKey(1)
	_, sponsorSolana            = solanaKey(2)
	_, sellerSolana             = solanaKey(3)
)

func solanaKey(b byte) (ed25519.PrivateKey, solana.Address) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
	return key, solana.Address(key.Public().(ed25519.PublicKey))
}

// payToOn is somebody who can be paid on a network.
func payToOn(n chain.Network) string {
	if n.Kind == chain.Solana {
		return sellerSolana.String()
	}
	return sellerText
}

// paidOnSolana makes the payment of an offer, and its header.
func paidOnSolana(t testing.TB, c x402.Choice, nonce byte) (p x402.Payment, name, value string) {
	t.Helper()
	p = c.Pay(buyerSolana.String(), [32]byte{nonce}, now)
	hash, err := solana.ParseAddress(blockhash)
	if err != nil {
		t.Fatal(err)
	}
	p.Blockhash = hash
	if name, value, err = p.Header(ed25519.Sign(buyerSolanaKey, toSign(t, p))); err != nil {
		t.Fatal(err)
	}
	return p, name, value
}

func readHeader(t testing.TB, name, value string) x402.Payload {
	t.Helper()
	p, found, err := x402.ReadPayment(http.Header{name: {value}})
	if err != nil || !found {
		t.Fatalf("%s: %v %v", name, found, err)
	}
	return p
}

// The payment of an offer is the transaction that @x402/svm makes for it, in both versions, and a shop reads it.
func TestSolanaPayment(t *testing.T) {
	extra := fields{"extra": fields{"feePayer": sponsorSolana.String(), "memo": "order-1"}}
	v1 := merge(fields{"network": "solana-devnet", "asset": mintText, "payTo": sellerSolana.String()}, extra)
	var ids []string
	for name, all := range map[string]x402.Offers{
		"v2": asked(t, x402.V2, offerSolana(extra)), "v1": asked(t, x402.V1, offerV1(v1)),
	} {
		c := chosen(t, all)
		if c.Method != x402.Sponsored || c.FeePayer != sponsorSolana.String() || c.Network.Slug != "solana" {
			t.Errorf("%s: %+v", name, c)
		}
		_, header, value := paidOnSolana(t, c, 1)
		p := readHeader(t, header, value)
		raw, err := p.Transaction.Encode()
		if text := base64.StdEncoding.EncodeToString(raw); err != nil || text != goldenText {
			t.Errorf("%s: %s, %v", name, text, err)
		}
		if p.Payer() != buyerSolana.String() || p.Dialect == x402.V2 && !c.Offer.Accepts(p.Accepted) {
			t.Errorf("%s: of %s for %+v", name, p.Payer(), p.Accepted)
		}
		ids = append(ids, p.ID())
	}
	if ids[0] != ids[1] || !strings.HasPrefix(ids[0], devnet+" transaction ") {
		t.Errorf("one payment has the names %q", ids)
	}
}

// Where the seller wants no memo of its own, two payments that are alike otherwise are two.
func TestSolanaPayment_Nonce(t *testing.T) {
	c := chosen(t, asked(t, x402.V2, offerSolana(nil)))
	_, name, one := paidOnSolana(t, c, 1)
	_, _, two := paidOnSolana(t, c, 2)
	if readHeader(t, name, one).ID() == readHeader(t, name, two).ID() {
		t.Error("two payments have one name")
	}
}

// No header leaves with another's signature, or with one over other terms.
func TestAgents_SolanaPaymentOfAnotherSigner(t *testing.T) {
	p, _, _ := paidOnSolana(t, chosen(t, asked(t, x402.V2, offerSolana(nil))), 1)
	signature := ed25519.Sign(buyerSolanaKey, toSign(t, p))
	for name, change := range map[string]func(*x402.Payment){
		"payer":     func(p *x402.Payment) { p.From = sellerSolana.String() },
		"nonce":     func(p *x402.Payment) { p.Nonce[0]++ },
		"payTo":     func(p *x402.Payment) { p.Choice.PayTo = sponsorSolana.String() },
		"fee payer": func(p *x402.Payment) { p.Choice.FeePayer = sellerSolana.String() },
		"memo":      func(p *x402.Payment) { p.Choice.Memo = "order-2" },
		"blockhash": func(p *x402.Payment) { p.Blockhash[0]++ },
	} {
		other := p
		change(&other)
		if _, _, err := other.Header(signature); err == nil {
			t.Errorf("%s: a header was written", name)
		}
	}
	if _, _, err := p.Header(signature[:63]); !errors.Is(err, solana.ErrSignature) {
		t.Errorf("a short signature: %v", err)
	}
	p.From = p.Choice.FeePayer
	if _, err := p.ToSign(); err == nil {
		t.Error("the buyer would pay the fee")
	}
}

// What is no transaction is told apart from what is no payment: facilitators have a word of their own for it.
func TestSolanaPayload_Unreadable(t *testing.T) {
	payload := func(inner any) []byte {
		raw, err := json.Marshal(map[string]any{"x402Version": 2, "accepted": json.RawMessage(offerSolana(nil)),
			"payload": inner})
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	for name, text := range map[string]string{
		"no base64": "?", "base64 of the URL": strings.NewReplacer("+", "-", "/", "_").Replace(goldenText) + "-",
		"a line break": goldenText[:76] + "\n" + goldenText[76:], "cut off": goldenText[:600],
		"one byte more": goldenText + "AAAA", "hex": "0x00",
	} {
		_, err := x402.ParsePayload(payload(map[string]string{"transaction": text}))
		if !errors.Is(err, x402.ErrTransaction) || !errors.Is(err, x402.ErrPayload) {
			t.Errorf("%s: %v", name, err)
		}
	}
	both := map[string]any{"transaction": goldenText, "signature": "0x00"}
	if _, err := x402.ParsePayload(payload(both)); err == nil || errors.Is(err, x402.ErrTransaction) {
		t.Errorf("a payment of two families: %v", err)
	}
}

// Each network has one name in each version, which is read as that network.
func TestNetworkNames(t *testing.T) {
	for name, v1 := range map[string]string{
		devnet: "solana-devnet", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": "solana",
		"solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z": "solana-testnet", "eip155:84532": "base-sepolia",
	} {
		n, ok := x402.ReadNetwork(x402.V2, name)
		old, ok1 := x402.ReadNetwork(x402.V1, v1)
		again, ok2 := x402.NameV1(n)
		if !ok || !ok1 || !ok2 || again != v1 || x402.NetworkID(n) != name || x402.NetworkID(old) != name {
			t.Errorf("%s is %+v, which is %s and %s", name, n, x402.NetworkID(n), again)
		}
	}
}
