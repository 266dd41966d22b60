package payout

import (
	"context"
	"errors"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
)

// ExecuteInput accepts a quote, or names both ends of a payment without one.
type ExecuteInput struct {
	QuoteID       string `json:"quoteId,omitempty" maxLength:"64" doc:"Required, unless both ends are named"`
	BeneficiaryID string `json:"beneficiaryId,omitempty" maxLength:"64" doc:"The quote's; without one it may be left out"`
	ExecuteEnds
}

// The errors of executing.
var (
	errExpired = fault.Define(fault.Unprocessable, "quote_expired", "Quote has expired",
		"The quote's time is over, by the database's clock; ask for a new one")
	errInsufficient = fault.Define(fault.Unprocessable, "withdraw_balance_insufficient", "Insufficient balance",
		"The withdrawal address holds some stablecoin, and less than the quote is for; `details` says how much is available")
)

// Execute turns a quote into an order, once. Where the withdrawal address holds
// nothing the order waits for a deposit until the quote ends; where it holds
// enough that pays for it.
func (s *Service) Execute(ctx context.Context, cmd *command.Command, in ExecuteInput) (command.Answer, error) {
	if once, err := in.once(); err != nil || once {
		return s.executeAtOnce(ctx, cmd, in, err)
	}
	q, err := s.store.Quote(ctx, cmd.Principal.WorkspaceID, in.QuoteID)
	if err != nil {
		return command.Answer{}, err
	}
	if q.RecipientID != in.BeneficiaryID {
		return command.Answer{}, errRecipient
	}
	t, refused := s.targetOf(ctx, q) // counts only where there is no order yet
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if _, err := tx.HoldQuote(ctx, q.WorkspaceID, q.ID); err != nil {
			return command.Reply{}, err
		}
		reply := command.Reply{Status: 200, Message: "Payment initiated", Audit: command.Audit{Action: "quote.execute_again", Resource: q.ID}}
		o, err := tx.OrderOfQuote(ctx, q.WorkspaceID, q.ID)
		if errors.Is(err, fault.ErrNotFound) {
			reply.Status, reply.Audit.Action = 201, "quote.execute"
			if o, err = t.order(q), refused; err == nil {
				o, err = s.execute(ctx, tx, q, o)
			}
		}
		reply.Data, reply.Audit.Detail = viewPayment(o), map[string]string{"orderId": o.ID}
		return reply, err
	})
}

// targetOf finds what a quote is for, as it is now.
func (s *Service) targetOf(ctx context.Context, q Quote) (t target, err error) {
	if t.recipient, err = s.payable(ctx, q.WorkspaceID, q.RecipientID); err != nil {
		return t, err
	}
	if t.account, err = s.store.BankAccount(ctx, q.WorkspaceID, q.BankAccountID); err != nil {
		return t, err
	}
	if err = t.account.Usable(); err != nil {
		return t, err
	}
	t.address, err = s.store.WithdrawAddress(ctx, q.WorkspaceID, q.WithdrawAddressID)
	return t, err
}

// execute makes the order of a quote that nobody executed yet.
func (s *Service) execute(ctx context.Context, tx Tx, q Quote, o order.Order) (order.Order, error) {
	now, err := tx.Now(ctx)
	if err != nil {
		return o, err
	}
	if !now.Before(q.ExpiresAt) {
		return o, errExpired
	}
	r, err := tx.HoldRecipient(ctx, q.WorkspaceID, q.RecipientID) // who archives it comes before, or after
	if err != nil {
		return o, err
	}
	if r.Status != RecipientActive {
		return o, errRecipient
	}
	kind, err := s.funding(ctx, tx, q)
	if err != nil {
		return o, err
	}
	at := s.clock.Now()
	if o.Reference, err = NewReference(ctx, tx, OffRampReference, q.WorkspaceID, o.ID, at); err != nil {
		return o, err
	}
	c, err := order.Apply(o, order.Event{Kind: kind, By: order.User, At: at})
	if err != nil {
		return o, err
	}
	return c.Order, tx.Apply(ctx, c)
}

// funding says what an executed quote begins with. What lies at the address is
// not touched by anybody else until the transaction ends. Less than the least
// deposit is dust, and as good as nothing.
func (s *Service) funding(ctx context.Context, tx Tx, q Quote) (order.Kind, error) {
	has, err := tx.HoldBalance(ctx, q.WorkspaceID, ledger.Held(q.WithdrawAddressID), q.Terms.Gross.Currency)
	if err != nil {
		return "", err
	}
	available, err := has.Available()
	if err != nil {
		return "", err
	}
	switch {
	case available.Minor >= q.Terms.Gross.Minor:
		return order.Funded, nil
	case available.Minor < s.least.Minor:
		return order.Created, nil
	}
	return "", short(available, q.Terms.Gross)
}

func short(available, needed money.Amount) error {
	return errInsufficient.With("available", available.String()).With("needed", needed.String()).With("currency", needed.Currency.Upper())
}
