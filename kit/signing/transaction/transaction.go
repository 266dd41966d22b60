package transaction

import (
	"context"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

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
	node.Window           // on a network without nonces: when it can be in a block
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
	// newest block when another transaction was first seen to have its nonce; 0: not seen
	NonceUsedHead int64
	Received      string // of a mined swap: what its receiver got, in the smallest unit
	ReceivedLess  bool   // than the stamped minimum

	WaitsFor []string // not stored: ids of unsent transactions with lower nonces
}

// Change is what moves with a state. A nil field stays as it is.
type Change struct {
	Now               time.Time // UpdatedAt
	Reason            *string
	Held              *bool
	Stuck             *bool
	Nonce             *int64
	LastHeight        *int64
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
	Received          *string
	ReceivedLess      *bool
}

// Filter selects transactions, newest first. Zero fields do not filter.
type Filter struct {
	WorkspaceID string
	WalletID    string // local id
	From        string // the sender's address
	States      []State
	Signed      bool // only those that were signed, whatever became of them
	TokenSymbol string
	SortBy      string // created_at (default) | amount
	SortDir     string
	Page        page.Page
}

// Apply is what MoveTransaction does to the row.
func (t *Transaction) Apply(to State, c Change) {
	t.State, t.UpdatedAt = to, c.Now
	set(&t.Reason, c.Reason)
	set(&t.Held, c.Held)
	set(&t.Stuck, c.Stuck)
	set(&t.SignedTransaction, c.SignedTransaction)
	set(&t.TxHash, c.TxHash)
	set(&t.Proof, c.Proof)
	set(&t.BlockNumber, c.BlockNumber)
	set(&t.BlockHash, c.BlockHash)
	set(&t.Confirmations, c.Confirmations)
	set(&t.BroadcastAt, c.BroadcastAt)
	set(&t.MinedAt, c.MinedAt)
	set(&t.ConfirmedAt, c.ConfirmedAt)
	set(&t.FailedAt, c.FailedAt)
	set(&t.Attempts, c.Attempts)
	set(&t.LookAt, c.LookAt)
	set(&t.NonceUsedHead, c.NonceUsedHead)
	set(&t.Received, c.Received)
	set(&t.ReceivedLess, c.ReceivedLess)
	set(&t.LastHeight, c.LastHeight)
	if c.Nonce != nil {
		t.Nonce = c.Nonce
	}
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// The kit's jobs.
const (
	JobBroadcast job.Kind = "signing_broadcast" // send signed bytes that no node took yet
	JobConfirm   job.Kind = "signing_confirm"   // follow a sent transaction to its depth
)

// EnqueueNext asks for the work that the row now waits for.
func EnqueueNext(ctx context.Context, tx record.Queue, t Transaction) error {
	switch {
	case t.State == Broadcast, t.State == Failed && t.MinedAt.IsZero() && t.TxHash != "":
		// Anew: a job that is at work with what the transaction was before may just be ending.
		return tx.Enqueue(ctx, job.Job{Kind: JobConfirm, WorkspaceID: t.WorkspaceID, ID: t.ID, Anew: true})
	case t.State == Pending && !t.Held && t.ReplacedBy == "":
		return tx.Enqueue(ctx, job.Job{Kind: JobBroadcast, WorkspaceID: t.WorkspaceID, ID: t.ID})
	}
	return nil
}

// The custody of a sender's key: in the enclave, or with its owner.
const (
	CustodyEnclave  = "enclave"
	CustodyExternal = "external" // an address of no wallet: its owner signs outside
)

// External says that there is no body, and so nothing that the enclave could sign.
func (t Transaction) External() bool { return t.Fingerprint == "" }

func (t Transaction) custody() string {
	if t.External() {
		return CustodyExternal
	}
	return CustodyEnclave
}
