// Package railkit is the Go client of the Railkit API.
//
// A [Client] has a field for each noun of the API, and the calls are methods of
// those fields: client.Wallets.Create, client.Transactions.Send,
// client.Recipients.List, client.Orders.Wait.
//
// The client does not trust the server. It pins the identity key of the
// enclave ([Config].EnclaveKey) and checks every preview and every result
// against it: that the body a passkey is asked to stamp does what the caller
// asked for and nothing else, that a result belongs to the body that was
// stamped, and that an account is owned by the passkeys the caller knows and by
// nobody else. Whatever does not hold is a [TamperError] and the call fails.
//
// The client keeps the entries of the enclave's journal that proofs have named in
// its [Memory]. Before it believes a preview, it asks the enclave for those entries
// again ([JournalService.Check]): an enclave whose folder was put back to an older
// copy answers otherwise.
//
// Some calls do all of a change: [SubOrganizationsService.Create],
// [WalletsService.Create], [AddressesService.Create] and [TransactionsService.Send]
// prepare, verify, stamp and confirm. Beside them are calls that map one to one to
// endpoints, such as [TransactionsService.Prepare] and [TransactionsService.Confirm].
// They verify the same way, and leave the stamping to the caller, for example to a
// browser.
//
// A key of the caller's own, in no wallet, signs by itself:
// [TransactionsService.PrepareExternal] checks the very bytes, and
// [TransactionsService.ConfirmSigned] hands in the signed ones. No enclave vouches
// for those.
//
// Payouts go to bank accounts: [WithdrawAddressesService.Create] gives the address
// that leads to one, [PaymentsService.Quote] and [PaymentsService.Execute] hold a
// price, and [OrdersService.WaitDeposit], [OrdersService.Wait] and
// [OrdersService.WaitRefund] wait until the order moves on, as long as the context
// lets them. No enclave vouches for what the server says of orders; the chain and
// the bank do.
//
// A client remembers the passkeys of the sub-organizations that it registered.
// After a restart, tell it which passkeys to trust with
// [SubOrganizationsService.TrustOwners]; the server is not asked, since the server
// is what is being checked.
//
// Calls are retried on network errors, 429, 502 and 503. Every mutation carries
// an Idempotency-Key that is kept over its retries, so a retry never does
// anything twice. Redirects are not followed.
//
// Read client.go first, then the file of a noun, then verify.go and match.go: they
// hold what the server answers against what was asked for.
package railkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// Config says where the API is and whom to believe.
type Config struct {
	BaseURL string // scheme and host, without /v1
	APIKey  string // rk_client_key_v1_...

	// EnclaveKey is the enclave's identity key: P-256, compressed, hex. Get it
	// from the operator, not from the server that is to be checked.
	EnclaveKey string
	// Environment is what proofs must name, "sandbox" or "production". Empty: whatever they name.
	Environment string
	// Networks are those that this package does not list, or lists otherwise, as the operator describes them.
	Networks []chain.Network
	// RPID is the relying party that new passkeys must be for. Empty: any.
	RPID string

	HTTPClient *http.Client // default: 30 s timeout. Redirects are never followed
	Retry      Retry
	Memory     *Memory      // share one between clients of the same enclave; default: a new one
	Payments   PaymentStore // share one between all processes that pay; default: in memory
	UserAgent  string

	// StrictDecoding refuses fields this package does not know. For tests that
	// look for drift; in production a newer server may add fields.
	StrictDecoding bool
	// InsecureSkipProofs turns all verification off. Whoever holds the server
	// can then show one thing and have another one stamped.
	InsecureSkipProofs bool
}

// Retry says how often and how patiently a call is tried again.
type Retry struct {
	Attempts int           // in all; default 4
	MaxWait  time.Duration // longest single wait; a server that asks for more gets no retry. Default 60 s
	Sleep    func(ctx context.Context, d time.Duration) error
}

// Client calls the API. It is safe for concurrent use. Its methods are grouped by
// what they are about: client.Wallets.Create, client.Orders.List.
type Client struct {
	SubOrganizations  *SubOrganizationsService
	Passkeys          *PasskeysService
	Wallets           *WalletsService
	Addresses         *AddressesService
	Transactions      *TransactionsService
	Balances          *BalancesService
	Messages          *MessagesService
	Policies          *PoliciesService
	Payees            *PayeesService
	Approvals         *ApprovalsService
	Agents            *AgentsService
	X402              *X402Service
	Skills            *SkillsService
	Widgets           *WidgetsService
	Rewards           *RewardsService
	Swaps             *SwapsService
	Lending           *LendingService
	Recipients        *RecipientsService
	BankAccounts      *BankAccountsService
	Invites           *InvitesService
	WithdrawAddresses *WithdrawAddressesService
	DepositAccounts   *DepositAccountsService
	Payments          *PaymentsService
	Batches           *BatchesService
	Orders            *OrdersService
	Statements        *StatementsService
	Events            *EventsService
	Webhooks          *WebhooksService
	Journal           *JournalService
	Sandbox           *SandboxService

	base      string
	apiKey    string
	userAgent string
	rpID      string
	http      *http.Client
	retry     Retry
	strict    bool
	verify    *verifier // nil: proofs are not looked at
	memory    *Memory
	owners    *ownerBook
	signer    *AgentSigner // of an agent's client
	networks  []chain.Network
}

