// Package wire is the contract between the enclave and everything else: the
// bodies that passkeys stamp, the calls over the socket, and the statements
// that the enclave signs. Changing it breaks clients that pinned it.
package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/railkit/railkit/chain"
)

// Service is the ttrpc service; its methods are the M constants. Each takes and
// gives one google.protobuf.BytesValue that holds one of the types below as package
// frame writes it.
const (
	Service    = "railkit.enclave.v1.Enclave"
	MInfo      = "Info"
	MChallenge = "Challenge"
	MPreview   = "Preview"
	MSubmit    = "Submit"
	MCancel    = "Cancel"
	MOutcome   = "Outcome"
	MKnown     = "Known"
	MState     = "State"
	MHeads     = "Heads"

	MAgent       = "Agent"
	MVerifyAgent = "VerifyAgent"
)

// ActivityType is the verb of a body. A stamp for one verb is worth nothing to another.
type ActivityType string

// The activities.
const (
	CreateSubOrganization ActivityType = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION"
	CreateWallet          ActivityType = "ACTIVITY_TYPE_CREATE_WALLET"
	CreateWalletAccounts  ActivityType = "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS"
	SignIntent            ActivityType = "ACTIVITY_TYPE_SIGN_INTENT"      // the enclave assembles the transaction
	SignTransaction       ActivityType = "ACTIVITY_TYPE_SIGN_TRANSACTION" // exactly these bytes
	CreateAgent           ActivityType = "ACTIVITY_TYPE_CREATE_AGENT"
)

// Body is what a passkey stamps: the raw bytes of this JSON, never re-encoded.
// Every number in it is decimal text, so that no parser rounds one.
type Body struct {
	Type           ActivityType    `json:"type"`
	Environment    string          `json:"environment"`
	OrganizationID string          `json:"organizationId"` // sub-organization; empty when it is being created
	ActivityID     string          `json:"activityId"`     // UUID; makes two equal wishes two bodies
	TimestampMs    string          `json:"timestampMs"`    // empty in CreateSubOrganization, whose challenge has a time
	ExpiresAtMs    string          `json:"expiresAtMs"`    // same
	Parameters     json.RawMessage `json:"parameters"`
}

// Fingerprint names a body: every byte of it counts.
func Fingerprint(raw string) string { return fingerprintPrefix + Digest(raw) }

// Digest is the lower-case hex of a body's hash: what a passkey signs for it.
func Digest(raw string) string {
	sum := sha256.Sum256([]byte(raw))
	return hex.EncodeToString(sum[:])
}

const fingerprintPrefix = "sha256:"

// CreateSubOrganizationParams are not stamped: their authority is the enclave's
// own challenge, signed by the passkey that is being registered.
type CreateSubOrganizationParams struct {
	WorkspaceID       string      `json:"workspaceId"`
	Email             string      `json:"email"`
	Challenge         string      `json:"challenge"` // base64url, as Challenge gave it
	Attestation       Attestation `json:"attestation"`
	RecoveryPublicKey string      `json:"recoveryPublicKey,omitempty"` // P-256, compressed SEC1 hex
}

// Attestation is what navigator.credentials.create returned; all base64url without padding.
type Attestation struct {
	CredentialID      string   `json:"credentialId"`
	ClientDataJSON    string   `json:"clientDataJson"`
	AttestationObject string   `json:"attestationObject"`
	Transports        []string `json:"transports"`
}

// CreateWalletParams makes a wallet: a seed, and accounts on it.
type CreateWalletParams struct {
	WalletName     string          `json:"walletName"`
	MnemonicLength string          `json:"mnemonicLength"` // "12" or "24"
	Accounts       []AccountParams `json:"accounts"`
}

// AccountParams asks for one derived key.
type AccountParams struct {
	Curve         string `json:"curve"`         // CURVE_SECP256K1 | CURVE_ED25519
	PathFormat    string `json:"pathFormat"`    // PATH_FORMAT_BIP32 | PATH_FORMAT_SLIP10
	Path          string `json:"path"`          // m/44'/60'/0'/0/0
	AddressFormat string `json:"addressFormat"` // ADDRESS_FORMAT_ETHEREUM
}

