package shop_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// Unpaid: the offers of both versions, for the resource that was asked for, and nothing that a cache may keep.
func TestAsk(t *testing.T) {
	s := newStreet(t)
	for name, header := range map[string][]string{
		"nothing": nil, "garbage": {"PAYMENT-SIGNATURE", "garbage"}, "garbage of version 1": {"X-PAYMENT", "e30="},
		"two headers": {"PAYMENT-SIGNATURE", "e30=", "PAYMENT-SIGNATURE", "e30="},
	} {
		a := s.get("/a?x=1", header...)
		if a.status != 402 || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v", name, a.status, a.header)
		}
		v2, err := x402.ReadOffers(a.status, a.header, []byte(a.body))
		if err != nil || v2.Dialect != x402.V2 || v2.Error != "Payment required" || v2.Resource.URL != s.url+"/a?x=1" {
			t.Errorf("%s: %+v %v", name, v2, err)
		}
		v1, err := x402.ParseOffers(x402.V1, []byte(a.body))
		if err != nil || v1.Error != "Payment required" || v1.List[0].Resource != s.url+"/a?x=1" ||
			v1.List[0].Network != "base-sepolia" || v1.List[0].Amount != "10000" {
			t.Errorf("%s: %+v %v", name, v1, err)
		}
	}
	if s.served.Load() != 0 || s.bank.verifies != 0 {
		t.Error("somebody worked for nothing")
	}
}

func TestSell(t *testing.T) {
	for d, receipt := range map[x402.Dialect]string{x402.V1: "X-Payment-Response", x402.V2: "Payment-Response"} {
		s := newStreet(t)
		name, value := s.sign(s.offers("/a", d))
		a := s.get("/a", name, value)
		if a.status != 200 || a.body != "the goods" || a.header.Get("X-Made") != "yes" ||
			a.header.Get("Cache-Control") != "private" || a.header.Get(receipt) == "" {
			t.Errorf("%s: %d %q %v", d, a.status, a.body, a.header)
		}
		if !a.receipt.Success || a.receipt.Transaction == "" || a.receipt.Payer != buyer.String() ||
			s.bank.count() != 1 {
			t.Errorf("%s: %+v, %d settled", d, a.receipt, s.bank.count())
		}
		// The same payment again gets the same answer, which is made once, and buys nothing more.
		if again := s.get("/a", name, value); again.status != 200 || again.body != a.body ||
			again.receipt.Transaction != a.receipt.Transaction || s.served.Load() != 1 || s.bank.count() != 1 {
			t.Errorf("%s: a replay: %d %+v", d, again.status, again.receipt)
		}
		if again := s.get("/a?x=1", name, value); again.status != 402 || again.receipt.Success {
			t.Errorf("%s: a replay elsewhere: %d %+v", d, again.status, again.receipt)
		}
		s.time = s.time.Add(5*time.Minute + time.Second)
		if again := s.get("/a", name, value); again.status != 402 || again.receipt.Success || s.served.Load() != 1 {
			t.Errorf("%s: long after: %d %+v", d, again.status, again.receipt)
		}
	}
}

