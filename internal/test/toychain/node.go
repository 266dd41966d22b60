package toychain

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
)

// Node is the client of a chain's only node.
type Node struct{ *Chain }

var (
	_ node.Client   = Node{}
	_ node.Numbered = Node{}
)

// Network is that of the chain.
func (n Node) Network() chain.Network { return n.network }

// CheckNetwork is always right.
func (n Node) CheckNetwork(context.Context) error { return nil }

// Version is that of no program.
func (n Node) Version(context.Context) (string, error) { return "toychain", nil }

// Close does nothing.
func (n Node) Close() {}

// Preflight looks at the newest block.
func (n Node) Preflight(_ context.Context, f node.Flight) (node.Preflight, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	has := n.top().state[f.From]
	p := node.Preflight{
		Block: n.top().Hash, NextNonce: has.nonce, Fee: fee(), Balance: new(big.Int).SetUint64(has.coin),
	}
	if f.Token != "" {
		p.TokenBalance = new(big.Int).SetUint64(has.held[f.Token])
	}
	if f.Estimate {
		p.Gas = gasOf(chain.Call{Data: f.Data})
		_, amount, isTransfer := readTransfer(f.Data)
		if isTransfer && amount.Cmp(new(big.Int).SetUint64(has.held[f.To])) > 0 {
			p.Gas, p.GasError = 0, node.ErrReverts
		}
	}
	return p, nil
}

// Balances looks at the newest block.
func (n Node) Balances(_ context.Context, addresses, tokens []string) (all []node.Balance, _ error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, address := range addresses {
		has := n.top().state[address]
		b := node.Balance{Coin: new(big.Int).SetUint64(has.coin)}
		for _, token := range tokens {
			b.Tokens = append(b.Tokens, new(big.Int).SetUint64(has.held[token]))
		}
		all = append(all, b)
	}
	return all, nil
}

func fee() node.Fee {
	return node.Fee{Fee: chain.Fee{Max: big.NewInt(2*baseFee + 1), Priority: big.NewInt(1)}, Base: big.NewInt(baseFee)}
}

// NextNonce is that of the newest block.
func (n Node) NextNonce(_ context.Context, address string) (uint64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.top().state[address].nonce, nil
}

// PendingNonce counts the pool too.
func (n Node) PendingNonce(_ context.Context, address string) (uint64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.pendingNonce(address), nil
}

// Fee never changes.
func (n Node) Fee(context.Context) (node.Fee, error) { return fee(), nil }

// Send puts signed bytes into the pool.
func (n Node) Send(_ context.Context, raw []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.send(raw)
}

// Receipt is of a mined transaction.
func (n Node) Receipt(_ context.Context, id string) (node.Receipt, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r, ok := n.receipt(id)
	return r, ok, nil
}

// Known also looks into the pool.
func (n Node) Known(_ context.Context, id string) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, mined := n.receipt(id)
	return mined || slices.ContainsFunc(n.pool, func(tx signed) bool { return tx.id == id }), nil
}

// Head is the newest slot that has a block.
func (n Node) Head(context.Context) (int64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.top().Number, nil
}

// BlockHash is not found of a slot without a block.
func (n Node) BlockHash(_ context.Context, number int64) (string, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	h, ok := n.header(number)
	return h.Hash, ok, nil
}

func (c *Chain) header(number int64) (node.Header, bool) {
	for _, b := range c.blocks {
		if b.Number == number {
			return b.Header, true
		}
	}
	return node.Header{}, false
}

// Latest is the newest block.
func (n Node) Latest(context.Context) (node.Header, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.top().Header, nil
}

// Headers misses those of slots without a block.
func (n Node) Headers(_ context.Context, numbers []int64) ([]node.Header, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []node.Header
	for _, number := range numbers {
		h, ok := n.header(number)
		if !ok {
			return nil, fmt.Errorf("slot %d: %w", number, node.ErrNoBlock)
		}
		all = append(all, h)
	}
	return all, nil
}

// Blocks are the numbers that have a block: those of slots without one are left out.
func (n Node) Blocks(_ context.Context, from, to int64) (all []int64, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, b := range n.blocks {
		if b.Number >= from && b.Number <= to {
			all = append(all, b.Number)
		}
	}
	return all, nil
}

// Transfers are in the order of the chain.
func (n Node) Transfers(_ context.Context, q node.Query) ([]node.Transfer, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []node.Transfer
	for _, b := range n.blocks {
		if b.Number < q.From || b.Number > q.To {
			continue
		}
		if q.Hash != "" && q.Hash != b.Hash {
			return nil, node.ErrNoBlock
		}
		for _, t := range b.transfers {
			if slices.Contains(q.Tokens, t.Token) && (len(q.Senders) == 0 || slices.Contains(q.Senders, t.From)) &&
				(len(q.Receivers) == 0 || slices.Contains(q.Receivers, t.To)) {
				all = append(all, t)
			}
		}
	}
	return all, nil
}
