package railkit

import (
	"context"
	"crypto/ecdh"
	"crypto/hpke"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// AgentsService reads what agents may do.
type AgentsService struct{ c *Client }

// What the calls send and answer: see package rest for the fields.
type (
	AgentState          = rest.AgentState
	AgentRequest        = rest.PrepareAgentRequest
	AgentBudget         = rest.AgentAmounts
	AgentReach          = rest.AgentReach
	AgentBudgetStatus   = rest.AgentBudget
	AgentBudgetLayers   = rest.AgentBudgetLayers
	AgentBudgetLayer    = rest.AgentBudgetLayer
	AgentPaymentsBudget = rest.AgentPaymentsBudget
	ReportedEvents      = rest.ReportedEvents
	ReportedEvent       = rest.ReportedEvent
	AgentAnalytics      = rest.AgentAnalytics
	AgentActivity       = rest.AgentActivity
	AgentUsage          = rest.AgentUsage
	AgentLayerUsage     = rest.AgentLayerUsage
	AgentDay            = rest.AgentDay
	AgentAuditEntry     = rest.AgentAuditEntry
	AuditActor          = rest.AuditActor
)

// Status tells what an agent of the workspace may do.
func (s *AgentsService) Status(ctx context.Context, agentID string) (*AgentState, error) {
	return data[AgentState](ctx, s.c, http.MethodGet, "/v1/agents/"+url.PathEscape(agentID)+"/status", nil)
}

// AgentConfig says where the API is, and who calls.
type AgentConfig struct {
	BaseURL string // scheme and host, without /v1
	AgentID string
	Secret  string // as the agent's owner got it

	// HTTPSignatures has requests signed in the second form (RFC 9421), which is bound to the host of BaseURL. An
	// agent with the limit requireHttpSignature is known by no other.
	HTTPSignatures bool

	HTTPClient     *http.Client // default: 30 s timeout. Redirects are never followed
	Retry          Retry
	UserAgent      string
	StrictDecoding bool // see Config
}

// AgentClient calls the API as an agent. It is safe for concurrent use.
type AgentClient struct {
	c  *Client
	id string
}

// NewAgentClient makes a client for an agent.
func NewAgentClient(cfg AgentConfig) (*AgentClient, error) {
	c, err := New(Config{
		BaseURL: cfg.BaseURL, HTTPClient: cfg.HTTPClient, Retry: cfg.Retry,
		UserAgent: cfg.UserAgent, StrictDecoding: cfg.StrictDecoding,
		InsecureSkipProofs: true, // no answer to an agent has one
	})
	if err != nil {
		return nil, err
	}
	if _, err := uuid.Parse(cfg.AgentID); err != nil || cfg.Secret == "" {
		return nil, errors.New("railkit: an agent has an AgentID, which is a UUID, and a Secret")
	}
	base, err := url.Parse(c.base)
	if err != nil {
		return nil, fmt.Errorf("railkit: BaseURL: %w", err)
	}
	c.signer = newAgentSigner(base, cfg.AgentID, cfg.Secret, time.Now)
	c.signer.http = cfg.HTTPSignatures
	return &AgentClient{c, cfg.AgentID}, nil
}

// Status tells what the agent itself may do.
func (a *AgentClient) Status(ctx context.Context) (*AgentState, error) {
	return a.c.Agents.Status(ctx, a.id)
}

// AgentWalletRequest, AgentWalletAccount and AgentMadeWallet are bodies of the API: see package rest for their fields.
type (
	AgentWalletRequest = rest.AgentWalletRequest
	AgentWalletAccount = rest.AgentWalletAccount
	AgentMadeWallet    = rest.AgentMadeWallet
)

// CreateWallet makes a wallet for the agent's sub-organization, as many as maxWallets of the agent's limits allows. The
// agent cannot pay from it. WithIdempotencyKey makes a call that may be repeated safely.
func (a *AgentClient) CreateWallet(ctx context.Context, req AgentWalletRequest) (*AgentMadeWallet, error) {
	return data[AgentMadeWallet](ctx, a.c, http.MethodPost, agentsPath+"/wallets", req)
}

// AgentRecipient writes a P-256 key as a recipient of an agent's secret.
func AgentRecipient(key *ecdh.PublicKey) string {
	raw := key.Bytes() // 0x04 || X || Y
	return hex.EncodeToString(append([]byte{2 + raw[64]&1}, raw[1:33]...))
}

// OpenAgentSecret reads the secret that the enclave sealed to the key. The
// statement is the verified result of the body that made the agent.
func OpenAgentSecret(key *ecdh.PrivateKey, st Statement) (string, error) {
	if st.Result == nil || st.Result.Agent == nil || st.Result.Agent.SealedSecret == nil {
		return "", errors.New("railkit: the statement has no sealed secret")
	}
	sealed, err := base64.RawURLEncoding.DecodeString(st.Result.Agent.SealedSecret.Sealed)
	if err != nil {
		return "", errors.New("railkit: the sealed secret is not base64url")
	}
	own, err := hpke.NewDHKEMPrivateKey(key)
	if err != nil {
		return "", fmt.Errorf("railkit: %w", err)
	}
	secret, err := hpke.Open(own, hpke.HKDFSHA256(), hpke.AES256GCM(), agentSecretInfo(st), sealed)
	if err != nil {
		return "", errors.New("railkit: the secret was sealed to another key, or for another agent")
	}
	return string(secret), nil
}

// The headers of an agent's request.
const (
	headerAgentID    = "X-Agent-Id"
	headerAgentAuth  = "X-Agent-Auth"
	headerTimestamp  = "X-Request-Timestamp"
	headerSDKVersion = "X-Sdk-Version"

	headerSignatureInput = "Signature-Input"
	headerSignature      = "Signature"
	headerContentDigest  = "Content-Digest"
)

// sdkVersion is telemetry: no signature covers it.
const sdkVersion = "railkit-go/1.0"

// mostAhead is how far equal writes may run ahead of the clock, in seconds. The
// server takes a minute, less what its clock differs from ours.
const mostAhead = 30

// AgentSigner signs an agent's requests to one origin. A signature of the first form does not
// say for whom it is: at any other server it could be taken and used at this one.
// Do not follow redirects with a request that was signed; AgentClient does not.
type AgentSigner struct {
	origin     *url.URL
	id, secret string
	now        func() time.Time
	http       bool // signs in the second form

	mu   sync.Mutex
	last map[string]int64 // of each write, without its timestamp: when it was signed
}

func newAgentSigner(origin *url.URL, id, secret string, now func() time.Time) *AgentSigner {
	return &AgentSigner{origin: origin, id: id, secret: secret, now: now, last: map[string]int64{}}
}

// Sign adds the headers to a request whose body has these bytes.
func (s *AgentSigner) Sign(req *http.Request, body []byte) error {
	if req.URL.Scheme != s.origin.Scheme || req.URL.Host != s.origin.Host ||
		(req.Host != "" && req.Host != s.origin.Host) {
		return errors.New("railkit: an agent's request must not be signed for another origin")
	}
	req.GetBody = nil // else net/http may send a write again by itself, whose signature the signer takes once
	if s.http {
		s.signHTTP(req, body)
		return nil
	}
	read := req.Method == http.MethodGet || req.Method == http.MethodHead
	if !read && req.URL.RawQuery != "" {
		return errors.New("railkit: an agent's write must not have a query, which no signature covers")
	}
	at, err := s.timestamp(read, req.Method+req.URL.EscapedPath()+wire.Digest(string(body)))
	if err != nil {
		return err
	}
	req.Header.Set(headerAgentID, s.id)
	req.Header.Set(headerTimestamp, at)
	req.Header.Set(headerAgentAuth, s.MAC(req.Method, req.URL.EscapedPath(), at, body))
	req.Header.Set(headerSDKVersion, sdkVersion)
	return nil
}

// MAC is the signature alone.
func (s *AgentSigner) MAC(method, path, timestamp string, body []byte) string {
	return wire.AgentMAC(s.secret, wire.AgentMessage(method, path, timestamp, wire.Digest(string(body))))
}

// timestamp gives equal writes different seconds: with one, the second of them
// would be a replay of the first.
func (s *AgentSigner) timestamp(read bool, of string) (string, error) {
	now := s.now().Unix()
	if read {
		return strconv.FormatInt(now, 10), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, at := range s.last {
		if at < now {
			delete(s.last, other)
		}
	}
	at := now
	if last, ok := s.last[of]; ok {
		at = last + 1
	}
	if at > now+mostAhead {
		return "", errors.New("railkit: too many equal writes at once; their signatures would be the same")
	}
	s.last[of] = at
	return strconv.FormatInt(at, 10), nil
}

func agentSecretInfo(st Statement) []byte {
	return wire.AgentSecretInfo(st.Environment, st.Result.Agent.ID, st.Fingerprint)
}

func agentPath(agentID, path string) string { return agentsPath + "/" + url.PathEscape(agentID) + path }

// signHTTP adds the headers of an HTTP signature (RFC 9421). It covers the query, and its nonce makes equal requests of
// one second differ.
func (s *AgentSigner) signHTTP(req *http.Request, body []byte) {
	now, random := s.now().Unix(), make([]byte, 16)
	_, _ = rand.Read(random) // never fails: it ends the program where there is no randomness
	id := strings.ToLower(s.id)
	q := wire.VerifyAgentRequest{
		AgentID: id, Method: req.Method, Path: req.URL.EscapedPath(), BodyHash: wire.Digest(string(body)),
		HTTP: &wire.HTTPSignature{
			Authority: authorityOf(req), Query: "?" + req.URL.RawQuery, Created: strconv.FormatInt(now, 10),
			Expires: strconv.FormatInt(now+wire.SignatureLife, 10), Nonce: base64.RawURLEncoding.EncodeToString(random),
		},
	}
	if q.Path == "" {
		q.Path = "/"
	}
	_, input := q.HTTP.Base(id, q.Method, q.Path, q.BodyHash)
	mac, _ := hex.DecodeString(wire.AgentMAC(s.secret, q.Message())) // is hex
	req.Header.Set(headerAgentID, id)
	req.Header.Set(headerContentDigest, wire.ContentDigest(q.BodyHash))
	req.Header.Set(headerSignatureInput, "agent="+input)
	req.Header.Set(headerSignature, "agent=:"+base64.StdEncoding.EncodeToString(mac)+":")
	req.Header.Set(headerSDKVersion, sdkVersion)
}

// authorityOf is the host of a request without the port that its scheme has anyway.
func authorityOf(req *http.Request) string {
	return wire.Place(req.URL.Scheme, strings.ToLower(req.URL.Host))
}

// AgentEvent is something that an agent did.
type AgentEvent struct {
	// The event's own name: reported again, it counts nothing. Report under one whatever may be reported twice.
	ID        string         `json:"id,omitempty"`
	Type      string         `json:"type"`             // llm_call and token_usage count in tokens, api_call in infra
	Amount    json.Number    `json:"amount,omitempty"` // USD, at most 9 places
	Recipient string         `json:"recipient,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

// AgentPeriod chooses what analytics tell of.
type AgentPeriod string

// The periods.
const (
	PeriodDay   AgentPeriod = "day"
	PeriodWeek  AgentPeriod = "week"  // today and the six days before
	PeriodMonth AgentPeriod = "month" // the calendar month so far, UTC
)

// Budget tells what is left of an agent's budget.
func (s *AgentsService) Budget(ctx context.Context, agentID string) (*AgentBudgetStatus, error) {
	return data[AgentBudgetStatus](ctx, s.c, http.MethodGet, agentPath(agentID, "/budget"), nil)
}

// Analytics tells what an agent spent and did, day by day.
func (s *AgentsService) Analytics(ctx context.Context, agentID string, p AgentPeriod) (*AgentAnalytics, error) {
	r, err := send[AgentAnalytics](ctx, s.c, request{
		method: http.MethodGet, path: agentPath(agentID, "/analytics"), query: url.Values{"period": {string(p)}},
	})
	return &r.Data, err
}

// Summary tells what each agent of the workspace spent and did, a page at a time.
func (s *AgentsService) Summary(ctx context.Context, p AgentPeriod, at ListOptions) (*Page[AgentActivity], error) {
	q := at.query()
	q.Set("period", string(p))
	return list[AgentActivity](ctx, s.c, agentsPath+"/analytics/summary", q, nil)
}

// Budget tells what is left of the agent's own budget.
func (a *AgentClient) Budget(ctx context.Context) (*AgentBudgetStatus, error) {
	return a.c.Agents.Budget(ctx, a.id)
}

// Analytics tells what the agent itself spent and did.
func (a *AgentClient) Analytics(ctx context.Context, p AgentPeriod) (*AgentAnalytics, error) {
	return a.c.Agents.Analytics(ctx, a.id, p)
}

// ReportEvents reports what the agent did, 100 events at most.
func (a *AgentClient) ReportEvents(ctx context.Context, events ...AgentEvent) (*ReportedEvents, error) {
	body := map[string]any{"events": events}
	return data[ReportedEvents](ctx, a.c, http.MethodPost, agentsPath+"/events/batch", body)
}
