package fx

import (
	"context"
	"log/slog"
)

// Band is how far the partner's rates may be apart. Nobody is promised or paid anything
// at a rate that is further from the partner's own middle.
type Band struct {
	Points int64 // basis points; 0: any
	Log    *slog.Logger
}

// OffMiddle tells, and reports to the operator, that a rate is too far from its own
// middle. With a band of 500 basis points and a middle of 20.00 MXN, 18.90 is off.
func (b Band) OffMiddle(ctx context.Context, r Rate) bool {
	off := b.Points > 0 && r.Sell.Beside(r.Midmarket) > b.Points
	if off {
		b.Log.ErrorContext(ctx,
			"the partner's rate is far from its own middle", "from", r.From, "to", r.To, "sell", r.Sell, "midmarket",
			r.Midmarket,
		)
	}
	return off
}
