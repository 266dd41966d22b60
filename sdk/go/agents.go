package railkit

import (
	"context"
	"crypto/ecdh"
	"crypto/hpke"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"
)

// AgentStatus says what an agent may do.
type AgentStatus struct {
	AgentID    string `json:"agentId"`
	KillSwitch bool   `json:"killSwitch"` // true exactly when Status is "killed"
	Status     string `json:"status"`
}

// AgentStatus tells what an agent of the workspace may do.
func (c *Client) AgentStatus(ctx context.Context, agentID string) (*AgentStatus, error) {
	r, err := send[AgentStatus](ctx, c, request{method: http.MethodGet, path: "/v1/agents/" + url.PathEscape(agentID) + "/status"})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// AgentConfig says where the API is, and who calls.
type AgentConfig struct {
	BaseURL string // scheme and host, without /v1
	AgentID string
	Secret  string // as the agent's owner got it

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
		BaseURL: cfg.BaseURL, HTTPClient: cfg.HTTPClient, Retry: cfg.Retry, UserAgent: cfg.UserAgent, StrictDecoding: cfg.StrictDecoding,
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
	return &AgentClient{c, cfg.AgentID}, nil
}

// Status tells what the agent itself may do.
func (a *AgentClient) Status(ctx context.Context) (*AgentStatus, error) {
	return a.c.AgentStatus(ctx, a.id)
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
