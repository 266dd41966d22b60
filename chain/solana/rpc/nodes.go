package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/follow"
)

// ResendEvery is how long after a look at a transaction it is sent again.
const ResendEvery = 2 * time.Second

// Nodes are all that are configured for a network. They may disagree.
type Nodes []*Client

// ErrDisagree says that no blockhash counts at every node: one of them lies, or is on another chain.
var ErrDisagree = errors.New("the nodes agree on no blockhash")

// Blockhash is the newest one that counts at every node that answers: what is signed is signed once, and with a
// blockhash that one node alone knows it might never be in a block. LastValid is the highest that any of them named for
// its own, and Slot the lowest, whoever was right.
func (n Nodes) Blockhash(ctx context.Context) (b Blockhash, err error) {
	all, errs := node.Each(ctx, n, func(ctx context.Context, c *Client) (Blockhash, error) { return c.Blockhash(ctx) })
	var there Nodes
	var told []Blockhash
	for i, b := range all {
		if errs[i] == nil {
			there, told = append(there, n[i]), append(told, b)
		}
	}
	if len(told) == 0 {
		return b, errors.Join(append(errs, node.ErrNobody)...)
	}
	last := slices.MaxFunc(told, func(a, b Blockhash) int { return cmp.Compare(a.LastValid, b.LastValid) }).LastValid
	since := slices.MinFunc(told, func(a, b Blockhash) int { return cmp.Compare(a.Slot, b.Slot) }).Slot
	slices.SortFunc(told, func(a, b Blockhash) int { return cmp.Compare(b.Slot, a.Slot) })
	for _, b := range told {
		if there.count(ctx, b) {
			return Blockhash{b.Hash, last, since}, nil
		}
	}
	return b, ErrDisagree
}

// count asks every node whether a blockhash counts.
func (n Nodes) count(ctx context.Context, b Blockhash) bool {
	hash := solana.Address(b.Hash).String()
	all, errs := node.Each(ctx, n, func(ctx context.Context, c *Client) (bool, error) {
		return c.BlockhashLives(ctx, hash, 0)
	})
	return errors.Join(errs...) == nil && !slices.Contains(all, false)
}

// Sent is a transaction as the rule of its end takes it.
func (b Blockhash) Sent(tx solana.Transaction) follow.Sent {
	return follow.Sent{
		ID: tx.ID(), Blockhash: solana.Address(tx.Blockhash).String(), LastValid: b.LastValid, Since: b.Slot,
	}
}

// Version is V1 where every node has simulated one, and else V0: a transaction has to be one that all of them pass on.
func (n Nodes) Version() solana.Version {
	for _, c := range n {
		if !c.TakesV1() {
			return solana.V0
		}
	}
	if len(n) == 0 {
		return solana.V0
	}
	return solana.V1
}

// Rent is the most that any node says. The others have to answer as well.
func (n Nodes) Rent(ctx context.Context, size int) (most uint64, err error) {
	all, errs := node.Each(ctx, n, func(ctx context.Context, c *Client) (uint64, error) { return c.Rent(ctx, size) })
	if len(n) == 0 {
		return 0, node.ErrNobody
	}
	for _, r := range all {
		most = max(most, r)
	}
	return most, errors.Join(errs...)
}

// Simulate has every node try a message. One that says that it fails is enough for an error; one that does not answer
// is left out, as long as another one does.
func (n Nodes) Simulate(ctx context.Context, m solana.Message) (units uint64, err error) {
	return n.simulate(ctx, m, finalized)
}

func (n Nodes) simulate(ctx context.Context, m solana.Message, commitment string) (units uint64, err error) {
	all, errs := node.Each(ctx, n, func(ctx context.Context, c *Client) (uint64, error) {
		return c.simulate(ctx, m, commitment)
	})
	answered := false
	for i, u := range all {
		switch {
		case errs[i] == nil:
			units, answered = max(units, u), true
		case !isOutage(errs[i]):
			return 0, errs[i]
		}
	}
	if !answered {
		return 0, errors.Join(append(errs, node.ErrNobody)...)
	}
	return units, nil
}

// isOutage says that another node may know better.
func isOutage(err error) bool {
	return errors.Is(err, ErrTransport) || errors.Is(err, ErrNode) || errors.Is(err, ErrLyingNode) ||
		errors.Is(err, node.ErrBlockhash)
}

// Send hands signed bytes to all nodes. Nil where one of them took them.
func (n Nodes) Send(ctx context.Context, signed []byte) error {
	return node.Send(ctx, n, signed)
}

// Judge asks all nodes what became of a transaction.
func (n Nodes) Judge(ctx context.Context, sent follow.Sent) (follow.Verdict, error) {
	witnesses := make([]follow.Witness, len(n))
	for i, c := range n {
		witnesses[i] = c
	}
	return follow.Judge(ctx, witnesses, sent)
}

// Step looks at a transaction, and sends it again while it is open. Whoever follows one takes a step every ResendEvery,
// until it landed or expired. Why nobody takes it is the error; it stays open all the same.
func (n Nodes) Step(ctx context.Context, signed []byte, sent follow.Sent) (follow.Verdict, error) {
	v, err := n.Judge(ctx, sent)
	if err != nil || v.Fate != follow.Broadcast {
		return v, err
	}
	if err := n.Send(ctx, signed); err != nil {
		return v, fmt.Errorf("sending %s again: %w", sent.ID, err)
	}
	return v, nil
}
