package mcpserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/railkit/railkit/internal/shops"
	"github.com/railkit/railkit/internal/test/malltest"
	"github.com/railkit/railkit/internal/test/tamper"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A model buys, is told what it cost and what is left, and is refused in words where a limit of its owner's or of the
// server's is passed.
func TestAgents_MCPBuys(t *testing.T) {
	t.Parallel()
	m := malltest.New(t)
	made := m.Agent("0.02", "0.02")
	h := newHost(t, m.BaseURL, made, "0.015")
	weather := m.Shop.URL + "/weather"

	got, refused := h.call("pay_fetch", object{"url": m.Shop.URL + "/"})
	if got["status"] != 200.0 || got["payment"] != nil || !says(got, "Nothing was paid") {
		t.Fatalf("what is free: %v, %s", got, refused)
	}
	got, refused = h.call("pay_fetch", object{"url": weather, "max_amount": "0.01"})
	if got["body"] != shops.Weather || got["message"] != "0.01 USDC were paid, and the server delivered." ||
		got["payment"].(object)["state"] != "settled" || m.Sold() != 10_000 {
		t.Fatalf("what costs a cent: %v, %s", got, refused)
	}
	got, refused = h.call("budget", nil)
	layer := got["layers"].([]any)[0].(object)
	if layer["name"] != "payments" || layer["spent"] != "0.01" || layer["remaining"] != "0.01" ||
		got["server_limit_usdc"] != "0.015" || !says(got, "payments: 0.01 of 0.02 USDC are left") {
		t.Errorf("the budget: %v, %s", got, refused)
	}
	got, refused = h.call("status", nil)
	if got["may_pay"] != true || got["limits"].(object)["per_payment_usdc"] != "0.02" {
		t.Errorf("the status: %v, %s", got, refused)
	}
	for what, c := range map[string]struct {
		arguments object
		says      string
	}{
		"over the server's limit": {
			object{"url": weather, "max_amount": "0.016"}, "over_server_limit: This server pays at most 0.015",
		},
		"too dear": {
			object{"url": weather, "max_amount": "0.009"},
			"x402_no_offer: None of the server's offers fits. Nothing was paid. it costs more than max_amount",
		},
		"another host":        {object{"url": "https://elsewhere.example/"}, "agent_host_not_allowed: "},
		"no url":              {object{}, "wrong_argument: url"},
		"an amount in words":  {object{"url": weather, "max_amount": "a cent"}, "wrong_argument: max_amount"},
		"two things at once":  {object{"url": weather, "payment_id": "x"}, "wrong_argument: payment_id"},
		"an unknown payment":  {object{"payment_id": "7d1f0c7e-1111-4222-8333-944455556666"}, "not_found: "},
		"an unknown argument": {object{"url": weather, "amount": "1"}, ""},
	} {
		if _, refused := h.call("pay_fetch", c.arguments); refused == "" || !strings.HasPrefix(refused, c.says) {
			t.Errorf("%s: %q", what, refused)
		}
	}
	h.call("pay_fetch", object{"url": weather})
	_, refused = h.call("pay_fetch", object{"url": weather})
	if !strings.HasPrefix(refused, "budget_exhausted: ") || !strings.Contains(refused, "0.02 is spent") {
		t.Errorf("beyond the month: %q", refused)
	}
	if _, err := m.Client.Agents.Kill(ctx, made.AgentID); err != nil {
		t.Fatal(err)
	}
	if _, refused = h.call("pay_fetch", object{"url": weather}); !strings.HasPrefix(refused, "agent_killed: ") {
		t.Errorf("killed: %q", refused)
	}
	if m.Sold() != 20_000 {
		t.Errorf("the shop has %d", m.Sold())
	}
}

// says reports whether an answer says something in words.
func says(answer object, words string) bool {
	message, _ := answer["message"].(string)
	return strings.Contains(message, words)
}

// What a seller gets is what the model asked to be sent, and what the model gets of a long answer ends between letters.
func TestAgents_MCPSendsAndCuts(t *testing.T) {
	t.Parallel()
	m := malltest.New(t)
	h := newHost(t, m.BaseURL, m.Agent("1", "1"), "0.01")
	m.Before(func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(r.Method + " " + r.Header.Get("Content-Type") + " " + r.Header.Get("X-Own") + " "))
		_, _ = w.Write([]byte(strings.Repeat("ñ", 40_000)))
		return true
	})
	got, refused := h.call("pay_fetch", object{
		"url": m.Shop.URL, "body": `{"q":1}`, "method": "put", "headers": object{"X-Own": "yes"},
	})
	body, _ := got["body"].(string)
	if !strings.HasPrefix(body, "PUT application/json yes ñ") || got["body_was_cut"] != true || len(body) > 64<<10 ||
		!utf8.ValidString(body) {
		t.Errorf("%.100v, %s", got, refused)
	}
}

