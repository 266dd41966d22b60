package railkit

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

const agentID = "7d1f0c7e-1111-4222-8333-944455556666"

func TestAgents_SignerSignsTheVectors(t *testing.T) {
	raw, err := os.ReadFile("../../enclave/wire/testdata/agent-hmac.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct{ Name, Secret, Method, Path, Timestamp, Body, MAC string }
	if err := json.Unmarshal(raw, &vectors); err != nil || len(vectors) == 0 {
		t.Fatal(err)
	}
	base, _ := url.Parse("https://api.example.com")
	for _, v := range vectors {
		at, _ := strconv.ParseInt(v.Timestamp, 10, 64)
		s := newAgentSigner(base, agentID, v.Secret, func() time.Time { return time.Unix(at, 999_999_999) })
		req := httptest.NewRequest(v.Method, base.String()+v.Path, strings.NewReader(v.Body))
		if err := s.Sign(req, []byte(v.Body)); err != nil {
			t.Fatal(err)
		}
		if h := req.Header; h.Get("x-agent-auth") != v.MAC || h.Get("x-request-timestamp") != v.Timestamp ||
			h.Get("x-agent-id") != agentID {
			t.Errorf("%s: %v", v.Name, h)
		}
	}
}

func TestAgents_SignerKeepsToItsOrigin(t *testing.T) {
	base, _ := url.Parse("https://api.example.com")
	s := newAgentSigner(base, agentID, "secret", time.Now)
	for target, good := range map[string]bool{
		"https://api.example.com/v1/agents": true, "https://api.example.com/v1/agents?a=b": true,
		"http://api.example.com/v1/agents": false, "https://api.example.com:8443/v1": false,
		"https://shop.example.com/v1": false, "https://api.example.com.example.net/v1": false,
		"https://user@shop.example.com/v1": false,
	} {
		req, err := http.NewRequest(http.MethodGet, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Sign(req, nil); (err == nil) != good || (req.Header.Get("x-agent-auth") != "") != good {
			t.Errorf("%s: %v, %v", target, err, req.Header)
		}
	}
	req, _ := http.NewRequest(http.MethodGet, "https://api.example.com/v1", nil)
	if req.Host = "shop.example.com"; s.Sign(req, nil) == nil {
		t.Error("signed for another Host")
	}
	write, _ := http.NewRequest(http.MethodPost, "https://api.example.com/v1?a=b", nil)
	if s.Sign(write, nil) == nil {
		t.Error("signed a write with a query")
	}
}

// The second form covers host and query, keeps to its origin as well, and never repeats itself.
func TestAgents_SignerSignsHTTP(t *testing.T) {
	base, _ := url.Parse("https://API.example.com:443")
	s := newAgentSigner(base, agentID, "secret", func() time.Time { return time.Unix(1_700_000_000, 0) })
	s.http = true
	seen := map[string]bool{}
	for range 2 {
		req, _ := http.NewRequest(http.MethodPost, "https://API.example.com:443/v1/a%2Fb?c=d", nil)
		if err := s.Sign(req, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		input := req.Header.Get("Signature-Input")
		nonce, _, _ := strings.Cut(strings.SplitN(input, `nonce="`, 2)[1], `"`)
		said := wire.HTTPSignature{
			Authority: "api.example.com", Query: "?c=d", Created: "1700000000", Expires: "1700000060", Nonce: nonce,
		}
		text, want := said.Base(agentID, "POST", "/v1/a%2Fb", wire.Digest("{}"))
		mac, _ := hex.DecodeString(wire.AgentMAC("secret", text))
		signature := "agent=:" + base64.StdEncoding.EncodeToString(mac) + ":"
		if input != "agent="+want || req.Header.Get("Signature") != signature || len(nonce) < 16 || seen[nonce] ||
			req.Header.Get("Content-Digest") != wire.ContentDigest(wire.Digest("{}")) ||
			req.Header.Get("x-agent-id") != agentID || req.Header.Get("x-agent-auth") != "" {
			t.Errorf("%v", req.Header)
		}
		seen[nonce] = true
	}
	other, _ := http.NewRequest(http.MethodGet, "https://shop.example.com/v1", nil)
	if s.Sign(other, nil) == nil || other.Header.Get("Signature") != "" {
		t.Error("signed for another origin")
	}
}

// Equal writes of one second have different signatures, reads may have the same.
func TestAgents_EqualWritesDiffer(t *testing.T) {
	base, _ := url.Parse("https://api.example.com")
	now := time.Unix(1_700_000_000, 0)
	s := newAgentSigner(base, agentID, "secret", func() time.Time { return now })
	sign := func(method, body string) (string, error) {
		req, _ := http.NewRequest(method, "https://api.example.com/v1/agents", nil)
		err := s.Sign(req, []byte(body))
		return req.Header.Get("x-agent-auth"), err
	}
	seen := map[string]bool{}
	for range mostAhead + 1 {
		mac, err := sign(http.MethodPost, "{}")
		if err != nil || seen[mac] {
			t.Fatalf("a signature came twice, or %v", err)
		}
		seen[mac] = true
	}
	if _, err := sign(http.MethodPost, "{}"); err == nil {
		t.Error("signed further ahead than the server takes")
	}
	if _, err := sign(http.MethodPost, `{"a":1}`); err != nil {
		t.Errorf("another write: %v", err)
	}
	if now = now.Add(time.Second); len(seen) > 0 {
		if mac, err := sign(http.MethodPost, "{}"); err != nil || seen[mac] {
			t.Errorf("a second later: %v", err)
		}
	}
	now = now.Add(time.Hour)
	first, _ := sign(http.MethodGet, "")
	if second, _ := sign(http.MethodGet, ""); first != second || len(s.last) > 3 {
		t.Errorf("reads differ, or %d writes are kept", len(s.last))
	}
	if _, err := sign(http.MethodPost, "x"); err != nil || len(s.last) != 1 {
		t.Errorf("%v, and %d writes are kept", err, len(s.last))
	}
}

// Whoever the API sends an agent to gets nothing of it.
func TestAgents_ClientFollowsNoRedirect(t *testing.T) {
	var got []http.Header
	shop := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Clone())
	}))
	defer shop.Close()
	signed := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("x-agent-auth") != "" && r.Header.Get("Authorization") == "" {
			signed++
		}
		http.Redirect(w, r, shop.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer api.Close()
	a, err := NewAgentClient(AgentConfig{
		BaseURL: api.URL, AgentID: agentID, Secret: "s", Retry: Retry{Attempts: 1}, HTTPClient: &http.Client{},
	})
	if err != nil {
		t.Fatal(err)
	}
	if st, err := a.Status(t.Context()); err == nil || len(got) != 0 || signed != 1 {
		t.Errorf("%+v, %v; the shop got %v", st, err, got)
	}
}

