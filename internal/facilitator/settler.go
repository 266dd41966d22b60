package facilitator

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"math/big"
	"strings"
	"sync"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/facilitator"
)

// defaultWait is how long a settlement waits for its block. Shops wait 90 seconds for an answer.
const defaultWait = 30 * time.Second

const (
	defaultLost = 30 * time.Second
	defaultHeld = time.Minute
)

// Facilitator verifies payments, and settles each at most once.
type Facilitator struct {
	Config
	judge   *facilitator.Judge // nil where nothing is settled on EVM, as are journal and lines
	journal *journal
	lines   map[uint64]*line // by chain id
	sponsor *sponsor         // nil where nothing is settled on Solana
	stop    context.CancelFunc
	running sync.WaitGroup
	closing func() error
}

// settlement is one payment on its way: a row of the journal.
type settlement struct {
	id, terms    string // the money that moves; and who signed what, and what was asked for it
	chain, nonce uint64
	request      x402.Request
	ask          []byte // what the signer is asked
	at           time.Time
	draw         facilitator.Draw
	asked        time.Time // when the signer was asked last; under turn

	// On Solana, in place of chain and nonce.
	since, lastHeight int64 // a slot before it, and the height of the last block that can have it
	sponsored         facilitator.Sponsored

	// Written under the line's lock, and read by others once done is closed.
	raw     []byte
	hash    string
	receipt x402.Receipt  // also of one that was given back, because it will never be signed
	failed  error         // it was given back, and is asked for again under another nonce
	done    chan struct{} // closed with one of the two

	seen looks
}

