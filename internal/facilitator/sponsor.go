package facilitator

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/facilitator"
)

// Cluster is what is asked of the nodes of a network of Solana. chain/solana/rpc has it.
type Cluster interface {
	Try(ctx context.Context, unsigned []byte) (node.Window, error)
	Calls(ctx context.Context, unsigned []byte) ([]solana.Instruction, error)
	Send(ctx context.Context, signed []byte) error
	Outcome(ctx context.Context, s node.Sent) (node.Outcome, error)
	Arrived(ctx context.Context, id, owner, token string) (*big.Int, error)
	Held(ctx context.Context, account solana.Address) (*big.Int, error)
	Balances(ctx context.Context, owners, tokens []string) ([]node.Balance, error)
}

// BytesSigner signs transactions of which it pays the fee. Its key is in another process. What its methods say is as of
// Signer.
type BytesSigner interface {
	Account() solana.Address
	AskBytes(ctx context.Context, unsigned []byte) (request []byte, err error)
	SignBytes(ctx context.Context, request []byte) (raw []byte, err error)
	Cancel(ctx context.Context, request []byte) error
}

// SponsorConfig is what a facilitator needs beside Config to settle on Solana.
type SponsorConfig struct {
	Clusters map[string]Cluster // by CAIP-2
	Signer   BytesSigner
}

// sponsor settles payments on networks of Solana by an account that pays their fees. Its transactions have no nonces,
// so that none waits for another: each is followed by itself until it is in a final block, or can be in none.
type sponsor struct {
	Config
	clusters map[string]Cluster
	signer   BytesSigner
	judge    *facilitator.Sponsor
	journal  *journal
	catalog  *journal // of what was sold
	log      *slog.Logger
	turns    turns
	ctx      context.Context // of those that follow
	stop     context.CancelFunc
	running  sync.WaitGroup
	pending
}

// tried is a cluster as judges ask it.
type tried struct{ Cluster }

func (t tried) Run(ctx context.Context, unsigned []byte) (facilitator.Window, error) {
	w, err := t.Try(ctx, unsigned)
	return facilitator.Window{Since: w.Since, LastHeight: w.LastHeight, Left: w.Left}, fails(err)
}

func (t tried) Calls(ctx context.Context, unsigned []byte) ([]solana.Instruction, error) {
	all, err := t.Cluster.Calls(ctx, unsigned)
	return all, fails(err)
}

// fails tells a transaction that the chain would not take from a node that does not answer.
func fails(err error) error {
	if errors.Is(err, node.ErrBlockhash) {
		return fmt.Errorf("%w: %w", facilitator.ErrBlockhash, err)
	}
	for _, class := range []error{node.ErrReverts, node.ErrNoFunds, node.ErrRefused} {
		if errors.Is(err, class) {
			return fmt.Errorf("%w: %w", facilitator.ErrReverted, err)
		}
	}
	return err
}

