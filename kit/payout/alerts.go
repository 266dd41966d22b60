package payout

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// AlertChange is what happened to a bank account.
type AlertChange string

// The changes that members are mailed of.
const (
	AlertAdded           AlertChange = "added"
	AlertChanged         AlertChange = "changed"
	AlertArchived        AlertChange = "archived"
	AlertRestored        AlertChange = "restored"
	AlertConfirmed       AlertChange = "confirmed"
	AlertUnfrozen        AlertChange = "unfrozen"
	AlertReturn          AlertChange = "return_address"
	AlertReturnConfirmed AlertChange = "return_confirmed"
)

// Alert is a change of a bank account, or of where its refunds go, that the
// workspace's admins and managers are mailed of.
type Alert struct {
	WorkspaceID, ID, AccountID string
	Change                     AlertChange
	Detail                     string // which fields, or the new return address
	By                         auth.Kind
	ByID                       string
	RemoteIP                   string
	UsedAt                     time.Time // when the account was frozen by the mail's link
	CreatedAt                  time.Time
}

// AlertShown is an alert with the account and the recipient that it is about.
type AlertShown struct {
	Alert
	Account       BankAccount
	RecipientName string
}

// AlertMail is a mail to one member, with its link.
type AlertMail struct {
	WorkspaceID, TokenHash string
	ID                     string // the same for all members
	MemberID, Email        string
	Sealed                 string // the token, until it is mailed
	CreatedAt, ExpiresAt   time.Time
}

// AlertReader is a member who is mailed.
type AlertReader struct{ MemberID, Email string }

// AlertStore reads alerts and their mails.
type AlertStore interface {
	// Alerts lists those of a mail, newest first. Of accounts that the partner refused at once there are none.
	Alerts(ctx context.Context, workspaceID, mailID string, limit int) ([]AlertShown, error)
	// NewestWaitingAlert is when the newest that stands in no mail was made; zero where there is none.
	NewestWaitingAlert(ctx context.Context, workspaceID string) (time.Time, error)
	LastAlertMail(ctx context.Context, workspaceID string) (time.Time, error) // zero where there is none
	AlertReaders(ctx context.Context, workspaceID string) ([]AlertReader, error)
	QueuedAlertMails(ctx context.Context, workspaceID string) ([]AlertMail, error)
	AlertMail(ctx context.Context, tokenHash string) (AlertMail, error)
	// UnsentAlerts lists the workspaces with alerts or mails that have waited since before the instant.
	UnsentAlerts(ctx context.Context, before time.Time, limit int) ([]string, error)
	DropAlertTokens(ctx context.Context, before time.Time) error
}

// AlertTx writes them.
type AlertTx interface {
	InsertAlert(context.Context, Alert) error // unless it is there
	// BatchAlerts puts all that stand in no mail into one, but for accounts that the
	// partner is still asked about, and tells whether there were any.
	BatchAlerts(ctx context.Context, workspaceID, mailID string) (bool, error)
	InsertAlertMail(context.Context, AlertMail) error
	// ClaimAlertMail has nobody else send a mail, and is work.ErrStale where somebody does who claimed it after the instant.
	ClaimAlertMail(ctx context.Context, m AlertMail, now, before time.Time) error
	ReleaseAlertMail(context.Context, AlertMail) error
	AlertMailed(ctx context.Context, m AlertMail, status MailStatus) error
	// UseAlerts uses a mail's link for an account, and is work.ErrStale where it was used.
	UseAlerts(ctx context.Context, workspaceID, mailID, accountID string, now time.Time) error
	// DropReturnChanges drops the changes of an account's return addresses that wait.
	DropReturnChanges(ctx context.Context, workspaceID, accountID string, now time.Time) error
}

// JobAlert mails a workspace's members of changed bank accounts.
const JobAlert job.Kind = "payout_alert"

// alert is a change that a caller makes.
func (s *Service) alert(cmd *command.Command, workspaceID, accountID string, change AlertChange, detail string) Alert {
	return Alert{
		WorkspaceID: workspaceID, ID: work.NewID(), AccountID: accountID, Change: change, Detail: detail,
		By: cmd.Principal.Kind, ByID: cmd.Principal.ID, RemoteIP: cmd.RemoteIP, CreatedAt: s.clock.Now(),
	}
}

// raise writes an alert down in the transaction of its change, with the job that
// mails it: either both are there after a crash, or neither.
func raise(ctx context.Context, tx Tx, a Alert) error {
	if err := tx.InsertAlert(ctx, a); err != nil {
		return err
	}
	return tx.Enqueue(ctx, alertJob(a.WorkspaceID))
}

func alertJob(workspaceID string) job.Job {
	return job.Job{Kind: JobAlert, WorkspaceID: workspaceID, ID: workspaceID, Anew: true}
}

// raising is an applicant whose claim of an account raises an alert. A row that is
// claimed again, after a caller died, is the same change: it raises no second one.
func (s *Service) raising(by applicant, cmd *command.Command, change AlertChange, detail string) applicant {
	claim := by.claim
	by.claim = func(ctx context.Context, tx Tx, account BankAccount) error {
		if err := claim(ctx, tx, account); err != nil {
			return err
		}
		a := s.alert(cmd, account.WorkspaceID, account.ID, change, detail)
		if change == AlertAdded {
			a.ID = uuid.NewSHA1(uuid.NameSpaceOID, []byte("added "+account.ID)).String()
		}
		return raise(ctx, tx, a)
	}
	return by
}
