package x402_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/x402"
)

// Well-known addresses of the sandbox and of the usual test mnemonic.
const (
	usdcText   = "0x036CbD53842c5426634e7929541eC2318f3dCF7e" // USDC on Base Sepolia
	sellerText = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	gasText    = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
)

// baseSepolia is the network of usdcText.
var baseSepolia, _ = chain.ByChainID(chain.Sandbox, 84532)

// buyerKey is the third key of the usual test mnemonic.
var buyerKey, _ = chain.ParseHex("0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a")

var (
	seller = parse(sellerText)
	buyer  = parse("0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC")
	now    = time.Unix(1_800_000_000, 0).UTC()
)

func parse(text string) evm.Address {
	a, err := evm.ParseAddress(text)
	if err != nil {
		panic(text)
	}
	return a
}

// ready is a buyer of up to one USDC, anywhere in the sandbox and by any method.
func ready() x402.Wants {
	return x402.Wants{
		Networks: chain.Networks(chain.Sandbox), Tokens: []string{"USDC"},
		Methods: []x402.Method{x402.EIP3009, x402.Permit2, x402.Sponsored}, Upto: true,
		Own: []string{buyer.String(), buyerSolana.String()},
		Max: big.NewInt(1_000_000), Now: now,
	}
}

// fields are an offer's members; nil takes one out.
type fields = map[string]any

func offerV2(change fields) string {
	return write(merge(fields{
		"scheme": "exact", "network": "eip155:84532", "amount": "10000", "asset": usdcText, "payTo": sellerText,
		"maxTimeoutSeconds": 60, "extra": fields{"name": "USDC", "version": "2"},
	}, change))
}

func offerSolana(change fields) string {
	return offerV2(merge(fields{
		"network": devnet, "asset": mintText, "payTo": sellerSolana.String(),
		"extra": fields{"feePayer": sponsorSolana.String()},
	}, change))
}

func offerV1(change fields) string {
	return write(merge(fields{
		"scheme": "exact", "network": "base-sepolia", "maxAmountRequired": "10000", "asset": usdcText,
		"payTo": sellerText, "maxTimeoutSeconds": 60, "resource": "https://shop.example/a", "description": "",
		"mimeType": "", "extra": fields{"name": "USDC", "version": "2"},
	}, change))
}

func merge(all, change fields) fields {
	for name, value := range change {
		if value == nil {
			delete(all, name)
		} else {
			all[name] = value
		}
	}
	return all
}

func write(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// asked reads offers of a version.
func asked(t testing.TB, d x402.Dialect, offers ...string) x402.Offers {
	t.Helper()
	list := ""
	for i, o := range offers {
		if i > 0 {
			list += ","
		}
		list += o
	}
	all, err := x402.ParseOffers(d, fmt.Appendf(nil, `{"x402Version":%d,"error":"pay","accepts":[%s]}`, d.Version(),
		list))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// header makes an http.Header of names and values.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// vectors are payments that @x402/evm of npm made.
type vectors struct {
	Key, Payer string
	Payments   []struct {
		Name           string
		Version        int
		Offer, Payload json.RawMessage
		Digest         string
	}
}

func readVectors(t testing.TB) (v vectors) {
	t.Helper()
	raw, err := os.ReadFile("../chain/evm/signed/testdata/payments.json")
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil || len(v.Payments) != 4 {
		t.Fatalf("%d vectors: %v", len(v.Payments), err)
	}
	return v
}

func dialect(version int) x402.Dialect {
	if version == 1 {
		return x402.V1
	}
	return x402.V2
}