// openSponsor takes the journal, and goes on with what it has.
func openSponsor(ctx context.Context, c Config, s SponsorConfig, catalog *journal) (*sponsor, error) {
	clusters := map[string]facilitator.Cluster{}
	for id, n := range s.Clusters {
		clusters[id] = tried{n}
	}
	account := s.Signer.Account()
	p := &sponsor{
		Config: c, clusters: s.Clusters, signer: s.Signer, judge: facilitator.NewSponsor(clusters, account),
		log: c.Log.With("account", account.String()),
	}
	var err error
	if p.journal, err = openJournal(ctx, c.Folder, account.String(), catalog); err != nil {
		return nil, err
	}
	if p.catalog = catalog; catalog == nil {
		p.catalog = p.journal
	}
	p.ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	if p.open, err = p.journal.open(ctx, 0); err == nil {
		for _, o := range p.open {
			if err = o.recall(p.judge); err != nil {
				break
			}
		}
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	for _, o := range p.waiting() {
		p.running.Go(func() { p.follow(p.ctx, o) })
	}
	return p, nil
}

// recall reads the payment of a settlement out of the journal again. Which transfer pays the bytes say, but for a
// wallet that is a program.
func (s *settlement) recall(judge *facilitator.Sponsor) error {
	paid := s.sponsored.Paid
	p, err := judge.Recall(s.request)
	if err != nil {
		return fmt.Errorf("reading the settlement of %s: %w", s.id, err)
	}
	if p.Wrapped {
		p.Paid = paid
	}
	s.sponsored = p
	return nil
}

func (p *sponsor) close() error {
	p.stop()
	p.running.Wait()
	return p.journal.close()
}

// settle settles a payment, or tells how far its settlement is.
func (p *sponsor) settle(ctx context.Context, r x402.Request) (id string, receipt x402.Receipt, err error) {
	id, terms := sponsoredName(r)
	if s, err := p.known(ctx, id); err != nil || s.of(terms) != nil {
		receipt, err = p.await(ctx, s, err)
		return id, receipt, err
	}
	plan, receipt, send, err := p.judge.Plan(ctx, r)
	if err != nil {
		return id, receipt, err
	}
	if !send { // perhaps because a settlement of ours has landed meanwhile: for who asks the same, or for another
		s, err := p.known(ctx, id)
		switch {
		case err != nil || s.of(terms) != nil:
			receipt, err = p.await(ctx, s, err)
		case s != nil:
			receipt = plan.Duplicate(p.hashOf(s))
		}
		return id, receipt, err
	}
	s, err := p.begin(ctx, plan, terms, r)
	if refused, ok := errors.AsType[refusal](err); ok {
		return id, x402.Receipt(refused), nil
	}
	receipt, err = p.await(ctx, s, err)
	return id, receipt, err
}

// sponsoredName is how the journal finds a payment: by the money that it moves, and by everything that makes it another
// request.
func sponsoredName(r x402.Request) (id, terms string) {
	p, o, err := r.Parse()
	if err != nil || p.Transaction == nil {
		return "", ""
	}
	signatures := ""
	for _, s := range p.Transaction.Signatures[1:] {
		signatures += s.String() + " "
	}
	what := strings.Join([]string{signatures, o.Scheme, o.Network, o.Asset, o.PayTo, o.Amount, o.Extra.Memo}, " ")
	sum := sha256.Sum256([]byte(what))
	return p.ID(), chain.Hex(sum[:])
}

func (p *sponsor) known(ctx context.Context, id string) (*settlement, error) {
	return p.journal.known(ctx, id, p.underWay)
}

// maxOfOne is how many settlements of one token account may be in no block, and how many more may wait to begin. A
// payer whose payments never land, since he takes the tokens away, say, holds up himself then, and not everybody.
const maxOfOne = 16

// The settlements of one payer are looked at so many at one time, all of them within so long.
const (
	looksAtOnce = 4
	looksWithin = 5 * time.Second
)

// begin writes a settlement down, has it signed, and sends it. It goes on when the caller leaves. Settlements that draw
// on one token account begin one after the other.
func (p *sponsor) begin(
	ctx context.Context, plan facilitator.Sponsored, terms string, r x402.Request,
) (*settlement, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), signWithin)
	defer cancel()
	give, err := p.turns.take(ctx, plan.Paid.Source)
	if err != nil {
		return nil, err
	}
	defer give()
	if s, err := p.there(ctx, p.journal, plan.ID, terms, plan.Duplicate); s != nil || err != nil {
		return s, err
	}
	if len(p.waiting()) >= maxOpen || len(p.drawn(plan)) >= maxOfOne { // before anything is asked for them
		return nil, errors.New("too many settlements are in no block")
	}
	if err := p.affords(ctx, plan); err != nil {
		return nil, err
	}
	s := &settlement{
		id: plan.ID, terms: terms, request: r, at: p.Clock.Now(), sponsored: plan, since: plan.Window.Since,
		lastHeight: plan.Window.LastHeight, done: make(chan struct{}),
	}
	if s.ask, err = p.signer.AskBytes(ctx, plan.Unsigned); err != nil {
		if errors.Is(err, node.ErrReverts) || errors.Is(err, ErrNotSigned) {
			p.log.WarnContext(ctx, "the signer is not asked", "payment", plan.ID, "error", err)
			return nil, refusal(plan.NotSigned())
		}
		return nil, fmt.Errorf("asking the signer: %w", err)
	}
	if err := p.pending.begin(ctx, p.journal, s); err != nil {
		return nil, err
	}
	if err := p.sign(ctx, s); err != nil {
		p.log.WarnContext(ctx, "signing a settlement", "payment", s.id, "error", err)
	}
	if !s.ended() {
		p.running.Go(func() { p.follow(p.ctx, s) })
	}
	return s, nil
}

