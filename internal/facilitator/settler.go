package facilitator

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"math/big"
	"slices"
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

const defaultLost = 30 * time.Second

// Facilitator verifies payments, and settles each at most once.
type Facilitator struct {
	Config
	judge   *facilitator.Judge
	journal *journal
	lines   map[uint64]*line // by chain id
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

	// Written under the line's lock, and read by others once done is closed.
	raw     []byte
	hash    string
	receipt x402.Receipt
	failed  error         // it was taken back: nothing was signed
	done    chan struct{} // closed with one of the two

	seen looks
}

// Open takes the journal, and goes on with what it has.
func Open(ctx context.Context, c Config) (*Facilitator, error) {
	c.Wait, c.Lost = cmp.Or(c.Wait, defaultWait), cmp.Or(c.Lost, defaultLost)
	chains := map[uint64]facilitator.Chain{}
	for id, n := range c.Nodes {
		chains[id] = &asked{Node: n}
	}
	judge, err := facilitator.New(chains, []evm.Address{c.Signer.Address()}, c.Clock)
	if err != nil {
		return nil, err
	}
	f := &Facilitator{Config: c, judge: judge, lines: map[uint64]*line{}}
	if f.journal, err = openJournal(ctx, c.Folder, c.Signer.Address()); err != nil {
		return nil, err
	}
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	f.stop, f.closing = stop, sync.OnceValue(f.journal.close)
	for id := range c.Nodes {
		l, err := f.newLine(ctx, id)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		f.lines[id] = l
		f.running.Go(func() { l.follow(following) })
	}
	return f, nil
}

// Close stops following. What is under way is found again by the next Open.
func (f *Facilitator) Close() error {
	f.stop()
	f.running.Wait()
	return f.closing()
}

// Verify tells whether a payment pays an offer.
func (f *Facilitator) Verify(ctx context.Context, r x402.Request) (x402.Verdict, error) {
	return f.judge.Verify(ctx, r)
}

// Supported lists what is settled here.
func (f *Facilitator) Supported() x402.Supported { return f.judge.Supported() }

// Settle settles a payment, or tells how far its settlement is. A payment that was asked before, by whomever and
// before whatever restart, gets the answer of its one settlement. An error says that nobody knows: ask again.
func (f *Facilitator) Settle(ctx context.Context, r x402.Request) (x402.Receipt, error) {
	id, terms := f.name(r)
	if s, err := f.known(ctx, id, terms); s != nil || err != nil {
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
	// Perhaps it was refused because it was settled meanwhile, for another who asks the same.
	if s, err := f.known(ctx, id, terms); s != nil || err != nil {
		return f.await(ctx, s, err)
	}
	return receipt, nil
}

// refusal is a receipt of a payment for which nothing was signed.
type refusal x402.Receipt

func (r refusal) Error() string { return r.ErrorReason }

// name is how the journal finds a payment: by the money that it moves, and by everything that makes it another
// request. Who only copies the number of a payment gets none of its receipt.
func (f *Facilitator) name(r x402.Request) (id, terms string) {
	p, o, err := r.Parse()
	if err != nil {
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

// known is the settlement of the same request, if there is one.
func (f *Facilitator) known(ctx context.Context, id, terms string) (*settlement, error) {
	if id == "" {
		return nil, nil
	}
	for _, l := range f.lines {
		if s := l.underWay(id); s != nil {
			return s.of(terms), nil
		}
	}
	s, err := f.journal.find(ctx, id)
	return s.of(terms), err
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
	patience := time.NewTimer(f.Wait)
	defer patience.Stop()
	select {
	case <-s.done:
		if s.failed != nil {
			return unknown, s.failed
		}
		return s.receipt, nil
	case <-patience.C:
	case <-ctx.Done():
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
		l.mu.Lock()
		n += len(l.open)
		l.mu.Unlock()
	}
	return n
}

func (l *line) underWay(id string) *settlement {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.open, func(s *settlement) bool { return s.id == id })
	if i < 0 {
		return nil
	}
	return l.open[i]
}

func (l *line) hashOf(s *settlement) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return s.hash
}