// A payment of other terms, another resource or another route matches nothing.
func TestAgents_PaymentForSomethingElse(t *testing.T) {
	s := newStreet(t)
	s.sell("/b", "10000", func(http.ResponseWriter, *http.Request) { t.Error("/b was sold") })
	s.sell("/dear", "20000", func(http.ResponseWriter, *http.Request) { t.Error("/dear was sold") })
	swap := func(value, from, to string) string {
		raw, err := base64.StdEncoding.DecodeString(value)
		if err != nil || !strings.Contains(string(raw), from) {
			t.Fatalf("%s is not in %s: %v", from, raw, err)
		}
		return base64.StdEncoding.EncodeToString([]byte(strings.Replace(string(raw), from, to, 1)))
	}
	name, value := s.pay("/a")
	for what, c := range map[string]struct{ path, value string }{
		"another route":      {"/b", value},
		"another query":      {"/a?x=2", value},
		"a dearer route":     {"/dear", value},
		"a lower price":      {"/a", swap(value, `"amount":"10000"`, `"amount":"1"`)},
		"another payTo":      {"/a", swap(value, `"payTo":"`+seller.String(), `"payTo":"`+buyer.String())},
		"another network":    {"/a", swap(value, `"network":"eip155:84532"`, `"network":"eip155:8453"`)},
		"another scheme":     {"/a", swap(value, `"scheme":"exact"`, `"scheme":"upto"`)},
		"another domain":     {"/a", swap(value, `"name":"USDC"`, `"name":"USD Coin"`)},
		"a dearer copy":      {"/dear", swap(value, `/a"`, `/dear"`)},
		"a cheap offer dear": {"/dear", swap(swap(value, `/a"`, `/dear"`), `"amount":"10000"`, `"amount":"20000"`)},
	} {
		a := s.get(c.path, name, c.value)
		v2, err := x402.ReadOffers(a.status, a.header, nil)
		want := "No matching payment requirements"
		if what == "a cheap offer dear" { // the copy of the offer is right, what was signed is not
			want = x402.ReasonValue
		}
		if err != nil || a.status != 402 || v2.Error != want {
			t.Errorf("%s: %d %q %v", what, a.status, v2.Error, err)
		}
	}
	if a := s.get("/a", name, value); a.status != 200 {
		t.Errorf("the payment itself: %d %s", a.status, a.body)
	}
	// Version 1 does not say what it is for: the price is compared, and the payment sells once.
	name, value = s.sign(s.offers("/a", x402.V1))
	if a := s.get("/dear", name, value); a.status != 402 || !strings.Contains(a.body, x402.ReasonValue) {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := s.get("/a", name, value); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := s.get("/b", name, value); a.status != 402 || a.receipt.ErrorReason != x402.ReasonDuplicateSettlement {
		t.Errorf("%d %+v", a.status, a.receipt)
	}
	if s.bank.count() != 2 {
		t.Errorf("%d settled", s.bank.count())
	}
}

// A payment that does not pay is answered with its reason and the offers, and may come again.
func TestVerifyRefuses(t *testing.T) {
	s := newStreet(t)
	name, value := s.pay("/a")
	s.bank.verifyBy(answers(200, `{"isValid":false,"invalidReason":"invalid_exact_evm_insufficient_balance"}`))
	a := s.get("/a", name, value)
	if all, err := x402.ReadOffers(a.status, a.header, nil); err != nil || all.Error != x402.ReasonBalance ||
		len(all.List) != 1 {
		t.Errorf("%d %+v %v", a.status, all, err)
	}
	if s.served.Load() != 0 {
		t.Error("it was served")
	}
	s.bank.verifyBy(nil)
	if a := s.get("/a", name, value); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// A handler that fails is not paid, and its answer is the handler's.
func TestHandlerFails(t *testing.T) {
	s := newStreet(t)
	fail := true
	s.sell("/c", "10000", func(w http.ResponseWriter, _ *http.Request) {
		if fail {
			http.Error(w, "no weather today", http.StatusServiceUnavailable)
		}
	})
	s.sell("/panic", "10000", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	s.sell("/big", "10000", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 9<<20)) })
	name, value := s.pay("/c")
	if a := s.get("/c", name, value); a.status != 503 || a.body != "no weather today\n" ||
		a.header.Get("Payment-Response") != "" {
		t.Errorf("%d %q %v", a.status, a.body, a.header)
	}
	big, bigValue := s.pay("/big")
	if a := s.get("/big", big, bigValue); a.status != 500 {
		t.Errorf("%d", a.status)
	}
	abort, abortValue := s.pay("/panic")
	req, _ := http.NewRequest(http.MethodGet, s.url+"/panic", nil)
	req.Header.Set(abort, abortValue)
	if res, err := http.DefaultClient.Do(req); err == nil {
		_ = res.Body.Close()
		t.Errorf("a panic was answered with %d", res.StatusCode)
	}
	if s.bank.count() != 0 {
		t.Errorf("%d settled", s.bank.count())
	}
	fail = false
	if a := s.get("/c", name, value); a.status != 200 || s.bank.count() != 1 {
		t.Errorf("the same payment, served at last: %d, %d settled", a.status, s.bank.count())
	}
}

