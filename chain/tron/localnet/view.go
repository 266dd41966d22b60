package localnet

import (
	"encoding/hex"
	"slices"

	"github.com/ethereum/go-ethereum/core/state"

	"github.com/railkit/railkit/chain/tron"
)

// View is how one node of the chain is worse than another. The zero View is that of a node that knows everything.
type View struct {
	Behind int64    `json:"behind,omitempty"` // newest blocks that it has not seen
	Fails  bool     `json:"fails,omitempty"`  // it answers nothing
	Loses  bool     `json:"loses,omitempty"`  // it takes transactions, and passes none on
	Hides  []string `json:"hides,omitempty"`  // ids that it says it does not know
}

// look is the chain as one node shows it: all of its blocks, or the solid ones alone. The caller has the lock.
type look struct {
	*Chain
	View
	solidOnly bool
}

func (c *Chain) at(node string, solidOnly bool) look { return look{c, c.views[node], solidOnly} }

// newest is the newest block that is shown.
func (l look) newest() *block {
	below := max(l.Behind, 0)
	if l.solidOnly {
		below += l.solid
	}
	return l.blocks[max(0, l.head().number-below)]
}

// numbered is the block of a number, nil where it is not shown.
func (l look) numbered(n int64) *block {
	if n < 0 || n > l.newest().number {
		return nil
	}
	return l.blocks[n]
}

// identified is the block of an id in hex, nil where it is not shown.
func (l look) identified(id string) *block {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != 32 {
		return nil
	}
	for n := l.newest().number; n >= 0; n-- {
		if l.blocks[n].id == [32]byte(raw) {
			return l.blocks[n]
		}
	}
	return nil
}

// transaction is the one of an id, nil where it is not shown.
func (l look) transaction(id string) *landed {
	t := l.landed[id]
	if t == nil || t.block.number > l.newest().number || slices.Contains(l.Hides, id) {
		return nil
	}
	return t
}

// account is that of an address when the newest block that is shown was the newest.
func (l look) account(a tron.Address) (account, *state.StateDB, error) {
	has, ok := l.ledger.accounts[a]
	if !ok || has.since > l.newest().number {
		return account{}, nil, nil
	}
	s, err := l.ledger.after(l.newest())
	return has, s, err
}