// New makes a client. Without an EnclaveKey it refuses, unless
// InsecureSkipProofs says that this is meant.
func New(cfg Config) (*Client, error) {
	base, err := origin(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if cfg.EnclaveKey == "" && !cfg.InsecureSkipProofs {
		return nil, errors.New("railkit: EnclaveKey is missing; without it nothing the server says can be checked")
	}
	c := &Client{
		base: base, apiKey: cfg.APIKey, userAgent: cfg.UserAgent, rpID: cfg.RPID,
		http: noRedirects(cfg.HTTPClient), retry: cfg.Retry.withDefaults(), strict: cfg.StrictDecoding,
		owners: &ownerBook{known: map[string]Owners{}}, memory: cfg.Memory,
		networks: networksOf(cfg.Environment, cfg.Networks),
	}
	c.group(cfg.Payments)
	if c.memory == nil {
		c.memory = NewMemory()
	}
	if c.userAgent == "" {
		c.userAgent = "railkit-go/1.0"
	}
	if cfg.InsecureSkipProofs {
		return c, nil
	}
	if _, err := wire.ParseP256(cfg.EnclaveKey); err != nil {
		return nil, fmt.Errorf("railkit: EnclaveKey: %w", err)
	}
	c.verify = &verifier{key: cfg.EnclaveKey, environment: cfg.Environment, memory: c.memory}
	return c, nil
}

// group gives the client its fields for the nouns of the API.
func (c *Client) group(paid PaymentStore) {
	c.SubOrganizations = &SubOrganizationsService{c}
	c.Passkeys = &PasskeysService{c}
	c.Wallets = &WalletsService{c}
	c.Addresses = &AddressesService{c}
	c.Transactions = &TransactionsService{c, newPayBook(paid)}
	c.Balances = &BalancesService{c}
	c.Lending, c.Rewards = &LendingService{c}, &RewardsService{c}
	c.Messages = &MessagesService{c}
	c.Policies = &PoliciesService{c}
	c.Payees = &PayeesService{c}
	c.Approvals = &ApprovalsService{c}
	c.Agents = &AgentsService{c}
	c.X402 = &X402Service{c}
	c.Skills = &SkillsService{c}
	c.Widgets, c.Swaps = &WidgetsService{c}, &SwapsService{c}
	c.Recipients = &RecipientsService{c}
	c.BankAccounts = &BankAccountsService{c}
	c.Invites = &InvitesService{c}
	c.WithdrawAddresses = &WithdrawAddressesService{c}
	c.DepositAccounts = &DepositAccountsService{c}
	c.Payments = &PaymentsService{c}
	c.Batches = &BatchesService{c}
	c.Orders = &OrdersService{c}
	c.Statements = &StatementsService{c}
	c.Events, c.Webhooks, c.Journal = &EventsService{c}, &WebhooksService{c}, &JournalService{c}
	c.Sandbox = &SandboxService{c}
}

func origin(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", errors.New("railkit: BaseURL must be an http or https address such as https://api.example.com")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("railkit: BaseURL must be scheme and host only")
	}
	u.Host = wire.Place(u.Scheme, u.Host) // the server names itself without it
	return strings.TrimSuffix(strings.TrimSuffix(u.String(), "/"), "/v1"), nil
}

