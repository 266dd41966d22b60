package payout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
)

// sendRefund reserves an attempt of a refund. The partner is asked next.
func (s *Service) sendRefund(ctx context.Context, o order.Order) (time.Duration, error) {
	why, err := s.instead(ctx, o, o.Refund.Amount)
	switch {
	case err != nil:
		return 0, err
	case why == order.HoldFunds && s.clock.Now().Sub(o.UpdatedAt) < fundsAfter:
		return pollLater, nil
	case why != "":
		_, err = s.record(ctx, o, order.Event{Kind: order.RefundFailedKind, By: order.System, Failure: &order.Failure{
			Code: why, Message: "The money of an earlier attempt is not in the wallet again",
		}})
		return atOnce, err
	}
	_, err = s.record(ctx, o, order.Event{Kind: order.RefundReserved, By: order.System})
	return atOnce, err
}

// refundRequest is what the partner is asked for: back to the return address of
// the withdrawal address, on its chain, and nowhere else.
func (s *Service) refundRequest(ctx context.Context, o order.Order) (fiat.TransferRequest, error) {
	a, err := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	return fiat.TransferRequest{
		CustomerID: a.CustomerID, WalletID: a.PartnerWalletID, Reference: o.RefundReference(),
		Chain: o.Chain, Source: o.Source, Gross: o.Refund.Amount, Destination: o.Source, ToChain: o.Chain, ToAddress: o.Refund.Address,
	}, err
}

func (s *Service) askRefund(ctx context.Context, o order.Order) (time.Duration, error) {
	q, err := s.refundRequest(ctx, o)
	if err != nil {
		return 0, err
	}
	t, err := s.askOnce(ctx, o, o.RefundKey(), q, vanished(o))
	if err != nil {
		return s.refundFailed(ctx, o, err)
	}
	if err := t.Check(q); err != nil {
		s.reportLie(o, "a refund", t, err)
		return pollSlow, nil
	}
	_, changed, err := s.news(ctx, o, "a refund", t, o.RefundNews(t, s.clock.Now()))
	return nextLook(changed, err)
}

func (s *Service) refundFailed(ctx context.Context, o order.Order, err error) (time.Duration, error) {
	var refusal *fiat.Refusal
	switch {
	case errors.As(err, &refusal):
		s.log.Error("the partner refuses a refund: a person has to look", "workspace", o.WorkspaceID, "order", o.ID, "code", refusal.Code)
		_, err := s.record(ctx, o, order.Event{Kind: order.RefundFailedKind, By: order.Partner, Failure: &order.Failure{
			Code: refusal.Code, Message: "The payment partner refused the refund",
		}})
		return atOnce, err
	case errors.Is(err, fiat.ErrBusy):
		return s.comeBack(o.Reserved(), err), nil
	case errors.Is(err, fiat.ErrInsufficient), errors.Is(err, fiat.ErrNotFound):
		if o.Refund.Attempt%mostTries == 0 && !o.Lost() {
			_, failed := s.record(ctx, o, order.Event{Kind: order.RefundFailedKind, By: order.System, Failure: &order.Failure{
				Code: holdRefusing, Message: "The payment partner did not take the refund, however often it was asked",
			}})
			return atOnce, failed
		}
		_, failed := s.record(ctx, o, order.Event{Kind: order.RefundRefused, By: order.Partner})
		return backOff(o.Refund.Attempt), failed
	}
	return 0, fmt.Errorf("asking the partner for the refund of %s: %w", o.Reference, err)
}

func (s *Service) pollRefund(ctx context.Context, o order.Order) (time.Duration, error) {
	t, err := s.madeFor(ctx, o, o.Refund.TransferID, o.RefundReference())
	if errors.Is(err, fiat.ErrNotFound) {
		s.log.Error("the partner does not know a refund that it took", "workspace", o.WorkspaceID, "order", o.ID, "transfer", o.Refund.TransferID)
		t = fiat.Transfer{ID: o.Refund.TransferID, State: order.TransferLost}
	} else if err != nil {
		return 0, fmt.Errorf("asking the partner about the refund of %s: %w", o.Reference, err)
	} else if q, err := s.refundRequest(ctx, o); err != nil {
		return 0, err
	} else if err := check(t, q, o.Refund.TransferID); err != nil {
		s.reportLie(o, "a refund", t, err)
		if o.Status == order.Returned {
			o, err = s.record(ctx, o, order.Event{Kind: order.RefundStalled, By: order.System, Reason: mismatched})
			return nextLook(err == nil, err)
		}
		return s.pace(o.UpdatedAt), nil
	}
	_, changed, err := s.news(ctx, o, "a refund", t, o.RefundNews(t, s.clock.Now()))
	if err != nil || changed {
		return atOnce, err
	}
	return s.pace(o.UpdatedAt), nil
}
