package watch

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/platform/page"
)

// ErrStale says that another server moved the cursor first.
var ErrStale = errors.New("watch: another server has moved the cursor")

// Cursor is how far a chain was read.
type Cursor struct {
	Chain   string
	Number  int64
	Hash    string
	Version int64 // grows with each write
}

// Rescan asks to read earlier blocks again, for transfers to an address from before it was known.
type Rescan struct{ ID, Chain, Address string }

// Store is what the watcher needs of a database. Addresses, of Token, node and rows
// alike, are in the spelling under which it looks them up.
type Store interface {
	Cursor(ctx context.Context, chain string) (c Cursor, found bool, err error)
	// Blocks are those that are remembered, the highest first.
	Blocks(ctx context.Context, chain string) ([]node.Header, error)
	// Owners finds the owners of addresses; unknown addresses are left out.
	Owners(ctx context.Context, addresses []string) (map[string]Owner, error)
	// Standing lists the transfers of a range of blocks that are not dropped.
	Standing(ctx context.Context, chain string, from, to int64) ([]Transfer, error)
	Rescans(ctx context.Context, chain string, limit int) ([]Rescan, error)
	// Write runs fn in one transaction, which may be more than once.
	Write(ctx context.Context, fn func(context.Context, Tx) error) error
}

// Tx is the writing half.
type Tx interface {
	Jobs
	// Begin makes the chain's cursor; ErrStale where there is one.
	Begin(ctx context.Context, c Cursor) error
	// Move puts the cursor elsewhere if it is still of old's version, else ErrStale.
	Move(ctx context.Context, old Cursor, number int64, hash string) error
	// Remember keeps the hashes of blocks, and forgets those below a number.
	Remember(ctx context.Context, chain string, blocks []node.Header, below int64) error
	// Forget drops the hashes of blocks above a number.
	Forget(ctx context.Context, chain string, above int64) error
	// See writes a transfer that is in a block. One that was dropped is seen
	// again, with its id; one that stands in this block already is no change; one
	// that stands in another block is dropped there first, which are two changes.
	See(ctx context.Context, t Transfer) (changes []Transfer, err error)
	// Settle makes final what is seen in blocks up to a number.
	Settle(ctx context.Context, chain string, upTo int64, now time.Time) ([]Transfer, error)
	// Undo drops what stands in blocks above a number.
	Undo(ctx context.Context, chain string, above int64, now time.Time) ([]Transfer, error)
	// Drop drops one transfer that stands in a block.
	Drop(ctx context.Context, t Transfer, now time.Time) (Transfer, error)
	EndRescans(ctx context.Context, ids []string) error
}

// Reader is what others may ask of transfers.
type Reader interface {
	Transfer(ctx context.Context, workspaceID, id string) (Transfer, error)
	// TransfersOf lists what came to an owner, newest first, and counts it.
	TransfersOf(ctx context.Context, workspaceID, ownerID string, p page.Page) ([]Transfer, int, error)
	// TransfersSince lists transfers of every workspace that changed after a
	// moment, the longest ago first: a sweeper's food. The cursor's time is that of
	// the change. It is read with some overlap: a change is visible a moment after its time.
	TransfersSince(ctx context.Context, kind OwnerKind, after page.Cursor, limit int) ([]Transfer, error)
	// Head is how far a chain was read: confirmations count from there.
	Head(ctx context.Context, chain string) (Cursor, bool, error)
}