// Where the settlement fails, nothing of the handler's answer leaves, and there is no new offer.
func TestSettleFails(t *testing.T) {
	for what, c := range map[string]struct {
		handler http.HandlerFunc
		status  int
		reason  string
	}{
		"refused": {answers(200, `{"success":false,"errorReason":"invalid_exact_evm_transaction_failed","transaction":"0x1","network":"eip155:84532"}`), 402, x402.ReasonTransactionFailed},
		"by 400":  {answers(400, `{"success":false,"errorReason":"invalid_exact_evm_nonce_already_used","transaction":"","network":"eip155:84532"}`), 402, x402.ReasonNonceUsed},
		"no reason": {answers(200, `{"success":false,"transaction":"","network":"eip155:84532"}`), 402,
			x402.ReasonUnexpectedSettleError},
		"pending": {answers(200, `{"success":false,"errorReason":"settlement_pending","transaction":"0x1","network":"eip155:84532"}`), 402, x402.ReasonSettlementPending},
		"500": {answers(500, `{"success":true,"transaction":"0x1","network":"eip155:84532"}`), 502,
			x402.ReasonUnexpectedSettleError},
		"other JSON": {answers(200, `{}`), 502, x402.ReasonUnexpectedSettleError},
		"no JSON":    {answers(200, `<html>`), 502, x402.ReasonUnexpectedSettleError},
		"too much": {answers(200, `{"success":true,"x":"`+strings.Repeat("x", 70000)+`"}`), 502,
			x402.ReasonUnexpectedSettleError},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/verify", http.StatusTemporaryRedirect)
		}, 502,
			x402.ReasonUnexpectedSettleError},
		"hangs": {hangs, 502, x402.ReasonUnexpectedSettleError},
	} {
		s := newStreet(t)
		name, value := s.pay("/a")
		s.bank.settleBy(c.handler)
		if what == "hangs" {
			s.patience(shop.Timeouts{Settle: soon})
		}
		a := s.get("/a", name, value)
		if a.status != c.status || a.receipt.Success || a.receipt.ErrorReason != c.reason || s.served.Load() != 1 ||
			strings.Contains(a.body, "goods") || a.header.Get("X-Made") != "" ||
			a.header.Get("Cache-Control") != "no-store" ||
			a.header.Get(x402.HeaderRequired) != "" {
			t.Errorf("%s: %d %s %+v", what, a.status, a.body, a.receipt)
		}
	}
}

// After a settlement without a known end the same request with the same payment gets the goods, once, and no other
// request does: the facilitator says what became of the first settlement.
func TestAgents_UnknownSettlementEndsInTheGoods(t *testing.T) {
	for what, lost := range map[string]http.HandlerFunc{"hangs": hangs, "500": answers(500, "x"),
		"pending": answers(200, `{"success":false,"errorReason":"settlement_pending","transaction":"0x1","network":"eip155:84532"}`),
	} {
		s := newStreet(t)
		s.bank.idempotent, s.bank.once = true, true
		s.sell("/b", "10000", func(http.ResponseWriter, *http.Request) { t.Error("/b was sold") })
		name, value := s.sign(s.offers("/a", x402.V1)) // which does not say what it is for
		s.bank.settleBy(func(w http.ResponseWriter, r *http.Request) {
			s.bank.settle(httptest.NewRecorder(), r) // the money moves, and that is said
			lost(w, r)
		})
		if what == "hangs" {
			s.patience(shop.Timeouts{Settle: soon})
		}
		if a := s.get("/a", name, value); a.status == 200 {
			t.Errorf("%s: sold without a settlement", what)
		}
		s.patience(shop.Timeouts{})
		s.bank.settleBy(nil)
		if a := s.get("/b", name, value); a.status != 402 {
			t.Errorf("%s: another request: %d", what, a.status)
		}
		if a := s.get("/a", name, value); a.status != 200 || a.body != "the goods" {
			t.Errorf("%s: paid and not delivered: %d %s", what, a.status, a.body)
		}
		before := s.served.Load()
		if a := s.get("/a", name, value); a.status != 200 || s.served.Load() != before {
			t.Errorf("%s: the goods are kept: %d", what, a.status)
		}
		if s.bank.count() != 1 {
			t.Errorf("%s: %d settled", what, s.bank.count())
		}
	}
}

// Two processes of one shop, which do not know of each other, get one payment at one time: one of them sells, where the
// facilitator says success once. The other one cannot be talked into it later.
func TestAgents_TwoProcessesSellOnce(t *testing.T) {
	s := newStreet(t)
	s.bank.idempotent, s.bank.once = true, true
	client, err := shop.NewClient(s.bank.URL, shop.Timeouts{})
	if err != nil {
		t.Fatal(err)
	}
	both := make(chan struct{}, 4)
	var processes []http.Handler
	for range 2 {
		sold, err := shop.New(client, "http://shop.example", clock.Func(func() time.Time { return now })).Sell(
			shop.Sale{Offers: []x402.Offer{usdcOffer("10000")}},
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				both <- struct{}{}
				for len(both) < 2 { // until both have verified it
					time.Sleep(time.Millisecond) // between two looks
				}
				_, _ = w.Write([]byte("the goods"))
			}))
		if err != nil {
			t.Fatal(err)
		}
		processes = append(processes, sold)
	}
	name, value := s.sign(s.offers("/a", x402.V1))
	status := make([]int, 2)
	for range 2 {
		var all sync.WaitGroup
		for i, p := range processes {
			all.Go(func() {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/a", nil)
				r.Header.Set(name, value)
				w := httptest.NewRecorder()
				p.ServeHTTP(w, r)
				status[i] += w.Code
			})
		}
		all.Wait()
		s.bank.verifyBy(answers(200, `{"isValid":true}`)) // a facilitator that looks at no nonce
	}
	// Who has sold gives its answer again, and the other one never sells.
	if (status[0] != 400 || status[1] != 804) && (status[0] != 804 || status[1] != 400) || s.bank.count() != 1 {
		t.Errorf("%v, %d settled", status, s.bank.count())
	}
}

