package x402pay_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// lifetime is longer than a transfer can be handed in to the lying shop. The honest one takes it for twice as long.
const lifetime = 65 * time.Second

// watched is a mall whose chain is seen through a node that can misbehave.
func watched(t *testing.T) (m *mall, node *apptest.Node, honest string) {
	m = newMall(t, func(c *apptest.Config) {
		honest = c.RPCURLs["base"]
		node = apptest.NewNode(t, honest)
		c.RPCURLs["base"] = node.URL
	})
	return m, node, honest
}

// answers is a node's answer to every call of a method.
func answers(result any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var call struct{ ID json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&call) // without an id the client gives up, as it should
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": result})
	}
}

// nonceIs is a node's answer to whether a nonce of a token is used up. All other calls go to an honest one.
func nonceIs(used bool, honest string) http.HandlerFunc {
	word := "0x" + strings.Repeat("0", 64)
	if used {
		word = "0x" + strings.Repeat("0", 63) + "1"
	}
	return func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err == nil && bytes.Contains(raw, []byte("0xe94a0102")) { // authorizationState(address,bytes32)
			r.Body = io.NopCloser(bytes.NewReader(raw))
			answers(word)(w, r)
			return
		}
		res, err := http.Post(honest, "application/json", bytes.NewReader(raw))
		if err != nil {
			apptest.Down(w, r)
			return
		}
		defer res.Body.Close()
		_, _ = io.Copy(w, res.Body) // the client sees a short answer
	}
}

// Where a provider's logs are behind its state, the nonce is used up before any movement shows. Nothing is final then:
// an agent that was told that no money moved would buy again.
func TestAgents_X402LogsBehind(t *testing.T) {
	t.Parallel()
	m, node, _ := watched(t)
	b := m.newBuyer()
	node.Break("eth_getLogs", answers([]any{}))
	got, err := b.PayX402(ctx, railkit.X402Request{URL: m.Shop.URL + "/weather", MaxAmount: "10000"})
	if err != nil || got.Payment.State != "signed" || !got.Payment.Delivered {
		t.Fatalf("%+v, %+v, %v", got, got.Payment, err)
	}
	node.Break("eth_getLogs", nil)
	testwait.Until(t, "the logs to show", func() bool {
		p, err := b.X402Payment(ctx, got.Payment.ID)
		return err == nil && p.State == "settled"
	})
}

// A node that lies about a nonce makes the record wrong for a while, or for good. It moves no money twice, and
// takes nothing off what the signer has counted.
func TestAgents_X402LyingNode(t *testing.T) {
	t.Parallel()
	m, node, honest := watched(t)
	b := m.newBuyer()
	buy := func(url string) *railkit.X402Answer {
		t.Helper()
		got, err := b.PayX402(ctx, railkit.X402Request{URL: url, MaxAmount: "10000"})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	becomes := func(a *railkit.X402Answer, state string) {
		t.Helper()
		testwait.Until(t, state, func() bool {
			p, err := b.X402Payment(ctx, a.Payment.ID)
			return err == nil && p.State == state
		})
	}
	// The money moved, and the node says that it did not: the next payment has the same nonce, which the token refuses.
	node.Break("eth_call", nonceIs(false, honest))
	first := buy(m.Liar.URL + "/" + string(shops.CookieSettled))
	m.pass(lifetime)
	becomes(first, "unused")
	node.Break("eth_call", nil)
	second := buy(m.Shop.URL + "/weather")
	if second.Status != http.StatusPaymentRequired || second.Payment.Delivered || m.Chain.Balance(m.PayTo) != 10_000 {
		t.Errorf("%+v, %+v, and the seller has %d", second, second.Payment, m.Chain.Balance(m.PayTo))
	}
	m.pass(2 * lifetime)
	becomes(second, "void")
	if got := b.spent(); got != "0.01 less 0" {
		t.Errorf("spent %s", got)
	}
}
