package facilitator

import (
	"context"
	"errors"
	"math/big"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/x402/facilitator"
)

// affords refuses a payment that its payer cannot pay beside those of his that are open here. Each alone passes its
// simulation, which knows nothing of the others. Example: a payer has 0.015 USDC and sends two payments of 0.01 at
// once. The second would be mined, revert, and cost the gas of this account.
//
// What is open is counted beside the balance of the newest block, so that no block may come between the two readings:
// a settlement would be in neither, or counted twice.
func (l *line) affords(ctx context.Context, plan facilitator.Plan) error {
	for range 3 {
		mined, err := l.node.NextNonce(ctx, l.f.Signer.Address().String())
		if err != nil {
			return err
		}
		open := l.drawn(plan.Draw(), mined)
		if open.all.Sign() == 0 {
			return nil
		}
		short, err := l.short(ctx, plan, open)
		if err != nil {
			return err
		}
		again, err := l.node.NextNonce(ctx, l.f.Signer.Address().String())
		if err != nil {
			return err
		}
		if again == mined {
			return short
		}
	}
	return errors.New("blocks come faster than a balance is read")
}

// sums are what a payer's open settlements take of one token, and of his allowance for Permit2.
type sums struct{ all, permits *big.Int }

// drawn adds up the payer's settlements that are in no block.
func (l *line) drawn(d facilitator.Draw, mined uint64) sums {
	s := sums{new(big.Int), new(big.Int)}
	for _, o := range l.waiting() {
		if o.draw.From != d.From || o.draw.Asset != d.Asset || o.nonce < mined && l.hashOf(o) != "" {
			continue
		}
		s.all.Add(s.all, o.draw.Amount)
		if o.draw.Permit {
			s.permits.Add(s.permits, o.draw.Amount)
		}
	}
	return s
}

// short is a refusal where balance or allowance does not suffice for the plan and what is open.
func (l *line) short(ctx context.Context, plan facilitator.Plan, open sums) (refused, err error) {
	d := plan.Draw()
	low, err := l.less(ctx, d.Asset, signed.BalanceCall(d.From), open.all.Add(open.all, d.Amount))
	if err != nil || low {
		return refusal(plan.Unfunded()), err
	}
	if !d.Permit {
		return nil, nil
	}
	call := signed.AllowanceCall(d.From, evm.Permit2Address())
	low, err = l.less(ctx, d.Asset, call, open.permits.Add(open.permits, d.Amount))
	if err != nil || low {
		return refusal(plan.Unapproved()), err
	}
	return nil, nil
}

// less reports whether a contract answers with a number below what is needed.
func (l *line) less(ctx context.Context, at evm.Address, call []byte, needed *big.Int) (bool, error) {
	answer, err := l.node.Call(ctx, node.ContractCall{To: at.String(), Data: call})
	if errors.Is(err, node.ErrReverts) {
		return false, nil
	}
	n, ok := signed.ReadNumber(answer)
	return ok && n.Cmp(needed) < 0, err
}