// Whoever has paid gets a receipt, also where the facilitator says more than a header holds.
func TestReceiptHasRoom(t *testing.T) {
	s := newStreet(t)
	name, value := s.pay("/a")
	long := strings.Repeat("x", x402.MaxHeader)
	s.bank.settleBy(answers(200,
		`{"success":true,"transaction":"0x1","network":"eip155:84532","errorMessage":"`+long+`"}`))
	a := s.get("/a", name, value)
	if a.status != 200 || !a.receipt.Success || a.receipt.Transaction != "0x1" || a.receipt.ErrorMessage != "" {
		t.Errorf("%d %+v", a.status, a.receipt)
	}
}

// A settlement that is pending is asked for once more, and then sold.
func TestPendingThenSettled(t *testing.T) {
	s := newStreet(t)
	name, value := s.pay("/a")
	asked := 0
	s.bank.settleBy(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked == 1 {
			answers(200, `{"success":false,"errorReason":"settlement_pending","transaction":"0x1","network":"eip155:84532"}`)(w, r)
			return
		}
		s.bank.settle(w, r)
	})
	if a := s.get("/a", name, value); a.status != 200 || asked != 2 {
		t.Errorf("%d after %d", a.status, asked)
	}
}

// A facilitator that does not verify takes nothing, and the payment may come again. There is no receipt, since nothing
// was asked to be settled: the shop of x402's makers answers so too.
func TestVerifyOutage(t *testing.T) {
	for what, h := range map[string]http.HandlerFunc{
		"500": answers(500, `{"isValid":true}`), "no flag": answers(200, `{}`), "hangs": hangs,
		"a flag of text": answers(200, `{"isValid":"true"}`),
	} {
		s := newStreet(t)
		name, value := s.pay("/a")
		s.bank.verifyBy(h)
		if what == "hangs" {
			s.patience(shop.Timeouts{Verify: soon})
		}
		if a := s.get("/a", name, value); a.status != 502 || s.served.Load() != 0 ||
			a.header.Get(x402.HeaderReceipt) != "" ||
			!strings.Contains(a.body, "nothing was taken") {
			t.Errorf("%s: %d %s %v", what, a.status, a.body, a.header)
		}
		s.patience(shop.Timeouts{})
		s.bank.verifyBy(nil)
		if a := s.get("/a", name, value); a.status != 200 {
			t.Errorf("%s: afterwards %d", what, a.status)
		}
	}
}

// A buyer who leaves while the handler runs pays nothing. One who leaves while the payment is settled has paid: the
// settlement is not cut off, since nobody would know then whether the money moved.
func TestBuyerLeaves(t *testing.T) {
	s := newStreet(t)
	ctx, leave := context.WithCancel(t.Context())
	s.sell("/slow", "10000", func(http.ResponseWriter, *http.Request) { leave() })
	request := func(path string) *http.Request {
		name, value := s.pay(path)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(name, value)
		return req
	}
	s.mux.ServeHTTP(httptest.NewRecorder(), request("/slow"))
	if s.bank.count() != 0 {
		t.Fatal("money was taken for an answer that nobody waits for")
	}
	ctx, leave = context.WithCancel(t.Context())
	cut := make(chan error, 1)
	s.bank.settleBy(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // only then a server sees that its caller leaves
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		leave()
		time.Sleep(100 * time.Millisecond) // nothing happens, as far as can be seen
		cut <- r.Context().Err()
		s.bank.settle(w, r)
	})
	if res, err := http.DefaultClient.Do(request("/a")); err == nil {
		_ = res.Body.Close()
		t.Errorf("a buyer who left was answered with %d", res.StatusCode)
	}
	if err := <-cut; err != nil {
		t.Errorf("the settlement was cut off: %v", err)
	}
}

