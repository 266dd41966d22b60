package decide

import (
	"github.com/railkit/railkit/enclave/wire"
)

// Event is one journal entry. The state is what all events in a row make of
// nothing; there is no other memory. A field, once written, keeps its meaning.
type Event struct {
	Kind           EventKind         `json:"kind"`
	TimeMs         int64             `json:"timeMs"` // enclave's clock
	Fingerprint    string            `json:"fingerprint,omitempty"`
	Activity       wire.ActivityType `json:"activity,omitempty"`
	OrganizationID string            `json:"organizationId,omitempty"`
	Stamp          *StampUse         `json:"stamp,omitempty"`
	Genesis        string            `json:"genesis,omitempty"` // hash of the sealed constants
	Created        *Created          `json:"created,omitempty"`
	Wallet         *NewWallet        `json:"wallet,omitempty"`
	Accounts       []wire.Account    `json:"accounts,omitempty"`
	Owners         *wire.Owners      `json:"owners,omitempty"` // as they were; proofs made again later must not change
	Transaction    *Order            `json:"transaction,omitempty"`
	Agent          *NewAgent         `json:"agent,omitempty"`
	AgentID        string            `json:"agentId,omitempty"` // of heard, and of a mark that is one agent's
	Mark           int64             `json:"mark,omitempty"`    // seconds since 1970
}

// EventKind says which fields an event has.
type EventKind string

// The events.
const (
	EventGenesis      EventKind = "genesis"
	EventTime         EventKind = "time" // a heartbeat, or a time that the operator accepted
	EventOrganization EventKind = "organization"
	EventWallet       EventKind = "wallet"
	EventAccounts     EventKind = "accounts"
	EventTransaction  EventKind = "transaction"
	EventCancelled    EventKind = "cancelled"
	EventAgent        EventKind = "agent"
	EventHeard        EventKind = "heard" // an agent's first request: it has its secret
	EventMark         EventKind = "mark"  // timestamps up to here may have been accepted
)

// StampUse is the stamp that an activity was executed under.
type StampUse struct {
	CredentialID string `json:"credentialId"`
	Counter      uint32 `json:"counter"`
}

// Created is a sub-organization with its first user and passkey.
type Created struct {
	wire.SubOrganization
	Credential        wire.Credential `json:"credential"`
	Counter           uint32          `json:"counter"`
	BackupEligible    bool            `json:"backupEligible"`
	RecoveryPublicKey string          `json:"recoveryPublicKey,omitempty"`
}

// NewWallet is a wallet with its sealed seed.
type NewWallet struct {
	wire.Wallet
	Words  int    `json:"words"`
	Sealed []byte `json:"sealed"`
}

// Order is a transaction that shall be signed: journaled before it is signed,
// so that whatever happens then, these bytes and no others are ever signed for it.
type Order struct {
	SignWith string `json:"signWith"`
	WalletID string `json:"walletId"`
	Path     string `json:"path"`
	Chain    string `json:"chain"`
	ChainID  uint64 `json:"chainId"`
	Nonce    uint64 `json:"nonce"`
	Unsigned []byte `json:"unsigned"`
}

// NewAgent is an agent with its sealed secret.
type NewAgent struct {
	wire.Agent
	Status        wire.AgentStatus `json:"status"`
	Sealed        []byte           `json:"sealed"`
	RevealUntilMs int64            `json:"revealUntilMs,omitempty"` // where the secret is not sealed to its owner
}

// Result is what the event tells of itself. The signature of a transaction is
// not in it: it is made from the order when it is asked for.
func (e Event) Result() *wire.Result {
	r := &wire.Result{Accounts: e.Accounts, Owners: e.Owners}
	if e.Created != nil {
		sub := e.Created.SubOrganization
		r.SubOrganization = &sub
	}
	if e.Wallet != nil {
		w := e.Wallet.Wallet
		r.Wallet = &w
	}
	if e.Agent != nil {
		a := e.Agent.Agent
		r.Agent = &a
	}
	return r
}
