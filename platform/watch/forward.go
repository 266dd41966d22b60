package watch

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/node"
)

// batch is a range of blocks as a node tells it.
type batch struct {
	at       Cursor
	from, to int64                 // every number of the range; to has a block
	numbers  []int64               // those that have a block; nil: all have
	blocks   map[int64]node.Header // those whose hash is known
	reported []node.Transfer
	standing []Transfer // written earlier, and in no block of the range now
	found    []Transfer
	ends     bool     // the chain ends with it: blocks above it that were read earlier are gone
	rescans  []string // that are over with it
}

// forward reads the next range and writes it down.
func (f *follower) forward(ctx context.Context, at Cursor, tip node.Header) (more bool, err error) {
	r := &batch{at: at, blocks: map[int64]node.Header{}}
	if err := f.setRange(ctx, r, tip.Number); err != nil {
		return false, f.halveSpan(err)
	}
	if err := f.fetchHeaders(ctx, r, f.headersNeeded(r, tip.Number)); err != nil {
		return false, f.halveSpan(err)
	}
	if r.blocks[r.first()].Parent != at.Hash {
		return false, f.rollBack(ctx, at, tip)
	}
	if err := f.fetchTransfers(ctx, r, nil); err != nil {
		return false, f.halveSpan(err)
	}
	if r.ends, err = f.tipReplaced(ctx, r, tip); err != nil {
		return false, err
	}
	if err := f.write(ctx, r); err != nil {
		return false, err
	}
	if len(r.reported) < fewTransfers {
		f.span = min(2*f.span, mostBlocks)
	}
	return r.to < tip.Number, nil
}

// tipReplaced tells whether the chain ends with a range, so that all that was read above it
// earlier is gone. That can be after --watch-from only. Say blocks up to 120 were
// read, the server reads again from 50, and the node's newest block is 110. Is that
// the block 110 which was read before, the node is a little behind, and what arrived
// in 111 to 120 stands. Is it another one, a reorg took 110 to 120. Where the hash of
// the old 110 is not remembered, the rows stay until the chain has 111 to 120.
func (f *follower) tipReplaced(ctx context.Context, r *batch, tip node.Header) (bool, error) {
	if r.to < tip.Number {
		return false, nil
	}
	return f.replaced(ctx, r.blocks[r.to])
}

// halveSpan makes the next range half as long: the node may find this one too wide.
func (f *follower) halveSpan(err error) error {
	if !errors.Is(err, errMoved) {
		f.span = max(1, f.span/2)
	}
	return err
}

// headersNeeded are the blocks of a range whose headers are needed in any case: its
// ends, and those that a reorg may yet take.
func (f *follower) headersNeeded(r *batch, tip int64) []int64 {
	all := []int64{r.first()}
	for n := range r.listed(max(r.first()+1, tip-f.window+1)) {
		all = append(all, n)
	}
	if last := all[len(all)-1]; last != r.to {
		all = append(all, r.to)
	}
	return all
}

// fetchHeaders adds headers to a reading. Each must fit to its neighbours.
func (f *follower) fetchHeaders(ctx context.Context, r *batch, wanted []int64) error {
	all, err := f.headers(ctx, wanted)
	if err != nil {
		return err
	}
	for _, h := range all {
		r.blocks[h.Number] = h
	}
	for _, h := range r.blocks {
		below, known := r.blocks[h.ParentNumber]
		if known && below.Hash != h.Parent || !r.fits(h) {
			return errMoved
		}
	}
	return nil
}

