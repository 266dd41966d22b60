package rpc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"sync/atomic"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/follow"
)

// Network is all nodes of a network as the server asks them. What decides about money is asked of all of them (Offer,
// Outcome, Send); what is read is asked of the first, and of the next where that one gives an error.
type Network struct {
	node.All
	nodes   Nodes
	refused atomic.Int64 // Unix nanoseconds when a node last did not take a v1 transaction
}

var (
	_ node.Client      = (*Network)(nil)
	_ node.Expiring    = (*Network)(nil)
	_ node.Sponsoring  = (*Network)(nil)
	_ node.Historian   = (*Network)(nil)
	_ node.BlockLister = (*Network)(nil)
	_ node.Issuing     = (*Network)(nil)
	_ node.CoinTeller  = (*Network)(nil)

	_ node.Corroborating = (*Network)(nil)
	_ node.Scattered     = (*Network)(nil)
)

// TellsCoins says that Transfers has lamports too.
func (*Network) TellsCoins() {}

// DialAll prepares the clients of a network's nodes, whose URLs are with spaces between; nothing is asked yet.
func DialAll(urls string, n chain.Network) (*Network, error) {
	nodes, all, err := node.DialAll(urls, n, Dial)
	return &Network{All: all, nodes: nodes}, err
}

// Balances are the lamports of owners, and what the associated account of each for each token has.
func (n *Network) Balances(ctx context.Context, owners, tokens []string) ([]node.Balance, error) {
	var mints, asked []solana.Address
	for _, token := range tokens {
		mint, err := solana.ParseAddress(token)
		if err != nil {
			return nil, err
		}
		mints = append(mints, mint)
	}
	for _, address := range owners {
		owner, err := solana.ParseAddress(address)
		if err != nil {
			return nil, err
		}
		asked = append(asked, owner)
		for _, mint := range mints {
			asked = append(asked, solana.AssociatedAddress(owner, mint, solana.TokenProgram))
		}
	}
	told, err := n.accounts(ctx, asked...)
	if err != nil {
		return nil, err
	}
	var all []node.Balance
	for i := 0; i < len(asked); i += 1 + len(mints) {
		b := node.Balance{Coin: new(big.Int).SetUint64(told[i].Lamports)}
		for _, held := range told[i+1 : i+1+len(mints)] {
			b.Tokens = append(b.Tokens, held.heldBy(asked[i]))
		}
		all = append(all, b)
	}
	return all, nil
}

func (n *Network) accounts(ctx context.Context, at ...solana.Address) ([]Holder, error) {
	return node.First(ctx, n.nodes, func(ctx context.Context, c *Client) ([]Holder, error) {
		return c.Accounts(ctx, at...)
	})
}

// heldBy is what is in a token account of an owner's: nothing in one that he has given away.
func (h Holder) heldBy(owner solana.Address) *big.Int {
	if h.Kind != Token || h.Owner != owner {
		return new(big.Int)
	}
	return new(big.Int).SetUint64(h.Tokens)
}

// Send hands signed bytes to all nodes. node.ErrReverts: they would fail as the chain is now.
func (n *Network) Send(ctx context.Context, signed []byte) error {
	err := n.All.Send(ctx, signed)
	if errors.Is(err, ErrFails) {
		err = fmt.Errorf("%w: %w", node.ErrReverts, err)
	}
	return err
}

// Receipt is what became of a transaction, by a node that has it in a final block.
func (n *Network) Receipt(ctx context.Context, id string) (r node.Receipt, found bool, err error) {
	for _, c := range n.nodes {
		var failed error
		if r, found, failed = c.Receipt(ctx, id); found {
			return r, true, nil
		}
		err = errors.Join(err, failed)
	}
	return r, false, err
}

// BlockHash is that of the final block of a slot.
func (n *Network) BlockHash(ctx context.Context, slot int64) (hash string, found bool, err error) {
	hash, err = node.First(ctx, n.nodes, func(ctx context.Context, c *Client) (string, error) {
		b, err := c.Block(ctx, slot, false)
		return b.Hash, err
	})
	if errors.Is(err, node.ErrNoBlock) {
		return "", false, nil
	}
	return hash, err == nil, err
}

// Blocks are the slots of a range that have a block.
func (n *Network) Blocks(ctx context.Context, from, to int64) ([]int64, error) {
	return node.First(ctx, n.nodes, func(ctx context.Context, c *Client) ([]int64, error) {
		return c.Blocks(ctx, from, to)
	})
}

// Recent is the newest blockhash that counts at every node that answers.
func (n *Network) Recent(ctx context.Context) (blockhash string, w node.Window, err error) {
	b, err := n.nodes.Blockhash(ctx)
	return solana.Address(b.Hash).String(), b.window(), err
}