// CreateWalletAccountsParams adds accounts. A path that the wallet has is refused.
type CreateWalletAccountsParams struct {
	WalletID string          `json:"walletId"`
	Accounts []AccountParams `json:"accounts"`
}

// SignIntentParams is a transaction as its owner means it. The enclave adds the
// nonce and the host's fee, and refuses what is outside of it.
type SignIntentParams struct {
	SignWith    string          `json:"signWith"` // address of an account of the organization
	Chain       string          `json:"chain"`    // slug
	ChainID     string          `json:"chainId"`
	To          string          `json:"to"`
	Value       string          `json:"value"` // wei
	Data        string          `json:"data"`  // 0x hex
	GasLimit    string          `json:"gasLimit"`
	MaxTotalFee string          `json:"maxTotalFee"`        // wei: gasLimit × maxFeePerGas is at most this
	Transfer    *TransferParams `json:"transfer,omitempty"` // Data in words; refused where it does not match Data
	MaxRent     string          `json:"maxRent,omitempty"`  // lamports, for an account of the payee's; none: no more
	// Takes the nonce of a transaction that is signed and not mined.
	Replaces *ReplacedParams `json:"replaces,omitempty"`
}

// ReplacedParams names the transaction whose nonce is taken. Of two transactions
// with one nonce a chain mines one, so nothing is ever paid twice.
type ReplacedParams struct {
	Fingerprint string `json:"fingerprint"` // of the body under which it was signed
	Nonce       string `json:"nonce"`
}

// TransferParams says what ERC-20 calldata does, for whoever reads the body.
type TransferParams struct {
	Token  string `json:"token"`
	To     string `json:"to"`
	Amount string `json:"amount"` // smallest unit
}

// SignTransactionParams asks for a signature over exactly these bytes.
type SignTransactionParams struct {
	SignWith            string `json:"signWith"`
	Type                string `json:"type"`                // of the family, such as TRANSACTION_TYPE_ETHEREUM
	ChainID             string `json:"chainId"`             // may be empty where the bytes name no network
	UnsignedTransaction string `json:"unsignedTransaction"` // hex
}

// Stamp is a passkey's signature over a body, in one of the field's header forms.
type Stamp struct {
	HeaderName  string `json:"stampHeaderName"`  // X-Stamp-WebAuthn
	HeaderValue string `json:"stampHeaderValue"` // JSON of the assertion
}

// Volatile is what the host adds to an intent at execution. A refusal because
// of it is not final: the same stamped body may come again with another.
type Volatile struct {
	MaxFeePerGas         string `json:"maxFeePerGas,omitempty"`         // wei
	MaxPriorityFeePerGas string `json:"maxPriorityFeePerGas,omitempty"` // wei
	NonceFloor           string `json:"nonceFloor,omitempty"`           // the node's mined count

	// Where transactions have no nonces, all of it but the last height for an intent, and that one for exact bytes too.
	Blockhash   string `json:"blockhash,omitempty"`   // of a recent block
	Version     string `json:"version,omitempty"`     // v0 or v1
	Units       string `json:"units,omitempty"`       // of compute, at most the body's gasLimit
	LoadedBytes string `json:"loadedBytes,omitempty"` // of all accounts
	Priority    string `json:"priority,omitempty"`    // lamports, beside those for the signature
	Rent        string `json:"rent,omitempty"`        // lamports, at most the body's maxRent; none: it is there
	LastHeight  string `json:"lastHeight,omitempty"`  // of a block that can have it; none: it may land at any time
}

// ChallengeRequest asks for a registration challenge.
type ChallengeRequest struct {
	WorkspaceID string `json:"workspaceId"`
	Email       string `json:"email"`
}

// ChallengeReply is a challenge, single use.
type ChallengeReply struct {
	Challenge   string `json:"challenge"` // base64url of 32 random bytes
	ExpiresAtMs string `json:"expiresAtMs"`
}

// PreviewRequest asks what a body would do.
type PreviewRequest struct {
	Body string `json:"body"`
	Held string `json:"held,omitempty"` // with a vote: the body that it is for, byte by byte
}

