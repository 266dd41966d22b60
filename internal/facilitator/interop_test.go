package facilitator_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/npmtest"
	"github.com/railkit/railkit/internal/test/x402test"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// Packages of x402's makers as they come, on a chain: their buyer in our shop by our facilitator, and their facilitator
// in the place of ours.
func TestAgents_FacilitatorInterop(t *testing.T) {
	packages := npmtest.InstallX402(t)
	c := x402test.OwnChain(t, 5*time.Second)
	t.Run("their buyer", func(t *testing.T) { theirBuyer(t, c, packages) })
	t.Run("their shop", func(t *testing.T) { theirShop(t, c, packages) })
	t.Run("their facilitator", func(t *testing.T) { theirFacilitator(t, c, packages) })
}

// One payment, sent ten times to a shop whose handler is slow, buys once: also where the buyer names the sale, so that
// each of the ten seems to be a repetition.
func theirShop(t *testing.T, c *x402test.Chain, packages npmtest.X402) {
	f, seller, buyer := c.Facilitator(), x402test.NewKey(t).Address, c.Buyer("1")
	err := packages.Sell(f.URL, seller.String(), c.USDC.Address, func(port int) error {
		for i, extension := range []string{
			"", `,"extensions":{"payment-identifier":{"info":{"required":false,"id":"buyers_own_0123456789"}}}`,
		} {
			url := fmt.Sprintf("http://127.0.0.1:%d/crowd", port)
			r, _, _ := c.Pay(buyer, asks(t, url))
			r.Payload = []byte(strings.TrimSuffix(string(r.Payload), "}") + extension + "}")
			status := crowd(t, url, headerOf(t, r))
			if status[http.StatusOK] != 1 || c.Balance(seller) != int64(i+1)*10000 {
				t.Errorf("%s: %v, the seller has %d", extension, status, c.Balance(seller))
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// asks is what a shop asks for.
func asks(t *testing.T, url string) x402.Offer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	offers, err := x402.ReadOffers(res.StatusCode, res.Header, nil)
	if err != nil {
		t.Fatal(err)
	}
	return offers.List[0]
}

// crowd sends one payment ten times at once, and counts the answers by their status.
func crowd(t *testing.T, url, payment string) map[int]int {
	var all sync.WaitGroup
	answers := make([]int, 10)
	for i := range answers {
		all.Go(func() {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set(x402.HeaderPayment, payment)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			answers[i] = res.StatusCode
			_ = res.Body.Close()
		})
	}
	all.Wait()
	status := map[int]int{}
	for _, s := range answers {
		status[s]++
	}
	return status
}

// street is a shop of the honest kind.
func street(t *testing.T, c *x402test.Chain, f shop.Facilitator) (url string, seller evm.Address) {
	t.Helper()
	seller = x402test.NewKey(t).Address
	h, err := shops.Honest(shops.Config{
		Facilitator: f, Network: c.Network, PayTo: seller.String(), Clock: clock.System{},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL, seller
}

func theirBuyer(t *testing.T, c *x402test.Chain, packages npmtest.X402) {
	url, seller := street(t, c, c.Facilitator().Client(t))
	buyer := c.Buyer("1")
	c.Approve(buyer)
	for i, p := range []struct {
		path    string
		version int
	}{{"/weather", 2}, {"/weather", 1}, {"/weather/permit2", 2}} {
		got, err := packages.Buy(url+p.path, chain.Hex(buyer.Secret), p.version)
		if err != nil {
			t.Fatal(err)
		}
		var receipt x402.Receipt
		if err := json.Unmarshal(got.Receipt, &receipt); err != nil {
			t.Fatal(err)
		}
		if got.Status != 200 || got.Body != shops.Weather || !receipt.Success || len(receipt.Transaction) != 66 ||
			c.Balance(seller) != int64(i+1)*10000 {
			t.Errorf("%+v: %+v %s", p, got, got.Receipt)
		}
	}
}

func theirFacilitator(t *testing.T, c *x402test.Chain, packages npmtest.X402) {
	gas, buyer := x402test.NewKey(t), c.Buyer("1")
	c.Give(gas.Address, "native", "1")
	c.Approve(buyer)
	ours := c.Facilitator()
	err := packages.Facilitate(c.Devnet.RPCURL(x402test.Slug), chain.Hex(gas.Secret), func(port int) error {
		theirs, err := shop.NewClient(fmt.Sprintf("http://127.0.0.1:%d", port), shop.Timeouts{})
		if err != nil {
			return err
		}
		seller := x402test.NewKey(t).Address
		permit := c.Offer("10000", seller)
		permit.Extra.AssetTransferMethod = x402.Permit2
		for i, o := range []x402.Offer{c.Offer("10000", seller), permit} {
			r, _, _ := c.Pay(buyer, o)
			if v, err := theirs.Verify(t.Context(), r); err != nil || !v.Valid {
				return fmt.Errorf("%+v %w", v, err)
			}
			receipt, err := theirs.Settle(t.Context(), r)
			if settled(t, receipt, err); c.Balance(seller) != int64(i+1)*10000 {
				t.Errorf("the seller has %d", c.Balance(seller))
			}
			if i == 0 {
				agree(t, theirs, ours.Client(t), r, "settled before")
			} else if v, err := ours.Verify(t.Context(), r); err != nil || v.InvalidReason != x402.ReasonPermit2Nonce {
				t.Errorf("%+v %v", v, err) // theirs only says that the call does not run
			}
		}
		return errors.Join(err, disagreements(t, c, buyer, theirs, ours.Client(t)))
	})
	if err != nil {
		t.Error(err)
	}
}

// agree has both facilitators judge a request, and wants one reason.
func agree(t *testing.T, theirs, ours *shop.Client, r x402.Request, what string) {
	t.Helper()
	a, err := theirs.Verify(t.Context(), r)
	b, err2 := ours.Verify(t.Context(), r)
	if err != nil || err2 != nil || a.Valid || b.Valid || a.InvalidReason != b.InvalidReason {
		t.Errorf("%s: theirs %+v %v, ours %+v %v", what, a, err, b, err2)
	}
}

// disagreements looks for reasons that are not the packages'.
func disagreements(t *testing.T, c *x402test.Chain, buyer x402test.Key, theirs, ours *shop.Client) error {
	t.Helper()
	seller := x402test.NewKey(t).Address
	offer := c.Offer("10000", seller)
	_, _, header := c.Pay(buyer, offer)
	agree(t, theirs, ours, c.Ask(c.Offer("10001", seller), header), "another price")
	agree(t, theirs, ours, c.Ask(c.Offer("10000", buyer.Address), header), "another receiver")
	poor, _, _ := c.Pay(x402test.NewKey(t), offer)
	agree(t, theirs, ours, poor, "no money")
	permit := offer
	permit.Extra.AssetTransferMethod = x402.Permit2
	unapproved, _, _ := c.Pay(c.Buyer("1"), permit)
	agree(t, theirs, ours, unapproved, "Permit2 is not approved")
	return nil
}
