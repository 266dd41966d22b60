package node

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"
)

// maxReorg is how far the pool follows: of a deeper one it forgets the transactions.
const maxReorg = 64

var errTooDeep = paramError(fmt.Sprintf("depth must be between 1 and %d, and not above the chain's height", maxReorg))

var errFrozen = paramError("depth must not reach below what the chain has frozen as final")

// reorg puts a branch of as many other blocks in place of the last depth ones.
// The transactions of the old branch go back to the pool and so into the first
// block of the new one, or are forgotten. The caller's going away stops nothing:
// half a reorg would be a chain that got shorter.
func (m *miner) reorg(depth uint64, drop bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	chain := m.backend.BlockChain()
	height := chain.CurrentBlock().Number.Uint64()
	if depth < 1 || depth > maxReorg || depth > height {
		return errTooDeep
	}
	frozen, err := m.backend.db.Ancients()
	if err != nil {
		return fmt.Errorf("reading how much is frozen: %w", err)
	}
	if height-depth+1 < frozen { // by an older version, or in the moment of a crash
		return errFrozen
	}
	if err := m.syncPool(); err != nil { // else what is in a block may count as waiting
		return err
	}
	waiting := m.waiting()
	if _, err := chain.SetCanonical(chain.GetBlockByNumber(height - depth)); err != nil {
		return fmt.Errorf("going back: %w", err)
	}
	if drop {
		if err := m.refill(waiting); err != nil {
			return err
		}
	}
	for range depth {
		if _, err := m.seal(m.ctx); err != nil {
			return fmt.Errorf("making the other branch: %w", err)
		}
	}
	return nil
}

// waiting lists what is in the pool.
func (m *miner) waiting() types.Transactions {
	var all types.Transactions
	pending, queued := m.backend.TxPool().Content()
	for _, txs := range pending {
		all = append(all, txs...)
	}
	for _, txs := range queued {
		all = append(all, txs...)
	}
	return all
}

// refill leaves nothing in the pool but txs. That one of them no longer fits,
// because it came after one that is gone, is as it must be.
func (m *miner) refill(txs types.Transactions) error {
	if err := m.syncPool(); err != nil {
		return err
	}
	pool := m.backend.TxPool()
	pool.Clear()
	pool.Add(txs, true)
	return nil
}
