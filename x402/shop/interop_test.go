package shop_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/internal/test/npmtest"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// Packages of x402's makers buy here, and a buyer of ours buys from them. No chain and no facilitator of theirs is
// there: the facilitator is the test's.
func TestInterop(t *testing.T) {
	packages := npmtest.InstallX402(t)
	t.Run("their buyer in our shop", func(t *testing.T) { theirBuyer(t, packages) })
	t.Run("our buyer in their shop", func(t *testing.T) { ourBuyer(t, packages) })
	t.Run("their payments", func(t *testing.T) { theirPayments(t, packages) })
}

// today is a street at the time that the packages' clock shows.
func today(t *testing.T) *street {
	s := newStreet(t)
	s.time = time.Now()
	s.bank.time = s.time
	return s
}

func theirBuyer(t *testing.T, packages npmtest.X402) {
	s := today(t)
	permit := usdcOffer("10000")
	permit.Extra.AssetTransferMethod = x402.Permit2
	sold, err := s.shop.Sell(shop.Sale{Offers: []x402.Offer{permit}}, http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("the goods")) }))
	if err != nil {
		t.Fatal(err)
	}
	s.mux.Handle("/permit2", sold)
	for i, c := range []struct {
		path, header string
		version      int
	}{{"/a", "PAYMENT-SIGNATURE", 2}, {"/a", "X-PAYMENT", 1}, {"/permit2", "PAYMENT-SIGNATURE", 2}} {
		p, err := packages.Buy(s.url+c.path+"?city=Rome", chain.Hex(buyerKey), c.version)
		if err != nil {
			t.Fatal(err)
		}
		var receipt x402.Receipt
		if err := json.Unmarshal(p.Receipt, &receipt); err != nil {
			t.Fatal(err)
		}
		if p.Status != 200 || p.Body != "the goods" || !receipt.Success || receipt.Payer != buyer.String() ||
			len(p.Sent) != 2 || p.Sent[1] != c.header || s.bank.count() != i+1 {
			t.Errorf("%+v: %+v %s, %d settled", c, p, p.Receipt, s.bank.count())
		}
	}
}

func ourBuyer(t *testing.T, packages npmtest.X402) {
	s := today(t)
	n, _ := chain.BySlug(chain.Sandbox, "base")
	token, _ := n.TokenBySymbol("USDC")
	err := packages.Sell(s.bank.URL, seller.String(), token.Address, func(port int) error {
		s.url = fmt.Sprintf("http://127.0.0.1:%d", port)
		for _, path := range []string{"/eip3009", "/permit2"} {
			name, value := s.pay(path)
			before := s.bank.count()
			if a := s.get(path, name, value); a.status != 200 || a.body != "the goods" || !a.receipt.Success ||
				a.receipt.Payer != buyer.String() || s.bank.count() != before+1 {
				return fmt.Errorf("%s: %d %s %+v", path, a.status, a.body, a.receipt)
			}
			if a := s.get(path, name, value); a.status != 402 {
				return fmt.Errorf("%s again: %d", path, a.status)
			}
		}
		if s.bank.count() != 2 {
			return errors.New("the shop did not settle")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Payments that were made just now are read as those of testdata/payments.json in chain/evm/signed are.
func theirPayments(t *testing.T, packages npmtest.X402) {
	payments, err := packages.Pay()
	if err != nil || len(payments) != 4 {
		t.Fatalf("%d payments, %v", len(payments), err)
	}
	usdc := signed.Domain{Name: "USDC", Version: "2", ChainID: 84532, Contract: parse(usdcOffer("1").Asset)}
	for _, p := range payments {
		whole := fmt.Sprintf(`{"x402Version":%d,"scheme":"exact","network":"base-sepolia","accepted":%s,"payload":%s}`,
			p.Version, p.Offer, p.Payload)
		read, err := x402.ParsePayload([]byte(whole))
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		digest := read.Digest(usdc)
		if from, err := read.Recover(usdc); err != nil || from != buyer || chain.Hex(digest[:]) != p.Digest {
			t.Errorf("%s: %x of %s, %v", p.Name, digest, from, err)
		}
	}
}
