package wire

import (
	"strconv"
	"time"
)

// The activities about who may sign what. Each is stamped, or comes without a
// stamp where it only tightens; whatever loosens without one waits for votes.
const (
	CreatePolicy         ActivityType = "ACTIVITY_TYPE_CREATE_POLICY"
	UpdatePolicy         ActivityType = "ACTIVITY_TYPE_UPDATE_POLICY"
	DeletePolicy         ActivityType = "ACTIVITY_TYPE_DELETE_POLICY"
	UpdateApprovalConfig ActivityType = "ACTIVITY_TYPE_UPDATE_APPROVAL_CONFIG"
	ApproveActivity      ActivityType = "ACTIVITY_TYPE_APPROVE_ACTIVITY"
	CreateAuthenticator  ActivityType = "ACTIVITY_TYPE_CREATE_AUTHENTICATOR"
	DeleteAuthenticator  ActivityType = "ACTIVITY_TYPE_DELETE_AUTHENTICATOR"
	OverridePrice        ActivityType = "ACTIVITY_TYPE_OVERRIDE_PRICE"
)

// Rules are what a policy asks of each signing of its wallet. What is absent
// does not restrict. Amounts of USD are plain decimals of at most 6 places.
type Rules struct {
	// Of one transaction, its highest fee included.
	MaxValueUSD string `json:"maxValueUsd,omitempty"`
	// Of a UTC day, over everything that the wallet signs.
	DailyUSD   string `json:"dailyUsd,omitempty"`
	MonthlyUSD string `json:"monthlyUsd,omitempty"` // of a UTC calendar month, likewise
	// EIP-55; who gets something, or may take it
	AllowedDestinations []string `json:"allowedDestinations,omitempty"`
	AllowedChains       []string `json:"allowedChains,omitempty"` // slugs
	// Symbol of a listed token or coin, or a contract's address.
	AllowedTokens []string `json:"allowedTokens,omitempty"`
	// Calls that pass although nobody here understands them.
	AllowedContracts []AllowedContract `json:"allowedContracts,omitempty"`
	AllowRawDigests  bool              `json:"allowRawDigests,omitempty"` // signatures over what cannot be read
	// Who gets something, may take it, or is called, is in the book of payees on that network.
	PayeesOnly bool `json:"payeesOnly,omitempty"`
	// With payeesOnly: how long a payee is in the book before it is paid, 1 to 720 hours.
	PayeeCoolingHours string `json:"payeeCoolingHours,omitempty"`
	// By how many percent less than it sells a swap may bring back at least, in signed prices: "3", "0.5".
	MaxSlippagePercent string      `json:"maxSlippagePercent,omitempty"`
	Delegation         *Delegation `json:"delegation,omitempty"`
}

// AllowedContract names functions of a contract that may be called.
type AllowedContract struct {
	Chain     string   `json:"chain"`
	Address   string   `json:"address"`
	Selectors []string `json:"selectors"` // 0x and 8 hex digits, lower case
}

// Delegation lets the wallet sign without a passkey, within its own bounds and
// those of every policy: requests under the stamp of its key (X-Stamp) or, where
// anyRequest says so by name, any request of the host. It has one of the two.
// Those that were stamped before there was anyRequest have neither where they
// serve any request of the host, and go on doing so.
type Delegation struct {
	PublicKey   *string `json:"publicKey,omitempty"` // P-256, compressed SEC1 hex
	AnyRequest  bool    `json:"anyRequest,omitempty"`
	ExpiresAtMs string  `json:"expiresAtMs"` // at most 90 days ahead
	// How long typed data may be valid; absent: DefaultValidity.
	MaxValiditySeconds string `json:"maxValiditySeconds,omitempty"`
	MaxValueUSD        string `json:"maxValueUsd"`
	DailyUSD           string `json:"dailyUsd"` // over what was signed under this delegation
	// Needed unless payeesOnly or settlementsOnly is true.
	AllowedDestinations []string `json:"allowedDestinations,omitempty"`
	// It covers nothing but transfers that their owners signed for anybody to hand in, to whomever they signed them:
	// the wallet pays their gas, and moves nothing of its own.
	SettlementsOnly bool `json:"settlementsOnly,omitempty"`
	// Destinations are in the book of payees, also those that are added to it later.
	PayeesOnly        bool   `json:"payeesOnly,omitempty"`
	PayeeCoolingHours string `json:"payeeCoolingHours,omitempty"` // as in Rules
}

// How long typed data may be valid that is signed under a delegation: where the
// delegation does not say, and the most that it may say.
const (
	DefaultValidity = 4 * time.Hour
	MaxValidity     = 24 * time.Hour
)