// fetchTransfers asks for the transfers of a range, to all or to some, and whose they are.
// Every block that matters must be on one chain, before the question and after it.
func (f *follower) fetchTransfers(ctx context.Context, r *batch, receivers []string) (err error) {
	q := node.Query{From: r.first(), To: r.to, Tokens: f.listed, Receivers: receivers}
	if q.From == q.To {
		q.Hash = r.blocks[r.to].Hash // a node that does not have the block says so
	}
	if r.reported, err = f.node.Transfers(ctx, q); err != nil {
		return f.asReorg(ctx, r, err)
	}
	if err := f.match(ctx, r); err != nil {
		return err
	}
	if receivers == nil {
		if r.standing, err = f.store.Standing(ctx, f.network.Slug, r.from, r.to); err != nil {
			return err
		}
	}
	if err := f.verifyBlocks(ctx, r); err != nil {
		return err
	}
	return f.findOrphaned(r)
}

// asReorg turns the failure of a node into errMoved where the reason is that its chain has moved.
func (f *follower) asReorg(ctx context.Context, r *batch, failure error) error {
	now, err := f.headers(ctx, []int64{r.to})
	if errors.Is(err, errMoved) || err == nil && now[0].Hash != r.blocks[r.to].Hash {
		return errors.Join(errMoved, failure)
	}
	return failure
}

// match makes transfers of the logs that bring something to a known address.
func (f *follower) match(ctx context.Context, r *batch) error {
	var receivers []string
	for _, l := range r.reported {
		receivers = append(receivers, l.To)
	}
	slices.Sort(receivers)
	owners, err := f.store.Owners(ctx, slices.Compact(receivers))
	if err != nil {
		return err
	}
	now, places := f.clock.Now(), ordinals{}
	for _, l := range r.reported {
		place := places.next(l)
		owner, known := owners[l.To]
		if !known || l.Amount.Sign() <= 0 { // anybody may write a transfer of nothing
			continue
		}
		token := f.tokens[l.Token]
		r.found = append(r.found, Transfer{
			WorkspaceID: owner.WorkspaceID, ID: newID(), Owner: owner.Kind, OwnerID: owner.ID, Chain: f.network.Slug,
			Tx: l.Tx, Ordinal: place, LogIndex: l.Index, Token: l.Token, Symbol: token.Symbol, Decimals: token.Decimals,
			From: l.From, To: l.To, Amount: l.Amount.String(), State: Seen, BlockNumber: l.Block,
			BlockHash: l.BlockHash, SeenAt: now, UpdatedAt: now,
		})
	}
	return nil
}

// newID is in the order of time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// transferKey names a transfer. It stays the same when the transaction is mined in another block.
type transferKey struct {
	tx, token, to string
	ordinal       int64
}

func (t Transfer) key() transferKey { return transferKey{t.Tx, t.Token, t.To, t.Ordinal} }

// ordinals count the transfers of each transaction that bring one token to one address.
type ordinals map[transferKey]int64

func (o ordinals) next(l node.Transfer) int64 {
	key := transferKey{tx: l.Tx, token: l.Token, to: l.To}
	o[key]++
	return o[key] - 1
}

// verifyBlocks asks for the blocks of the transfers that were found or were written earlier, or for what shows that
// their numbers have none now, and once more for the last block, so that all of the node's answers are of one chain.
func (f *follower) verifyBlocks(ctx context.Context, r *batch) error {
	var more []int64
	for _, t := range r.found {
		more = append(more, t.BlockNumber)
	}
	for _, t := range r.standing {
		more = append(more, r.witness(t.BlockNumber))
	}
	more = slices.DeleteFunc(more, func(n int64) bool { return r.blocks[n].Hash != "" })
	slices.Sort(more)
	more = slices.Compact(more)
	last := r.blocks[r.to].Hash
	if r.first() != r.to {
		more = append(more, r.to)
	}
	if len(more) > 0 {
		if err := f.fetchHeaders(ctx, r, more); err != nil {
			return err
		}
	}
	if r.blocks[r.to].Hash != last {
		return errMoved
	}
	for _, l := range r.reported {
		if b, known := r.blocks[l.Block]; known && b.Hash != l.BlockHash {
			return errMoved
		}
	}
	return nil
}

