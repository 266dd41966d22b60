package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
)

var (
	// ErrVersion says that a block has a transaction of a version that nobody here reads. Whoever leaves it out loses
	// deposits: the network's deposits stop until the program is updated.
	ErrVersion = errors.New("a block has a transaction of a version that this program does not read")
	// ErrPruned says that a node no longer has a block.
	ErrPruned = errors.New("the node has thrown the block away")

	errHole  = errors.New("the node leaves out a block")
	errOther = errors.New("the node's blocks do not fit together")
)

// atOnce is how many blocks a node is asked for at once.
const atOnce = 8

// Block is a final block.
type Block struct {
	Slot, Parent     int64
	Hash, ParentHash string
	Time             int64 // seconds since 1970
	Transactions     []Transaction
}

// Transaction is what a block says of one: what each of its accounts had before and after.
type Transaction struct {
	ID        string
	Failed    bool
	Keys      []solana.Address
	Signers   []solana.Address
	Pre, Post []uint64 // lamports of each key
	// Tokens of the keys that are token accounts.
	PreTokens, PostTokens []Holding
}

// Holding is what is in a token account.
type Holding struct {
	Key                  int // its place among the keys
	Mint, Owner, Program solana.Address
	Amount               uint64
}

// Source is a node as the reader of its blocks knows it. It speaks of final blocks only.
type Source interface {
	Tip(context.Context) (Tip, error)
	// Blocks are the slots of a range that have a block, the lowest first.
	Blocks(ctx context.Context, from, to int64) ([]int64, error)
	// Block is the block of a slot, in full or without its transactions. node.ErrNoBlock: the slot has none, or the
	// node does not reach so far; ErrPruned; ErrVersion.
	Block(ctx context.Context, slot int64, full bool) (Block, error)
}

// Reader reads the blocks of a node in the words of the watcher. A number is a slot.
type Reader struct{ Source }

var (
	_ node.BlockLister = Reader{}
	_ node.CoinTeller  = Reader{}
)

// TellsCoins says that Transfers has lamports too.
func (Reader) TellsCoins() {}

// Latest is the header of the newest final block.
func (r Reader) Latest(ctx context.Context) (node.Header, error) {
	tip, err := r.Tip(ctx)
	if err != nil {
		return node.Header{}, err
	}
	all, err := r.Headers(ctx, []int64{tip.Slot})
	if err != nil {
		return node.Header{}, err
	}
	return all[0], nil
}

// Headers are those of the blocks in these slots.
func (r Reader) Headers(ctx context.Context, slots []int64) ([]node.Header, error) {
	blocks, err := r.blocks(ctx, slots, false)
	if err != nil {
		return nil, err
	}
	all := make([]node.Header, len(blocks))
	for i, b := range blocks {
		all[i] = node.Header{Number: b.Slot, Hash: b.Hash, Parent: b.ParentHash, ParentNumber: b.Parent, Time: b.Time}
	}
	return all, nil
}

func (r Reader) blocks(ctx context.Context, slots []int64, full bool) ([]Block, error) {
	all := make([]Block, len(slots))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, s := range slots {
		group.Go(func() error {
			b, err := r.Block(ctx, s, full)
			if err == nil && b.Slot != s {
				err = fmt.Errorf("%w: %d for %d", errOther, b.Slot, s)
			}
			all[i] = b
			return err
		})
	}
	return all, group.Wait()
}

// Range reads every block from one slot to another. That a slot has none is believed only where the block above names a
// parent below: a node that leaves a block out is an error.
func (r Reader) Range(ctx context.Context, from, to int64) ([]Block, error) {
	slots, err := r.Blocks(ctx, from, to)
	if err != nil {
		return nil, err
	}
	all, err := r.blocks(ctx, slots, true)
	if err != nil {
		return nil, err
	}
	for i, b := range all {
		switch {
		case i == 0 && b.Parent >= from && b.Slot > 0:
			return nil, fmt.Errorf("%w: %d, the parent of %d", errHole, b.Parent, b.Slot)
		case i > 0 && b.Parent > all[i-1].Slot:
			return nil, fmt.Errorf("%w: %d, the parent of %d", errHole, b.Parent, b.Slot)
		case i > 0 && (b.Parent != all[i-1].Slot || b.ParentHash != all[i-1].Hash):
			return nil, fmt.Errorf("%w: %d and %d", errOther, b.Parent, b.Slot)
		}
	}
	if err := Once(all...); err != nil {
		return nil, err
	}
	if len(slots) > 0 && slots[len(slots)-1] == to {
		return all, nil
	}
	return all, r.closes(ctx, from, to, slots)
}

