package ceremony

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/platform/record"
)

// The error of a link that is finished, cancelled or expired.
var (
	ErrOver = fault.Define(fault.Gone, "ceremony_over", "This link can no longer be used: %s",
		"What the link of the passkey page stood for was finished, declined, cancelled or has expired; `details.reason` says which")
)

// subject is the row that a ceremony is about.
type subject struct {
	state             activity.State
	body, fingerprint string // "": there is nothing yet that could be stamped
	subOrganizationID string
	walletID          string                      // local id; "": it is about none, or the wallet is new
	sweep             func(context.Context) error // nil: there is no row yet
}

func (s *Service) subjectOf(ctx context.Context, c link.Ceremony) (subject, error) {
	if c.Kind == link.Transaction {
		t, err := s.c.Store.Transaction(ctx, c.WorkspaceID, c.Subject)
		return subject{activity.State(t.State), t.Body, t.Fingerprint, t.SubOrganizationID, t.WalletID,
			func(ctx context.Context) error { return s.c.Transactions.SweepOne(ctx, t) }}, err
	}
	id := c.Subject
	switch c.Kind {
	case link.Add, link.Lost:
		return subject{state: activity.Awaiting}, nil
	case link.Recover:
		r, err := s.c.Store.Recovery(ctx, c.WorkspaceID, c.Subject)
		return subject{state: recoveryStates[r.State]}, err
	case link.Register:
		id = record.DerivedID("registration", c.WorkspaceID, c.Subject)
	}
	a, err := s.c.Store.Activity(ctx, c.WorkspaceID, id)
	if c.Kind == link.Register && errors.Is(err, fault.ErrNotFound) {
		return subject{state: activity.Awaiting}, nil // its row is written when it is tried
	}
	return subject{a.State, a.Body, a.Fingerprint, a.SubOrganizationID, a.WalletID,
		func(ctx context.Context) error { return s.c.Changes.SweepOne(ctx, a) }}, err
}

// recoveryStates are the link's states by the states of its recovery.
var recoveryStates = map[recovery.State]activity.State{
	recovery.Requested: activity.Awaiting, recovery.Pending: activity.Done, recovery.Completed: activity.Done,
	recovery.Cancelled: activity.Cancelled, recovery.Expired: activity.Expired,
}

func ended(reason, words string) error {
	return ErrOver.Msg(words).With("reason", reason)
}

// over is the error of a link that can no longer be finished, or nil.
func (s *Service) over(c link.Ceremony, state activity.State) error {
	switch {
	case c.Declined:
		return errDeclined()
	case state == activity.Cancelled:
		return ended("cancelled", "the request was cancelled. Ask for a new link if that was a mistake")
	case state == activity.Expired, c.FinishedAt.IsZero() && state == activity.Awaiting &&
		!s.c.Clock.Now().Before(c.ExpiresAt):
		return ended("expired", "it has expired. Ask for a new link")
	case state != activity.Awaiting, !c.FinishedAt.IsZero():
		return ended("finished", "it was used, and the request is done. There is nothing left to do")
	}
	return nil
}

// approvalOf is the approval that a vote is for. One that is decided needs no vote.
func (s *Service) approvalOf(ctx context.Context, workspaceID, vote string) (approval.Approval, error) {
	var body wire.Body
	var p wire.ApproveActivityParams
	if err := json.Unmarshal([]byte(vote), &body); err != nil {
		return approval.Approval{}, fmt.Errorf("reading a vote: %w", err)
	}
	if err := json.Unmarshal(body.Parameters, &p); err != nil {
		return approval.Approval{}, fmt.Errorf("reading a vote: %w", err)
	}
	return s.c.Store.Approval(ctx, workspaceID, approval.ID(workspaceID, p.Fingerprint))
}
