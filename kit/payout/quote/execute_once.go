package quote

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// executeAtOnce quotes and executes in one transaction. Each call makes a new order, so only the idempotency key tells
// a repeated call from a second payment.
func (s *Service) executeAtOnce(
	ctx context.Context, cmd *command.Command, in rest.ExecuteRequest,
) (command.Answer, error) {
	ends := priceOf(in)
	ask, err := readAsked(ends)
	if err != nil {
		return command.Answer{}, err
	}
	if cmd.Key == nil {
		return command.Answer{}, fault.Field("Idempotency-Key", "is required without a quoteId")
	}
	t, err := s.provided(ctx, cmd.Principal.WorkspaceID, ends, ask)
	if err != nil {
		return command.Answer{}, err
	}
	q, err := s.price(ctx, ask, t)
	if err != nil {
		return command.Answer{}, err
	}
	quoted := Quoted{Quote: q, Recipient: t.recipient, Account: t.account, Address: t.address}
	if quoted.Number, err = s.numberFor(ctx, quoted); err != nil {
		return command.Answer{}, err
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		q, err := s.insertQuote(ctx, tx, q)
		if err != nil {
			return command.Reply{}, err
		}
		quoted.Quote = q
		o, err := s.execute(ctx, tx, quoted)
		if err != nil {
			return command.Reply{}, err
		}
		return command.Reply{
			Status: 201, Message: "Payment initiated", Data: orderview.PaymentOf(*o),
			Audit: command.Audit{Action: "quote.execute", Resource: q.ID, Detail: map[string]string{"orderId": o.ID}},
		}, nil
	})
}

// provided is the target of such a payment. If the bank account has no withdrawal address, one is made.
func (s *Service) provided(ctx context.Context, workspaceID string, in rest.QuoteRequest, ask asked) (target, error) {
	account, err := s.c.Store.BankAccount(ctx, workspaceID, in.BeneficiaryAccountID)
	if errors.Is(err, fault.ErrNotFound) {
		return target{}, errNoAccount
	}
	if err != nil {
		return target{}, err
	}
	in.BeneficiaryID = cmp.Or(in.BeneficiaryID, account.RecipientID)
	t, err := s.target(ctx, workspaceID, in, ask)
	if !errors.Is(err, errNoAddress) {
		return t, err
	}
	token, err := tokenOf(in, ask)
	if err != nil {
		return t, err
	}
	token = cmp.Or(token, money.USDC)
	if err := ask.fits(token, account.Currency); err != nil { // before anything is made for it
		return t, err
	}
	err = s.c.Addresses.Ensure(ctx, workspaceID, rest.WithdrawAddressRequest{
		BeneficiaryID: in.BeneficiaryID, BeneficiaryAccountID: account.ID,
		Chain: cmp.Or(strings.ToLower(in.Chain), usualChain), Currency: string(token),
	})
	if err != nil {
		return t, err
	}
	return s.target(ctx, workspaceID, in, ask)
}
