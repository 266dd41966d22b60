package signing

import (
	"context"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
)

// Store is what the kit needs of a database, in whole operations. Reads see
// committed rows only; every write happens inside Commit or Work.
type Store interface {
	SubOrganizations(ctx context.Context, workspaceID string) ([]SubOrganization, error)
	SubOrganization(ctx context.Context, workspaceID, id string) (SubOrganization, error)
	Passkeys(ctx context.Context, workspaceID, subOrganizationID string) ([]Passkey, error) // "" = of all
	Passkey(ctx context.Context, workspaceID, id string) (Passkey, error)
	Activity(ctx context.Context, workspaceID, id string) (Activity, error)
	PendingPaths(ctx context.Context, workspaceID, walletID string, now time.Time) ([]string, error) // of activities that wait
	Wallets(ctx context.Context, f WalletFilter) ([]Wallet, int, error)
	Wallet(ctx context.Context, workspaceID, idOrEnclaveID string) (Wallet, error)
	Addresses(ctx context.Context, workspaceID, walletID string) ([]Address, error)             // oldest first
	AddressesOf(ctx context.Context, workspaceID string, walletIDs []string) ([]Address, error) // of several wallets, oldest first
	Address(ctx context.Context, workspaceID, idOrAddress string) (Address, error)
	AddressOwned(ctx context.Context, kind, address string) (bool, error) // by a wallet of any workspace
	Transaction(ctx context.Context, workspaceID, id string) (Transaction, error)
	// TransactionSigned finds the row of a body that was signed for a nonce of a wallet's address.
	TransactionSigned(ctx context.Context, workspaceID, chain, from string, nonce int64, fingerprint string) (Transaction, error)
	Ceremony(ctx context.Context, tokenHash string) (Ceremony, error)
	Approval(ctx context.Context, workspaceID, id string) (Approval, error)
	Approvals(ctx context.Context, f ApprovalFilter) ([]Approval, int, error)
	Transactions(ctx context.Context, f TransactionFilter) ([]Transaction, int, error)
	History(ctx context.Context, f HistoryFilter) ([]HistoryLine, int, error)
	Policy(ctx context.Context, workspaceID, id string) (Policy, error) // also a deleted one
	Policies(ctx context.Context, f PolicyFilter) ([]Policy, int, error)
	PoliciesOf(ctx context.Context, workspaceID, subOrganizationID string) ([]Policy, error) // also deleted ones
	ApprovalConfig(ctx context.Context, workspaceID, subOrganizationID string) (ApprovalConfig, error)
	Denials(ctx context.Context, f DenialFilter) ([]Denial, int, error)
	// Unsent lists what an address has signed for nonces below one and has on no
	// chain, highest nonce first. A nonce below a mined one is used up.
	Unsent(ctx context.Context, workspaceID, chain, from string, below int64) (ids []string, err error)
	// Waiting lists transactions and activities of every workspace that have
	// been in one of the states since before the instant: the sweeper's food.
	// After is the last one of the batch before, by the time since which it
	// waits. What is signed and held, or was replaced, is not listed.
	WaitingTransactions(ctx context.Context, states []State, before time.Time, after Cursor, limit int) ([]Transaction, error)
	// UnsentDue lists transactions of every workspace that are signed, pending or
	// failed, in no block, and whose LookAt has come, the earliest first.
	UnsentDue(ctx context.Context, now time.Time, limit int) ([]Transaction, error)
	WaitingActivities(ctx context.Context, before time.Time, after Cursor, limit int) ([]Activity, error)
	Recovery(ctx context.Context, workspaceID, id string) (Recovery, error)
	RecoveryOfPasskey(ctx context.Context, workspaceID, credentialID string) (Recovery, error) // the newest
	WaitingRecoveries(ctx context.Context, before time.Time, limit int) ([]Recovery, error)    // that have work since before then
	// EarlierRecoveries counts those of the same e-mail that were asked for since then and before this one.
	EarlierRecoveries(ctx context.Context, r Recovery, since time.Time) (int, error)
	AdminEmails(ctx context.Context, workspaceID string) ([]string, error)
	// Of approvals only those are waiting that are not resolved.
	WaitingApprovals(ctx context.Context, state ApprovalState, before time.Time, after Cursor, limit int) ([]Approval, error)

	// Commit runs fn in one transaction, adds the audit row and, where the
	// command has a key, the idempotency row, and answers with the rendered
	// bytes. Where the command came by a ceremony, that is finished with it. Where another call with that key committed first, nothing of fn
	// remains and the first one's answer is returned. fn may run more than once.
	Commit(ctx context.Context, cmd *command.Command, fn func(context.Context, Tx) (command.Reply, error)) (command.Answer, error)
	// Work is Commit for the server's own jobs: no caller, no key. The audit
	// row, where entry has an action, names the system as the actor.
	Work(ctx context.Context, workspaceID string, fn func(context.Context, Tx) (command.Audit, error)) error
}

