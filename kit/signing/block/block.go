// Package block tells what a wallet needs to know of a network before it signs: a recent block that its transaction may
// name, and until which one it counts. It also tells what became of a transaction that a page had a wallet send. All of
// it is public, and nothing here signs, sends or stores.
package block

import (
	"context"
	"sync"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/rest"
)

// keep is for how long an answer about a network's newest block is given again: anybody may ask, and the operator pays
// for what the nodes are asked.
const keep = time.Second

// Service answers.
type Service struct {
	nodes *nodes.Set
	clock clock.Clock

	mu   sync.Mutex
	seen map[string]*newest // by slug
}

// New makes a Service.
func New(set *nodes.Set, c clock.Clock) *Service {
	return &Service{nodes: set, clock: c, seen: map[string]*newest{}}
}

// newest is what was last heard of a network, be it an error. Who asks meanwhile waits for the same answer.
type newest struct {
	turn chan struct{} // who puts something in may read and write what follows
	at   time.Time
	told rest.RecentBlock
	err  error
}

// Recent tells the newest block of a network and, of a transaction that is named, what became of it. Where transactions
// expire, the height is one up to which every node has looked for it: one that is pending at a height above the last
// one that can have it will never be in a block.
func (s *Service) Recent(ctx context.Context, network, transaction string) (rest.RecentBlock, error) {
	n, ok := chain.Named(s.nodes.Networks(), network)
	if !ok {
		return rest.RecentBlock{}, fault.Field("chain", chain.Unknown(s.nodes.Networks()))
	}
	if transaction != "" {
		if err := checkID(n, transaction); err != nil {
			return rest.RecentBlock{}, err
		}
	}
	asks, err := s.nodes.Node(n.Slug)
	if err != nil {
		return rest.RecentBlock{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	b, err := s.of(n.Slug).ask(ctx, s.clock, n, asks)
	if err != nil || transaction == "" {
		return b, err
	}
	if expires, ok := asks.(node.Expiring); ok {
		b.Transaction, b.Height, err = fateExpiring(ctx, expires, transaction)
		return b, err
	}
	b.Transaction, err = fate(ctx, n, asks, b.Height, transaction)
	return b, err
}

func checkID(n chain.Network, transaction string) error {
	family, ok := families.Of(n.Kind)
	if !ok {
		return nil
	}
	if err := family.CheckID(transaction); err != nil {
		return fault.Field("transaction", "of "+n.Slug+" "+err.Error())
	}
	return nil
}

func (s *Service) of(slug string) *newest {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[slug] == nil {
		s.seen[slug] = &newest{turn: make(chan struct{}, 1)}
	}
	return s.seen[slug]
}

// ask asks for all who wait, so that it goes on where the first of them went away.
func (b *newest) ask(ctx context.Context, c clock.Clock, n chain.Network, at nodes.Node) (rest.RecentBlock, error) {
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return rest.RecentBlock{}, nodes.ErrNode.Because(ctx.Err())
	}
	if now := c.Now(); now.Sub(b.at) < keep && !now.Before(b.at) {
		return b.told, b.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), nodes.AskTimeout)
	defer cancel()
	b.told, b.err = recent(ctx, at)
	if b.told.Chain, b.at = n.Slug, c.Now(); b.err != nil {
		b.err = nodes.ErrNode.Because(b.err)
	}
	return b.told, b.err
}

// recent asks for the newest block. Where transactions expire the height is left out unless every node told its own: a
// page would take what may still land for expired, and its user would pay twice.
func recent(ctx context.Context, at nodes.Node) (b rest.RecentBlock, err error) {
	expires, ok := at.(node.Expiring)
	if !ok {
		head, err := at.Latest(ctx)
		return rest.RecentBlock{Blockhash: head.Hash, Height: head.Number}, err
	}
	if height, err := expires.Finalized(ctx); err == nil {
		b.Height = height
	}
	hash, w, err := expires.Recent(ctx)
	b.Blockhash, b.LastHeight = hash, w.LastHeight
	return b, err
}

// fateExpiring is what a transaction came to that names a block, and up to which height that is known.
func fateExpiring(ctx context.Context, at node.Expiring, id string) (*rest.SeenTransaction, int64, error) {
	r, found, height, err := at.LookFor(ctx, id)
	if err != nil {
		return nil, 0, nodes.ErrNode.Because(err)
	}
	t := &rest.SeenTransaction{ID: id, Status: "pending"}
	switch {
	case found && r.Succeeded:
		t.Status = "confirmed"
	case found:
		t.Status = "failed"
	}
	return t, height, nil
}

// fate is what a transaction came to. One that is in too few blocks may still leave them.
func fate(ctx context.Context, n chain.Network, at nodes.Node, height int64, id string) (*rest.SeenTransaction, error) {
	r, found, err := at.Receipt(ctx, id)
	if err != nil {
		return nil, nodes.ErrNode.Because(err)
	}
	t := &rest.SeenTransaction{ID: id, Status: "pending"}
	final := n.Confirmations <= 1 || height-r.BlockNumber+1 >= int64(n.Confirmations)
	switch {
	case !found, !final:
	case r.Succeeded:
		t.Status = "confirmed"
	default:
		t.Status = "failed"
	}
	return t, nil
}
