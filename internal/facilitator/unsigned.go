package facilitator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/facilitator"
)

// A settlement whose bytes the signer has not given yet holds back the others of its line for Config.Held at most.
// Until then it was most likely signed, and only the answer is late: whoever got a higher nonce would wait for it in
// the node. After that it is cancelled at the signer, and where even that has no answer, the next settlement asks for
// the same nonce. The signer signs one transaction for a nonce, so that it says itself which of the two has it.

// signAndSend has a settlement signed that is written down, and sends it. Only where the signer will never sign it, it
// is given back, and so is its nonce.
func (l *line) signAndSend(ctx context.Context, s *settlement) error {
	s.asked = l.f.Clock.Now()
	raw, err := l.bytes(ctx, s)
	if errors.Is(err, ErrNotSigned) {
		if failed := l.giveBack(ctx, s, err); failed != nil {
			return failed
		}
	}
	if err != nil {
		return fmt.Errorf("asking the signer: %w", err)
	}
	sum := evm.ID(raw)
	hash := chain.Hex(sum[:])
	if err := l.f.journal.signed(ctx, s.id, raw, hash); err != nil {
		return err
	}
	l.signed(s, raw, hash)
	l.next = max(l.next, s.nonce+1)
	l.send(ctx, s)
	l.kick()
	return l.outrun(ctx, s)
}

// bytes are what the signer makes of a settlement. What it does not sign now is cancelled, and so is what it has not
// answered for long: ErrNotSigned, once nobody can have it signed any more.
func (l *line) bytes(ctx context.Context, s *settlement) ([]byte, error) {
	raw, err := l.f.Signer.Sign(ctx, s.ask)
	if err == nil || errors.Is(err, ErrNotSigned) || !errors.Is(err, ErrRefused) && l.holds(s) {
		return raw, err
	}
	switch cancelled := l.f.Signer.Cancel(ctx, s.ask); {
	case cancelled == nil:
		return nil, errors.Join(ErrNotSigned, err)
	case errors.Is(cancelled, ErrSigned):
		return l.f.Signer.Sign(ctx, s.ask)
	default:
		return nil, errors.Join(err, cancelled)
	}
}

// holds reports whether a settlement without bytes still holds back the others.
func (l *line) holds(s *settlement) bool { return l.f.Clock.Now().Sub(s.at) < l.f.Held }

// due reports whether the signer is asked again. The longer it has not answered, the more seldom it is: an hour after
// it was asked first, each quarter of an hour.
func (l *line) due(s *settlement) bool {
	now := l.f.Clock.Now()
	return l.holds(s) || now.Sub(s.asked) >= now.Sub(s.at)/4
}

// signLate asks again for what the signer did not answer and what holds back the others: its error is theirs.
func (l *line) signLate(ctx context.Context) error {
	for _, s := range l.waiting() {
		if s.raw != nil || !l.holds(s) {
			continue
		}
		if err := l.signAndSend(ctx, s); err != nil && !errors.Is(err, ErrNotSigned) {
			return err
		}
	}
	return nil
}

// resign asks the signer again for what it did not answer, unless somebody is signing now.
func (l *line) resign(ctx context.Context) (all error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	default:
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, signWithin)
	defer cancel()
	for _, s := range l.waiting() {
		if s.raw == nil && l.due(s) {
			all = errors.Join(all, l.signAndSend(ctx, s))
		}
	}
	return all
}

// outrun gives back what asked for the nonce that s was signed for.
func (l *line) outrun(ctx context.Context, s *settlement) (all error) {
	for _, o := range l.waiting() {
		if o.raw == nil && o.nonce == s.nonce {
			all = errors.Join(all, l.giveBack(ctx, o, ErrNotSigned))
		}
	}
	return all
}

// giveBack forgets a settlement that will never be signed. Whoever waits for it hears that it is refused, unless it is
// asked for again under another nonce.
func (l *line) giveBack(ctx context.Context, s *settlement, why error) error {
	plan, err := l.f.judge.Recall(s.request)
	if err != nil {
		return err
	}
	if err := l.f.journal.forget(ctx, s); err != nil {
		return err
	}
	l.drop(s)
	if _, other := errors.AsType[NextNonce](why); other {
		s.failed = why
	} else {
		s.receipt = unsigned(plan, why)
	}
	close(s.done)
	l.log.WarnContext(ctx, "a settlement is given back: it will never be signed", "payment", s.id, "nonce", s.nonce,
		"age", l.f.Clock.Now().Sub(s.at).Round(time.Millisecond).String(), "error", why)
	return nil
}

// unsigned is the receipt of a payment that the signer will never settle.
func unsigned(plan facilitator.Plan, why error) x402.Receipt {
	if errors.Is(why, node.ErrReverts) {
		return plan.Fails()
	}
	return plan.Unsigned()
}
