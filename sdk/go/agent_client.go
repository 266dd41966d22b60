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
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

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

// AgentPayment is a body of the API: see package rest for its fields.
type AgentPayment = rest.AgentPaymentRequest

// Pay pays USDC from the agent's wallet. Above the agent's threshold the error is a QueuedError: Approval waits for the
// decision. WithIdempotencyKey makes a payment that may be repeated safely, also after a crash of the agent.
func (a *AgentClient) Pay(ctx context.Context, p AgentPayment) (*Transaction, error) {
	return data[Transaction](ctx, a.c, http.MethodPost, agentsPath+"/"+url.PathEscape(a.id)+"/sign-transaction", p)
}

// longPoll is how long one request waits for a decision: less than the timeout of the default HTTP client.
const longPoll = 20 * time.Second

// Approval reads the approval of a payment of the agent. It waits until that is decided, or for the time, and answers
// it as it then is.
func (a *AgentClient) Approval(ctx context.Context, id string, wait time.Duration) (*Approval, error) {
	end := time.Now().Add(wait)
	for {
		step := min(max(time.Until(end), 0), longPoll)
		r, err := send[Approval](ctx, a.c, request{
			method: http.MethodGet, path: approvalPath(id),
			query: url.Values{"wait": {strconv.Itoa(int(step.Seconds()))}},
		})
		if err != nil {
			return nil, err
		}
		if r.Data.ResolvedAt != nil || step < longPoll {
			return &r.Data, nil
		}
	}
}

// Bodies of the API: see package rest for their fields.
type (
	X402Request = rest.X402PayRequest
	X402Answer  = rest.X402Answer
	X402Payment = rest.X402Payment
)

// PayX402 has the platform ask a server for a URL, and pay it where it costs something, by x402. The answer is that of
// the server; Payment says what became of the money, and is nil where none was asked for. Above the agent's threshold
// the error is a QueuedError: once Approval tells that it was approved, a request with its PaymentID alone goes on.
// WithIdempotencyKey makes a payment that may be repeated safely.
func (a *AgentClient) PayX402(ctx context.Context, q X402Request) (*X402Answer, error) {
	return data[X402Answer](ctx, a.c, http.MethodPost, agentsPath+"/"+url.PathEscape(a.id)+"/x402-pay", q)
}

// X402Payment reads what became of a payment.
func (a *AgentClient) X402Payment(ctx context.Context, paymentID string) (*X402Payment, error) {
	return data[X402Payment](ctx, a.c, http.MethodGet, x402Path(a.id)+"/"+url.PathEscape(paymentID), nil)
}

// Balance tells what the agent itself has.
func (a *AgentClient) Balance(ctx context.Context) (*AgentBalance, error) {
	return a.c.Agents.Balance(ctx, a.id)
}

// PaidSkillError is a call whose payment was sent and has no known end. The money may have moved: go on with
// AgentClient.CallSkill and the same Payment, and pay no other one.
type PaidSkillError struct {
	Payment PaymentHeader
	Err     error
}

func (e *PaidSkillError) Error() string {
	return "railkit: the payment for a skill has no known end: " + e.Err.Error()
}

// Unwrap gives the last answer.
func (e *PaidSkillError) Unwrap() error { return e.Err }

// ErrSkillOffer is an offer that ExecuteSkill does not pay.
var ErrSkillOffer = errors.New("railkit: the skill's offer is not paid")

// ExecuteSkill calls a skill on the agent's list, and pays for it by x402 out of the agent's budget where it costs
// something: at most maxAmount, in millionths of a USDC, and only to the payTo that the skill is registered with. Where
// the agent's owner has to approve the payment, the error is a QueuedError: once that is approved, PayX402 with its
// PaymentID gives the header for CallSkill.
//
// A call pays once: where the payment's end is not known, the identical payment is sent again, a few times, and then
// given back in a PaidSkillError. WithIdempotencyKey makes a call that may be repeated also after the process died.
func (a *AgentClient) ExecuteSkill(
	ctx context.Context, skillID string, input map[string]any, maxAmount int64,
) (*SkillAnswer, error) {
	key := IdempotencyKey(ctx)
	if key == "" {
		key = uuid.NewString()
	}
	ctx = WithIdempotencyKey(ctx, key)
	answer, err := a.c.Skills.Execute(ctx, skillID, input, PaymentHeader{})
	var e *Error
	if !errors.As(err, &e) || e.Code != "x402_payment_required" {
		return answer, err
	}
	wanted, err := a.requirement(ctx, skillID, e, maxAmount)
	if err != nil {
		return nil, err
	}
	paid, err := a.PayX402(WithIdempotencyKey(ctx, payingKey(key)), X402Request{PaymentRequirement: wanted})
	if err != nil {
		return nil, err
	}
	return a.CallSkill(ctx, skillID, input, PaymentHeader{paid.PaymentHeaderName, paid.PaymentHeader})
}