// Once refuses blocks of which two have the same transaction, or one has it twice: the network takes none again, and
// whoever believed it would count a deposit twice.
func Once(all ...Block) error {
	seen := map[string]int64{}
	for _, b := range all {
		for _, t := range b.Transactions {
			if slot, twice := seen[t.ID]; twice {
				return fmt.Errorf("%w: %s is in the blocks %d and %d", errOther, t.ID, slot, b.Slot)
			}
			seen[t.ID] = b.Slot
		}
	}
	return nil
}

// farAbove is in how many slots above a range there has to be a block.
const farAbove = 10_000

// closes reads the next block above a range whose last slots have no block.
func (r Reader) closes(ctx context.Context, from, to int64, slots []int64) error {
	above, err := r.Blocks(ctx, to+1, to+farAbove)
	if err != nil {
		return err
	}
	if len(above) == 0 {
		return node.ErrNoBlock
	}
	b, err := r.Block(ctx, above[0], false)
	if err != nil {
		return err
	}
	if len(slots) > 0 && b.Parent != slots[len(slots)-1] || len(slots) == 0 && b.Parent >= from {
		return fmt.Errorf("%w: %d, the parent of %d", errHole, b.Parent, b.Slot)
	}
	return nil
}

// Transfers are the deposits of a range: what each owner's associated account of a token has more after a transaction
// than before it, however that came about. To is the owner. From is the one owner who has less of it; where it is not
// one alone, Senders has them. Of the network's coin, the token without an address, it is what came to each address.
func (r Reader) Transfers(ctx context.Context, q node.Query) ([]node.Transfer, error) {
	if _, _, err := tokensOf(q); err != nil || len(q.Tokens) == 0 || q.From < 0 || q.From > q.To {
		return nil, errors.Join(errRange, err)
	}
	blocks, err := r.Range(ctx, q.From, q.To)
	if err != nil {
		return nil, err
	}
	var all []node.Transfer
	for _, b := range blocks {
		if q.Hash != "" && b.Hash != q.Hash {
			return nil, node.ErrNoBlock
		}
		some, err := b.Transfers(q)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// Transfers are those of the block that a query selects, whatever range it names, in their order.
func (b Block) Transfers(q node.Query) (all []node.Transfer, err error) {
	mints, coins, err := tokensOf(q)
	if err != nil {
		return nil, err
	}
	found, err := b.Arrivals(mints)
	if err == nil && coins {
		var more []Arrival
		more, err = b.Coins()
		found = append(found, more...)
	}
	if err != nil {
		return nil, err
	}
	for _, a := range found {
		if t := a.Transfer(b); a.Derived && selects(q, t) {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b node.Transfer) int { return cmp.Compare(a.Index, b.Index) })
	return all, nil
}

var errRange = errors.New("a range of slots that ends before it begins, or no token")

// tokensOf are the mints that a query names, and whether it also names the network's coin.
func tokensOf(q node.Query) (mints []solana.Address, coins bool, err error) {
	for _, t := range q.Tokens {
		if t == node.Coin {
			coins = true
			continue
		}
		mint, err := solana.ParseAddress(t)
		if err != nil {
			return nil, false, err
		}
		mints = append(mints, mint)
	}
	return mints, coins, nil
}

func selects(q node.Query, t node.Transfer) bool {
	return (len(q.Receivers) == 0 || slices.Contains(q.Receivers, t.To)) &&
		(len(q.Senders) == 0 || slices.Contains(q.Senders, t.From))
}

// Transfer is the arrival in the words of the watcher.
func (a Arrival) Transfer(b Block) node.Transfer {
	t := node.Transfer{
		Block: b.Slot, BlockHash: b.Hash, Tx: a.Tx, Index: int64(a.Place)<<8 | int64(a.Key), Token: node.Coin,
		To: a.Owner.String(), Amount: new(big.Int).SetUint64(a.Amount),
	}
	if a.Mint != (solana.Address{}) {
		t.Token = a.Mint.String()
	}
	if a.From != (solana.Address{}) {
		t.From = a.From.String()
		return t
	}
	for _, s := range a.Senders {
		t.Senders = append(t.Senders, s.String())
	}
	return t
}