// Open takes the journal, and goes on with what it has.
func Open(ctx context.Context, c Config) (*Facilitator, error) {
	c.Wait, c.Lost, c.Held = cmp.Or(c.Wait, defaultWait), cmp.Or(c.Lost, defaultLost), cmp.Or(c.Held, defaultHeld)
	f := &Facilitator{Config: c, lines: map[uint64]*line{}, stop: func() {}}
	f.closing = sync.OnceValue(f.closeJournals)
	if len(c.Nodes) == 0 && c.Sponsor == nil {
		return nil, errors.New("a facilitator needs a network")
	}
	if err := errors.Join(f.openEVM(ctx), f.openSolana(ctx)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *Facilitator) openEVM(ctx context.Context) (err error) {
	if len(f.Nodes) == 0 {
		return nil
	}
	chains := map[uint64]facilitator.Chain{}
	for id, n := range f.Nodes {
		chains[id] = &cachedNode{Node: n}
	}
	if f.judge, err = facilitator.New(chains, []evm.Address{f.Signer.Address()}, f.Clock); err != nil {
		return err
	}
	if f.journal, err = openJournal(ctx, f.Folder, f.Signer.Address().String(), nil); err != nil {
		return err
	}
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	f.stop = stop
	for id := range f.Nodes {
		l, err := f.newLine(ctx, id)
		if err != nil {
			return err
		}
		f.lines[id] = l
		f.running.Go(func() { l.follow(following) })
	}
	return nil
}

func (f *Facilitator) openSolana(ctx context.Context) (err error) {
	if f.Sponsor == nil {
		return nil
	}
	f.sponsor, err = openSponsor(ctx, f.Config, *f.Sponsor, f.journal)
	return err
}

// catalog has what was sold.
func (f *Facilitator) catalog() *journal {
	if f.journal != nil {
		return f.journal
	}
	return f.sponsor.journal
}

func (f *Facilitator) closeJournals() (err error) {
	if f.sponsor != nil {
		err = f.sponsor.close()
	}
	if f.journal != nil {
		err = errors.Join(err, f.journal.close())
	}
	return err
}

// Close stops following. What is under way is found again by the next Open.
func (f *Facilitator) Close() error {
	f.stop()
	f.running.Wait()
	return f.closing()
}

// Verify tells whether a payment pays an offer.
func (f *Facilitator) Verify(ctx context.Context, r x402.Request) (x402.Verdict, error) {
	switch {
	case onSolana(r) && f.sponsor != nil:
		return f.sponsor.judge.Verify(ctx, r)
	case f.judge == nil:
		return x402.Verdict{InvalidReason: x402.ReasonInvalidNetwork}, nil
	}
	return f.judge.Verify(ctx, r)
}

// onSolana reports whether an offer is of a network of Solana.
func onSolana(r x402.Request) bool {
	d := x402.V2
	if r.Version == 1 {
		d = x402.V1
	}
	o, err := x402.ParseOffer(d, r.Requirements)
	return err == nil && strings.HasPrefix(o.Network, "solana")
}

// Supported lists what is settled here.
func (f *Facilitator) Supported() x402.Supported {
	all := x402.Supported{Kinds: []x402.Kind{}, Extensions: []string{extensionBazaar}, Signers: map[string][]string{}}
	add := func(s x402.Supported) {
		all.Kinds = append(all.Kinds, s.Kinds...)
		maps.Copy(all.Signers, s.Signers)
	}
	if f.judge != nil {
		add(f.judge.Supported())
	}
	if f.sponsor != nil {
		add(f.sponsor.judge.Supported())
	}
	return all
}

// Settle is SettleFor, for the caller that has no name.
func (f *Facilitator) Settle(ctx context.Context, r x402.Request) (x402.Receipt, error) {
	return f.SettleFor(ctx, "", r)
}

// SettleFor settles a payment, or tells how far its settlement is. However often and by whomever it is asked, and
// whatever restarts are between, a payment has one settlement, whose success is said once (told.go). An error says that
// nobody knows: ask again.
func (f *Facilitator) SettleFor(ctx context.Context, caller string, r x402.Request) (x402.Receipt, error) {
	if onSolana(r) && f.sponsor != nil {
		id, receipt, err := f.sponsor.settle(ctx, r)
		return f.heard(ctx, f.sponsor.journal, id, listener(caller, r.Identifier), receipt, err)
	}
	if f.judge == nil {
		return x402.Receipt{ErrorReason: x402.ReasonInvalidNetwork}, nil
	}
	id, terms := f.name(r)
	receipt, err := f.settle(ctx, id, terms, r)
	return f.heard(ctx, f.journal, id, listener(caller, r.Identifier), receipt, err)
}

// heard is a receipt, as the caller hears of it.
func (f *Facilitator) heard(
	ctx context.Context, j *journal, id, to string, receipt x402.Receipt, err error,
) (x402.Receipt, error) {
	if err != nil || !receipt.Success {
		return receipt, err
	}
	return f.tell(ctx, j, id, to, receipt)
}

func (f *Facilitator) settle(ctx context.Context, id, terms string, r x402.Request) (x402.Receipt, error) {
	if s, err := f.known(ctx, id); err != nil || s.of(terms) != nil {
		return f.await(ctx, s, err)
	}
	plan, receipt, send, err := f.judge.Plan(ctx, r)
	if err != nil {
		return receipt, err
	}
	if send {
		s, err := f.lines[plan.ChainID].begin(ctx, plan, terms, r)
		if refused, ok := errors.AsType[refusal](err); ok {
			return x402.Receipt(refused), nil
		}
		return f.await(ctx, s, err)
	}
	if receipt.Success || !used(receipt) {
		return receipt, nil
	}
	// Its nonce is used: perhaps by a settlement of ours, for who asks the same, or for another.
	s, err := f.known(ctx, id)
	switch {
	case err != nil || s.of(terms) != nil:
		return f.await(ctx, s, err)
	case s != nil:
		receipt.ErrorReason, receipt.Transaction = x402.ReasonDuplicateSettlement, f.lines[s.chain].hashOf(s)
	}
	return receipt, nil
}

func used(r x402.Receipt) bool {
	return r.ErrorReason == x402.ReasonNonceUsed || r.ErrorReason == x402.ReasonPermit2Nonce
}

// refusal is a receipt of a payment for which nothing was signed.
type refusal x402.Receipt

func (r refusal) Error() string { return r.ErrorReason }

// name is how the journal finds a payment: by the money that it moves, and by everything that makes it another
// request. Who only copies the number of a payment gets none of its receipt.
func (f *Facilitator) name(r x402.Request) (id, terms string) {
	p, o, err := r.Parse()
	if err != nil || p.Transaction != nil {
		return "", ""
	}
	to, amount, method := evm.Address{}, new(big.Int), "permit2"
	if a := p.Authorization; a != nil {
		to, amount, method = a.To, a.Value, "eip3009"
	} else {
		to, amount = p.Permit.To, p.Permit.Amount
	}
	what := strings.Join([]string{
		chain.Hex(p.Signature), method, to.String(), amount.String(), p.After().String(), p.End().String(),
		o.Scheme, o.Network, o.Asset, o.PayTo, o.Amount,
	}, " ")
	sum := sha256.Sum256([]byte(what))
	return p.ID(), chain.Hex(sum[:])
}

// known is the settlement of a payment, if there is one.
func (f *Facilitator) known(ctx context.Context, id string) (*settlement, error) {
	return f.journal.known(ctx, id, func(id string) *settlement {
		for _, l := range f.lines {
			if s := l.underWay(id); s != nil {
				return s
			}
		}
		return nil
	})
}

// ended tells whether the settlement has a receipt.
func (s *settlement) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// of is the settlement, if it is of these terms.
func (s *settlement) of(terms string) *settlement {
	if s == nil || s.terms != terms {
		return nil
	}
	return s
}

// await waits for the block, for a while.
func (f *Facilitator) await(ctx context.Context, s *settlement, err error) (x402.Receipt, error) {
	unknown := x402.Receipt{ErrorReason: x402.ReasonUnexpectedSettleError}
	if err != nil {
		return unknown, err
	}
	if err := ctx.Err(); err != nil {
		return unknown, err
	}
	patience := time.NewTimer(f.Wait)
	defer patience.Stop()
	select {
	case <-s.done:
	case <-patience.C:
	case <-ctx.Done():
	}
	switch { // ended at the last moment, too
	case s.ended() && s.failed != nil:
		return unknown, s.failed
	case s.ended():
		return s.receipt, nil
	}
	plan, err := f.judge.Recall(s.request)
	if err != nil {
		return unknown, err
	}
	hash := f.lines[s.chain].hashOf(s)
	if hash == "" {
		return unknown, errors.New("the signer has not answered yet")
	}
	return plan.Pending(hash), nil
}

// Waiting counts settlements that are under way, on all networks.
func (f *Facilitator) Waiting() (n int) {
	for _, l := range f.lines {
		n += len(l.waiting())
	}
	if f.sponsor != nil {
		n += len(f.sponsor.waiting())
	}
	return n
}
