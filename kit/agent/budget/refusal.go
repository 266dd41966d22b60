package budget

import (
	"context"
	"errors"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/record"
)

// lacksError undoes the transaction of a call that does not fit, and nothing of it remains.
type lacksError []*wire.Shortfall

func (lacksError) Error() string { return "the budget does not allow the call" }

// rules are the fields of the limits.
var rules = map[Layer]string{Infra: "infraMonthlyUsd", Tokens: "tokensMonthlyUsd"}

// shortfall says why a layer refuses: in the form in which the signer says it of payments.
func shortfall(l Layer, amount, limit Nano, is Sum, m Month) *wire.Shortfall {
	s := &wire.Shortfall{
		Layer: string(l), Rule: rules[l], Requested: amount.String(), Limit: limit.String(), Spent: is.Spent.String(),
		Held: is.Held.String(), NeverFits: amount > limit,
	}
	if !s.NeverFits {
		_, end := m.Bounds()
		s.ResetsAt = clock.ISO(end)
	}
	return s
}

// Refused counts the refusal of a call that the budget does not allow, and says it. Any other error stays as it is.
func (s *Service) Refused(ctx context.Context, a wire.AgentReply, err error) error {
	var lacks lacksError
	if !errors.As(err, &lacks) {
		return err
	}
	err = record.Do(ctx, s.c.Store, a.WorkspaceID, func(ctx context.Context, tx Tx) error {
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		return tx.CountRefusal(ctx, a.WorkspaceID, a.AgentID, now)
	})
	if err != nil {
		return err
	}
	var layers []string
	for _, l := range lacks {
		layers = append(layers, l.Layer)
	}
	return refusal.ErrAgentBudget.With("failedLayers", layers).With("layers", []*wire.Shortfall(lacks))
}

// OfKind gives a refusal of a budget, that of the signer included, another kind: 402 where a call pays for something,
// in place of 403. Any other error stays as it is.
func OfKind(err error, kind fault.Kind) error {
	f, ok := fault.As(err)
	if !ok || !errors.Is(f, refusal.ErrAgentBudget) {
		return err
	}
	c := *f
	c.Kind = kind
	return &c
}
