package shops

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// lyingFacilitator settles, and tells the shop something else of it.
type lyingFacilitator struct {
	shop.Facilitator
	settle func(ctx context.Context, f shop.Facilitator, r x402.Request) (x402.Receipt, error)
}

func (t lyingFacilitator) Settle(ctx context.Context, r x402.Request) (x402.Receipt, error) {
	return t.settle(ctx, t.Facilitator, r)
}

func honestly(ctx context.Context, f shop.Facilitator, r x402.Request) (x402.Receipt, error) {
	return f.Settle(ctx, r)
}

// settle is what a lie makes of a settlement.
func (l *Liar) settle(lie Lie) func(context.Context, shop.Facilitator, x402.Request) (x402.Receipt, error) {
	switch lie {
	case Hangs:
		return func(ctx context.Context, _ shop.Facilitator, _ x402.Request) (x402.Receipt, error) {
			l.hang(ctx)
			return x402.Receipt{}, errors.New("it hung")
		}
	case FailedThenSettles:
		return l.thenSettle(x402.Receipt{ErrorReason: x402.ReasonUnexpectedSettleError}, true)
	case Pending:
		return l.thenSettle(x402.Receipt{ErrorReason: x402.ReasonSettlementPending, Transaction: invented}, false)
	case PendingSettles:
		return l.thenSettle(x402.Receipt{ErrorReason: x402.ReasonSettlementPending, Transaction: invented}, true)
	case FalseSuccess:
		return l.thenSettle(x402.Receipt{Success: true, Transaction: invented}, false)
	case SettlesTwice:
		return func(ctx context.Context, f shop.Facilitator, r x402.Request) (x402.Receipt, error) {
			receipt, err := f.Settle(ctx, r)
			_, _ = f.Settle(ctx, times(r, 10, 1)) // an honest facilitator refuses it
			return receipt, err
		}
	case SettlesMore:
		return l.instead(10, 1)
	case SettlesLess:
		return l.instead(1, 10)
	}
	return honestly
}

// invented is the hash of a transaction that nobody made.
var invented = "0x" + strings.Repeat("11", 32)

// thenSettle says one thing at once, and does another later.
func (l *Liar) thenSettle(say x402.Receipt, settles bool,
) func(context.Context, shop.Facilitator, x402.Request) (x402.Receipt, error) {
	return func(_ context.Context, f shop.Facilitator, r x402.Request) (x402.Receipt, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if settles && l.closing.Err() == nil {
			l.running.Go(func() {
				select {
				case <-l.closing.Done():
				case <-time.After(l.later):
					_, _ = f.Settle(l.closing, r) // it says nothing of it to anybody
				}
			})
		}
		return say, nil
	}
}

// instead asks for another amount than was signed, and says that all is well.
func (l *Liar) instead(by, over int64,
) func(context.Context, shop.Facilitator, x402.Request) (x402.Receipt, error) {
	return func(ctx context.Context, f shop.Facilitator, r x402.Request) (x402.Receipt, error) {
		_, _ = f.Settle(ctx, times(r, by, over)) // an honest facilitator refuses it
		return x402.Receipt{Success: true, Transaction: invented}, nil
	}
}

// times is the request for another amount.
func times(r x402.Request, by, over int64) x402.Request {
	_, o, err := r.Parse()
	if err != nil {
		return r
	}
	n, err := chain.ParseUnits(o.Amount, 0)
	if err != nil {
		return r
	}
	n.Mul(n, big.NewInt(by)).Div(n, big.NewInt(over))
	r.Requirements = bytes.Replace(r.Requirements, []byte(`"`+o.Amount+`"`), []byte(`"`+n.String()+`"`), 1)
	return r
}