// affords refuses a payment that its payer cannot pay beside those of his that are open here: each alone passes its
// trial. What lands between the two readings would be in neither, or counted twice, so that the open ones are looked at
// once more, and all is read again where one of them has ended.
func (p *sponsor) affords(ctx context.Context, plan facilitator.Sponsored) error {
	for range 3 {
		open := p.drawn(plan)
		if len(open) == 0 {
			return nil
		}
		needed := new(big.Int).SetUint64(plan.Paid.Amount)
		for _, o := range open {
			needed.Add(needed, new(big.Int).SetUint64(o.sponsored.Paid.Amount))
		}
		has, err := p.clusters[plan.Network].Held(ctx, plan.Paid.Source)
		if err != nil {
			return err
		}
		if err := p.lookAt(ctx, open); err != nil {
			return err
		}
		switch {
		case slices.ContainsFunc(open, (*settlement).ended):
		case has.Cmp(needed) < 0:
			return refusal(plan.Unfunded())
		default:
			return nil
		}
	}
	return errors.New("settlements end faster than a balance is read")
}

func (p *sponsor) lookAt(ctx context.Context, open []*settlement) error {
	ctx, cancel := context.WithTimeout(ctx, looksWithin)
	defer cancel()
	looks, ctx := errgroup.WithContext(ctx)
	looks.SetLimit(looksAtOnce)
	for _, o := range open {
		looks.Go(func() error { return p.look(ctx, o) })
	}
	return looks.Wait()
}

// drawn are the open settlements that draw on the token account of a plan.
func (p *sponsor) drawn(plan facilitator.Sponsored) []*settlement {
	return slices.DeleteFunc(p.waiting(), func(o *settlement) bool {
		return o.sponsored.Network != plan.Network || o.sponsored.Paid.Source != plan.Paid.Source
	})
}

// await waits for the end, for a while.
func (p *sponsor) await(ctx context.Context, s *settlement, err error) (x402.Receipt, error) {
	unknown := x402.Receipt{ErrorReason: x402.ReasonUnexpectedSettleError}
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return unknown, err
	}
	patience := time.NewTimer(p.Wait)
	defer patience.Stop()
	select {
	case <-s.done:
	case <-patience.C:
	case <-ctx.Done():
	}
	if s.ended() { // at the last moment, too
		return s.receipt, nil
	}
	if hash := p.hashOf(s); hash != "" {
		return s.sponsored.Pending(hash), nil
	}
	return unknown, errors.New("the signer has not answered yet")
}

// turns let one at a time begin for each token account.
type turns struct {
	mu  sync.Mutex
	all map[solana.Address]*turn
}

type turn struct {
	token chan struct{}
	users int
}

func (t *turns) take(ctx context.Context, of solana.Address) (give func(), err error) {
	t.mu.Lock()
	if t.all == nil {
		t.all = map[solana.Address]*turn{}
	}
	one := t.all[of]
	if one == nil {
		one = &turn{token: make(chan struct{}, 1)}
		t.all[of] = one
	}
	if one.users > maxOfOne {
		t.mu.Unlock()
		return nil, errors.New("too many payments out of one token account begin at one time")
	}
	one.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(t.all, of)
		}
	}
	select {
	case one.token <- struct{}{}:
		return func() { <-one.token; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