// payingKey is the key of the payment of a call with a key: the same each time that the call is repeated.
func payingKey(key string) string {
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte("payment of "+key))
	id[6] = id[6]&0x0f | 0x40 // as version 4, which the API wants
	return id.String()
}

// CallSkill calls a skill with a payment that was made for this call, and repeats it until its end is known or a few
// tries are over.
func (a *AgentClient) CallSkill(
	ctx context.Context, skillID string, input map[string]any, payment PaymentHeader,
) (*SkillAnswer, error) {
	for attempt := 1; ; attempt++ {
		answer, err := a.c.Skills.Execute(ctx, skillID, input, payment)
		if err == nil || !unsettled(err) {
			return answer, err
		}
		if attempt >= max(a.c.retry.Attempts, 4) || ctx.Err() != nil {
			return nil, &PaidSkillError{payment, err}
		}
		if a.c.retry.Sleep(ctx, time.Second<<min(attempt-1, 3)) != nil {
			return nil, &PaidSkillError{payment, err}
		}
	}
}

// namedNetworks are those that version 1 of x402 has a name for, in which the platform writes such payments.
var namedNetworks = []string{"ethereum", "base", "polygon", "avalanche_c_chain", "solana"}

// unsettled tells an answer after which the payment may be settled, or may still be.
func unsettled(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		var lost *lostError
		return errors.As(err, &lost)
	}
	switch e.Code {
	case "x402_settlement_pending", "x402_settlement_unknown", "x402_payment_busy", "x402_facilitator_failed",
		"unavailable", "internal":
		return true
	}
	return false
}

// skillOffer is what a call costs, as a 402 of the API says it.
type skillOffer struct {
	Resource struct {
		URL string `json:"url"`
	} `json:"resource"`
	Accepts []struct {
		Scheme, Amount, PayTo string
		Extra                 struct{ FeePayer string }
	} `json:"accepts"`
}

// requirement is what the agent asks the platform to pay, of an offer that is as the skill was registered and costs no
// more than it may. The platform could lie about both: who the agent may pay, and how much, is held by its signer.
func (a *AgentClient) requirement(
	ctx context.Context, skillID string, e *Error, most int64,
) (*rest.X402Requirement, error) {
	raw, err := json.Marshal(e.Details)
	var o skillOffer
	if err == nil {
		err = json.Unmarshal(raw, &o)
	}
	if err != nil || len(o.Accepts) == 0 {
		return nil, fmt.Errorf("%w: it cannot be read", ErrSkillOffer)
	}
	k, err := data[Skill](ctx, a.c, http.MethodGet, ofSkill(skillID), nil)
	if err != nil {
		return nil, err
	}
	first := o.Accepts[0]
	amount, err := strconv.ParseInt(first.Amount, 10, 64)
	at, err2 := url.Parse(o.Resource.URL)
	here, err3 := url.Parse(a.c.base)
	switch {
	case err != nil || amount <= 0 || amount > most:
		return nil, fmt.Errorf("%w: it costs %s, more than %d", ErrSkillOffer, first.Amount, most)
	case first.Scheme != "exact" || first.PayTo != k.PayTo || first.PayTo == "":
		return nil, fmt.Errorf("%w: it is to be paid to %s, and the skill is registered for %s", ErrSkillOffer,
			first.PayTo, k.PayTo)
	case errors.Join(err2, err3) != nil || at.Scheme != here.Scheme || at.Host != here.Host:
		return nil, fmt.Errorf("%w: it is for another server than %s", ErrSkillOffer, a.c.base)
	}
	if !slices.Contains(namedNetworks, k.Network) {
		return nil, fmt.Errorf("%w: version 1 of x402 has no name for %s", ErrSkillOffer, k.Network)
	}
	return &rest.X402Requirement{
		Amount: fmt.Sprintf("%d.%06d", amount/1_000_000, amount%1_000_000), Currency: "USDC", Network: k.Network,
		Recipient: first.PayTo, Resource: o.Resource.URL, FeePayer: first.Extra.FeePayer,
	}, nil
}