// net/http sends a write with an Idempotency-Key again by itself where a connection that was kept ends without an
// answer: with a signature that was used, so that a payment that was made would look refused.
func TestAgents_WriteIsSentOnce(t *testing.T) {
	var sent atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if sent.Add(1) > 1 {
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write([]byte(`{"success":true,"data":{}}`))
	}))
	defer s.Close()
	for _, second := range []bool{false, true} {
		c, err := NewAgentClient(AgentConfig{
			BaseURL: s.URL, AgentID: agentID, Secret: "secret", HTTPSignatures: second, Retry: Retry{Attempts: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		sent.Store(0)
		for i, good := range []bool{true, false} {
			_, err := c.Pay(t.Context(), AgentPayment{})
			if got := sent.Load(); (err == nil) != good || got != int64(i+1) {
				t.Errorf("after payment %d the server has got %d: %v", i+1, got, err)
			}
		}
	}
}

func TestAgents_ClientNeedsIDAndSecret(t *testing.T) {
	for _, cfg := range []AgentConfig{
		{BaseURL: "https://api.example.com", Secret: "s"}, {BaseURL: "https://api.example.com", AgentID: agentID},
		{BaseURL: "https://api.example.com", AgentID: "../keys", Secret: "s"}, {AgentID: agentID, Secret: "s"},
	} {
		if _, err := NewAgentClient(cfg); err == nil || strings.Contains(err.Error(), "../keys") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

func TestAgents_OpenSecretOfNothing(t *testing.T) {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sealed := func(text string) Statement {
		return Statement{Result: &wire.Result{Agent: &wire.Agent{SealedSecret: &wire.SealedSecret{Sealed: text}}}}
	}
	for _, st := range []Statement{
		{}, {Result: &wire.Result{}}, {Result: &wire.Result{Agent: &wire.Agent{}}}, sealed("!"), sealed(""),
		sealed(string(bytes.Repeat([]byte("A"), 120))),
	} {
		if secret, err := OpenAgentSecret(key, st); err == nil || secret != "" {
			t.Errorf("%+v opened", st)
		}
	}
	if _, err := wire.ParseP256(AgentRecipient(key.PublicKey())); err != nil {
		t.Errorf("recipient: %v", err)
	}
}
