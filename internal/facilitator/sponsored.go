package facilitator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/x402"
)

// follow looks after one settlement until it has ended: soon after it was sent, then less and less often.
func (p *sponsor) follow(ctx context.Context, s *settlement) {
	sent, every := time.Now(), lookSoon
	for !s.ended() {
		select {
		case <-ctx.Done():
			return
		case <-s.done:
			return
		case <-time.After(every):
		}
		every = min(every*3/2, lookAtLeast)
		err := p.look(ctx, s)
		if again := time.Since(sent) >= resendEvery; again && !s.ended() {
			sent = time.Now()
			err = errors.Join(err, p.push(ctx, s))
		}
		if err != nil && ctx.Err() == nil {
			p.log.WarnContext(ctx, "following a settlement", "payment", s.id, "error", err)
		}
	}
}

// push has a settlement signed that the signer did not answer, or sends its bytes again.
func (p *sponsor) push(ctx context.Context, s *settlement) error {
	if p.hashOf(s) != "" {
		p.send(ctx, s)
		return nil
	}
	now := p.Clock.Now()
	if age := now.Sub(s.at); age >= p.Held && now.Sub(s.asked) < age/4 {
		return nil // the longer it has not answered, the more seldom it is asked
	}
	ctx, cancel := context.WithTimeout(ctx, signWithin)
	defer cancel()
	give, err := p.turns.take(ctx, s.sponsored.Paid.Source)
	if err != nil || s.ended() || p.hashOf(s) != "" {
		if err == nil {
			give()
		}
		return err
	}
	defer give()
	return p.sign(ctx, s)
}

// sign has a settlement signed that is written down, and sends it. Only where the signer will never sign it, it is
// given back. Under the turn of its token account.
func (p *sponsor) sign(ctx context.Context, s *settlement) error {
	s.asked = p.Clock.Now()
	raw, err := p.bytes(ctx, s)
	if errors.Is(err, ErrNotSigned) {
		return errors.Join(fmt.Errorf("asking the signer: %w", err), p.giveBack(ctx, s))
	}
	if err != nil {
		return fmt.Errorf("asking the signer: %w", err)
	}
	id := solana.Family{}.ID(raw)
	if id == "" {
		return errors.New("the signer's bytes are no signed transaction")
	}
	if err := p.journal.signed(ctx, s.id, raw, id); err != nil {
		return err
	}
	p.signed(s, raw, id)
	p.send(ctx, s)
	return nil
}

// bytes are what the signer makes of a settlement. What it does not sign now, or has not answered for long, is
// cancelled.
func (p *sponsor) bytes(ctx context.Context, s *settlement) ([]byte, error) {
	raw, err := p.signer.SignBytes(ctx, s.ask)
	late := p.Clock.Now().Sub(s.at) >= p.Held
	if err == nil || errors.Is(err, ErrNotSigned) || !errors.Is(err, ErrRefused) && !late {
		return raw, err
	}
	switch cancelled := p.signer.Cancel(ctx, s.ask); {
	case cancelled == nil:
		return nil, errors.Join(ErrNotSigned, err)
	case errors.Is(cancelled, ErrSigned):
		return p.signer.SignBytes(ctx, s.ask)
	default:
		return nil, errors.Join(err, cancelled)
	}
}

func (p *sponsor) giveBack(ctx context.Context, s *settlement) error {
	if err := p.journal.forget(ctx, s); err != nil {
		return err
	}
	p.drop(s, s.sponsored.NotSigned())
	p.log.WarnContext(ctx, "a settlement is given back: it will never be signed", "payment", s.id)
	return nil
}

// send hands the bytes to the nodes. Where that fails, following them tries again: the same bytes.
func (p *sponsor) send(ctx context.Context, s *settlement) {
	if err := p.clusters[s.sponsored.Network].Send(ctx, s.raw); err != nil {
		p.log.WarnContext(ctx, "no node takes a settlement", "transaction", s.hash, "error", err)
	}
	crash.At("settlement", "after-send")
}

// look ends a settlement that is in a final block, or can be in none. It is in one where one node says so, and no other
// one that has looked as far denies it.
func (p *sponsor) look(ctx context.Context, s *settlement) error {
	id := p.hashOf(s)
	if id == "" || s.ended() {
		return nil
	}
	cluster := p.clusters[s.sponsored.Network]
	o, err := cluster.Outcome(ctx, node.Sent{
		Signed: s.raw, Window: node.Window{Since: s.since, LastHeight: s.lastHeight},
	})
	switch {
	case err != nil:
		return err
	case o.Landed && o.Denied:
		return fmt.Errorf("nodes disagree on whether %s is in a block", id)
	case o.Landed && o.Succeeded && s.sponsored.Wrapped:
		arrived, err := cluster.Arrived(ctx, id, s.sponsored.PayTo.String(), s.sponsored.Mint.String())
		if err != nil {
			return err
		}
		return p.end(ctx, s, s.sponsored.Landed(id, true, arrived))
	case o.Landed:
		return p.end(ctx, s, s.sponsored.Landed(id, o.Succeeded, nil))
	case o.Expired:
		return p.end(ctx, s, s.sponsored.Expired(id))
	}
	return nil
}

// end writes the receipt down before anybody hears of it. Two that look at once end it once.
func (p *sponsor) end(ctx context.Context, s *settlement, r x402.Receipt) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.ended() {
		return nil
	}
	if err := p.journal.end(ctx, s.id, r); err != nil {
		return err
	}
	p.dropped(s, r)
	p.log.InfoContext(ctx, "settled", "success", r.Success, "reason", r.ErrorReason, "transaction", s.hash, "payer",
		r.Payer)
	return p.catalog.discover(ctx, s, p.Clock.Now())
}

func (p *sponsor) drop(s *settlement, r x402.Receipt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropped(s, r)
}

// dropped takes a settlement off the open ones, with its receipt. Under the lock.
func (p *sponsor) dropped(s *settlement, r x402.Receipt) {
	p.remove(s)
	s.receipt = r
	close(s.done)
}