// findOrphaned keeps, of the transfers that were written earlier, only those whose block is gone. The node must have
// reported those whose block is still there.
func (f *follower) findOrphaned(r *batch) error {
	told, places := map[transferKey]bool{}, ordinals{}
	for _, l := range r.reported {
		told[transferKey{l.Tx, l.Token, l.To, places.next(l)}] = true
	}
	var strays []Transfer
	for _, t := range r.standing {
		if r.blocks[t.BlockNumber].Hash != t.BlockHash {
			strays = append(strays, t)
			continue
		}
		if _, listed := f.tokens[t.Token]; listed && !told[t.key()] {
			return errHidden
		}
	}
	r.standing = strays
	return nil
}

// write puts a reading into the database, all or nothing.
func (f *follower) write(ctx context.Context, r *batch) error {
	end := r.blocks[r.to]
	now := f.clock.Now()
	keep, from, err := f.memory(ctx, r)
	if err != nil {
		return err
	}
	return f.store.Write(ctx, func(ctx context.Context, tx Tx) error {
		if err := tx.Move(ctx, r.at, end.Number, end.Hash); err != nil {
			return err
		}
		if f.network.Gaps != nil {
			if err := tx.Forget(ctx, f.network.Slug, r.at.Number); err != nil {
				return err
			}
		}
		if err := tx.Remember(ctx, f.network.Slug, keep, from); err != nil {
			return err
		}
		if err := f.drop(ctx, tx, r, now); err != nil {
			return err
		}
		for _, t := range r.found {
			changes, err := tx.See(ctx, t)
			if err != nil {
				return err
			}
			if err := f.changed(ctx, tx, changes...); err != nil {
				return err
			}
		}
		if err := tx.EndRescans(ctx, r.rescans); err != nil {
			return err
		}
		final, err := tx.Settle(ctx, f.network.Slug, end.Number-f.network.Confirmations+1, now)
		if err != nil {
			return err
		}
		return f.changed(ctx, tx, final...)
	})
}

// drop drops what stands and is in no block of the chain any more: of the range, and
// of what is above it where the chain ends there.
func (f *follower) drop(ctx context.Context, tx Tx, r *batch, now time.Time) error {
	if r.ends {
		if err := f.undo(ctx, tx, r.to, now); err != nil {
			return err
		}
	}
	for _, t := range r.standing {
		gone, err := tx.Drop(ctx, t, now)
		if err != nil {
			return err
		}
		if err := f.changed(ctx, tx, gone); err != nil {
			return err
		}
	}
	return nil
}

// remembered are the blocks of a batch whose hash is known, from a number on, the lowest first.
func (r *batch) remembered(from int64) []node.Header {
	var all []node.Header
	for n, h := range r.blocks {
		if n >= from {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b node.Header) int { return int(a.Number - b.Number) })
	return all
}

// mostRescans is how many addresses one question looks back for.
const mostRescans = 100

// rescan looks back for what came to addresses before they were known. It moves
// the cursor to where it is, so that no other server writes a range that it read
// before it knew them.
func (f *follower) rescan(ctx context.Context, at Cursor) error {
	asked, err := f.store.Rescans(ctx, f.network.Slug, mostRescans)
	if err != nil || len(asked) == 0 {
		return err
	}
	r := &batch{at: at, from: max(0, at.Number-f.window+1), to: at.Number, blocks: map[int64]node.Header{}}
	var receivers []string
	for _, a := range asked {
		r.rescans = append(r.rescans, a.ID)
		if f.network.Has(a.Address) {
			receivers = append(receivers, a.Address)
		}
	}
	if receivers == nil {
		return f.store.Write(ctx, func(ctx context.Context, tx Tx) error { return tx.EndRescans(ctx, r.rescans) })
	}
	if err := f.fetchHeaders(ctx, r, []int64{at.Number}); err != nil {
		return err
	}
	if r.blocks[at.Number].Hash != at.Hash {
		return errMoved
	}
	if err := f.fetchTransfers(ctx, r, receivers); err != nil {
		return err
	}
	return f.write(ctx, r)
}
