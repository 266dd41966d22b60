package quote

import (
	"context"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// The errors of executing.
var (
	errExpired = fault.Define(fault.Unprocessable, "quote_expired", "Quote has expired",
		"The quote's time is over, by the database's clock; ask for a new one")
	ErrInsufficient = fault.Define(fault.Unprocessable, "withdraw_balance_insufficient", "Insufficient balance",
		"The withdrawal address holds some stablecoin, and less than the quote is for; `details` has the asset, what the quote takes (need) and what is there (have)")
)

// Execute makes the order of a quote, once. If the withdrawal address has no free balance, the order waits for a
// deposit until the quote expires; if it has enough, that pays for the order.
func (s *Service) Execute(ctx context.Context, cmd *command.Command, in rest.ExecuteRequest) (command.Answer, error) {
	switch once, err := atOnce(in); {
	case err != nil:
		return command.Answer{}, err
	case once:
		return s.executeAtOnce(ctx, cmd, in)
	}
	q, err := s.quoted(ctx, cmd, in)
	if err != nil {
		return command.Answer{}, err
	}
	if q.Number, err = s.numberFor(ctx, q); err != nil {
		return command.Answer{}, err
	}
	answer, err := s.accept(ctx, cmd, q)
	if err == nil || q.Executed != nil {
		return answer, err
	}
	if q, wrong := s.quoted(ctx, cmd, in); wrong == nil && q.Executed != nil {
		return s.accept(ctx, cmd, q) // another call has executed the quote
	}
	return answer, err
}

func (s *Service) quoted(ctx context.Context, cmd *command.Command, in rest.ExecuteRequest) (Quoted, error) {
	q, err := s.c.Store.Quoted(ctx, cmd.Principal.WorkspaceID, in.QuoteID)
	if err == nil && q.Quote.RecipientID != in.BeneficiaryID {
		err = errRecipient
	}
	return q, err
}

// accept answers with the order of a quote, and makes it if there is none.
func (s *Service) accept(ctx context.Context, cmd *command.Command, q Quoted) (command.Answer, error) {
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		reply := command.Reply{
			Status: 200, Message: "Payment initiated",
			Audit: command.Audit{Action: "quote.execute_again", Resource: q.Quote.ID},
		}
		o, err := q.Executed, error(nil)
		if o == nil {
			reply.Status, reply.Audit.Action = 201, "quote.execute"
			o, err = s.execute(ctx, tx, q)
		}
		if err != nil {
			return command.Reply{}, err
		}
		reply.Data, reply.Audit.Detail = orderview.PaymentOf(*o), map[string]string{"orderId": o.ID}
		return reply, nil
	})
}

// execute makes the order of a quote. Of concurrent calls one inserts it.
func (s *Service) execute(ctx context.Context, tx Tx, q Quoted) (*order.Order, error) {
	if err := q.payable(); err != nil {
		return nil, err
	}
	now, err := tx.Now(ctx)
	if err != nil {
		return nil, err
	}
	if !now.Before(q.Quote.ExpiresAt) {
		return nil, errExpired
	}
	return s.Open(ctx, tx, q)
}

// Open writes the order of a quote that can be executed and has not expired.
func (s *Service) Open(ctx context.Context, tx Tx, q Quoted) (made *order.Order, err error) {
	at := s.c.Clock.Now()
	o, kind, prefix := q.order(at), order.Created, reference.OffRamp
	if q.Quote.byBank() {
		prefix = reference.GlobalPayment
		if o, err = s.globalPayment(q, o); err != nil {
			return nil, err
		}
	} else if kind, err = s.funding(ctx, tx, q.Quote); err != nil {
		return nil, err
	}
	if o.Reference, err = reference.New(ctx, tx, prefix, o.WorkspaceID, o.ID, at); err != nil {
		return nil, err
	}
	c, err := order.Apply(o, order.Event{Kind: kind, By: order.User, At: at})
	if err != nil {
		return nil, err
	}
	return &c.Order, tx.Apply(ctx, c)
}

// funding is the first event of an executed quote. It locks the balance of the withdrawal address until the
// transaction ends. A balance below the least deposit is dust, and counts as zero.
func (s *Service) funding(ctx context.Context, tx Tx, q Quote) (order.Kind, error) {
	has, err := tx.HoldBalance(ctx, q.WorkspaceID, ledger.Held(q.WithdrawAddressID), q.Terms.Gross.Currency)
	if err != nil {
		return "", err
	}
	available, err := has.Available()
	if err != nil {
		return "", err
	}
	return s.fundedBy(available, q.Terms.Gross)
}

// fundedBy is the first event of an order at an address with so much free balance.
func (s *Service) fundedBy(available, gross money.Amount) (order.Kind, error) {
	switch {
	case available.Minor >= gross.Minor:
		return order.Funded, nil
	case available.Minor < s.c.Least.Minor:
		return order.Created, nil
	}
	return "", short(available, gross)
}

func short(available, needed money.Amount) error {
	return ErrInsufficient.With("asset", needed.Currency.Upper()).
		With("need", needed.String()).With("have", available.String())
}

// atOnce tells whether a payment is made without a quote.
func atOnce(in rest.ExecuteRequest) (bool, error) {
	quoted := rest.ExecuteRequest{QuoteID: in.QuoteID, BeneficiaryID: in.BeneficiaryID}
	switch {
	case in == quoted:
		if in.QuoteID == "" {
			return false, fault.Field("quoteId", "is required")
		}
		if in.BeneficiaryID == "" {
			return false, fault.Field("beneficiaryId", "is required")
		}
		return false, nil
	case in.QuoteID != "":
		return false, fault.Field("quoteId", "must not be given with the fields of source and destination")
	case in.BeneficiaryAccountID == "":
		return false, fault.Field("beneficiaryAccountId", "is required")
	}
	return true, nil
}

// priceOf asks for the price of both ends.
func priceOf(in rest.ExecuteRequest) rest.QuoteRequest {
	return rest.QuoteRequest{
		BeneficiaryID: in.BeneficiaryID, BeneficiaryAccountID: in.BeneficiaryAccountID, Chain: in.Chain,
		Token:        in.Token,
		SourceAmount: in.SourceAmount, DestinationAmount: in.DestinationAmount,
		SourceCurrency: in.SourceCurrency, DestinationCurrency: in.DestinationCurrency,
	}
}
