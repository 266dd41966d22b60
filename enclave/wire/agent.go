package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// AgentSecretPrefix begins every agent's secret, so that a scanner knows one.
const AgentSecretPrefix = "rk_agent_secret_v1_"

// CreateAgentParams makes an agent and its secret. Sealed to RecipientPublicKey
// the secret is read by its owner alone; without it, it is answered in clear.
type CreateAgentParams struct {
	AgentName          string `json:"agentName"`
	RecipientPublicKey string `json:"recipientPublicKey,omitempty"` // P-256, compressed SEC1 hex
}

// Agent is a program that signs its requests with a secret.
type Agent struct {
	ID           string        `json:"id"`
	Name         string        `json:"name"`
	CreatedAt    string        `json:"createdAt"`
	SealedSecret *SealedSecret `json:"sealedSecret,omitempty"` // where the body names a recipient
}

// SealedSecret is an agent's secret under its owner's key: HPKE (RFC 9180) in
// base mode with DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM, and
// AgentSecretInfo as its info.
type SealedSecret struct {
	RecipientPublicKey string `json:"recipientPublicKey"`
	Sealed             string `json:"sealed"` // base64url: encapsulated key, then ciphertext
}

// AgentSecretInfo binds a sealed secret to the agent and to the body that made it.
func AgentSecretInfo(environment, agentID, fingerprint string) []byte {
	return []byte("railkit agent secret v1|" + environment + "|" + agentID + "|" + fingerprint)
}

// AgentStatus says what an agent may do.
type AgentStatus string

// The states of an agent.
const (
	AgentActive AgentStatus = "active"
	AgentKilled AgentStatus = "killed" // for good
)

// AgentRequest names an agent.
type AgentRequest struct {
	AgentID string `json:"agentId"`
}

// VerifyAgentRequest is a request that claims to be an agent's. Only the hash of
// its body is here: the enclave knows the hash of the bodies that count as none.
type VerifyAgentRequest struct {
	AgentID   string `json:"agentId"`
	Method    string `json:"method"`
	Path      string `json:"path"`      // with /v1, without a query
	Timestamp string `json:"timestamp"` // the header's text: 10 digits
	BodyHash  string `json:"bodyHash"`  // lower-case hex of SHA-256 of the bytes that came
	MAC       string `json:"mac"`       // lower-case hex
}

// AgentReply is what is known of an agent. It is a plain reply: it tells the
// server whom it speaks with, and proves nothing to anybody else.
type AgentReply struct {
	AgentID        string      `json:"agentId"`
	OrganizationID string      `json:"organizationId"`
	WorkspaceID    string      `json:"workspaceId"`
	Name           string      `json:"name"`
	Status         AgentStatus `json:"status"`
}

// AgentMessage is what an agent signs. The last two parts have a fixed length
// and a path begins with a slash, so no message can be read in two ways.
func AgentMessage(method, path, timestamp, bodyHash string) string {
	return method + path + timestamp + bodyHash
}

// AgentMAC is the signature of a message: lower-case hex of HMAC-SHA256 under
// the secret's text.
func AgentMAC(secret, message string) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(message))
	return hex.EncodeToString(h.Sum(nil))
}