// A payment above the threshold waits for the owner, the model hears meanwhile that it does, and goes on with it.
func TestAgents_MCPWaitsForApproval(t *testing.T) {
	t.Parallel()
	m := malltest.New(t)
	made := m.Agent("1", "0.005")
	h := newHost(t, m.BaseURL, made, "0.01")
	buy := func() (approval, payment string) {
		t.Helper()
		got, refused := h.call("pay_fetch", object{"url": m.Shop.URL + "/weather"})
		if got["state"] != "waits_for_approval" {
			t.Fatalf("%v, %s", got, refused)
		}
		return got["approval_id"].(string), got["payment_id"].(string)
	}
	approval, payment := buy()
	_, refused := h.call("pay_fetch", object{"payment_id": payment})
	if !strings.HasPrefix(refused, "x402_payment_waits: ") {
		t.Errorf("too early: %q", refused)
	}
	if got, _ := h.call("approvals", object{"approval_id": approval, "wait_seconds": 0}); got["state"] != "pending" {
		t.Errorf("nobody has decided: %v", got)
	}
	decided := make(chan error, 1)
	h.onceHeard(2, func() {
		look := func(*railkit.Preview) error { return nil }
		_, err := m.Client.Approvals.Approve(ctx, m.Owner.Passkey, approval, look)
		decided <- err
	})
	waits := &mcp.CallToolParams{Name: "approvals", Arguments: object{"approval_id": approval, "wait_seconds": 50}}
	waits.SetProgressToken("p")
	got, refused := h.callWith(ctx, waits)
	if err := <-decided; err != nil || got["state"] != "approved" || got["payment_id"] != payment {
		t.Fatalf("%v, %s, %v", got, refused, err)
	}
	if n := h.notices.Load(); n < 2 {
		t.Errorf("the model heard %d times that it waits", n)
	}
	small := newHost(t, m.BaseURL, made, "0.009") // of the same agent, for less
	_, refused = small.call("pay_fetch", object{"payment_id": payment})
	if !strings.HasPrefix(refused, "over_server_limit: ") {
		t.Errorf("a payment of more than the server pays: %q", refused)
	}
	got, refused = h.call("pay_fetch", object{"payment_id": payment})
	if got["body"] != shops.Weather || m.Sold() != 10_000 {
		t.Errorf("%v, %s", got, refused)
	}

	approval, payment = buy()
	if _, err := m.Client.Approvals.Reject(ctx, approval, "too dear"); err != nil {
		t.Fatal(err)
	}
	got, _ = h.call("approvals", object{"approval_id": approval})
	if got["state"] != "rejected" || got["comment"] != "too dear" {
		t.Errorf("rejected: %v", got)
	}
	_, refused = h.call("pay_fetch", object{"payment_id": payment})
	if !strings.HasPrefix(refused, "x402_payment_over: ") {
		t.Errorf("a payment that was rejected: %q", refused)
	}
}

// A call ends when its host cancels it.
func TestAgents_MCPIsCancelled(t *testing.T) {
	t.Parallel()
	m := malltest.New(t)
	h := newHost(t, m.BaseURL, m.Agent("1", "0.005"), "0.01")
	got, _ := h.call("pay_fetch", object{"url": m.Shop.URL + "/weather"})
	leaving, leave := context.WithCancel(ctx)
	h.onceHeard(1, leave)
	waits := &mcp.CallToolParams{
		Name: "approvals", Arguments: object{"approval_id": got["approval_id"], "wait_seconds": 50},
	}
	waits.SetProgressToken("p")
	_, refused := h.callWith(leaving, waits)
	if !strings.HasPrefix(refused, "protocol: ") {
		t.Errorf("%q", refused)
	}
	testwait.Until(t, "the call to end", func() bool {
		return strings.Contains(h.log.String(), `"outcome":"cancelled"`)
	})
}

// The key of a call that was cancelled after the payment is not lost: the same call goes on with it, and pays nothing
// twice.
func TestAgents_MCPPaysOnceWhereItIsCancelled(t *testing.T) {
	t.Parallel()
	m := malltest.New(t)
	paid := make(chan struct{})
	var keys []string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/x402-pay") {
			if keys = append(keys, r.Header.Get("Idempotency-Key")); len(keys) == 1 {
				m.Handler.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithoutCancel(r.Context())))
				close(paid)
				<-r.Context().Done()
				return
			}
		}
		m.Handler.ServeHTTP(w, r)
	}))
	defer api.Close()
	h := newHost(t, api.URL, m.Agent("1", "1"), "0.01")
	leaving, leave := context.WithCancel(ctx)
	go func() { <-paid; leave() }()
	weather := object{"url": m.Shop.URL + "/weather"}
	_, refused := h.callWith(leaving, &mcp.CallToolParams{Name: "pay_fetch", Arguments: weather})
	if !strings.HasPrefix(refused, "protocol: ") {
		t.Errorf("%q", refused)
	}
	testwait.Until(t, "the call to end", func() bool {
		return strings.Contains(h.log.String(), `"outcome":"cancelled"`)
	})
	got, refused := h.call("pay_fetch", weather)
	if got["body"] != shops.Weather || m.Sold() != 10_000 || keys[0] != keys[1] {
		t.Errorf("%v, %s; the shop has %d, keys %v", got, refused, m.Sold(), keys)
	}
	if h.call("pay_fetch", weather); m.Sold() != 20_000 {
		t.Errorf("bought again, the shop has %d", m.Sold())
	}
}

// Where the answer of the API is lost, the error names a key with which the same call pays nothing twice.
func TestAgents_MCPPaysOnceWhereAnswersAreLost(t *testing.T) {
	t.Parallel()
	m := malltest.New(t)
	proxy := tamper.New(t, m.Handler)
	h := newHost(t, proxy.URL, m.Agent("1", "1"), "0.01")
	proxy.On("POST /v1/agents/{id}/x402-pay", tamper.Cut(9))
	call := object{"url": m.Shop.URL + "/weather"}
	_, refused := h.call("pay_fetch", call)
	_, rest, found := strings.Cut(refused, "retry_key ")
	if !found || !strings.HasPrefix(refused, "no_answer: ") {
		t.Fatalf("%q", refused)
	}
	proxy.On("POST /v1/agents/{id}/x402-pay")
	call["retry_key"] = rest[:36]
	got, refused := h.call("pay_fetch", call)
	if got["body"] != shops.Weather || m.Sold() != 10_000 {
		t.Errorf("%v, %s; the shop has %d", got, refused, m.Sold())
	}
}