// Tx is the writing half, good inside one Commit or Work. A compare-and-swap
// that finds another state answers ErrStale.
type Tx interface {
	InsertSubOrganization(context.Context, SubOrganization) error // a second one with the same id: no-op
	InsertPasskey(context.Context, Passkey) error                 // same
	RenamePasskey(ctx context.Context, workspaceID, id, label string) error
	TouchPasskey(ctx context.Context, workspaceID, subOrganizationID, credentialID string, at time.Time) error // none: no-op
	InsertActivity(context.Context, Activity) error                                                            // same
	RemovePasskey(ctx context.Context, workspaceID, subOrganizationID, credentialID string) error              // none: no-op
	// RetryActivity replaces what was tried, if the row still awaits with that fingerprint.
	RetryActivity(ctx context.Context, tried string, a Activity) error
	MoveActivity(ctx context.Context, workspaceID, id string, from, to State, walletID string, now time.Time) error
	InsertWallet(context.Context, Wallet) error   // a second one with the same enclave id: no-op
	InsertAddress(context.Context, Address) error // same, by wallet and path; also the directory row
	InsertTransaction(context.Context, Transaction) error
	// MoveTransaction sets state, and the signed fields where Signed is given,
	// if the row's state is one of from.
	MoveTransaction(ctx context.Context, workspaceID, id string, from []State, to State, c TransactionChange) error
	// ReplaceTransaction frees the nonce of a signed transaction for its one
	// successor; another's answers ErrStale. It comes before the successor's move.
	ReplaceTransaction(ctx context.Context, workspaceID, id, by string, now time.Time) error
	InsertApproval(context.Context, Approval) error                         // a second one with the same id: no-op
	MoveApproval(ctx context.Context, a Approval, from ApprovalState) error // state, votes, required, comment, times
	// KeepPolicy and KeepApprovalConfig write what the enclave said, unless it has
	// said something later. A policy's name stays where the new row has none.
	KeepPolicy(context.Context, Policy) error
	KeepApprovalConfig(context.Context, ApprovalConfig) error
	RenamePolicy(ctx context.Context, workspaceID, id, name string) error
	InsertDenial(context.Context, Denial) error // a second one with the same id: no-op
	InsertRecovery(context.Context, Recovery) error
	TryRecovery(ctx context.Context, r Recovery, tried string) error                       // body and passkey
	MoveRecovery(ctx context.Context, r Recovery, from RecoveryState, notice string) error // state, proof, times; notice is owed then
	MailedRecovery(ctx context.Context, r Recovery, owed string) error                     // if r still owes what it did
	TouchRecovery(ctx context.Context, workspaceID, id string, now time.Time) error
	SetRecoveryRule(ctx context.Context, workspaceID, subOrganizationID, publicKey string, emailOnly bool) error
	InsertCeremony(context.Context, Ceremony) error
	TryCeremony(ctx context.Context, tokenHash, given string) error // finished: no-op
	Enqueue(ctx context.Context, j job.Job) error                   // runs only if the transaction commits
}

// The kit's jobs.
const (
	JobBroadcast job.Kind = "signing_broadcast" // send signed bytes that no node took yet
	JobConfirm   job.Kind = "signing_confirm"   // follow a sent transaction to its depth
	JobExecute   job.Kind = "signing_execute"   // execute what has its votes; ID is the approval's
)

// SubOrganization is an end user's corner of a workspace.
type SubOrganization struct {
	WorkspaceID, ID   string
	UserID            string
	Email, Name       string
	RecoveryPublicKey string
	EmailOnly         bool   // the mail alone recovers
	Proof             string // JSON of wire.Proof
	CreatedAt         time.Time
}

// Passkey is a registered credential, as the server knows it.
type Passkey struct {
	WorkspaceID, ID   string
	SubOrganizationID string
	UserID, Email     string
	CredentialID      string // base64url
	PublicKey         string // COSE, base64url
	AAGUID            string
	Transports        []string
	Label             string
	CreatedAt         time.Time
	LastUsedAt        time.Time // zero: never
}

