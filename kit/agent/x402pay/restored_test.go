package x402pay_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// forgotten are the tables of what an agent bought and was answered.
var forgotten = []string{
	"x402_payments", "activities", "idempotency", "agent_holds", "agent_spending", "agent_refusals",
}

// A database is put back to before an agent spent its month of 0.02 USDC. No request that the agent signed pays again,
// nor does one that it signs anew under an old Idempotency-Key. The copy knows a nonce that nobody took, and that a
// purchase after the copy has taken up: a transfer that has it once more is signed, as it counts nothing, and moves
// nothing. For any other the signer, whose counts did not go back, says that the month is over.
func TestAgents_X402OlderDatabase(t *testing.T) {
	t.Parallel()
	m := newMall(t)
	b := m.newBuyerOf("0.02", "0.02")
	unused, err := b.PayX402(ctx, railkit.X402Request{
		URL: m.Liar.URL + "/" + string(shops.FalseSuccess), MaxAmount: "10000",
	})
	if err != nil {
		t.Fatal(err)
	}
	m.pass(lifetime)
	b.endsAs(unused.Payment.ID, "unused")
	for _, table := range forgotten {
		m.Edit("CREATE TABLE yesterday_" + table + " AS SELECT * FROM " + table)
	}

	sent := &recorder{}
	b = b.by(sent)
	key := railkit.WithIdempotencyKey(ctx, uuid.NewString())
	weather := railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"}
	for i := range 2 {
		under := ctx
		if i == 0 {
			under = key
		}
		got, err := b.PayX402(under, weather)
		if err != nil {
			t.Fatal(err)
		}
		b.endsAs(got.Payment.ID, "settled")
	}
	paidIs := func(what string) {
		t.Helper()
		if took, left := m.Chain.Balance(m.PayTo), m.Chain.Balance(b.address); took != 20_000 || left != 980_000 {
			t.Errorf("%s: the seller has %d, the wallet %d", what, took, left)
		}
	}
	paidIs("before")

	for _, table := range forgotten {
		m.Edit("DELETE FROM " + table)
		m.Edit("INSERT INTO " + table + " SELECT * FROM yesterday_" + table)
	}
	for i, send := range sent.all {
		if status, body := send(); status != http.StatusUnauthorized {
			t.Errorf("request %d, sent again: %d %s", i, status, body)
		}
	}
	paidIs("the same requests")
	_, err = b.PayX402(key, weather)
	e := new(railkit.Error)
	if !errors.As(err, &e) || e.Code != "agent_asked_before" {
		t.Errorf("under an old key: %v", err)
	}
	paidIs("an old key")
	got, err := b.PayX402(ctx, weather)
	if err != nil || got.Payment == nil || got.Payment.State == "settled" {
		t.Fatalf("with the nonce that was taken: %+v, %v", got, err)
	}
	m.pass(2 * lifetime)
	b.endsAs(got.Payment.ID, "void")
	paidIs("a nonce that was taken")
	_, err = b.PayX402(ctx, weather)
	if !errors.As(err, &e) || e.Code != "budget_exhausted" {
		t.Errorf("beyond the month: %v", err)
	}
	paidIs("beyond the month")
}

// endsAs waits until the chain has told how a payment ended.
func (b buyer) endsAs(id, state string) {
	b.m.t.Helper()
	testwait.Until(b.m.t, state, func() bool {
		p, err := b.X402Payment(ctx, id)
		return err == nil && p.State == state
	})
}

// by is the agent's program that sends through a transport.
func (b buyer) by(transport http.RoundTripper) buyer {
	b.m.t.Helper()
	var err error
	if b.AgentClient, err = railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: b.m.BaseURL, AgentID: b.id, Secret: b.secret, HTTPSignatures: true,
		HTTPClient: &http.Client{Transport: transport}, Retry: railkit.Retry{Attempts: 1},
	}); err != nil {
		b.m.t.Fatal(err)
	}
	return b
}

// recorder keeps the writes of an agent as they were signed, each to be sent again.
type recorder struct {
	all []func() (status int, body string)
}

// RoundTrip sends a request, and keeps it where it writes.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet {
		return http.DefaultTransport.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	send := func() (*http.Response, error) {
		again := req.Clone(ctx)
		again.Body = io.NopCloser(bytes.NewReader(body))
		return http.DefaultTransport.RoundTrip(again)
	}
	r.all = append(r.all, func() (int, string) {
		res, err := send()
		if err != nil {
			return 0, err.Error()
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(text)
	})
	return send()
}
