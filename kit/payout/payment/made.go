package payment

import (
	"context"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

// madeBefore finds the payout of an order among the partner's transfers that no order here has: one that has the
// order's name, else one of its amount to its bank account. Such a one may be that of another order which the database
// has forgotten: then this order's money pays for that one's deposit, and both are paid. unknown tells that there are
// transfers of which none fits: nobody knows then whether the order was paid.
func (s *Service) madeBefore(
	ctx context.Context, o order.Order, to account.Payee,
) (made fiat.Transfer, unknown bool, err error) {
	all, err := s.c.Transfers.Forgotten(ctx, o)
	for _, t := range all {
		if t.AccountID != to.Account.PartnerID || !paysFor(t, o) {
			continue
		}
		own := order.AttemptOf(t.Reference, o.Reference) > 0
		if made.ID == "" || own && order.AttemptOf(made.Reference, o.Reference) == 0 {
			made = t
		}
	}
	if made.ID == "" && len(all) > 0 && o.Hold != order.HoldForgotten {
		s.c.Log.ErrorContext(ctx,
			"an order waits for an operator: its wallet has transfers at the partner that no order here has",
			"workspace", o.WorkspaceID, "order", o.ID, "reference", o.Reference, "transfers", idsOf(all))
	}
	return made, len(all) > 0, err
}

func idsOf(all []fiat.Transfer) (ids []string) {
	for _, t := range all {
		ids = append(ids, t.ID)
	}
	return ids
}

// paysFor tells whether a transfer took what the order has, or pays what it promised.
func paysFor(t fiat.Transfer, o order.Order) bool {
	if o.Terms.Quoted && !t.Destination.IsZero() {
		return t.Destination == o.Terms.Net
	}
	return t.Source == o.Terms.Gross
}

// takenOver are the terms of a payout that was made before: with our fee as the partner has it.
func takenOver(terms order.Terms, t fiat.Transfer) order.Terms {
	fee := money.Of(t.Fee.Minor, terms.Gross.Currency)
	if terms.Quoted {
		terms.Ours = fee
	} else if ours, err := terms.Fee(); err != nil || ours != fee {
		terms.Platform, terms.Network = fee, money.Of(0, terms.Gross.Currency)
	}
	if !t.Rate.IsZero() {
		terms.Told = t.Rate
	}
	return terms
}

// takeOver reserves the attempt that the partner has made before. It is looked up next, and nothing is asked for.
func (s *Service) takeOver(
	ctx context.Context, o order.Order, terms order.Terms, to account.Payee, made fiat.Transfer,
) error {
	s.c.Log.WarnContext(ctx, "the partner has made this payout already: it is taken over",
		"workspace", o.WorkspaceID, "order", o.ID,
		"reference", o.Reference, "transfer", made.ID, "madeAs", made.Reference)
	return s.clearAndReserve(ctx, o, to, order.Event{Terms: &terms, MadeAs: made.Reference})
}

// covers tells whether the wallet has the order's money. What is paid from money that lay at the address has no deposit
// of its own: the wallet must have all then that our books say is free there, or they are older than the partner's.
func (s *Service) covers(ctx context.Context, o order.Order) (why string, err error) {
	needs := o.Terms.Gross.Minor
	if o.Deposit == nil {
		free, err := s.c.Transfers.BookedFree(ctx, o)
		if err != nil {
			return "", err
		}
		needs = max(needs, free)
	}
	return s.c.Transfers.Covers(ctx, o, needs)
}
