package railkit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/railkit/railkit/enclave/wire"
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
	// RPID is the relying party that new passkeys must be for. Empty: any.
	RPID string

	HTTPClient *http.Client // default: 30 s timeout. Redirects are never followed
	Retry      Retry
	Memory     *Memory // share one between clients of the same enclave; default: a new one
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

// Client calls the API. It is safe for concurrent use.
type Client struct {
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
	payments  *payBook
	signer    *AgentSigner // of an agent's client
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
		payments: newPayBook(),
	}
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

func origin(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", errors.New("railkit: BaseURL must be an http or https address such as https://api.example.com")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("railkit: BaseURL must be scheme and host only")
	}
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
