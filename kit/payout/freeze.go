package payout

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// ErrAlertUnknown is a link of no mail, or of one whose time is over.
var ErrAlertUnknown = fault.Define(fault.NotFound, "alert_unknown", "This link is not known, or no longer",
	"No mail about a bank account has this token, or it is older than 7 days")

// AlertView is a change of a bank account as the page of a mail's link shows it.
type AlertView struct {
	AccountID     string      `json:"accountId" format:"uuid"`
	RecipientName string      `json:"recipientName"`
	Currency      string      `json:"currency" enum:"usd,eur,mxn,brl,gbp"`
	LastFour      string      `json:"lastFour"`
	Change        AlertChange `json:"change" enum:"added,changed,archived,restored,confirmed,unfrozen,return_address,return_confirmed"`
	Detail        string      `json:"detail,omitempty" doc:"Which fields, or the new return address"`
	By            string      `json:"by" doc:"Who made the change"`
	RemoteIP      string      `json:"remoteIp,omitempty" doc:"From where"`
	At            string      `json:"at" format:"date-time"`
	Frozen        bool        `json:"frozen" doc:"Nothing is paid to the account now"`
	Used          bool        `json:"used" doc:"The link has frozen this account, and does so once"`
}

// AlertOpened is what whoever has the link of a mail may see.
type AlertOpened struct {
	BusinessName string      `json:"businessName"`
	ExpiresAt    string      `json:"expiresAt" format:"date-time"`
	Changes      []AlertView `json:"changes" doc:"Newest first"`
}

// AccountFrozen is what the page is told of an account.
type AccountFrozen struct {
	AccountID string `json:"accountId" format:"uuid"`
	Frozen    bool   `json:"frozen" doc:"false where a member unfroze it since"`
}

// FindAlertMail finds the mail whose link a token is of.
func (s *Service) FindAlertMail(ctx context.Context, token string) (AlertMail, error) {
	if len(token) != inviteToken {
		return AlertMail{}, ErrAlertUnknown
	}
	m, err := s.store.AlertMail(ctx, auth.Hash(token))
	if errors.Is(err, fault.ErrNotFound) || err == nil && !s.clock.Now().Before(m.ExpiresAt) {
		return AlertMail{}, ErrAlertUnknown
	}
	return m, err
}

// OpenAlertMail says what a mail is about. It changes nothing: programs that look
// through mail open links, too.
func (s *Service) OpenAlertMail(ctx context.Context, m AlertMail, business string) (AlertOpened, error) {
	alerts, err := s.store.Alerts(ctx, m.WorkspaceID, m.ID, alertShown)
	if err != nil {
		return AlertOpened{}, err
	}
	members, err := s.memberNames(ctx, m.WorkspaceID)
	if err != nil {
		return AlertOpened{}, err
	}
	opened := AlertOpened{BusinessName: business, ExpiresAt: clock.ISO(m.ExpiresAt), Changes: make([]AlertView, len(alerts))}
	for i, a := range alerts {
		opened.Changes[i] = AlertView{
			AccountID: a.AccountID, RecipientName: a.RecipientName, Currency: string(a.Account.Currency), LastFour: a.Account.Shown.LastFour,
			Change: a.Change, Detail: a.Detail, By: a.who(members), RemoteIP: a.RemoteIP, At: clock.ISO(a.CreatedAt),
			Frozen: !a.Account.FrozenAt.IsZero(), Used: !a.UsedAt.IsZero(),
		}
	}
	return opened, nil
}

// FreezeBankAccount has nothing more paid to an account that a mail is about, and
// drops the changes of its return addresses that wait. A mail's link does so once:
// after a member unfroze the account it has no power over it.
func (s *Service) FreezeBankAccount(ctx context.Context, cmd *command.Command, m AlertMail, accountID string) (command.Answer, error) {
	if err := s.aboutAccount(ctx, m, accountID); err != nil {
		return command.Answer{}, err
	}
	cmd.Principal = auth.Principal{Tenant: auth.Tenant{WorkspaceID: m.WorkspaceID}, Kind: auth.ByAlert, ID: m.MemberID}
	now := s.clock.Now()
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		a, err := tx.HoldBankAccount(ctx, m.WorkspaceID, accountID)
		if err != nil {
			return command.Reply{}, err
		}
		used := tx.UseAlerts(ctx, m.WorkspaceID, m.ID, accountID, now)
		if err = work.IgnoreStale(used); used == nil && a.FrozenAt.IsZero() {
			a.FrozenAt, a.UpdatedAt = now, now
			err = errors.Join(tx.UpdateBankAccount(ctx, a), tx.DropReturnChanges(ctx, a.WorkspaceID, a.ID, now))
		}
		return command.Reply{
			Status: 200, Message: "Bank account frozen", Data: AccountFrozen{AccountID: a.ID, Frozen: !a.FrozenAt.IsZero()},
			Audit: accountAudit(a, "bank_account.freeze"),
		}, err
	})
}

// aboutAccount is nil where a mail is about an account.
func (s *Service) aboutAccount(ctx context.Context, m AlertMail, accountID string) error {
	alerts, err := s.store.Alerts(ctx, m.WorkspaceID, m.ID, alertShown)
	for _, a := range alerts {
		if a.AccountID == accountID {
			return nil
		}
	}
	return errors.Join(err, fault.Missing("Bank account"))
}

// UnfreezeBankAccount has a frozen account paid again, on the word of a member who
// has just logged in with a passkey and seen it.
func (s *Service) UnfreezeBankAccount(ctx context.Context, cmd *command.Command, recipientID, id string, in BankAccountConfirm) (command.Answer, error) {
	return s.byMember(ctx, cmd, recipientID, id, in, "bank_account.unfreeze", AlertUnfrozen, func(a *BankAccount, now time.Time) (bool, error) {
		switch {
		case a.FrozenAt.IsZero():
			return false, nil
		case !in.saw(*a):
			return false, ErrAccountChanged
		}
		a.FrozenAt, a.UpdatedAt = time.Time{}, now
		return true, nil
	})
}
