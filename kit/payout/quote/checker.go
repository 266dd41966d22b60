package quote

import (
	"context"
	"errors"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
)

// Checker prices many payments of one workspace and writes nothing. It reads the rate of each pair and the free
// balance of each withdrawal address once. Say that 150 USDC are free at an address, and two payments of 100 USDC are
// checked: the first takes 100 of them, and the second is refused, as when both were executed in this order.
type Checker struct {
	service     *Service
	workspaceID string
	free        map[string]money.Amount // by withdrawal address, less what earlier payments take
}

// Checker makes one.
func (s *Service) Checker(workspaceID string) *Checker {
	same := *s
	same.c.Rates = &sameRates{s.c.Rates, map[[2]money.Currency]fx.Rate{}}
	return &Checker{&same, workspaceID, map[string]money.Amount{}}
}

// Checked is a payment that can be executed at the price of its quote, which is not stored yet.
type Checked struct {
	Quoted
	Funded bool // the free balance of the withdrawal address pays for it
}

// Check prices a payment. If the payment cannot be made, wrong has a fault for each reason that can be told apart; err
// is of the server itself, such as a rate that does not come.
func (c *Checker) Check(ctx context.Context, in rest.QuoteRequest) (checked Checked, wrong []*fault.Error, err error) {
	ask, unread := readAsked(in)
	t, lost := c.service.target(ctx, c.workspaceID, in, ask)
	if unread == nil && lost == nil && ask.of(t.own()).byBank() {
		unread = fault.Field(ask.currency, "must be a stablecoin, USD or the bank account's own: no bank transfer pays for a batch")
	}
	if errors.Is(lost, errRecipient) {
		lost = c.orArchived(ctx, in.BeneficiaryID)
	}
	if wrong, err = ofCaller(unread, lost); err != nil || len(wrong) > 0 {
		return checked, wrong, err
	}
	checked.Recipient, checked.Account, checked.Address = t.recipient, t.account, t.address
	if checked.Quote, err = c.service.price(ctx, ask, t); err == nil {
		checked.Funded, err = c.fund(ctx, checked.Quote)
	}
	wrong, err = ofCaller(err)
	return checked, wrong, err
}

// orArchived tells an archived recipient from one that is not there.
func (c *Checker) orArchived(ctx context.Context, id string) error {
	r, err := c.service.c.Store.Recipient(ctx, c.workspaceID, id)
	switch {
	case err == nil && r.Status == recipient.Archived:
		return recipient.ErrArchived
	case err == nil, errors.Is(err, fault.ErrNotFound):
		return errRecipient
	}
	return err
}

// ofCaller divides errors into those that the caller can mend, and the first other one.
func ofCaller(all ...error) (wrong []*fault.Error, err error) {
	for _, e := range all {
		f, is := fault.As(e)
		switch {
		case e == nil:
		case is && (f.Kind == fault.Invalid || f.Kind == fault.NotFound || f.Kind == fault.Unprocessable):
			wrong = append(wrong, f)
		default:
			return nil, e
		}
	}
	return wrong, nil
}

// fund tells whether the free balance pays for a quote, and takes it from there.
func (c *Checker) fund(ctx context.Context, q Quote) (bool, error) {
	free, known := c.free[q.WithdrawAddressID]
	if !known {
		has, err := c.service.c.Store.Balance(
			ctx, c.workspaceID, ledger.Held(q.WithdrawAddressID), q.Terms.Gross.Currency,
		)
		if err != nil {
			return false, err
		}
		if free, err = has.Available(); err != nil {
			return false, err
		}
	}
	kind, err := c.service.fundedBy(free, q.Terms.Gross)
	if err == nil && kind == order.Funded {
		free, err = free.Sub(q.Terms.Gross)
	}
	c.free[q.WithdrawAddressID] = free
	return kind == order.Funded, err
}

// sameRates are rates of which each is read once.
type sameRates struct {
	from  Rates
	known map[[2]money.Currency]fx.Rate
}

// Rate is the first answer for a pair, again.
func (s *sameRates) Rate(ctx context.Context, from, to money.Currency) (fx.Rate, error) {
	pair := [2]money.Currency{from, to}
	if r, known := s.known[pair]; known {
		return r, nil
	}
	r, err := s.from.Rate(ctx, from, to)
	if err == nil {
		s.known[pair] = r
	}
	return r, err
}
