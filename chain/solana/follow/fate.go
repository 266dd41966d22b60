// Package follow makes out, of what nodes of Solana say, what became of a transaction (fate.go) and what a range of
// blocks brings (blocks.go, arrivals.go). It knows nodes by two small interfaces, and is pure beside.
package follow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/railkit/railkit/chain/node"
)

// Fate is what became of a transaction that was sent.
type Fate string

// The fates. Only Landed and Expired are ends, and one that expired is Landed if it is found later.
const (
	Broadcast Fate = "broadcast" // it may still be put in a block, or nobody can rule that out
	Landed    Fate = "landed"    // it is in a final block
	Expired   Fate = "expired"   // no block has it, and none will
)

// Sent is a transaction whose fate is asked for.
type Sent struct {
	ID        string
	Blockhash string
	// LastValid is the highest block height at which any node said that the blockhash counts.
	LastValid int64
	// Since is a slot before the transaction was signed, such as the one of the answer that brought the blockhash.
	Since int64
}

// Tip is the newest final block.
type Tip struct{ Slot, Height int64 }

// Status is what a node says of a transaction that it found in a block.
type Status struct {
	ID     string
	Slot   int64
	Final  bool
	Failed string // why it did nothing, as the node writes it; "": it did what it says
}

// Witness is what one node is asked about a transaction. Every answer is of the newest final block, but for Status.
type Witness interface {
	Tip(context.Context) (Tip, error)
	// BlockhashLives tells whether a transaction may still name a blockhash, in the state after a block that is no
	// older than slot.
	BlockhashLives(ctx context.Context, hash string, slot int64) (bool, error)
	// Status looks for a transaction in all that the node has, not only in its newest blocks, and says up to which slot
	// it looked.
	Status(ctx context.Context, id string) (s Status, found bool, looked int64, err error)
	// FirstBlock is the oldest slot of which the node has everything.
	FirstBlock(context.Context) (int64, error)
}

// Verdict is a fate, and why.
type Verdict struct {
	Fate   Fate
	Status Status   // of one that landed
	Open   []string // why it is not Expired, in a sentence for each node that stands against it
	Denied bool     // it landed by one node, and another one that looked as far does not know it
}

// Judge asks every node. One that found the transaction in a final block is enough for Landed. Expired takes all of
// them, and of each one, in this order:
//
//  1. its newest final block is above the last one that can have the transaction
//  2. the blockhash counts no more there
//  3. it looked through all blocks up to that one, and has not found it
//  4. it still has the blocks from before the transaction was signed
//
// Another order would have a gap: a node that looks first and counts its blocks later has not looked at the blocks that
// were made between. A node that is away, behind, or without history leaves the transaction open.
func Judge(ctx context.Context, nodes []Witness, sent Sent) (v Verdict, err error) {
	if len(nodes) == 0 {
		return Verdict{Fate: Broadcast}, node.ErrNobody
	}
	denied := false
	for i, n := range nodes {
		status, why := ask(ctx, n, sent)
		switch {
		case status != nil && v.Fate != Landed:
			v.Fate, v.Status = Landed, *status
		case why != nil:
			v.Open = append(v.Open, fmt.Sprintf("node %d %s", i+1, why))
		default:
			denied = denied || status == nil
		}
	}
	switch {
	case v.Fate == Landed:
		v.Open, v.Denied = nil, denied
	case len(v.Open) > 0:
		v.Fate = Broadcast
	default:
		v.Fate = Expired
	}
	return v, ctx.Err()
}

// ask gives the final status of the transaction, or why the node cannot say that it expired; neither: it says so.
func ask(ctx context.Context, n Witness, sent Sent) (*Status, error) {
	tip, err := n.Tip(ctx)
	if err != nil {
		return late(ctx, n, sent, fmt.Errorf("does not tell its newest block: %w", err))
	}
	if tip.Height <= sent.LastValid {
		return late(ctx, n, sent, fmt.Errorf("is at height %d, and the transaction counts up to %d", tip.Height,
			sent.LastValid))
	}
	switch lives, err := n.BlockhashLives(ctx, sent.Blockhash, tip.Slot); {
	case err != nil:
		return late(ctx, n, sent, fmt.Errorf("does not tell whether the blockhash counts: %w", err))
	case lives:
		return late(ctx, n, sent, errors.New("says that the blockhash still counts"))
	}
	status, found, looked, err := n.Status(ctx, sent.ID)
	switch {
	case err != nil:
		return nil, fmt.Errorf("does not look for the transaction: %w", err)
	case found && status.Final:
		return &status, nil
	case found:
		return nil, errors.New("has the transaction in a block that is not final")
	case looked < tip.Slot:
		return nil, fmt.Errorf("looked up to slot %d, and was at %d before", looked, tip.Slot)
	}
	switch first, err := n.FirstBlock(ctx); {
	case err != nil:
		return nil, fmt.Errorf("does not tell its first block: %w", err)
	case first > sent.Since:
		return nil, fmt.Errorf("has no blocks below slot %d, and the transaction may be in one from %d on", first,
			sent.Since)
	}
	return nil, nil
}

// late looks for the transaction at a node that cannot say that it expired: it may have landed all the same.
func late(ctx context.Context, n Witness, sent Sent, why error) (*Status, error) {
	status, found, _, err := n.Status(ctx, sent.ID)
	if err == nil && found && status.Final {
		return &status, nil
	}
	return nil, why
}

// String is the verdict for a log.
func (v Verdict) String() string {
	if len(v.Open) == 0 {
		return string(v.Fate)
	}
	return string(v.Fate) + ": " + strings.Join(v.Open, "; ")
}
