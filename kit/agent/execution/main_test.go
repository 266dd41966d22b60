package execution_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/errtest"
	"github.com/railkit/railkit/internal/test/x402test"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/x402"
)

func TestMain(m *testing.M) { os.Exit(errtest.Run(m.Run, "kit/agent/execution")) }

const price = 1000 // micro-USDC

// facilitatorToken is what the facilitator asks its callers for.
const facilitatorToken = "facilitator-token-0001"

// street is a platform with a chain and a facilitator, a seller with a skill that costs something, and the skill's
// server.
type street struct {
	*apptest.App
	t         *testing.T
	chain     *x402test.Chain
	settles   *x402test.Facilitator
	seller    *railkit.Client
	payTo     evm.Address
	skill     *railkit.Skill // public, of the seller
	sellerKey string
	server    *httptest.Server

	secrets map[string]string // of agents

	mu     sync.Mutex
	heard  []heard
	answer http.HandlerFunc // of the skill's server, in the place of the forecast
	broken func(w http.ResponseWriter, r *http.Request) bool
	asked  atomic.Int64 // the facilitator, for settlements
}

// heard is what the skill's server was asked.
type heard struct {
	header http.Header
	body   string
}

func newStreet(t *testing.T, options ...apptest.Option) *street {
	t.Helper()
	s := &street{t: t, chain: x402test.OwnChain(t, time.Hour), secrets: map[string]string{}}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	s.settles = s.chain.Facilitator()
	between, token := s.between(), filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(facilitatorToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.App = apptest.Rig(t, append([]apptest.Option{func(c *apptest.Config) {
		c.FetchLocal = strings.TrimPrefix(s.server.URL, "http://")
		c.DevnetURL, c.RPCURLs = s.chain.URL, map[string]string{"base": s.chain.Devnet.RPCURL("base")}
		c.FacilitatorURL, c.FacilitatorTokenFile = between, token
	}}, options...)...)
	s.Edit("UPDATE workspaces SET agent_limit_standard = 100000, agent_limit_financial = 100000")
	_, s.sellerKey = s.NewWorkspace(integrator, agents, auth.Signing)
	s.seller = s.ClientWith(s.sellerKey)
	owner := s.Fund(s.seller, "seller@example.com")
	var err error
	if s.payTo, err = evm.ParseAddress(owner.Address.Address); err != nil {
		t.Fatal(err)
	}
	s.skill = s.sell(func(r *railkit.SkillRequest) {})
	return s
}

// between is the facilitator as the server reaches it: a test may have it fail.
func (s *street) between() string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/settle" {
			s.asked.Add(1)
		}
		s.mu.Lock()
		broken := s.broken
		s.mu.Unlock()
		again := func() *http.Request {
			q := r.Clone(r.Context())
			q.Body = io.NopCloser(strings.NewReader(string(body)))
			return q
		}
		if broken != nil && broken(w, again()) {
			return
		}
		s.settles.Handler(facilitatorToken).ServeHTTP(w, again())
	}))
	s.t.Cleanup(web.Close)
	return web.URL
}

// fail has the facilitator fail, until it is called with nil.
func (s *street) fail(how func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = how
}

// forecast has the skill's server answer otherwise, until it is called with nil.
func (s *street) forecast(how http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = how
}

// ServeHTTP is the skill's server.
func (s *street) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method == http.MethodHead {
		return
	}
	s.mu.Lock()
	s.heard = append(s.heard, heard{r.Header.Clone(), string(body)})
	n, answer := len(s.heard), s.answer
	s.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	w.Header().Set("Set-Cookie", "a=b")
	w.Header().Set("X-Key", r.Header.Get("X-Api-Key"))
	_, _ = fmt.Fprintf(w, `{"call":%d,"said":%q}`, n, r.Header.Get("X-Api-Key"))
}

// calls is how often the skill's server was asked.
func (s *street) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.heard)
}

// sell registers a skill of the seller's.
func (s *street) sell(change func(*railkit.SkillRequest)) *railkit.Skill {
	s.t.Helper()
	req := railkit.SkillRequest{
		Name: "Weather", URL: s.server.URL + "/forecast", IsPublic: true, CostUSDC: price, PayTo: s.payTo.String(),
		Network: "base", AuthType: "api_key", AuthConfig: &railkit.SkillAuth{Key: "secret-0001"},
	}
	change(&req)
	k, err := s.seller.Skills.Create(s.t.Context(), req)
	if err != nil {
		s.t.Fatal(err)
	}
	return k
}

