package x402pay_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/rest"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// An agent buys for 0.01 USDC what costs so much, gets what is free, and is told what is wrong.
func TestAgents_X402Buys(t *testing.T) {
	m := newMall(t)
	b := m.newBuyer()
	free, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/", MaxAmount: "10000"})
	if err != nil || free.Status != http.StatusOK || free.Payment != nil {
		t.Fatalf("%+v, %v", free, err)
	}
	bought, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
	if err != nil {
		t.Fatal(err)
	}
	p := bought.Payment
	if bought.Status != http.StatusOK || bought.Body != shops.Weather || p == nil || p.State != "settled" ||
		p.Tx == "" || p.Amount != "10000" || !p.Delivered || m.Chain.Balance(m.PayTo) != 10000 {
		t.Fatalf("%+v, %+v, and the seller has %d", bought, p, m.Chain.Balance(m.PayTo))
	}
	if got := b.spent(); got != "0.01 less 0" {
		t.Errorf("spent %s", got)
	}
	if got, err := b.X402Payment(ctx, p.ID); err != nil || *got != *p && got.Tx != p.Tx {
		t.Errorf("%+v, %v", got, err)
	}
	page, err := m.Client.X402.List(ctx, b.id, railkit.ListOptions{})
	if err != nil || page.Meta.Total != 1 || page.Items[0].ID != p.ID {
		t.Errorf("%+v, %v", page, err)
	}
	_, err = b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "9999"})
	if e := new(railkit.Error); !errors.As(err, &e) || e.Code != "x402_no_offer" {
		t.Errorf("too little: %v", err)
	}
	_, err = b.PayX402(ctx, railkit.X402Request{URL: "https://elsewhere.example/", MaxAmount: "10000"})
	if e := new(railkit.Error); !errors.As(err, &e) || e.Code != "agent_host_not_allowed" {
		t.Errorf("another host: %v", err)
	}
	for range 4 {
		if _, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"}); err != nil {
			t.Fatal(err)
		}
	}
	_, err = b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "20000"})
	if e := new(railkit.Error); !errors.As(err, &e) || e.Code != "budget_exhausted" || e.Status != 402 {
		t.Errorf("beyond the month: %v", err)
	}
	if left := m.Chain.Balance(b.address); left != 950_000 {
		t.Errorf("the wallet has %d", left)
	}
	for _, name := range []string{"X-Agent-Id", "X-Agent-Auth", "Signature", "Authorization", "Cookie"} {
		if got := m.Heard(name); len(got) > 0 { // by these the platform knows its callers
			t.Errorf("a shop heard %s: %q", name, got)
		}
	}
}

