package alert

import (
	"context"
	"errors"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
)

// ErrUnknown is a link of no mail, or of one whose time is over.
var ErrUnknown = fault.Define(fault.NotFound, "alert_unknown", "This link is not known, or no longer",
	"No mail about a bank account has this token, or it is older than 7 days")

// View is a change of a bank account as the page of a mail's link shows it.
type View struct {
	AccountID     string `json:"accountId" format:"uuid"`
	RecipientName string `json:"recipientName"`
	Currency      string `json:"currency" enum:"usd,eur,mxn,brl,gbp"`
	LastFour      string `json:"lastFour"`
	Change        Change `json:"change" enum:"added,changed,archived,restored,confirmed,unfrozen,return_address,return_confirmed"`
	Detail        string `json:"detail,omitempty" doc:"Which fields, or the new return address"`
	By            string `json:"by" doc:"Who made the change"`
	RemoteIP      string `json:"remoteIp,omitempty" doc:"From where"`
	At            string `json:"at" format:"date-time"`
	Frozen        bool   `json:"frozen" doc:"Nothing is paid to the account now"`
	Used          bool   `json:"used" doc:"The link has frozen this account, and does so once"`
}

// Opened is what whoever has the link of a mail may see.
type Opened struct {
	BusinessName string `json:"businessName"`
	ExpiresAt    string `json:"expiresAt" format:"date-time"`
	Changes      []View `json:"changes" doc:"Newest first"`
}

// Find finds the mail whose link a token is of.
func (s *Service) Find(ctx context.Context, token string) (Mail, error) {
	if len(token) != auth.SecretLength {
		return Mail{}, ErrUnknown
	}
	m, err := s.store.AlertMail(ctx, auth.Hash(token))
	if errors.Is(err, fault.ErrNotFound) || err == nil && !s.clock.Now().Before(m.ExpiresAt) {
		return Mail{}, ErrUnknown
	}
	return m, err
}

// Open says what a mail is about. It changes nothing: programs that look
// through mail open links, too.
func (s *Service) Open(ctx context.Context, m Mail, business string) (Opened, error) {
	alerts, err := s.store.Alerts(ctx, m.WorkspaceID, m.ID, mostShown)
	if err != nil {
		return Opened{}, err
	}
	members, err := s.memberNames(ctx, m.WorkspaceID)
	if err != nil {
		return Opened{}, err
	}
	opened := Opened{BusinessName: business, ExpiresAt: clock.ISO(m.ExpiresAt), Changes: make([]View, len(alerts))}
	for i, a := range alerts {
		opened.Changes[i] = View{
			AccountID: a.AccountID, RecipientName: a.RecipientName, Currency: string(a.Currency), LastFour: a.LastFour,
			Change: a.Change, Detail: a.Detail, By: a.author(members), RemoteIP: a.RemoteIP, At: clock.ISO(a.CreatedAt),
			Frozen: !a.FrozenAt.IsZero(), Used: !a.UsedAt.IsZero(),
		}
	}
	return opened, nil
}

// About is nil where a mail is about an account.
func (s *Service) About(ctx context.Context, m Mail, accountID string) error {
	alerts, err := s.store.Alerts(ctx, m.WorkspaceID, m.ID, mostShown)
	for _, a := range alerts {
		if a.AccountID == accountID {
			return nil
		}
	}
	return errors.Join(err, fault.Missing("Bank account"))
}