// blockhashLife is for how many blocks a transaction may name a blockhash.
const blockhashLife = 150

// Try has all nodes execute exact bytes that are not signed yet, as of their newest confirmed block. The blockhash may
// be newer than the newest final one: by some 32 blocks, and more where our nodes are behind. So a whole life more is
// counted.
func (n *Network) Try(ctx context.Context, unsigned []byte) (node.Window, error) {
	tx, err := solana.DecodeTransaction(unsigned)
	if err != nil {
		return node.Window{}, fmt.Errorf("%w: it is no transaction", node.ErrRefused)
	}
	b, err := n.nodes.Blockhash(ctx)
	if err != nil {
		return node.Window{}, err
	}
	_, err = n.nodes.simulate(ctx, tx.Message, confirmed)
	if errors.Is(err, ErrFails) || errors.Is(err, errKnown) { // what is in a block already does nothing once more
		err = fmt.Errorf("%w: %w", node.ErrReverts, err)
	}
	w := b.window()
	w.LastHeight += blockhashLife
	if err == nil {
		w.Left = n.nodes.left(ctx, tx.Blockhash)
	}
	return w, err
}

func (b Blockhash) window() node.Window { return node.Window{Since: b.Slot, LastHeight: b.LastValid} }

// Finalized is the lowest of the heights that the nodes say. All have to answer: what was signed is taken for worthless
// above it.
func (n *Network) Finalized(ctx context.Context) (int64, error) {
	return node.Least(ctx, n.nodes, func(ctx context.Context, c *Client) (int64, error) {
		t, err := c.Tip(ctx)
		return t.Height, err
	})
}

// LookFor asks every node for its newest final block, and then for the transaction. Behind one URL may be several
// nodes: one that answers out of an older state than that block has not looked as far.
func (n *Network) LookFor(ctx context.Context, id string) (r node.Receipt, found bool, height int64, err error) {
	all, errs := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) (s node.Seen, err error) {
		tip, err := c.Tip(ctx)
		if err != nil {
			return s, err
		}
		is, found, looked, err := c.Status(ctx, id)
		if s.Found = found && is.Final; s.Found {
			s.Receipt = node.Receipt{Succeeded: is.Failed == "", BlockNumber: is.Slot}
		}
		if looked >= tip.Slot || s.Found {
			s.Height = tip.Height
		}
		return s, err
	})
	return node.Together(all, errs)
}

// Outcome tells what became of signed bytes, by the rule of follow.Judge. Those of a durable nonce never expire: they
// name no recent block, so that no height ends them.
func (n *Network) Outcome(ctx context.Context, s node.Sent) (o node.Outcome, err error) {
	tx, err := solana.DecodeTransaction(s.Signed)
	if err != nil {
		return o, fmt.Errorf("%w: it is no transaction", node.ErrRefused)
	}
	sent := Blockhash{LastValid: s.LastHeight, Slot: s.Since}.Sent(tx)
	if tx.IsDurable() || s.LastHeight == 0 {
		sent.LastValid = math.MaxInt64
	}
	judge := n.nodes.Judge
	if sent.ID == "" {
		judge = n.judgeShared(tx)
	}
	v, err := judge(ctx, sent)
	switch {
	case err != nil:
		return o, err
	case v.Fate == follow.Expired:
		o.Expired = true
	case v.Fate == follow.Landed:
		return n.landing(ctx, tx, v)
	default:
		o.Open = strings.Join(v.Open, "; ")
	}
	return o, nil
}

// landing tells what a transaction cost and why it failed. A node that cannot tell which block it is in has not yet
// written it down: the next look tells.
func (n *Network) landing(ctx context.Context, tx solana.Transaction, v follow.Verdict) (o node.Outcome, err error) {
	l, err := node.First(ctx, n.nodes, func(ctx context.Context, c *Client) (Landing, error) {
		l, found, err := c.landing(ctx, v.Status.ID, tx)
		if err == nil && !found {
			err = node.ErrNoBlock
		}
		return l, err
	})
	if err != nil {
		return o, err
	}
	hash, found, err := n.BlockHash(ctx, l.Slot)
	if err != nil || !found {
		return o, errors.Join(node.ErrNoBlock, err)
	}
	return node.Outcome{
		Landed: true, ID: v.Status.ID, Failed: l.Failed, Paid: new(big.Int).SetUint64(l.Fee), Denied: v.Denied,
		Receipt: node.Receipt{Succeeded: l.Failed == "", BlockNumber: l.Slot, BlockHash: hash},
	}, nil
}
