package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/railkit/railkit/chain"
)

// AgentSecretPrefix begins every agent's secret, so that a scanner knows one.
const AgentSecretPrefix = "rk_agent_secret_v1_"

// The activities about agents. Each is stamped by a passkey; those that only tighten (a lower limit, a halt, a kill)
// may come without a stamp. Of the last three the agent's signature stands in the place of a stamp.
const (
	ActivateAgent     ActivityType = "ACTIVITY_TYPE_ACTIVATE_AGENT"
	SetAgentLimits    ActivityType = "ACTIVITY_TYPE_SET_AGENT_LIMITS"
	SetAgentStatus    ActivityType = "ACTIVITY_TYPE_SET_AGENT_STATUS"
	RotateAgentSecret ActivityType = "ACTIVITY_TYPE_ROTATE_AGENT_SECRET"
	DeleteAgent       ActivityType = "ACTIVITY_TYPE_DELETE_AGENT"
	SetKillSwitch     ActivityType = "ACTIVITY_TYPE_SET_KILL_SWITCH"
	AgentPayment      ActivityType = "ACTIVITY_TYPE_AGENT_PAYMENT"
	AgentWallet       ActivityType = "ACTIVITY_TYPE_AGENT_WALLET"
	AgentX402         ActivityType = "ACTIVITY_TYPE_AGENT_X402"
)

// CreateAgentParams makes an agent and a wallet for it. It has no secret and may do nothing until ActivateAgent.
type CreateAgentParams struct {
	AgentName string `json:"agentName"`
	// Slugs: the wallet gets an account for each family of theirs. Without any it gets one for EVM networks. They limit
	// nothing: ActivateAgent says where the agent pays.
	Networks []string `json:"networks,omitempty"`
}

// ActivateAgentParams gives an agent its limits and its secret. Sealed to
// RecipientPublicKey the secret is read by its owner alone; without it, it is answered in clear.
type ActivateAgentParams struct {
	AgentID            string      `json:"agentId"`
	Limits             AgentLimits `json:"limits"`
	RecipientPublicKey string      `json:"recipientPublicKey,omitempty"` // P-256, compressed SEC1 hex
}

// SetAgentLimitsParams puts new limits in the place of all of an agent's limits.
type SetAgentLimitsParams struct {
	AgentID string      `json:"agentId"`
	Limits  AgentLimits `json:"limits"`
}

// SetAgentStatusParams halts an agent, lets it go on, or ends it.
type SetAgentStatusParams struct {
	AgentID string      `json:"agentId"`
	Status  AgentStatus `json:"status"`
}

// RotateAgentSecretParams ends an agent's secret and makes another one. Without a passkey's stamp it is refused unless
// the new secret is sealed to the recipient of the old one: else whoever runs the server could make himself the agent.
type RotateAgentSecretParams struct {
	AgentID            string `json:"agentId"`
	RecipientPublicKey string `json:"recipientPublicKey,omitempty"`
}

// DeleteAgentParams takes away an agent that was never activated. Its wallet stays, as one of its owner's.
type DeleteAgentParams struct {
	AgentID string `json:"agentId"`
}

// SetKillSwitchParams stops all payments of a sub-organization's agents, or allows them again.
type SetKillSwitchParams struct {
	On bool `json:"on"`
}

// AgentLimits are what an agent may do. Amounts are plain decimals of at most 6 places; "0" allows nothing. Months are
// UTC calendar months. The enclave counts payments; the server counts API calls and tokens, by the limits written here.
type AgentLimits struct {
	InfraMonthlyUSD     string `json:"infraMonthlyUsd"`
	TokensMonthlyUSD    string `json:"tokensMonthlyUsd"`
	PaymentsMonthlyUSDC string `json:"paymentsMonthlyUsdc"`
	PerTxUSDC           string `json:"perTxUsdc"`
	// A payment above it waits for a passkey.
	ApprovalThresholdUSDC string `json:"approvalThresholdUsdc"`
	MaxFeeUSD             string `json:"maxFeeUsd"` // of one transaction: the host chooses the fee

	AllowedChains []string `json:"allowedChains"` // slugs
	// Who is paid: exactly one of these three says it.
	AllowedRecipients []string `json:"allowedRecipients,omitempty"` // EIP-55
	PayeesOnly        bool     `json:"payeesOnly,omitempty"`        // those in the book of payees
	AnyRecipient      bool     `json:"anyRecipient,omitempty"`
	PayeeCoolingHours string   `json:"payeeCoolingHours,omitempty"` // with payeesOnly: as in Rules
	// Hosts of the web that paid requests may go to, as HostProblem wants them; none: no URL may be paid.
	AllowedHosts []string `json:"allowedHosts,omitempty"`
	// Requests of the agent are taken under an HTTPSignature only.
	RequireHTTPSignature bool `json:"requireHttpSignature,omitempty"`
	// Wallets that the agent may make for its sub-organization on its own word, in all; none: none.
	MaxWallets string `json:"maxWallets,omitempty"`
}

// Agent is a program that signs its requests with a secret.
type Agent struct {
	ID        string       `json:"id"`
	Name      string       `json:"name"`
	WalletID  string       `json:"walletId,omitempty"` // none of agents from before they had one
	Status    AgentStatus  `json:"status"`
	Limits    *AgentLimits `json:"limits,omitempty"` // none before ActivateAgent: it may do nothing
	CreatedAt string       `json:"createdAt"`
	// Of the body that made the secret, where it names a recipient.
	SealedSecret *SealedSecret `json:"sealedSecret,omitempty"`
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
	AgentPending   AgentStatus = "pending_policies" // made and not activated
	AgentActive    AgentStatus = "active"
	AgentDraining  AgentStatus = "draining"  // asks for nothing new; what waits for approval may still be paid
	AgentSuspended AgentStatus = "suspended" // pays nothing
	AgentKilled    AgentStatus = "killed"    // for good
)

