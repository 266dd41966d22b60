package facilitator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/npmtest"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// Packages of x402's makers as they come, on our chain: their buyer in our shop and in theirs by our facilitator, our
// buyer in their shop, and their facilitator in the place of ours.
func TestAgents_SolanaInterop(t *testing.T) {
	packages := npmtest.InstallX402Solana(t)
	c := newCluster(t)
	f := httptest.NewServer(c.serve().Handler())
	t.Cleanup(f.Close)
	client := func(url string) *shop.Client {
		t.Helper()
		made, err := shop.NewClient(url, shop.Timeouts{})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	buys := func(t *testing.T, url, goods string) {
		t.Helper()
		before := c.has()
		got, err := packages.Buy(url, c.buyer.Seed(), c.url+"/a")
		if err != nil {
			t.Fatal(err)
		}
		var receipt x402.Receipt
		if err := json.Unmarshal(got.Receipt, &receipt); err != nil {
			t.Fatal(err)
		}
		if got.Status != 200 || got.Body != goods || !receipt.Success || c.has() != before+10_000 ||
			receipt.Payer != solanaOf(c.buyer).String() {
			t.Errorf("%+v %+v, the seller has %d\n%s", got, receipt, c.has(), c.log.Tail(3))
		}
	}
	t.Run("their buyer in our shop", func(t *testing.T) {
		sold, err := shop.New(client(f.URL), "", clock.System{}).Sell(shop.Sale{Offers: []x402.Offer{c.offer("10000")}},
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ours")) }))
		if err != nil {
			t.Fatal(err)
		}
		street := httptest.NewServer(sold)
		defer street.Close()
		buys(t, street.URL, "ours")
	})
	t.Run("their buyer and ours in their shop", func(t *testing.T) {
		err := packages.Sell(f.URL, c.seller.String(), func(port int) error {
			url := fmt.Sprintf("http://127.0.0.1:%d/weather", port)
			buys(t, url, "the goods")
			ourPurchase(t, c, url)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("their facilitator", func(t *testing.T) { theirSolanaFacilitator(t, c, packages, client) })
}

// ourPurchase pays what a shop of theirs asks for, once.
func ourPurchase(t *testing.T, c *cluster, url string) {
	t.Helper()
	before := c.has()
	header := headerOf(t, c.pay(asks(t, url)))
	if status := crowd(t, url, header); status[http.StatusOK] != 1 || c.has() != before+10_000 {
		t.Errorf("%v, the seller has %d more", status, c.has()-before)
	}
}

// theirSolanaFacilitator settles what our buyer signs, and has the reasons that ours has.
func theirSolanaFacilitator(
	t *testing.T, c *cluster, packages npmtest.X402Solana, client func(string) *shop.Client,
) {
	key := solanaKey(5)
	c.control("a", "requestAirdrop", solanaOf(key).String(), 1_000_000_000)
	was := c.by
	c.by = &bytesSigner{key: key}
	defer func() { c.by = was }()
	c.folder = t.TempDir()
	ours := httptest.NewServer(c.serve().Handler())
	defer ours.Close()
	err := packages.Facilitate(c.url+"/a", key.Seed(), func(port int) error {
		theirs := client(fmt.Sprintf("http://127.0.0.1:%d", port))
		before, r := c.has(), c.pay(c.offer("10000"))
		for _, f := range []*shop.Client{theirs, client(ours.URL)} {
			if v, err := f.Verify(t.Context(), r); err != nil || !v.Valid {
				t.Errorf("%+v, %v", v, err)
			}
		}
		if receipt, err := theirs.Settle(t.Context(), r); err != nil || !receipt.Success || c.has() != before+10_000 {
			t.Errorf("%+v, %v, the seller has %d", receipt, err, c.has())
		}
		for what, change := range map[string]func(o *x402.Offer){
			"another price":  func(o *x402.Offer) { o.Amount = "10001" },
			"another payee":  func(o *x402.Offer) { o.PayTo = solanaOf(solanaKey(8)).String() },
			"another mint":   func(o *x402.Offer) { o.Asset = c.network.Tokens[1].Address },
			"another memo":   func(o *x402.Offer) { o.Extra.Memo = "order-1" },
			"no fee payer":   func(o *x402.Offer) { o.Extra.FeePayer = "" },
			"another's fee":  func(o *x402.Offer) { o.Extra.FeePayer = o.PayTo },
			"settled before": func(*x402.Offer) {},
		} {
			q, o := c.pay(c.offer("10000")), c.offer("10000")
			if what == "settled before" {
				q = r
			}
			change(&o)
			raw, err := json.Marshal(o)
			if err != nil {
				return err
			}
			q.Requirements = raw
			agree(t, theirs, client(ours.URL), q, what)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
