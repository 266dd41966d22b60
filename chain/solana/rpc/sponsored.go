package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/follow"
)

// OfferSponsored has all nodes try a payment whose fee somebody else pays, as it would be executed now.
func (n *Network) OfferSponsored(ctx context.Context, t chain.SponsoredTransfer) (o node.SponsoredOffer, err error) {
	b, err := n.nodes.Blockhash(ctx)
	if err != nil {
		return o, err
	}
	t.Blockhash = solana.Address(b.Hash).String()
	o = node.SponsoredOffer{Blockhash: t.Blockhash, Window: b.window()}
	tx, err := solana.Family{}.Sponsored(n.Network(), t)
	if err != nil {
		return o, fmt.Errorf("%w: %w", node.ErrRefused, err)
	}
	call, err := solana.Family{}.Transfer(t.Token, t.To, t.Amount)
	if err != nil {
		return o, fmt.Errorf("%w: %w", node.ErrRefused, err)
	}
	p, err := n.parties(ctx, node.Wish{Intent: chain.Intent{From: t.From, Call: call}})
	if err != nil {
		return o, err
	}
	if o.Failure = p.refusal(); o.Failure == nil && p.opens() {
		o.Failure = &node.Refusal{
			Class: node.ErrPayee, Words: "has no account for the token, and nobody pays for one in such a payment",
		}
	}
	if o.Failure != nil {
		return o, nil
	}
	decoded, err := solana.DecodeTransaction(tx.Unsigned)
	if err != nil {
		return o, err
	}
	switch _, err = n.nodes.Simulate(ctx, decoded.Message); {
	case errors.Is(err, ErrFails):
		o.Failure, err = fmt.Errorf("%w: %w", node.ErrReverts, err), nil
	case errors.Is(err, node.ErrNoFunds):
		o.Failure, err = err, nil
	}
	return o, err
}

// shared is a node that is asked about a transaction which others had still to sign when it was last seen. Its id is
// the signature of who pays the fee, so that it is looked for among those that name a key which has signed it.
type shared struct {
	*Client
	tx    solana.Transaction
	memo  string // in it; "": none
	since int64  // slot
	last  int64  // height of the last block that can have it
}

// indexLag is how many blocks more are waited for before it is believed that there is no such transaction: nodes write
// down which accounts a block names a moment after the block itself.
const indexLag = 32

func (n *Network) judgeShared(tx solana.Transaction) func(context.Context, follow.Sent) (follow.Verdict, error) {
	return func(ctx context.Context, sent follow.Sent) (follow.Verdict, error) {
		witnesses := make([]follow.Witness, len(n.nodes))
		for i, c := range n.nodes {
			witnesses[i] = shared{c, tx, memoOf(tx), sent.Since, sent.LastValid}
		}
		if sent.LastValid <= sent.LastValid+indexLag {
			sent.LastValid += indexLag
		}
		return follow.Judge(ctx, witnesses, sent)
	}
}

// memoOf is what a transaction writes beside what it does.
func memoOf(tx solana.Transaction) string {
	for _, i := range tx.Instructions {
		if int(i.Program) < len(tx.Keys) && tx.Keys[i.Program] == solana.MemoProgram {
			return string(i.Data)
		}
	}
	return ""
}

// Status looks for it, whatever the id is.
func (s shared) Status(ctx context.Context, _ string) (is follow.Status, found bool, looked int64, err error) {
	tip, err := s.Tip(ctx)
	if err != nil {
		return is, false, 0, err
	}
	all, err := s.candidates(ctx, tip.Slot)
	if err != nil {
		return is, false, 0, err
	}
	for i, c := range all {
		if i%heightEvery == heightEvery-1 {
			if beyond, err := s.beyond(ctx, c.Slot); err != nil || beyond {
				return is, false, tip.Slot, err
			}
		}
		switch l, found, err := s.landing(ctx, c.ID, s.tx); {
		case err == nil && found:
			return follow.Status{ID: c.ID, Slot: l.Slot, Final: true, Failed: l.Failed}, true, tip.Slot, nil
		case err != nil && !errors.Is(err, ErrLyingNode): // else it is another one
			return is, false, 0, err
		}
	}
	return is, false, tip.Slot, nil
}

// Anybody can name a key in transactions of his own. So many are listed, and where there are more nothing is known.
const (
	listedAtOnce = 1_000
	listedPages  = 50
	heightEvery  = 100 // so often it is asked whether the block can still have it
)

type candidate struct {
	ID   string `json:"signature"`
	Slot int64
	Memo *string
}

// candidates are the transactions since the slot that name a key of a signer, the oldest first. A node that tells memos
// tells of most that they are others. One that has not come to a slot refuses the question.
func (s shared) candidates(ctx context.Context, slot int64) (all []candidate, err error) {
	by := slices.IndexFunc(s.tx.Signatures, func(x solana.Signature) bool { return x != solana.Signature{} })
	if by < 0 {
		return nil, fmt.Errorf("%w: nobody has signed it", node.ErrRefused)
	}
	o := options{"commitment": "finalized", "limit": listedAtOnce, "minContextSlot": slot}
	for range listedPages {
		var some []candidate
		if err := s.call(ctx, &some, "getSignaturesForAddress", s.tx.Keys[by].String(), o); err != nil {
			return nil, err
		}
		for _, c := range some {
			if c.Slot < s.since {
				slices.Reverse(all)
				return all, nil
			}
			if c.Memo == nil || strings.Contains(*c.Memo, s.memo) {
				all = append(all, c)
			}
			o["before"] = c.ID
		}
		if len(some) < listedAtOnce {
			slices.Reverse(all)
			return all, nil
		}
	}
	return nil, fmt.Errorf("%w: %d transactions since name the account", ErrNode, listedPages*listedAtOnce)
}

// beyond reports whether a block is above all that can have the transaction.
func (s shared) beyond(ctx context.Context, slot int64) (bool, error) {
	var b struct {
		Height *int64 `json:"blockHeight"`
	}
	err := s.call(ctx, &b, "getBlock", slot, options{
		"commitment": "finalized", "transactionDetails": "none", "rewards": false,
		"maxSupportedTransactionVersion": maxVersion,
	})
	if err == nil && b.Height == nil {
		err = fmt.Errorf("%w: a block without its height", ErrNode)
	}
	if err != nil {
		return false, err
	}
	return *b.Height > s.last, nil
}
