package watch

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/platform/record"
)

// batch is what a node answered about a range of blocks. Three cases of removed blocks meet in it. Say transfers were
// stored from the blocks 100 to 120, and the batch reads from 110 on.
//
//   - The parent of 110 is not the 109 at the cursor: a reorg removed 109. Nothing is written, and rollBack looks for
//     the highest stored block that is still there.
//   - Block 112 has another hash than its stored transfers name, since --watch-from set the cursor back to 109 and
//     a reorg took place since. Those transfers are standing, and write drops them.
//   - The newest block is 115, and its hash is another than the stored one: a reorg removed 115 to 120. Then ends is
//     true, and write drops the stored transfers above 115 too, though the batch does not reach them.
type batch struct {
	at       Cursor
	from, to int64                 // the first and the last number of the range; to has a block
	numbers  []int64               // the numbers that have a block; nil: all of the range
	blocks   map[int64]node.Header // headers by number, as far as they were read
	reported []node.Transfer
	ours     []node.Transfer // of the reported, those in found
	standing []Transfer      // stored earlier; after findOrphaned, only those whose block is gone
	found    []Transfer
	ends     bool     // the chain ends with this range: blocks read earlier above it are gone
	rescans  []string // the ids of the rescans that this batch completes
}

// forward reads the next range and stores its transfers.
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
	// Coins are told of everybody on Solana, and are of no owner here but for a few.
	coins := func(t node.Transfer) bool { return t.Token == node.Coin }
	if len(slices.DeleteFunc(slices.Clone(r.reported), coins)) < fewTransfers {
		f.span = min(2*f.span, mostBlocks)
	}
	return r.to < tip.Number, nil
}

// tipReplaced reports whether the chain ends with the range of the batch, so that all blocks read earlier above it are
// gone. Only after --watch-from can there be such blocks. Say blocks up to 120 were read, the server reads again from
// 50, and the node's newest block is 110:
//
//   - Its 110 is the one read before: the node is a little behind, and the transfers in 111 to 120 stay.
//   - Its 110 has another hash: a reorg removed 110 to 120, and their transfers are dropped.
//   - The hash of the old 110 is not remembered: the transfers stay until the chain has 111 to 120 again.
func (f *follower) tipReplaced(ctx context.Context, r *batch, tip node.Header) (bool, error) {
	if r.to < tip.Number {
		return false, nil
	}
	return f.replaced(ctx, r.blocks[r.to])
}

// halveSpan makes the next range half as long after a failure, since the node may refuse ranges of this length. A
// chain that moved says nothing about the length.
func (f *follower) halveSpan(err error) error {
	if !errors.Is(err, errMoved) {
		f.span = max(1, f.span/2)
	}
	return err
}

// headersNeeded lists the blocks of a range whose headers the follower reads in any case: the first, the last, and
// those so near the tip that a reorg may still remove them.
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

// fetchHeaders adds headers to the batch. Each must name its neighbour below as its parent; else the chain has moved.
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

