package operator

import (
	"context"
	"strings"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/platform/command"
)

// Decision is who decided about an order in review, and why. It is in the audit entry, and not in the timeline, which
// the workspace sees.
type Decision struct{ By, Reason string }

// check refuses a decision that nobody answers for.
func (d Decision) check() error {
	for _, field := range []struct{ name, text string }{{"by", d.By}, {"reason", d.Reason}} {
		switch text := strings.TrimSpace(field.text); {
		case text == "":
			return fault.Field(field.name, "must be given")
		case len(text) > longestText:
			return fault.Field(field.name, "must have at most 500 bytes")
		}
	}
	return nil
}

const longestText = 500

// note adds a decision to what an audit entry says of an order.
func (d Decision) note(after map[string]any) {
	if d != (Decision{}) {
		after["by"], after["reason"] = d.By, d.Reason
	}
}

// Release lets an order go on in spite of the hits that hold it. The order remembers exactly these hits: they do not
// hold its later attempts, and another one holds it again. Coins that came twice are paid out. An on-ramp order goes on
// also where another hold of ours is on it.
func (s *Service) Release(
	ctx context.Context, cmd *command.Command, idOrReference string, d Decision,
) (command.Answer, error) {
	if err := d.check(); err != nil {
		return command.Answer{}, err
	}
	return s.decideFor(ctx, cmd, idOrReference, "order.release", func(o order.Order) order.Event {
		if o.Type == order.OnRamp {
			return order.Event{Kind: order.PayInRelease}
		}
		return order.Event{Kind: order.ReviewReleased}
	}, d)
}
