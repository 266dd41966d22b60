// Package refund gives the money of an order back on chain, to the return address that
// the order was made with, and nowhere else.
//
// A refund is pending from the event that opened it, submitted once the partner has
// taken it, and completed or failed by the partner's word. Each attempt is reserved in
// our books first (Send), asked for under its key (Ask), and asked about until it is
// over (Poll). Before an attempt, the return address is screened; a hit puts the order into
// review until an operator releases it. After ten refusals in a row, or where the money of an earlier attempt is
// missing from the wallet, it fails, and waits for an operator.
//
// Say that 100 USDC came in and the bank sent the payout back: the partner has put
// 99.25 USDC into the wallet again. The refund is of those, and waits until the wallet
// has them.
package refund

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/screen"
	"github.com/railkit/railkit/kit/payout/transfer"
	"github.com/railkit/railkit/kit/payout/withdraw"
)

// Store is what refunds read.
type Store interface {
	WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error)
}

// Service is the refunds of every workspace.
type Service struct {
	store     Store
	transfers *transfer.Service
	clock     clock.Clock
	log       *slog.Logger
}

// New makes it.
func New(s Store, t *transfer.Service, clk clock.Clock, log *slog.Logger) *Service {
	return &Service{s, t, clk, log}
}

// Send reserves an attempt of a refund, unless screening holds it. The partner is asked next.
func (s *Service) Send(ctx context.Context, o order.Order) (time.Duration, error) {
	var events []order.Event
	if o.RefundHeld() {
		events = append(events, order.Event{Kind: order.ReviewCleared, By: order.System})
	}
	why, err := s.transfers.Against(ctx, o, o.Refund.Amount)
	switch {
	case err != nil:
		return 0, err
	case why == order.HoldFunds && s.clock.Now().Sub(o.UpdatedAt) < transfer.FundsAfter:
		return transfer.Later, nil
	case why != "":
		_, err = s.transfers.Record(ctx, o, append(events,
			order.Event{Kind: order.RefundFailedKind, By: order.System, Failure: &order.Failure{
				Code: why, Message: "The money of an earlier attempt is not in the wallet again",
			}})...)
		return transfer.AtOnce, err
	}
	made, unknown, err := s.madeBefore(ctx, o)
	switch {
	case err != nil:
		return 0, err
	case unknown:
		_, err = s.transfers.Record(ctx, o, append(events,
			order.Event{Kind: order.RefundFailedKind, By: order.System, Failure: &order.Failure{
				Code: order.HoldForgotten, Message: "The payment partner has made a transfer that no order here has",
			}})...)
		return transfer.AtOnce, err
	case made != "":
		_, err = s.transfers.Record(ctx, o,
			append(events, order.Event{Kind: order.RefundReserved, By: order.System, MadeAs: made})...)
		return transfer.AtOnce, err
	}
	held, again, err := s.transfers.Screened(ctx, o, []screen.Subject{{
		Kind: screen.Address, Role: screen.ReturnAddress, Value: o.Refund.Address, Chain: o.Chain,
	}})
	if held || err != nil {
		return again, err
	}
	_, err = s.transfers.Record(ctx, o, append(events, order.Event{Kind: order.RefundReserved, By: order.System})...)
	return transfer.AtOnce, err
}

// madeBefore finds the refund among the partner's transfers that no order here has: one of its amount to its address.
// unknown tells that there are transfers of which none fits: one of them may be the payout of what would be given back.
func (s *Service) madeBefore(ctx context.Context, o order.Order) (name string, unknown bool, err error) {
	all, err := s.transfers.Forgotten(ctx, o)
	for _, t := range all {
		if t.Source == o.Refund.Amount && fiat.SameOnChain(t.ToAddress, o.Refund.Address) {
			s.log.WarnContext(ctx,
				"the partner has made this refund already: it is taken over", "workspace", o.WorkspaceID,
				"order", o.ID, "refund", o.Refund.Reference, "transfer", t.ID, "madeAs", t.Reference)
			return t.Reference, false, nil
		}
	}
	return "", len(all) > 0, err
}

// request is what the partner is asked for: back to the return address of
// the withdrawal address, on its chain, and nowhere else.
func (s *Service) request(ctx context.Context, o order.Order) (fiat.TransferRequest, error) {
	a, err := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	return fiat.TransferRequest{
		CustomerID: a.CustomerID, WalletID: a.PartnerWalletID, Reference: o.RefundReference(),
		Chain: o.Chain, Source: o.Source, Gross: o.Refund.Amount, Destination: o.Source, ToChain: o.Chain,
		ToAddress: o.Refund.Address,
	}, err
}