// AgentStamp is the header of an agent's signature where it stands for a stamp. Its value is
// x-agent-auth of the request, or the MAC of its HTTP signature in the same form.
const AgentStamp = "X-Agent-Auth"

// AgentCall is a request of an agent as the agent signed it.
type AgentCall struct {
	AgentID   string `json:"agentId"`
	Method    string `json:"method"`
	Path      string `json:"path"`
	Timestamp string `json:"timestamp"`
	Request   string `json:"request"` // the body of the request, byte by byte
	// Of a signature of the second form, which has no timestamp.
	HTTP *HTTPSignature `json:"http,omitempty"`
}

// Claim is the call under a signature.
func (c AgentCall) Claim(mac string) VerifyAgentRequest {
	return VerifyAgentRequest{
		AgentID: c.AgentID, Method: c.Method, Path: c.Path, Timestamp: c.Timestamp,
		BodyHash: Digest(c.Request), MAC: mac, HTTP: c.HTTP,
	}
}

// AgentPaymentParams is a call whose request is a PaymentRequest, and what the host chose for its transaction.
type AgentPaymentParams struct {
	AgentCall
	GasLimit    string `json:"gasLimit"`
	MaxTotalFee string `json:"maxTotalFee"` // wei; with maxRent at most maxFeeUsd of the agent's limits
	// Of a payment on Solana, where the payee's token account is missing: the most that it may cost, in lamports.
	MaxRent string `json:"maxRent,omitempty"`
}

// PaymentRequest is the body of POST /v1/agents/{id}/sign-transaction.
type PaymentRequest struct {
	ActionType  string `json:"action_type"` // payment or transfer
	Amount      string `json:"amount"`      // smallest unit of the token
	Destination string `json:"destination"`
	TokenMint   string `json:"token_mint"` // the token's symbol, or its contract
	Cluster     string `json:"cluster"`    // slug of the network; of Solana's also devnet and mainnet-beta
}

// AgentWalletParams is a call whose request is a WalletRequest, or nothing.
type AgentWalletParams struct{ AgentCall }

// WalletRequest is the body of POST /v1/agents/wallets. Without accounts there is one for each family of the agent's
// networks.
type WalletRequest struct {
	WalletName string          `json:"walletName,omitempty"`
	Accounts   []AccountParams `json:"accounts,omitempty"`
}

// Shortfall is why a layer of an agent's budget refuses. Amounts are as in AgentLimits.
type Shortfall struct {
	Layer     string `json:"layer"` // infra, tokens or payments
	Rule      string `json:"rule"`  // the field of AgentLimits
	Requested string `json:"requested"`
	Limit     string `json:"limit"`
	Spent     string `json:"spent"`
	Held      string `json:"held"`
	NeverFits bool   `json:"neverFits"` // more than the limit allows in a whole month, or at once
	ResetsAt  string `json:"resetsAt,omitempty"`
}

// LayerPayments is the layer that the enclave counts.
const LayerPayments = "payments"

// AgentSpending is what an agent has spent of its payments in a month, in USDC.
type AgentSpending struct {
	Month    string `json:"month"` // 2026-11
	Spent    string `json:"spent"` // signed for, whatever became of it
	Held     string `json:"held"`  // waits for approval
	ResetsAt string `json:"resetsAt"`
}

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
	// Of a signature of the second form, which has no timestamp.
	HTTP *HTTPSignature `json:"http,omitempty"`
}

// Message is what the agent signed.
func (q VerifyAgentRequest) Message() string {
	if q.HTTP == nil {
		return AgentMessage(q.Method, q.Path, q.Timestamp, q.BodyHash)
	}
	base, _ := q.HTTP.Base(q.AgentID, q.Method, q.Path, q.BodyHash)
	return base
}

// AgentReply is what is known of an agent. It is a plain reply: it tells the
// server whom it speaks with, and proves nothing to anybody else.
type AgentReply struct {
	AgentID        string       `json:"agentId"`
	OrganizationID string       `json:"organizationId"`
	WorkspaceID    string       `json:"workspaceId"`
	Name           string       `json:"name"`
	Status         AgentStatus  `json:"status"`
	WalletID       string       `json:"walletId,omitempty"`
	Address        string       `json:"address,omitempty"` // of its wallet's first account
	Limits         *AgentLimits `json:"limits,omitempty"`  // none: not activated
	CreatedAt      string       `json:"createdAt"`
	// When it became as it is: a body that gives it more has to be written since.
	ChangedAtMs string `json:"changedAtMs,omitempty"`
	// The kill switch of its sub-organization: no agent pays.
	KillSwitch bool          `json:"killSwitch,omitempty"`
	Payments   AgentSpending `json:"payments"` // of the month that it is now
	// Where it pays from: of each kind of network, the first of its wallet's accounts that are for it.
	Addresses map[chain.Kind]string `json:"addresses,omitempty"`
}

// AddressOn is where the agent pays from on networks of a kind; "" where its wallet has no account for them. A signer
// of before there were others than EVM says its one address only.
func (a AgentReply) AddressOn(k chain.Kind) string {
	if a.Addresses == nil && k == chain.EVM {
		return a.Address
	}
	return a.Addresses[k]
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
