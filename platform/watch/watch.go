// Package watch follows blockchains, and stores transfers of listed tokens to known addresses: those of wallets and
// withdrawal addresses. It does not depend on a kit: a kit registers a Sink, which is called in the transaction that
// writes a transfer.
package watch

import (
	"context"
	"strings"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/job"
)

// Network is a chain that is watched.
type Network struct {
	Slug          string
	Confirmations int64 // block numbers, its own included, until a transfer is final; those without a block count
	Tokens        []Token
	Gaps          node.BlockLister // nil: every number up to the newest has a block
	// Has tells whether an address can be of the network. No node is asked for one of another family.
	Has func(address string) bool
}

// Token is a listed token.
type Token struct {
	Symbol   string
	Address  string // in the spelling under which the Store looks addresses up
	Decimals int
}

// Node is what is asked of a chain's node, as node.Client says. It is not trusted: an
// answer is checked against others and against what was seen before.
type Node interface {
	Latest(context.Context) (node.Header, error)
	Headers(ctx context.Context, numbers []int64) ([]node.Header, error)
	Transfers(context.Context, node.Query) ([]node.Transfer, error)
}

// State is how sure a transfer is.
type State string

// The states. A reorg that takes the transfer's block away makes it dropped, at
// whatever depth; mined again it is seen again.
const (
	Seen    State = "seen"
	Final   State = "final" // as deep as its network wants
	Dropped State = "dropped"
)

// OwnerKind is the kind of an address's owner.
type OwnerKind string

// The kinds.
const (
	Wallet   OwnerKind = "wallet"   // the id is the wallet's
	Withdraw OwnerKind = "withdraw" // the id is the withdrawal address's
)

// Owner is the owner of an address.
type Owner struct {
	Kind            OwnerKind
	WorkspaceID, ID string
}

// Transfer is one arrival of a token. It keeps its id through every reorg: what
// names it is its transaction, and its place among those of that transaction
// that bring the same token to the same address.
type Transfer struct {
	WorkspaceID, ID string
	Owner           OwnerKind
	OwnerID         string
	Chain           string // slug
	Tx              string
	Ordinal         int64
	LogIndex        int64 // in its block
	Token           string
	Symbol          string
	Decimals        int
	From, To        string
	Amount          string // in the token's smallest unit
	State           State
	BlockNumber     int64 // also of a dropped one: where it was
	BlockHash       string
	SeenAt          time.Time // first
	UpdatedAt       time.Time
	FinalAt         time.Time // zero: never was; a reorg does not clear it
}

// Confirmations is how deep a transfer is below a head, its own block included.
func (t Transfer) Confirmations(head int64) int64 {
	if t.State == Dropped {
		return 0
	}
	return max(0, head-t.BlockNumber+1)
}

// Units is the amount in whole units of the token, as decimal text.
func (t Transfer) Units() string { return units(t.Amount, t.Decimals) }

func units(amount string, decimals int) string {
	if decimals == 0 {
		return amount
	}
	if missing := decimals + 1 - len(amount); missing > 0 {
		amount = strings.Repeat("0", missing) + amount
	}
	whole, part := amount[:len(amount)-decimals], strings.TrimRight(amount[len(amount)-decimals:], "0")
	if part == "" {
		return whole
	}
	return whole + "." + part
}

// Sink is called for every change of a transfer, in the transaction that writes it. It enqueues a job for work that
// needs a node or the partner.
type Sink interface {
	Changed(ctx context.Context, tx Jobs, t Transfer) error
}

// Jobs is what a sink may do.
type Jobs interface {
	// Enqueue adds a job that runs only if the transaction commits.
	Enqueue(ctx context.Context, j job.Job) error
}