func TestCacheControl(t *testing.T) {
	s := newStreet(t)
	for set, want := range map[string]string{
		"": "private", "public, max-age=60": "private, max-age=60", "no-store": "private, no-store",
		"private": "private", "s-maxage=9, Public": "private",
	} {
		path := "/cache" + base64.RawURLEncoding.EncodeToString([]byte(set))
		s.sell(path, "10000", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Cache-Control", set) })
		name, value := s.pay(path)
		if a := s.get(path, name, value); a.status != 200 || a.header.Get("Cache-Control") != want {
			t.Errorf("%q became %q", set, a.header.Get("Cache-Control"))
		}
	}
}

// What was sold is forgotten after an hour, and what is being sold is not.
func TestTakenIsForgotten(t *testing.T) {
	s := newStreet(t)
	name, value := s.pay("/a")
	if a := s.get("/a", name, value); a.status != 200 {
		t.Fatal(a.status)
	}
	s.time = now.Add(time.Hour + time.Second)
	if a := s.get("/a", name, value); a.status != 402 || !strings.Contains(a.body, x402.ReasonNonceUsed) {
		t.Errorf("the facilitator was not asked: %d %s", a.status, a.body)
	}
}

func TestSaleRefused(t *testing.T) {
	good := usdcOffer("10000")
	base, _ := chain.BySlug(chain.Sandbox, "base")
	solana, _ := chain.BySlug(chain.Sandbox, "solana")
	sol := shop.Exactly(solana, solana.Tokens[0], "10000", "9vL4hRvmWVfXAN6Q3pWqtXyXHwmfUYhFiTkbCjsBkb1m")
	sol.Extra.FeePayer = sol.PayTo
	with := func(change func(o *x402.Offer)) []x402.Offer {
		o := good
		change(&o)
		return []x402.Offer{good, o}
	}
	s := shop.New(nil, "https://shop.example/", nil)
	for what, offers := range map[string][]x402.Offer{
		"nothing":      nil,
		"version 1":    with(func(o *x402.Offer) { o.Dialect = x402.V1 }),
		"upto":         with(func(o *x402.Offer) { o.Scheme = x402.Upto }),
		"upfront":      with(func(o *x402.Offer) { o.Extra.PaymentFlow = x402.FlowUpfront }),
		"solana":       with(func(o *x402.Offer) { o.Network = "solana:x" }),
		"asset":        with(func(o *x402.Offer) { o.Asset = "USDC" }),
		"payTo":        with(func(o *x402.Offer) { o.PayTo = "me" }),
		"zero":         with(func(o *x402.Offer) { o.PayTo = "0x0000000000000000000000000000000000000000" }),
		"a router":     with(func(o *x402.Offer) { o.PayTo = chain.Markets(base)[0].Router }),
		"the token":    with(func(o *x402.Offer) { o.PayTo = o.Asset }),
		"free":         with(func(o *x402.Offer) { o.Amount = "0" }),
		"decimals":     with(func(o *x402.Offer) { o.Amount = "0.01" }),
		"hurry":        with(func(o *x402.Offer) { o.MaxTimeoutSeconds = 9 }),
		"no domain":    with(func(o *x402.Offer) { o.Extra.Version = "" }),
		"no sponsor":   with(func(o *x402.Offer) { *o = sol; o.Extra.FeePayer = "" }),
		"a mint":       with(func(o *x402.Offer) { *o = sol; o.PayTo = sol.Asset }),
		"EVM's seller": with(func(o *x402.Offer) { *o = sol; o.PayTo = good.PayTo }),
		"erc7710":      with(func(o *x402.Offer) { o.Extra.AssetTransferMethod = "erc7710" }),
	} {
		if _, err := s.Sell(shop.Sale{Offers: offers}, http.NotFoundHandler()); err == nil {
			t.Errorf("%s is sold", what)
		}
	}
	if _, err := s.Sell(shop.Sale{Offers: []x402.Offer{good, sol}}, http.NotFoundHandler()); err != nil {
		t.Error(err)
	}
	for _, base := range []string{"", "facilitator.example", "ftp://x", "https://u:p@x", "https://"} {
		if _, err := shop.NewClient(base, shop.Timeouts{}); err == nil {
			t.Errorf("%q is a facilitator", base)
		}
	}
}

func TestClientSupported(t *testing.T) {
	b := newBank(t)
	c, err := shop.NewClient(b.URL+"/", shop.Timeouts{})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := c.Supported(t.Context()); err != nil || len(s.Kinds) != 1 || s.Kinds[0].Network != "eip155:84532" {
		t.Errorf("%+v %v", s, err)
	}
	other, err := shop.NewClient(b.URL+"/nowhere", shop.Timeouts{})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := other.Supported(t.Context()); err == nil {
		t.Errorf("%+v", s)
	}
}