// noRedirects copies the client: a redirect could carry the API key to another
// origin, and no answer of the API is one.
func noRedirects(given *http.Client) *http.Client {
	c := http.Client{Timeout: 30 * time.Second}
	if given != nil {
		c = *given
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

func (r Retry) withDefaults() Retry {
	if r.Attempts <= 0 {
		r.Attempts = 4
	}
	if r.MaxWait <= 0 {
		r.MaxWait = time.Minute
	}
	if r.Sleep == nil {
		r.Sleep = sleep
	}
	return r
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Health is a body of the API: see package rest for its fields.
type Health = rest.Health

// Health asks whether the service is up. It needs no key.
func (c *Client) Health(ctx context.Context) (*Health, error) {
	r, err := send[Health](ctx, c, request{method: http.MethodGet, path: "/v1/"})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// maxAnswer is more than any answer of the API has.
const maxAnswer = 8 << 20

// request is one logical call: its retries share the idempotency key.
type request struct {
	method, path string
	query        url.Values
	body         any
	bare         bool // the answer has no envelope, unless it is an error
	header       http.Header
}

// reply is a successful answer.
type reply[T any] struct {
	Data     T
	Meta     Meta
	Replayed bool   // the server answered out of its idempotency store
	Floor    uint64 // highest seq that was seen when the call began
}

func send[T any](ctx context.Context, c *Client, r request) (*reply[T], error) {
	out := &reply[T]{Floor: c.floor()}
	key, err := r.key(ctx)
	if err != nil {
		return nil, err
	}
	env, replayed, err := c.exchange(ctx, r, key)
	if err != nil {
		return nil, err
	}
	// Only who chose the key can mean an earlier call with it.
	out.Replayed = replayed && IdempotencyKey(ctx) != ""
	if env.Meta != nil {
		out.Meta = *env.Meta
	}
	if len(env.Data) == 0 {
		return out, nil
	}
	if err := c.decode(env.Data, &out.Data); err != nil {
		return nil, fmt.Errorf("railkit: reading the answer of %s %s: %w", r.method, r.path, err)
	}
	return out, nil
}

func (r request) key(ctx context.Context) (string, error) {
	if r.method == http.MethodGet {
		return "", nil
	}
	key := IdempotencyKey(ctx)
	if key == "" {
		return uuid.NewString(), nil
	}
	if id, err := uuid.Parse(key); err != nil || id.Version() != 4 {
		return "", errors.New("railkit: an idempotency key must be a UUID v4")
	}
	return key, nil
}

// exchange tries until there is an answer that stands.
func (c *Client) exchange(ctx context.Context, r request, key string) (*envelope, bool, error) {
	payload, err := r.payload()
	if err != nil {
		return nil, false, err
	}
	var env *envelope
	var replayed bool
	err = c.again(ctx, r, func() (err error) {
		env, replayed, err = c.attempt(ctx, r, key, payload)
		return err
	})
	return env, replayed, err
}

// textBody is a body that is no JSON and is sent as it is.
type textBody struct {
	media string
	text  []byte
}

// media is the media type of the body.
func (r request) media() string {
	if t, is := r.body.(textBody); is {
		return t.media
	}
	return "application/json"
}

func (r request) payload() ([]byte, error) {
	if r.body == nil {
		return nil, nil
	}
	if t, is := r.body.(textBody); is {
		return t.text, nil
	}
	raw, err := json.Marshal(r.body)
	if err != nil {
		return nil, fmt.Errorf("railkit: encoding %s %s: %w", r.method, r.path, err)
	}
	return raw, nil
}

func (c *Client) attempt(ctx context.Context, r request, key string, payload []byte) (*envelope, bool, error) {
	req, err := c.newRequest(ctx, r, key, payload)
	if err != nil {
		return nil, false, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, false, &lostError{fmt.Errorf("railkit: %w", err)}
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, false, &lostError{fmt.Errorf("railkit: reading the answer: %w", err)}
	}
	if len(raw) > maxAnswer {
		return nil, false, fmt.Errorf("railkit: the answer of %s %s is too large", r.method, r.path)
	}
	open := c.open
	if r.bare && res.StatusCode >= 200 && res.StatusCode < 300 {
		open = unwrapped
	}
	env, err := open(res, raw)
	return env, res.Header.Get("Idempotent-Replayed") == "true", err
}

func (c *Client) newRequest(ctx context.Context, r request, key string, payload []byte) (*http.Request, error) {
	target := c.base + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	var body io.Reader
	if payload != nil {
		body = bytes.NewReader(payload)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, body)
	if err != nil {
		return nil, fmt.Errorf("railkit: %w", err)
	}
	if r.header != nil {
		req.Header = r.header.Clone()
	}
	if req.Header.Get("Accept") == "" {
		req.Header.Set("Accept", "application/json")
	}
	req.Header.Set("User-Agent", c.userAgent)
	if c.apiKey != "" {
		req.Header.Set("Authorization", "ApiKey "+c.apiKey)
	}
	if payload != nil {
		req.Header.Set("Content-Type", r.media())
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	if c.signer != nil {
		return req, c.signer.Sign(req, payload)
	}
	return req, nil
}

func (c *Client) floor() uint64 {
	if c.verify == nil {
		return 0
	}
	return c.verify.memory.Highest()
}

// data is the data of an answer that proves nothing.
func data[T any](ctx context.Context, c *Client, method, path string, body any) (*T, error) {
	r, err := send[T](ctx, c, request{method: method, path: path, body: body})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

type idempotencyKey struct{}

// WithIdempotencyKey makes the next mutation under ctx carry this key instead
// of a new one. It must be a UUID v4 and belong to one logical operation: with
// it, an operation can be repeated safely even after the process died. In the
// high-level calls it is the key of prepare, which decides the rest.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key)
}

// IdempotencyKey is that of WithIdempotencyKey, or "".
func IdempotencyKey(ctx context.Context) string {
	key, _ := ctx.Value(idempotencyKey{}).(string)
	return key
}

// withoutKey is for the second step of a high-level call.
func withoutKey(ctx context.Context) context.Context { return WithIdempotencyKey(ctx, "") }