// got is an answer of the API.
type got struct {
	apptest.Answer
	Error   string
	Message string
	Data    railkit.SkillAnswer
	Details struct {
		Error    string
		Resource x402.Resource
		Reason   string
	}
}

// call calls a skill with a key, and headers in pairs.
func (s *street) call(key, id, input string, headers ...string) (g got) {
	s.t.Helper()
	g.Answer = s.Do(key, "POST", "/v1/action/skills/"+id+"/execute", `{"input":`+input+`}`, headers...)
	if err := json.Unmarshal([]byte(g.Body), &g); err != nil {
		s.t.Fatalf("%v: %s", err, g.Body)
	}
	return g
}

// is checks status and code.
func (g got) is(t *testing.T, what string, status int, code string) {
	t.Helper()
	if g.Status != status || g.Error != code {
		t.Errorf("%s: %d %s, want %d %s", what, g.Status, g.Body, status, code)
	}
}

// receipt is what the answer's header says of the payment.
func (g got) receipt(t *testing.T) x402.Receipt {
	t.Helper()
	r, _, err := x402.ReadReceipt(g.Header)
	if err != nil {
		t.Error(err)
	}
	return r
}

// offer asks what a call costs.
func (s *street) offer(key, id string) x402.Offers {
	s.t.Helper()
	g := s.call(key, id, `{"city":"Rome"}`)
	all, err := x402.ReadOffers(g.Status, g.Header, []byte(g.Body))
	if err != nil || g.Status != 402 || g.Error != "x402_payment_required" || len(all.List) != 1 {
		s.t.Fatalf("%d %s, %v", g.Status, g.Body, err)
	}
	return all
}

// pay signs a payment of an offer by an account with money.
func (s *street) pay(by x402test.Key, o x402.Offer) []string {
	s.t.Helper()
	_, name, value := s.chain.Pay(by, o)
	return []string{name, value}
}

// agent makes an agent with money of its own that may call the skills, and its client.
func (s *street) agent(owner apptest.Owner, c *railkit.Client, skills ...string) (*railkit.AgentClient, string) {
	s.t.Helper()
	ctx := s.t.Context()
	made, err := c.Agents.Create(ctx, owner.Passkey, railkit.AgentRequest{
		Name: "Buyer " + uuid.NewString()[:8], SubOrganizationID: owner.Sub.SubOrganizationID, ChainID: 84532,
		AgentReach: railkit.AgentReach{
			AnyRecipient: true, AllowedHosts: []string{strings.TrimPrefix(s.BaseURL, "http://")},
		},
		Budget: railkit.AgentBudget{InfraMonthlyUSD: "1", TokensMonthlyUSD: "1", PaymentsMonthlyUSDC: "0.01"},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	shown, err := c.Agents.Get(ctx, made.AgentID)
	if err != nil {
		s.t.Fatal(err)
	}
	address, err := evm.ParseAddress(shown.WalletAddress)
	if err != nil {
		s.t.Fatal(err)
	}
	s.chain.Give(address, "USDC", "1")
	for _, id := range skills {
		if _, err := c.Agents.AddTool(ctx, made.AgentID, id); err != nil {
			s.t.Fatal(err)
		}
	}
	s.secrets[made.AgentID] = made.AgentSecret
	a, err := railkit.NewAgentClient(railkit.AgentConfig{
		BaseURL: s.BaseURL, AgentID: made.AgentID, Secret: made.AgentSecret, HTTPSignatures: true,
		HTTPClient: &http.Client{Timeout: time.Minute}, Retry: railkit.Retry{Sleep: soon},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return a, made.AgentID
}

func wantError(t *testing.T, what string, err error, status int, code string) {
	t.Helper()
	var e *railkit.Error
	if !errors.As(err, &e) || e.Status != status || e.Code != code {
		t.Errorf("%s: %v, want %d %s", what, err, status, code)
	}
}

var (
	integrator = []auth.Scope{auth.Integrator}
	agents     = auth.Agents
)

// soon waits no longer than a signer that has just started makes its callers wait.
func soon(_ context.Context, d time.Duration) error {
	time.Sleep(min(d, 500*time.Millisecond)) // between two tries
	return nil
}

// swap changes what a header says.
func swap(t *testing.T, value, from, to string) string {
	t.Helper()
	raw, err := x402.DecodeHeader(value)
	if err != nil || !strings.Contains(string(raw), from) {
		t.Fatalf("%s has no %s: %v", raw, from, err)
	}
	return base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(string(raw), from, to)))
}