// Activity is a prepared body of a wallet or of accounts that waits for its stamp.
type Activity struct {
	WorkspaceID, ID   string
	Kind              string // wire.ActivityType
	SubOrganizationID string
	WalletID          string // local id; of accounts, and of a wallet once it is made
	Name              string // of the wallet or account
	Chain             string // slug that the caller named
	Paths             []string
	Body, Fingerprint string
	Preview           string // JSON of wire.Proof
	State             State  // awaiting_signature, confirmed (= done), cancelled, expired
	CreatedAt         time.Time
	ExpiresAt         time.Time
}

// Wallet is a wallet. The API shows EnclaveID and takes either id.
type Wallet struct {
	WorkspaceID, ID   string
	EnclaveID         string
	SubOrganizationID string
	Name              string
	Proof             string
	CreatedAt         time.Time
	LastActivity      time.Time // zero: none
}

// Address is one derived key of a wallet.
type Address struct {
	WorkspaceID, ID string
	WalletID        string // local id
	Address         string
	Kind            string // chain.Kind
	Chain           string // slug that the caller named
	Name            string
	Path            string
	Curve           string
	AddressFormat   string
	PublicKey       string
	Proof           string
	CreatedAt       time.Time
}

// Transaction is one transaction from prepare to its end.
type Transaction struct {
	WorkspaceID, ID       string
	SubOrganizationID     string
	WalletID              string // local id; "" where the sender's key is outside
	Type                  string // transfer_native, transfer_token, call, sign, speed_up, void
	Replaces              string // id of the transaction whose nonce it takes, "" mostly
	ReplacedBy            string // id of the one that was signed in its place, "" mostly
	From, To              string // To: who gets the asset
	Amount                string // decimal, in units of the asset
	TokenAddress          string
	TokenSymbol           string
	Chain                 string // slug
	ChainID               uint64
	Body, Fingerprint     string // "" where the sender's key is outside
	Preview               string // JSON of wire.Proof
	UnsignedTransaction   string
	Fee                   string // JSON of what prepare proposed
	State                 State
	Held                  bool   // signed with broadcast:false: sent only when asked for
	Reason                string // of failed, cancelled, expired; of pending: why not sent
	Nonce                 *int64
	SignedTransaction     string
	TxHash                string
	Proof                 string // JSON of wire.Proof, kind result
	BlockNumber           int64
	BlockHash             string
	Confirmations         int64
	ExpiresAt             time.Time
	CreatedAt, UpdatedAt  time.Time
	BroadcastAt, MinedAt  time.Time // zero: not yet
	ConfirmedAt, FailedAt time.Time
	Attempts              int       // of broadcast
	Stuck                 bool      // sent, not mined for long, and its fee is below what the network asks
	LookAt                time.Time // when the chain is next asked for it while it is not sent; zero: no more
	NonceUsedHead         int64     // newest block when another transaction was first seen to have its nonce; 0: not seen

	waitsFor []string // not stored: ids of unsent transactions with lower nonces
}

// TransactionChange is what moves with a state. A nil field stays as it is.
type TransactionChange struct {
	Now               time.Time // UpdatedAt
	Reason            *string
	Held              *bool
	Stuck             *bool
	Nonce             *int64
	SignedTransaction *string
	TxHash            *string
	Proof             *string
	BlockNumber       *int64
	BlockHash         *string
	Confirmations     *int64
	BroadcastAt       *time.Time
	MinedAt           *time.Time // a pointer to the zero time clears it (reorg)
	ConfirmedAt       *time.Time
	FailedAt          *time.Time
	Attempts          *int
	LookAt            *time.Time // a pointer to the zero time ends the looking
	NonceUsedHead     *int64
}

// Page and Cursor are those of every list.
type (
	Page   = page.Page
	Cursor = page.Cursor
)

// WalletFilter selects wallets. Zero fields do not filter.
type WalletFilter struct {
	WorkspaceID       string
	SubOrganizationID string
	Search            string // part of the name, any case
	SortBy, SortDir   string // name | created_at; asc | desc
	Page              Page
}

// TransactionFilter selects transactions, newest first. Zero fields do not filter.
type TransactionFilter struct {
	WorkspaceID string
	WalletID    string // local id
	From        string // the sender's address
	States      []State
	TokenSymbol string
	SortBy      string // created_at (default) | amount
	SortDir     string
	Page        Page
}

// ApprovalFilter selects approvals, newest first. Zero fields do not filter.
type ApprovalFilter struct {
	WorkspaceID       string
	States            []ApprovalState
	SubOrganizationID string
	WalletID          string // local id
	Page              Page
}