// Key is the key whose stamp the delegation asks for, "" where any request will do.
func (d Delegation) Key() string {
	if d.PublicKey == nil {
		return ""
	}
	return *d.PublicKey
}

// Validity is how long typed data may be valid from the enclave's clock on.
func (d Delegation) Validity() time.Duration {
	seconds, err := strconv.ParseInt(d.MaxValiditySeconds, 10, 32)
	if err != nil { // absent: anything else Validate refused
		return DefaultValidity
	}
	return time.Duration(seconds) * time.Second
}

// CreatePolicyParams puts a policy on a wallet.
type CreatePolicyParams struct {
	WalletID string `json:"walletId"`
	Rules    Rules  `json:"rules"`
}

// UpdatePolicyParams puts new rules in the place of all of a policy's rules.
type UpdatePolicyParams struct {
	PolicyID string `json:"policyId"`
	Rules    Rules  `json:"rules"`
}

// DeletePolicyParams takes a policy away.
type DeletePolicyParams struct {
	PolicyID string `json:"policyId"`
}

// Policy is a policy as it stands.
type Policy struct {
	ID        string `json:"id"`
	WalletID  string `json:"walletId"`
	Rules     Rules  `json:"rules"`
	CreatedAt string `json:"createdAt"`
	UpdatedAt string `json:"updatedAt"`
}

// ApprovalConfig says when others have to agree. It is the parameters of
// UpdateApprovalConfig and what stands then. Before the first one nothing waits.
type ApprovalConfig struct {
	Enabled           bool   `json:"enabled"`
	ThresholdUSD      string `json:"thresholdUsd"`              // what costs more waits for votes
	RequiredApprovers string `json:"requiredApprovers"`         // distinct users
	IncludeMessages   bool   `json:"includeMessages,omitempty"` // every message waits, also one that costs nothing
}

// ApproveActivityParams is a vote for a body that waits. It names the rules that
// its maker knew: under others it does not count.
type ApproveActivityParams struct {
	Fingerprint string `json:"fingerprint"`
	PolicySet   string `json:"policySet"` // of Approval
}

// CreateAuthenticatorParams adds a passkey: without an e-mail one of the user who
// stamps, with one the first of a new user.
type CreateAuthenticatorParams struct {
	Challenge   string      `json:"challenge"` // as Challenge gave it, for the new passkey's e-mail
	Email       string      `json:"email,omitempty"`
	Attestation Attestation `json:"attestation"`
}

// DeleteAuthenticatorParams removes a passkey.
type DeleteAuthenticatorParams struct {
	CredentialID string `json:"credentialId"`
}

// Approval is a body that waits for votes, or had them.
type Approval struct {
	Fingerprint       string       `json:"fingerprint"` // of the body
	Activity          ActivityType `json:"activity"`
	Reason            string       `json:"reason"`                    // see the Reason constants
	RequesterUserID   string       `json:"requesterUserId,omitempty"` // whose stamp the request has, if any
	RequiredApprovers string       `json:"requiredApprovers"`
	PolicySet         string       `json:"policySet"` // hash of the rules in force, hex
	CreatedAt         string       `json:"createdAt"`
	ExpiresAt         string       `json:"expiresAt"`
	CostUSD           string       `json:"costUsd,omitempty"` // of a signing, where it can be told
	// Only in a state and in a vote's result; a result of the request is from before any vote.
	Votes    []Vote `json:"votes,omitempty"`    // that count now
	Approved bool   `json:"approved,omitempty"` // enough of them: Submit of the body executes it
}

// Why a body waits.
const (
	ReasonThreshold = "threshold" // costs more than thresholdUsd, or nobody can tell what it costs
	ReasonMessage   = "message"   // a message, where includeMessages is on
	ReasonLoosens   = "loosens"   // lifts a rule
	ReasonNoStamp   = "no_stamp"  // nobody stamped it, and no delegation covers it
)

// Vote is one user's consent.
type Vote struct {
	UserID       string `json:"userId"`
	Email        string `json:"email"`
	CredentialID string `json:"credentialId"`
	At           string `json:"at" format:"date-time"`
}

// Denial is why a rule refused. It is final for the body.
type Denial struct {
	PolicyID string `json:"policyId,omitempty"` // none where the rule is everybody's
	WalletID string `json:"walletId,omitempty"`
	Rule     string `json:"rule"`            // maxValueUsd, allowedDestinations, unknownCall, ...
	Field    string `json:"field"`           // of what was to be signed: value, to, chain, ...
	Observed string `json:"observed"`        // what it was
	Limit    string `json:"limit"`           // what it may be
	Payee    string `json:"payee,omitempty"` // name of the payee whose address was observed
}