// Ask asks the partner for the attempt that is reserved, under its key.
func (s *Service) Ask(ctx context.Context, o order.Order) (time.Duration, error) {
	q, err := s.request(ctx, o)
	if err != nil {
		return 0, err
	}
	t, err := s.transfers.Ask(ctx, o, o.RefundKey(), q, transfer.Vanished(o))
	if err != nil {
		return s.failed(ctx, o, err)
	}
	if err := t.Check(q); err != nil {
		s.transfers.ReportMismatch(ctx, o, "a refund", t, err)
		return transfer.Slowly, nil
	}
	_, changed, err := s.transfers.RecordReport(ctx, o, "a refund", t, o.RefundNews(t, s.clock.Now()))
	return transfer.NextLook(changed, err)
}

// failed does what the partner's error means. An unknown outcome is asked about again,
// under the same key.
func (s *Service) failed(ctx context.Context, o order.Order, err error) (time.Duration, error) {
	var refusal *fiat.Refusal
	switch {
	case errors.As(err, &refusal):
		s.log.ErrorContext(ctx,
			"the partner refuses a refund: a person has to look", "workspace", o.WorkspaceID, "order", o.ID, "code",
			refusal.Code,
		)
		_, err := s.transfers.Record(ctx, o,
			order.Event{Kind: order.RefundFailedKind, By: order.Partner, Failure: &order.Failure{
				Code: refusal.Code, Message: "The payment partner refused the refund",
			}})
		return transfer.AtOnce, err
	case errors.Is(err, fiat.ErrBusy):
		return s.transfers.ComeBack(o.Reserved(), err), nil
	case errors.Is(err, fiat.ErrInsufficient), errors.Is(err, fiat.ErrNotFound):
		if o.Refund.Attempt%transfer.MostTries == 0 && !o.Lost() {
			_, failed := s.transfers.Record(ctx, o,
				order.Event{Kind: order.RefundFailedKind, By: order.System, Failure: &order.Failure{
					Code:    transfer.HoldRefusing,
					Message: "The payment partner did not take the refund, however often it was asked",
				}})
			return transfer.AtOnce, failed
		}
		_, failed := s.transfers.Record(ctx, o, order.Event{Kind: order.RefundRefused, By: order.Partner})
		return transfer.BackOff(o.Refund.Attempt), failed
	}
	return 0, fmt.Errorf("asking the partner for the refund of %s: %w", o.Reference, err)
}

// Poll asks the partner how far a refund is.
func (s *Service) Poll(ctx context.Context, o order.Order) (time.Duration, error) {
	t, renamed, err := s.transfers.Find(ctx, o, o.Refund.TransferID, o.RefundReference())
	if errors.Is(err, fiat.ErrNotFound) {
		s.log.ErrorContext(ctx,
			"the partner does not know a refund that it took", "workspace", o.WorkspaceID, "order", o.ID, "transfer",
			o.Refund.TransferID,
		)
		t = fiat.Transfer{ID: o.Refund.TransferID, State: order.TransferLost}
	} else if err != nil {
		return 0, fmt.Errorf("asking the partner about the refund of %s: %w", o.Reference, err)
	} else if q, err := s.request(ctx, o); err != nil {
		return 0, err
	} else if renamed && s.transfers.Found(ctx, o, t, q, o.Refund.TransferID) {
		_, changed, err := s.transfers.RecordReport(ctx, o, "a refund", t, []order.Event{
			{Kind: order.RefundFound, By: order.Partner, Refund: &order.Refund{TransferID: t.ID}},
		})
		return transfer.NextLook(changed, err)
	} else if err := transfer.Check(t, q, o.Refund.TransferID); err != nil {
		s.transfers.ReportMismatch(ctx, o, "a refund", t, err)
		if o.Status == order.Returned {
			o, err = s.transfers.Record(
				ctx, o, order.Event{Kind: order.RefundStalled, By: order.System, Reason: order.Mismatched},
			)
			return transfer.NextLook(err == nil, err)
		}
		return s.transfers.Pace(o.UpdatedAt), nil
	}
	_, changed, err := s.transfers.RecordReport(ctx, o, "a refund", t, o.RefundNews(t, s.clock.Now()))
	if err != nil || changed {
		return transfer.AtOnce, err
	}
	return s.transfers.Pace(o.UpdatedAt), nil
}
