package ceremony

import (
	"context"
	"errors"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/rest"
)

// Back is where the page leads once a link has ended. Of a link that is still open, or that names no address, it is
// empty. The origin is looked up now: one that was removed since the link was made is led to no more.
func (s *Service) Back(ctx context.Context, c link.Ceremony) (rest.CeremonyReturn, error) {
	sub, err := s.subjectOf(ctx, c)
	if err != nil {
		return rest.CeremonyReturn{}, err
	}
	outcome, err := s.outcome(ctx, c, sub)
	if err != nil || outcome == "" {
		return rest.CeremonyReturn{}, err
	}
	id, err := s.idOf(ctx, c, sub)
	if err != nil {
		return rest.CeremonyReturn{}, err
	}
	origin, address, err := s.c.Links.Back(ctx, c, id, outcome)
	return rest.CeremonyReturn{Origin: origin, URL: address}, err
}

// outcome is what became of a link; "": it is open.
func (s *Service) outcome(ctx context.Context, c link.Ceremony, sub subject) (link.Outcome, error) {
	switch {
	case c.Declined:
		return link.WasDeclined, nil
	case sub.state == activity.Cancelled:
		return link.WasCancelled, nil
	case sub.state == activity.Failed:
		return link.WasRefused, nil
	case sub.state == activity.Expired:
		return link.HasExpired, nil
	case !c.FinishedAt.IsZero(), sub.state != activity.Awaiting:
		return link.Done, nil
	case !s.c.Clock.Now().Before(c.ExpiresAt):
		return link.HasExpired, nil
	case c.Kind != link.Approval:
		return "", nil
	}
	a, err := s.approvalOf(ctx, c.WorkspaceID, sub.body)
	if err != nil || a.Open() {
		return "", err
	}
	return link.DecidedBefore, nil
}

// idOf is the id by which the maker of a link knows what it is for: of a vote the approval's, of a new passkey the
// challenge.
func (s *Service) idOf(ctx context.Context, c link.Ceremony, sub subject) (string, error) {
	switch c.Kind {
	case link.Approval:
		a, err := s.approvalOf(ctx, c.WorkspaceID, sub.body)
		return a.ID, err
	case link.Register, link.Add:
		_, challenge := c.Adding()
		return challenge, nil
	}
	return c.Subject, nil
}

// walletName is what the database calls the wallet that a link is about; "" where it is about none, or about one that
// is still to be made.
func (s *Service) walletName(ctx context.Context, c link.Ceremony, sub subject) (string, error) {
	id := sub.walletID
	if c.Kind == link.Approval {
		a, err := s.approvalOf(ctx, c.WorkspaceID, sub.body)
		if err != nil {
			return "", err
		}
		id = a.WalletID
	}
	if id == "" {
		return "", nil
	}
	w, err := s.c.Store.Wallet(ctx, c.WorkspaceID, id)
	if errors.Is(err, fault.ErrNotFound) {
		return "", nil
	}
	return w.Name, err
}
