package localnet

import (
	"encoding/binary"
	"slices"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
)

// View is how one node of the chain is worse than another. The zero View is that of a node that knows everything.
type View struct {
	Behind      int  `json:"behind,omitempty"`      // newest blocks that it has not seen
	Unfinalized int  `json:"unfinalized,omitempty"` // newest blocks that it does not call final
	Keeps       int  `json:"keeps,omitempty"`       // newest blocks that it has not thrown away; 0: all
	NoHistory   bool `json:"noHistory,omitempty"`   // it finds a transaction of the newest blocks only
	Fails       bool `json:"fails,omitempty"`       // it answers nothing
	Loses       bool `json:"loses,omitempty"`       // it takes transactions, and passes none on
	NoV1        bool `json:"noV1,omitempty"`        // it cannot read a v1 transaction

	// Lies.
	Omits   []int64  `json:"omits,omitempty"`   // slots of which it says that they have no block: it has lost it
	Skips   []int64  `json:"skips,omitempty"`   // slots that no block of its chain names, neither as its own nor above
	Hides   []string `json:"hides,omitempty"`   // ids that it says it does not know
	Invents []string `json:"invents,omitempty"` // ids that it says are final
	Newer   []string `json:"newer,omitempty"`   // ids that it says are of a version that nobody knows
	Again   []string `json:"again,omitempty"`   // ids that it says are in the next block, too
	More    []string `json:"more,omitempty"`    // ids of which it says that each token account has a million units more
	Forges  bool     `json:"forges,omitempty"`  // its newest blockhash is one that no block has
}

// look is the chain as one node shows it. The caller has the lock.
type look struct {
	*Chain
	View
}

func (c *Chain) at(node string) look { return look{c, c.views[node]} }

// newest is the newest block at a commitment; every other word than finalized is of the newest that the node has.
func (l look) newest(commitment string) *block {
	newest := len(l.blocks) - 1
	below := min(max(l.Behind, 0), newest)
	if commitment == "" || commitment == "finalized" {
		below = min(below+min(max(l.Unfinalized, 0), newest), newest)
	}
	return l.blocks[newest-below]
}

// first is the oldest block that the node still has.
func (l look) first() *block {
	head := l.newest("processed")
	if l.Keeps <= 0 {
		return l.blocks[0]
	}
	return l.blocks[max(0, head.height+1-int64(l.Keeps))]
}

// sees reports whether the node shows a transaction at a commitment.
func (l look) sees(t *landed, commitment string) bool {
	return t != nil && t.block.height <= l.newest(commitment).height && t.block.height >= l.first().height &&
		!l.hides(t)
}

func (l look) hides(t *landed) bool { return slices.Contains(l.Hides, t.ID()) }

// told are the transactions that the node says are in a block.
func (l look) told(b *block) []*landed {
	all := slices.Clone(b.transactions)
	if below := l.slots[b.parent]; below != nil && below != b {
		for _, t := range below.transactions {
			if slices.Contains(l.Again, t.ID()) {
				all = append(all, t)
			}
		}
	}
	return all
}

// blockAt is what the node has in a slot.
func (l look) blockAt(slot int64, commitment string) (*block, error) {
	switch b := l.slots[slot]; {
	case slot < 0 || slot > l.newest(commitment).slot:
		return nil, refuse(codeNotAvailable, "Block not available for slot %d", slot)
	case slot < l.first().slot:
		return nil, refuse(codeCleanedUp, "Block %d cleaned up, does not exist on node. First available block: %d",
			slot, l.first().slot)
	case b == nil || l.lacks(slot):
		return nil, refuse(codeSkipped, "Slot %d was skipped, or missing due to ledger jump to recent snapshot", slot)
	default:
		return b, nil
	}
}

// lacks reports whether the node says that a slot has no block.
func (l look) lacks(slot int64) bool {
	return slices.Contains(l.Omits, slot) || slices.Contains(l.Skips, slot)
}

// parentOf is the block that the node says is below another.
func (l look) parentOf(b *block) *block {
	below := l.slots[b.parent]
	for slices.Contains(l.Skips, below.slot) {
		below = l.slots[below.parent]
	}
	return below
}

// has are the slots with a block.
func (l look) has(from, to int64, commitment string) []int64 {
	all := []int64{}
	for _, b := range l.blocks[:l.newest(commitment).height+1] {
		if b.slot >= max(from, l.first().slot) && b.slot <= to && !l.lacks(b.slot) {
			all = append(all, b.slot)
		}
	}
	return all
}

func (l look) account(k solana.Address, commitment string) (ledger.Account, bool) {
	switch {
	case isBuiltin(k):
		return builtin, true
	case k == hashList:
		return l.recentHashes(l.newest(commitment)), true
	}
	a := l.accountAt(k, l.newest(commitment))
	return a, a.Lamports > 0
}

// addresses are all at which something lies, or has lain.
func (l look) addresses() []solana.Address {
	all := map[solana.Address]bool{}
	for k := range l.ledger.All() {
		all[k] = true
	}
	for k := range l.named {
		all[k] = true
	}
	sorted := make([]solana.Address, 0, len(all))
	for k := range all {
		sorted = append(sorted, k)
	}
	slices.SortFunc(sorted, func(a, b solana.Address) int { return slices.Compare(a[:], b[:]) })
	return sorted
}

var loader = parse("NativeLoader1111111111111111111111111111111")

func parse(text string) solana.Address {
	a, err := solana.ParseAddress(text)
	if err != nil {
		panic("localnet: " + text)
	}
	return a
}

// hashList is an account in which the chain lists the blockhashes that count, the newest first.
var hashList, sysvarOwner = parse("SysvarRecentB1ockHashes11111111111111111111"),
	parse("Sysvar1111111111111111111111111111111111111")

func (l look) recentHashes(head *block) ledger.Account {
	blocks := l.blocks[max(0, head.height+1-hashLife) : head.height+1]
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(blocks)))
	for _, b := range slices.Backward(blocks) {
		data = binary.LittleEndian.AppendUint64(append(data, b.hash[:]...), solana.FeePerSignature)
	}
	return ledger.Account{Lamports: l.ledger.MinimumBalance(len(data)), Owner: sysvarOwner, Data: data}
}

// builtin is the account of a program, of which the ledger has none.
var builtin = ledger.Account{Lamports: 1, Owner: loader}

func isBuiltin(k solana.Address) bool {
	return slices.Contains([]solana.Address{
		solana.SystemProgram, solana.TokenProgram, solana.AssociatedProgram, solana.BudgetProgram, solana.MemoProgram,
		solana.OldMemoProgram, Forwarder,
	}, k)
}
