// Package watch follows blockchains, and stores transfers of listed tokens to known addresses: those of wallets and
// withdrawal addresses. Where the nodes tell it, coins that come to a withdrawal address are stored as well: nobody is
// credited with them, and somebody may miss them. It does not depend on a kit: a kit registers a Sink, and the watcher
// calls the Sink in the transaction that writes a transfer.
package watch

import (
	"context"
	"strings"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/job"
)

// Network is a chain that the watcher follows.
type Network struct {
	Slug          string
	Confirmations int64            // numbers from its own to the newest block's that make a transfer final; gaps count
	Tokens        []Token          // node.Coin is the address of the network's own coin, where the nodes tell of it
	Gaps          node.BlockLister // nil: every number up to the newest has a block
	// Others are the network's other nodes, which are asked about what one of them told; nil: there are none.
	Others node.Corroborating
	// Has reports whether an address can belong to the network. The watcher asks no node for an address of
	// another family.
	Has func(address string) bool
	// Held tells of which of some tokens nobody is credited now: their transfers stay Seen, however deep they are,
	// until it no longer names the token. It may ask nodes. nil: of none, ever.
	Held func(ctx context.Context, tokens []string) []string
}

// Token is a listed token.
type Token struct {
	Symbol   string
	Address  string // spelled as the Store spells addresses
	Decimals int
}

// Node is the part of node.Client that the watcher calls. The watcher does not trust the node: it checks each answer
// against other answers and against the blocks it read before.
type Node interface {
	Latest(context.Context) (node.Header, error)
	Headers(ctx context.Context, numbers []int64) ([]node.Header, error)
	Transfers(context.Context, node.Query) ([]node.Transfer, error)
}

// State is how sure a transfer is.
type State string

// The states. If a reorg removes the transfer's block, at any depth, the transfer becomes dropped. If its transaction
// is mined again, it becomes seen again.
const (
	Seen    State = "seen"
	Final   State = "final" // as deep as its network wants, and its token is not held
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

// Transfer is one arrival of a token. It keeps its id through every reorg, since it is named by its transaction and
// its ordinal: its place among the transfers of that transaction that bring the same token to the same address.
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
	Senders         []string // without a From: all who paid for it together; none: it was made
	Amount          string   // in the token's smallest unit
	State           State
	BlockNumber     int64 // of a dropped transfer: the block it was in
	BlockHash       string
	MinedAt         time.Time // by its block; zero in rows of older versions
	SeenAt          time.Time // first, by the server
	UpdatedAt       time.Time
	FinalAt         time.Time // zero: it never was final; a reorg does not clear this
}

// Came is when a transfer came: by its block, which is the same for everybody who looks, else when it was seen first.
func (t Transfer) Came() time.Time {
	if t.MinedAt.IsZero() {
		return t.SeenAt
	}
	return t.MinedAt
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

// Sink receives every change of a transfer, in the transaction that writes the change. For work that needs a node or
// the partner, the sink enqueues a job.
type Sink interface {
	Changed(ctx context.Context, tx Jobs, t Transfer) error
}

// Jobs lets a sink enqueue jobs. A sink can do nothing else in the transaction.
type Jobs interface {
	// Enqueue adds a job that runs only if the transaction commits.
	Enqueue(ctx context.Context, j job.Job) error
}
