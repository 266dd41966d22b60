package alert

import (
	"context"
	"errors"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// ErrUnknown is the error of a link that belongs to no mail or has expired.
var ErrUnknown = fault.Define(fault.NotFound, "alert_unknown", "This link is not known, or no longer",
	"No mail about a bank account has this token, or it is older than 7 days")

// Find finds the mail of a link's token.
func (s *Service) Find(ctx context.Context, token string) (Mail, error) {
	if len(token) != auth.SecretLength {
		return Mail{}, ErrUnknown
	}
	m, err := s.c.Store.AlertMail(ctx, auth.Hash(token))
	if errors.Is(err, fault.ErrNotFound) || err == nil && !s.c.Clock.Now().Before(m.ExpiresAt) {
		return Mail{}, ErrUnknown
	}
	return m, err
}

// Open shows the changes in a mail. It changes nothing, since mail scanners open links too.
func (s *Service) Open(ctx context.Context, m Mail, business string) (rest.AlertOpened, error) {
	alerts, err := s.c.Store.Alerts(ctx, m.WorkspaceID, m.ID, mostShown)
	if err != nil {
		return rest.AlertOpened{}, err
	}
	members, err := s.memberNames(ctx, m.WorkspaceID)
	if err != nil {
		return rest.AlertOpened{}, err
	}
	opened := rest.AlertOpened{
		BusinessName: business, ExpiresAt: clock.ISO(m.ExpiresAt), Changes: make([]rest.Alert, len(alerts)),
	}
	for i, a := range alerts {
		opened.Changes[i] = rest.Alert{
			AccountID: a.AccountID, RecipientName: a.RecipientName, Currency: string(a.Currency), LastFour: a.LastFour,
			Change: string(a.Change), Detail: a.Detail, By: a.author(members), RemoteIP: a.RemoteIP,
			At:     clock.ISO(a.CreatedAt),
			Frozen: !a.FrozenAt.IsZero(), Used: !a.UsedAt.IsZero(),
		}
	}
	return opened, nil
}

// About is nil if a mail has an alert of this account.
func (s *Service) About(ctx context.Context, m Mail, accountID string) error {
	alerts, err := s.c.Store.Alerts(ctx, m.WorkspaceID, m.ID, mostShown)
	for _, a := range alerts {
		if a.AccountID == accountID {
			return nil
		}
	}
	return errors.Join(err, fault.Missing("Bank account"))
}