// fetchTransfers asks the node for the transfers of a range, to the given receivers or, if nil, to all, and finds the
// owners of their addresses. It fails if a block with such a transfer was replaced between the questions.
func (f *follower) fetchTransfers(ctx context.Context, r *batch, receivers []string) (err error) {
	q := node.Query{From: r.first(), To: r.to, Tokens: f.listed, Receivers: receivers}
	if q.From == q.To {
		q.Hash = r.blocks[r.to].Hash // so a node without this block answers with an error
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
	if err := f.corroborate(ctx, r); err != nil {
		return err
	}
	return f.findOrphaned(r)
}

// corroborate asks the other nodes about what is new. One node alone could otherwise have somebody credited with what
// never came.
func (f *follower) corroborate(ctx context.Context, r *batch) error {
	if f.network.Others == nil {
		return nil
	}
	var fresh []node.Transfer
	for i, t := range r.found {
		if !slices.ContainsFunc(r.standing, func(s Transfer) bool {
			return s.key() == t.key() && s.BlockHash == t.BlockHash
		}) {
			fresh = append(fresh, r.ours[i])
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return f.network.Others.Corroborate(ctx, fresh)
}

// asReorg adds errMoved to the failure of a node if its chain has moved, which then explains the failure.
func (f *follower) asReorg(ctx context.Context, r *batch, failure error) error {
	now, err := f.headers(ctx, []int64{r.to})
	if errors.Is(err, errMoved) || err == nil && now[0].Hash != r.blocks[r.to].Hash {
		return errors.Join(errMoved, failure)
	}
	return failure
}

// match makes a Transfer of each reported log that brings an amount to a known address.
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
	now, places, in := f.clock.Now(), ordinals{}, map[string]int64{}
	for _, l := range r.reported {
		place := places.next(l)
		owner, known := owners[l.To]
		if !known || l.Amount.Sign() <= 0 { // a transfer of zero costs its sender nothing
			continue
		}
		if l.Token == node.Coin && owner.Kind != Withdraw { // a wallet may have coins, and its balance shows them
			continue
		}
		if block, told := in[l.Tx]; told && block != l.Block {
			return errTwice
		}
		in[l.Tx] = l.Block
		token := f.tokens[l.Token]
		t := Transfer{
			WorkspaceID: owner.WorkspaceID, Owner: owner.Kind, OwnerID: owner.ID, Chain: f.network.Slug,
			Tx: l.Tx, Ordinal: place, LogIndex: l.Index, Token: l.Token, Symbol: token.Symbol, Decimals: token.Decimals,
			From: l.From, Senders: l.Senders, To: l.To, Amount: l.Amount.String(), State: Seen,
			BlockNumber: l.Block, BlockHash: l.BlockHash, SeenAt: now, UpdatedAt: now,
		}
		t.ID = t.id()
		r.found, r.ours = append(r.found, t), append(r.ours, l)
	}
	return nil
}

// id follows from what names a transfer: whoever sees it again with an older database gives it the same.
func (t Transfer) id() string {
	return record.DerivedID("transfer", t.WorkspaceID, t.Chain, t.Tx, t.Token, t.To, strconv.FormatInt(t.Ordinal, 10))
}

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

// verifyBlocks reads the headers of all blocks that hold found or earlier stored transfers, and the last block once
// more, so that all answers of the node are of one chain. If such a number has no block any more, it reads the next
// block above, whose parent shows that.
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

// findOrphaned keeps in standing only the transfers whose block is gone, so that write drops them. Say 110 and 112
// hold stored transfers, and the node has another 112 now: the transfer in 112 remains in standing. The node must
// have reported the one in 110, whose block is still there; else it hides a transfer, and nothing is written.
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

// write stores a batch in one transaction.
func (f *follower) write(ctx context.Context, r *batch) error {
	end := r.blocks[r.to]
	now := f.clock.Now()
	keep, from, err := f.memory(ctx, r)
	if err != nil {
		return err
	}
	held, err := f.held(ctx, r)
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
			t.MinedAt = minedAt(r.blocks[t.BlockNumber], now)
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
		return f.settle(ctx, tx, f.final(end.Number), held)
	})
}

// minedAt is when a block was made, as its node says; zero where that cannot be, such as next year.
func minedAt(h node.Header, now time.Time) time.Time {
	at := time.Unix(h.Time, 0).UTC()
	if h.Time <= 0 || at.After(now.Add(time.Hour)) {
		return time.Time{}
	}
	return at
}

// drop drops the stored transfers whose block is gone: those in the range, and all above it if the chain ends there.
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

// remembered lists the headers of the batch with this number or a higher one, the lowest first.
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

// mostRescans is the highest number of addresses in one rescan.
const mostRescans = 100

// rescan reads the blocks below the cursor again, for transfers to addresses that were not known when those blocks
// were read. Its write gives the cursor a new version at the same block: another server that read a range before it
// knew the addresses then fails with ErrStale and reads the range again.
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