// SubmitRequest asks for a body to be executed.
type SubmitRequest struct {
	Body string `json:"body"`
	// None for CreateSubOrganization, for what only tightens, and once it was held.
	Stamp    *Stamp    `json:"stamp,omitempty"`
	Volatile *Volatile `json:"volatile,omitempty"`
	// Decide nothing: check the stamp, and tell what became of the body before.
	Again bool `json:"again,omitempty"`
}

// FingerprintRequest names a body: Cancel, Outcome.
type FingerprintRequest struct {
	Fingerprint string `json:"fingerprint"` // "sha256:" and hex of SHA-256 of the raw body
}

// MaxKnown is how many bodies one KnownRequest may name.
const MaxKnown = 512

// KnownRequest names bodies that wait: which of them has an Outcome other than unknown?
type KnownRequest struct {
	Fingerprints []string `json:"fingerprints"`
}

// KnownReply names those of a KnownRequest, in its order. Nothing proves it: Outcome does.
type KnownReply struct {
	Known []string `json:"known"`
}

// StateRequest asks for a new statement about an account or, without an address,
// about the wallet, or, without a wallet, about the sub-organization.
type StateRequest struct {
	OrganizationID string `json:"organizationId"`
	WalletID       string `json:"walletId,omitempty"`
	Address        string `json:"address,omitempty"`
	Approval       string `json:"approval,omitempty"` // fingerprint of a body that waits: how it stands
	Rules          bool   `json:"rules,omitempty"`    // also policies and approval configuration
	Payees         bool   `json:"payees,omitempty"`   // also the book of payees

	Lent *LentRequest `json:"lent,omitempty"`
}

// OutcomeState says what became of a body.
type OutcomeState string

// The states of a body.
const (
	Unknown   OutcomeState = "unknown"   // never seen; may still be executed
	Done      OutcomeState = "done"      // executed once; Proof holds the result
	Held      OutcomeState = "held"      // waits for votes or for the delay of a recovery; Submit again may execute it
	Denied    OutcomeState = "denied"    // a rule refused it, for good; Proof holds the denial
	Cancelled OutcomeState = "cancelled" // will never be executed
)

// OutcomeReply is what became of a body. Proof is of kind "result" and is the
// same whenever it is asked for.
type OutcomeReply struct {
	State OutcomeState `json:"state"`
	Proof *Proof       `json:"proof,omitempty"`
	// AgentSecret comes only with Submit of a stamped CreateAgent that names no
	// recipient, until the body expires or the agent's first signature was found right, by VerifyAgent or by Submit.
	AgentSecret string `json:"agentSecret,omitempty"`
}

// InfoReply describes the enclave.
type InfoReply struct {
	Version     string          `json:"version"`
	Environment string          `json:"environment"`
	Platform    string          `json:"platform"` // "software": nothing attests this process
	RPID        string          `json:"rpId"`
	Origins     []string        `json:"origins"`
	Networks    []chain.Network `json:"networks"`
	IdentityKey string          `json:"identityKey"` // P-256, compressed SEC1 hex; what clients pin
	Seq         string          `json:"seq"`
	Head        string          `json:"head"`
	TimeMs      string          `json:"timeMs"` // by its own clock

	// For monitoring. They are in no statement.
	StartedMs    string `json:"startedMs"`    // when this process opened its journal, by the machine's clock
	JournalBytes string `json:"journalBytes"` // of journal.log
	DiskFree     string `json:"diskFree"`     // bytes that the journal's disk has left; empty: it does not say

	Hardening []string     `json:"hardening"` // what could not be had here, empty when all is
	Prices    []AssetPrice `json:"prices"`    // of every coin and token that the networks list

	DataFees []NetworkDataFee `json:"dataFees"` // of every network that charges for data

	Sealed Sealed `json:"sealed"` // origins, networks and the price key are those of the genesis with all amendments
}

// Fault is a fault.Error on its way through the socket.
type Fault struct {
	Kind    int    `json:"kind"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Cause   string `json:"cause,omitempty"` // for the log

	RetryAfterMs int64          `json:"retryAfterMs,omitempty"`
	Details      map[string]any `json:"details,omitempty"`
}