// Under one Idempotency-Key, however often and at once, and at two servers, there is one payment.
func TestAgents_X402OncePerKey(t *testing.T) {
	t.Parallel()
	m := newMall(t, apptest.WithPostgres(t))
	b := m.newBuyer()
	servers := []buyer{b, b.at(m.Another().BaseURL)}
	key := uuid.NewString()
	var all sync.WaitGroup
	answers := make(chan string, 50)
	for i := range 50 {
		all.Go(func() {
			got, err := servers[i%2].PayX402(railkit.WithIdempotencyKey(ctx, key),
				railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
			if err == nil {
				answers <- got.Payment.ID
			}
		})
	}
	all.Wait()
	close(answers)
	ids := map[string]bool{}
	for id := range answers {
		ids[id] = true
	}
	if len(ids) != 1 || m.Chain.Balance(m.PayTo) != 10000 {
		t.Errorf("%d payments, and the seller has %d", len(ids), m.Chain.Balance(m.PayTo))
	}
	if got := b.spent(); got != "0.01 less 0" {
		t.Errorf("spent %s", got)
	}
}

// What costs more than the threshold waits for the passkey, is signed once it agrees, and goes on by its id.
func TestAgents_X402Approved(t *testing.T) {
	m := newMall(t)
	b := m.newBuyer()
	if _, err := m.Client.Agents.SetBudget(ctx, b.id, railkit.AgentBudgetChange{
		AgentBudget: railkit.AgentBudget{ApprovalThresholdUSDC: "0.009"},
	}); err != nil {
		t.Fatal(err)
	}
	buy := func() *railkit.QueuedError {
		t.Helper()
		_, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
		q := new(railkit.QueuedError)
		if !errors.As(err, &q) || q.PaymentID == "" {
			t.Fatalf("%v", err)
		}
		return q
	}
	goOn := func(id string) (*railkit.X402Answer, error) {
		return b.PayX402(ctx, railkit.X402Request{PaymentID: id})
	}
	q := buy()
	var e *railkit.Error
	if _, err := goOn(q.PaymentID); !errors.As(err, &e) || e.Code != "x402_payment_waits" {
		t.Errorf("before the vote: %v", err)
	}
	if _, err := m.Client.Approvals.Approve(ctx, m.Owner.Passkey, q.ApprovalID, func(p *railkit.Preview) error {
		if p.Resource != m.Shop.URL+"/weather" || len(p.Effects) != 1 || p.Effects[0].To != m.PayTo.String() {
			t.Errorf("the passkey sees %+v", p)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Approval(ctx, q.ApprovalID, 10*time.Second); err != nil || got.Status != "approved" {
		t.Fatalf("%+v, %v", got, err)
	}
	got, err := goOn(q.PaymentID)
	if err != nil || got.Body != shops.Weather || got.Payment.State != "settled" {
		t.Fatalf("%+v, %v", got, err)
	}
	if got, err = goOn(q.PaymentID); err != nil || got.Status != 0 || !got.Payment.Delivered {
		t.Fatalf("what was delivered is asked for again: %+v, %v", got, err)
	}
	if had := m.Chain.Balance(m.PayTo); had != 10000 {
		t.Errorf("the seller has %d", had)
	}
	q = buy()
	if _, err := m.Client.Approvals.Reject(ctx, q.ApprovalID, "no"); err != nil {
		t.Fatal(err)
	}
	if _, err := goOn(q.PaymentID); !errors.As(err, &e) || e.Code != "x402_payment_over" {
		t.Errorf("a rejected payment: %v", err)
	}
	if got := b.spent(); got != "0.01 less 0" {
		t.Errorf("spent %s", got)
	}
}

// An agent that asks its seller by itself gets the header that pays, in both of the other forms.
func TestAgents_X402Headers(t *testing.T) {
	m := newMall(t)
	b := m.newBuyer()
	url := m.Shop.URL + "/weather"
	got, err := b.PayX402(ctx, railkit.X402Request{ResourceURL: url, Amount: "10000", Recipient: m.PayTo.String()})
	if err != nil || got.Payment.State != "signed" || got.TransactionID != got.Payment.ID {
		t.Fatalf("%+v, %v", got, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(got.PaymentHeaderName, got.PaymentHeader)
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%+v, %v", res, err)
	}
	res.Body.Close()
	testwait.Until(t, "the chain to tell", func() bool {
		p, err := b.X402Payment(ctx, got.TransactionID)
		return err == nil && p.State == "settled"
	})
	if p, err := b.X402Payment(ctx, got.TransactionID); err != nil || p.Delivery != "unseen" {
		t.Errorf("what the platform did not see: %+v, %v", p, err)
	}
	_, err = b.PayX402(ctx, railkit.X402Request{ResourceURL: url, Amount: "10000", Recipient: b.address.String()})
	if e := new(railkit.Error); !errors.As(err, &e) || e.Code != "x402_no_offer" {
		t.Errorf("another recipient: %v", err)
	}
	older, err := b.PayX402(ctx, railkit.X402Request{PaymentRequirement: &rest.X402Requirement{
		Amount: "0.01", Currency: "USDC", Network: "base", Recipient: m.PayTo.String(),
	}})
	if err != nil || older.PaymentHeaderName != "X-Payment" || older.PaymentHeader == "" {
		t.Errorf("%+v, %v", older, err)
	}
	for name, q := range map[string]railkit.X402Request{
		"no URL at all":      {MaxAmount: "10000"},
		"two forms":          {URL: url, MaxAmount: "1", Amount: "1"},
		"decimals":           {URL: url, MaxAmount: "0.01"},
		"a payment header":   {URL: url, MaxAmount: "1", Headers: map[string]string{"x-payment": "x"}},
		"a line in a header": {URL: url, MaxAmount: "1", Headers: map[string]string{"A": "b\r\nc: d"}},
		"Solana": {PaymentRequirement: &rest.X402Requirement{
			Amount: "1", Currency: "USDC", Network: "solana", Recipient: "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM",
		}},
		"an unknown payment":  {PaymentID: uuid.NewString()},
		"a payment and a URL": {PaymentID: got.TransactionID, URL: url, MaxAmount: "1"},
	} {
		if got, err := b.PayX402(ctx, q); err == nil {
			t.Errorf("%s: %+v", name, got)
		} else {
			t.Log(name+":", err)
		}
	}
	requirement := &rest.X402Requirement{
		Amount: "0.01", Currency: "USDC", Network: "base", Recipient: m.PayTo.String(), Memo: "one",
	}
	for field, q := range map[string]railkit.X402Request{
		"cluster": {Cluster: "solana", PaymentRequirement: requirement},
		"memo":    {Memo: "two", PaymentRequirement: requirement},
	} {
		got, err := b.PayX402(ctx, q)
		if e := new(railkit.Error); !errors.As(err, &e) || e.Status != 400 ||
			!strings.Contains(e.Error(), `"field":"`+field+`"`) {
			t.Errorf("another %s than the requirement's: %+v, %v", field, got, err)
		}
	}
	requirement.Memo = ""
	if _, err := b.PayX402(ctx, railkit.X402Request{Cluster: "base", PaymentRequirement: requirement}); err != nil {
		t.Errorf("the requirement's network, twice: %v", err)
	}
}

// A seller whose offers cannot be read, or are for another server, and a wallet without money, cost nothing.
func TestAgents_X402Refusals(t *testing.T) {
	m := newMall(t)
	b := m.newBuyerOf("100", "100")
	m.Around(func(honest http.Handler, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/weather/permit2" {
			honest.ServeHTTP(w, r)
			return
		}
		offer := shop.Exactly(m.Chain.Network, m.Chain.USDC, "2000000", m.PayTo.String())
		at := m.Shop.URL
		switch r.URL.Path {
		case "/broken":
			w.Header().Set(x402.HeaderRequired, "no base64")
		case "/other":
			at = "https://elsewhere.example"
		case "/l402":
			w.Header().Set("WWW-Authenticate", "LSAT macaroon=AGIA==, invoice=lnbc10n1")
			fallthrough
		case "/plain":
			w.WriteHeader(http.StatusPaymentRequired)
			return
		}
		offers := []x402.Offer{offer}
		if r.URL.Path == "/empty" {
			offers = []x402.Offer{}
		}
		if w.Header().Get(x402.HeaderRequired) == "" {
			text, err := x402.EncodeHeader(map[string]any{
				"x402Version": 2, "accepts": offers, "resource": map[string]string{"url": at + r.URL.Path},
			})
			if err != nil {
				t.Error(err)
			}
			w.Header().Set(x402.HeaderRequired, text)
		}
		w.WriteHeader(http.StatusPaymentRequired)
	})
	var allow map[string]any // the details of the refusal for want of an allowance
	for path, code := range map[string]string{
		"/broken": "x402_offers_unreadable", "/other": "x402_offers_unreadable", "/dear": "insufficient_wallet_balance",
		"/weather/permit2": "permit2_allowance_required", "/empty": "x402_offers_empty", "/plain": "x402_not_offered",
		"/l402": "l402_not_paid",
	} {
		_, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + path, MaxAmount: "2000000"})
		if e := new(railkit.Error); !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v", path, err)
		} else if path == "/weather/permit2" {
			allow = e.Details
		}
	}
	if got := b.spent(); got != "0 less 0" {
		t.Errorf("spent %s", got)
	}
	m.Chain.Give(b.address, "native", "0.1")
	var give railkit.PrepareTransactionRequest
	raw, err := json.Marshal(allow["prepare"])
	if err == nil {
		err = json.Unmarshal(raw, &give)
	}
	if err != nil {
		t.Fatal(err)
	}
	tx, err := m.Client.Transactions.Send(ctx, m.Owner.Passkey, give)
	if err == nil {
		_, err = m.Client.Transactions.WaitConfirmed(ctx, tx.TransactionID, 50*time.Millisecond)
	}
	if err != nil {
		t.Fatalf("the owner gives the allowance that the refusal names: %v", err)
	}
	bought, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather/permit2", MaxAmount: "10000"})
	if err != nil || bought.Payment == nil || bought.Payment.State != "settled" {
		t.Errorf("by Permit2, with the allowance: %+v, %v", bought, err)
	}
}
