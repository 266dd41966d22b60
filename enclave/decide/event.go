package decide

import (
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// Event is one journal entry. The state is what all events in a row make of
// nothing; there is no other memory. A field, once written, keeps its meaning.
type Event struct {
	Kind   EventKind `json:"kind"`
	TimeMs int64     `json:"timeMs"` // enclave's clock
	// How much of it nothing bears out but the machine's clock.
	AheadMs        int64             `json:"aheadMs,omitempty"`
	Fingerprint    string            `json:"fingerprint,omitempty"`
	Activity       wire.ActivityType `json:"activity,omitempty"`
	OrganizationID string            `json:"organizationId,omitempty"`
	Stamp          *StampUse         `json:"stamp,omitempty"`
	Genesis        string            `json:"genesis,omitempty"` // hash of the sealed constants
	Amendment      *Amendment        `json:"amendment,omitempty"`
	Created        *Created          `json:"created,omitempty"`
	Wallet         *NewWallet        `json:"wallet,omitempty"`
	Accounts       []wire.Account    `json:"accounts,omitempty"`
	Owners         *wire.Owners      `json:"owners,omitempty"` // as they were; proofs made again later must not change
	Transaction    *Order            `json:"transaction,omitempty"`
	Message        *MessageOrder     `json:"message,omitempty"`
	Agent          *NewAgent         `json:"agent,omitempty"`
	AgentID        string            `json:"agentId,omitempty"` // of heard, and of a mark that is one agent's
	Mark           int64             `json:"mark,omitempty"`    // seconds since 1970
	KillSwitch     *bool             `json:"killSwitch,omitempty"`
	Asked          []string          `json:"asked,omitempty"` // by an agent: can never be asked again

	Policy *wire.Policy `json:"policy,omitempty"` // as it stands now; of a deleted one as it was
	// Of a policy with a new delegation: see delegatedMs.
	DelegatedMs int64                `json:"delegatedMs,omitempty"`
	Config      *wire.ApprovalConfig `json:"config,omitempty"`
	Held        *Hold                `json:"held,omitempty"`
	Vote        *Vote                `json:"vote,omitempty"`
	// Of a vote and of what was executed after votes: how it stood then.
	Approval *wire.Approval `json:"approval,omitempty"`
	Denial   *wire.Denial   `json:"denial,omitempty"`
	// Counted against caps, in the entry that lets the signing happen.
	Spend        *Spend                     `json:"spend,omitempty"`
	Passkey      *NewPasskey                `json:"passkey,omitempty"` // added or removed
	Recovery     *Recovery                  `json:"recovery,omitempty"`
	RecoveryRule *wire.UpdateRecoveryParams `json:"recoveryRule,omitempty"`

	Sheet *Sheet      `json:"sheet,omitempty"`
	Price *wire.Price `json:"price,omitempty"` // that counts for the organization although it moved

	Payee *wire.Payee `json:"payee,omitempty"` // added or removed

	// As it was; proofs made again later must not change.
	RecoveryPending *wire.RecoveryPending `json:"recoveryPending,omitempty"`
}

// EventKind says which fields an event has.
type EventKind string

// The events.
const (
	EventGenesis EventKind = "genesis"
	EventTime    EventKind = "time" // a heartbeat, or a time that the operator accepted
	// The operator took the entry before it as the last, with journal.head damaged.
	EventEndAccepted  EventKind = "endAccepted"
	EventAmended      EventKind = "amended" // the operator added to what was sealed
	EventOrganization EventKind = "organization"
	EventWallet       EventKind = "wallet"
	EventAccounts     EventKind = "accounts"
	EventTransaction  EventKind = "transaction"
	EventMessage      EventKind = "message"
	EventCancelled    EventKind = "cancelled"
	EventAgent        EventKind = "agent" // made, or changed: it has the agent as it stands now
	EventAgentDeleted EventKind = "agentDeleted"
	EventKillSwitch   EventKind = "killSwitch"
	EventHeard        EventKind = "heard" // an agent's first request: it has its secret
	EventMark         EventKind = "mark"  // timestamps up to here may have been accepted

	EventPolicy        EventKind = "policy" // made, or with new rules
	EventPolicyDeleted EventKind = "policyDeleted"
	EventConfig        EventKind = "config"
	EventHeld          EventKind = "held"
	EventVote          EventKind = "vote"
	EventDenied        EventKind = "denied"

	EventPrices         EventKind = "prices"         // of a signed sheet
	EventPricesAccepted EventKind = "pricesAccepted" // by the operator, as they are
	EventOverride       EventKind = "override"
	EventPasskey        EventKind = "passkey" // a further one
	EventPasskeyDeleted EventKind = "passkeyDeleted"

	EventRecovery          EventKind = "recovery" // begun: it waits out its delay
	EventRecovered         EventKind = "recovered"
	EventRecoveryCancelled EventKind = "recoveryCancelled"
	EventRecoveryRule      EventKind = "recoveryRule"

	EventPayee        EventKind = "payee" // added to the book
	EventPayeeRemoved EventKind = "payeeRemoved"
)

// Holds reports whether the event's body may come again and do more.
func (k EventKind) Holds() bool { return k == EventHeld || k == EventRecovery }

// StampUse is the stamp that an activity was executed under.
type StampUse struct {
	CredentialID string `json:"credentialId"`
	Counter      uint32 `json:"counter"`
	// What the passkey said otherwise than before; none in entries from before that was taken.
	Changed *wire.PasskeyChange `json:"changed,omitempty"`
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
	// Of one that an agent made on its own word.
	AgentID string `json:"agentId,omitempty"`
}

// Order is a transaction that shall be signed: journaled before it is signed,
// so that whatever happens then, these bytes and no others are ever signed for it.
type Order struct {
	SignWith string     `json:"signWith"`
	WalletID string     `json:"walletId"`
	Path     string     `json:"path"`
	Kind     chain.Kind `json:"kind,omitempty"` // none in entries from before there was another one than evm
	Chain    string     `json:"chain"`
	ChainID  uint64     `json:"chainId"`
	Nonce    uint64     `json:"nonce"`
	Unsigned []byte     `json:"unsigned"`

	// Where transactions have no nonces. Cluster is what their network is called, as the bytes do not say it.
	Cluster    string `json:"cluster,omitempty"`
	Message    string `json:"message,omitempty"`    // SHA-256 of what is signed, as a fingerprint is written
	LastHeight uint64 `json:"lastHeight,omitempty"` // of a block that can have it; 0: it may land at any time
	Expires    int64  `json:"expires,omitempty"`    // in its place: the millisecond since 1970 that the bytes name
	Standing   bool   `json:"standing,omitempty"`   // it lets somebody take tokens at any time after it landed
	// Who is paid, where the bytes name his token account only and whose it is has to be known beside them.
	Payee string `json:"payee,omitempty"`
}

// MessageOrder is a message that shall be signed, as Order is a transaction.
type MessageOrder struct {
	SignWith string     `json:"signWith"`
	WalletID string     `json:"walletId"`
	Path     string     `json:"path"`
	Kind     chain.Kind `json:"kind,omitempty"` // as in Order
	Digest   []byte     `json:"digest"`         // what is signed

	Authorization *wire.Authorization `json:"authorization,omitempty"` // what typed data allows, where it is understood
}

// Hold is a body that waits for votes. The body itself is kept by its owner:
// whoever wants it executed brings it again.
type Hold struct {
	wire.Approval
	WalletID string      `json:"walletId,omitempty"` // whose signing it is
	Passkey  *NewPasskey `json:"passkey,omitempty"`  // to be added: verified when it was held
	// Whom a signing pays, and on which network: it is void when one of them is removed from the book of payees.
	Chain string   `json:"chain,omitempty"`
	Pays  []string `json:"pays,omitempty"`
	// Of an agent's payment: what it takes from the budget while it waits.
	Agent *AgentSpend `json:"agent,omitempty"`
}

// NewPasskey is a passkey that was verified.
type NewPasskey struct {
	wire.Credential
	Counter        uint32 `json:"counter"`
	BackupEligible bool   `json:"backupEligible"`
}

// Recovery is a recovery that waits, and what it will do.
type Recovery struct {
	wire.RecoveryPending
	ReadyAtMs    int64      `json:"readyAtMs"`
	Passkey      NewPasskey `json:"passkey"`
	RemoveOthers bool       `json:"removeOthers"` // passkeys of the same user
	NewPublicKey string     `json:"newPublicKey,omitempty"`
}

// Vote is a user's consent, under the rules that he knew.
type Vote struct {
	wire.Vote
	Fingerprint string `json:"fingerprint"` // of the body that waits
	PolicySet   string `json:"policySet"`
}

// Spend is what a signing may cost at most, in millionths of a USD. It stays
// counted whatever becomes of the transaction.
type Spend struct {
	WalletID     string `json:"walletId"`
	DelegationID string `json:"delegationId,omitempty"` // policy under whose delegation it was signed
	MicroUSD     int64  `json:"microUsd"`

	Agent *AgentSpend `json:"agent,omitempty"`
}

// Sheet is what a signed price sheet said of listed assets and networks.
type Sheet struct {
	AsOfMs      int64          `json:"asOfMs"` // price signer's clock
	ExpiresAtMs int64          `json:"expiresAtMs"`
	Prices      []wire.Price   `json:"prices"`
	DataFees    []wire.DataFee `json:"dataFees,omitempty"` // none in entries from before there were any
}

// waits is what a preview says of an event that would be no more than a wish.
func (e Event) waits() *wire.Approval {
	if e.Held == nil {
		return nil
	}
	return &e.Held.Approval
}

// Result is what the event tells of itself. The signature of a transaction is
// not in it: it is made from the order when it is asked for.
func (e Event) Result() *wire.Result {
	r := &wire.Result{
		Accounts: e.Accounts, Owners: e.Owners, Policy: e.Policy, ApprovalConfig: e.Config, Denial: e.Denial,
		Approval: e.Approval, Price: e.Price, Passkey: e.Passkey.credential(), Payee: e.Payee,
	}
	if e.Held != nil {
		a := e.Held.Approval
		r.Approval = &a
		r.Passkey = e.Held.Passkey.credential()
	}
	if e.Recovery != nil {
		p := e.Recovery.RecoveryPending
		r.Recovery, r.Passkey = &p, e.Recovery.Passkey.credential()
	}
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
	r.KillSwitch = e.KillSwitch
	if e.Activity == wire.AgentX402 && e.Message != nil {
		r.Authorization = e.Message.Authorization
	}
	return r
}

func (p *NewPasskey) credential() *wire.Credential {
	if p == nil {
		return nil
	}
	c := p.Credential
	return &c
}
