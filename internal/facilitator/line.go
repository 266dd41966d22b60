package facilitator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/facilitator"
)

// line is the account's transactions on one network, one nonce after the other.
type line struct {
	f     *Facilitator
	chain uint64
	node  Node
	log   *slog.Logger
	turn  chan struct{} // holds one token: who has it takes the next nonce
	next  uint64        // under turn: the lowest nonce that is not known to be signed for
	wake  chan struct{} // holds one token: there is something to follow
	pending
}

// maxOpen is how many settlements of a network may be in no block. A node takes not many more of one account.
const maxOpen = 256

// signWithin bounds a settlement's way to its signed bytes, whether its caller waits or has left.
const signWithin = 30 * time.Second

func (f *Facilitator) newLine(ctx context.Context, id uint64) (*line, error) {
	l := &line{
		f: f, chain: id, node: f.Nodes[id], log: f.Log.With("chain", id),
		turn: make(chan struct{}, 1), wake: make(chan struct{}, 1),
	}
	var err error
	if l.next, err = f.journal.next(ctx, id); err != nil {
		return nil, err
	}
	if l.open, err = f.journal.open(ctx, id); err != nil {
		return nil, err
	}
	for _, s := range l.open {
		plan, err := f.judge.Recall(s.request)
		if err != nil {
			return nil, fmt.Errorf("reading the settlement of %s: %w", s.id, err)
		}
		s.draw = plan.Draw()
	}
	l.kick()
	return l, nil
}

func (l *line) kick() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// take waits for the turn.
func (l *line) take(ctx context.Context) (give func(), err error) {
	select {
	case l.turn <- struct{}{}:
		return func() { <-l.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin writes a settlement down under the next nonce, has it signed, and sends it. One of the same terms that is
// there already is the settlement. It goes on when the caller leaves.
func (l *line) begin(ctx context.Context, plan facilitator.Plan, terms string, r x402.Request) (*settlement, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), signWithin)
	defer cancel()
	give, err := l.take(ctx)
	if err != nil {
		return nil, err
	}
	defer give()
	if s, err := l.there(ctx, l.f.journal, plan.ID, terms, plan.Duplicate); s != nil || err != nil {
		return s, err
	}
	if err := l.signLate(ctx); err != nil {
		return nil, err
	}
	if err := l.affords(ctx, plan); err != nil {
		return nil, err
	}
	if len(l.waiting()) >= maxOpen {
		return nil, errors.New("too many settlements are in no block")
	}
	for range 3 {
		s := &settlement{
			id: plan.ID, terms: terms, chain: l.chain, request: r, at: l.f.Clock.Now(), draw: plan.Draw(),
			done: make(chan struct{}),
		}
		tx, err := l.transaction(ctx, plan)
		if err != nil {
			return nil, err
		}
		err = l.sign(ctx, s, tx)
		next, other := errors.AsType[NextNonce](err)
		switch {
		case other && errors.Is(err, ErrNotSigned):
			l.next = uint64(next)
		case errors.Is(err, ErrNotSigned):
			return nil, refusal(unsigned(plan, err))
		default:
			return s, err
		}
	}
	return nil, errors.New("the signer wants one nonce after the other")
}

// What a settlement may take of gas: what the node says and a quarter, and never more than a wallet's contract, which
// the payer chooses, may use up.
const maxGas = 400_000

// transaction is the settlement's call under the next nonce.
func (l *line) transaction(ctx context.Context, plan facilitator.Plan) (tx evm.Tx, err error) {
	from := l.f.Signer.Address()
	p, err := l.node.Preflight(ctx, node.Flight{
		From: from.String(), To: plan.Call.To.String(), Data: plan.Call.Data, Estimate: true,
	})
	if err != nil {
		return tx, err
	}
	gas := p.Gas + p.Gas/4
	if errors.Is(p.GasError, node.ErrReverts) || gas > maxGas {
		return tx, refusal(plan.Fails())
	}
	if p.GasError != nil {
		return tx, p.GasError
	}
	// Under a delegation nobody raises the fee later, so that it may be four times what the last block took.
	most := new(big.Int).Add(new(big.Int).Lsh(p.Fee.Base, 2), p.Fee.Priority)
	tx = evm.Tx{
		Type: evm.DynamicFee, ChainID: l.chain, Nonce: max(l.next, p.NextNonce), MaxFeePerGas: most,
		MaxPriorityFeePerGas: p.Fee.Priority, GasLimit: gas, To: &plan.Call.To, Value: new(big.Int),
		Data: plan.Call.Data,
	}
	if p.Balance.Cmp(tx.MaxCost()) < 0 {
		return tx, fmt.Errorf("%s cannot pay for the gas: %w", from, node.ErrNoFunds)
	}
	return tx, nil
}

// sign writes the settlement down, has it signed, and sends it.
func (l *line) sign(ctx context.Context, s *settlement, tx evm.Tx) error {
	var err error
	s.nonce = tx.Nonce
	if s.ask, err = l.f.Signer.Ask(ctx, tx); err != nil {
		if _, other := errors.AsType[NextNonce](err); other || errors.Is(err, node.ErrReverts) {
			err = errors.Join(ErrNotSigned, err) // there is no request that could be signed
		}
		return fmt.Errorf("asking the signer: %w", err)
	}
	if err := l.pending.begin(ctx, l.f.journal, s); err != nil {
		return err
	}
	return l.signAndSend(ctx, s)
}

// send hands the bytes to the node. Where that fails, following them tries again: the same bytes.
func (l *line) send(ctx context.Context, s *settlement) {
	if err := l.node.Send(ctx, s.raw); err != nil {
		l.log.WarnContext(ctx, "the node does not take a settlement", "hash", s.hash, "nonce", s.nonce, "error", err)
	}
	crash.At("settlement", "after-send")
}

func (l *line) drop(s *settlement) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(s)
}
