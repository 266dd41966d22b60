// Package alert mails the admins and managers of a workspace when a bank account, or
// the place where its refunds go, has changed: who has stolen an API key cannot do
// that unseen.
//
// An alert is raised in the transaction of its change and waits. The first one is
// mailed at once; what happens in the five minutes after a mail stands together in
// the next one. Each member gets a mail with a link of its own (queued, sent or
// failed), which can freeze the accounts that the mail is about, once each, for seven
// days.
//
// Read alert.go (what happened), mail.go (how members are told), then link.go (what
// the link in a mail shows). Freezing is package account's.
package alert

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/mail"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/text"
)

// Change is what happened to a bank account.
type Change string

// The changes that members are mailed of.
const (
	Added           Change = "added"
	Changed         Change = "changed"
	Archived        Change = "archived"
	Restored        Change = "restored"
	Confirmed       Change = "confirmed"
	Unfrozen        Change = "unfrozen"
	ReturnChanged   Change = "return_address"
	ReturnConfirmed Change = "return_confirmed"
)

// Alert is a change of a bank account, or of where its refunds go, that the
// workspace's admins and managers are mailed of.
type Alert struct {
	WorkspaceID, ID, AccountID string
	Change                     Change
	Detail                     string // which fields, or the new return address
	By                         auth.Kind
	ByID                       string
	RemoteIP                   string
	UsedAt                     time.Time // when the account was frozen by the mail's link
	CreatedAt                  time.Time
}

// Shown is an alert with the account and the recipient that it is about.
type Shown struct {
	Alert
	RecipientName string
	Currency      money.Currency // of the account
	LastFour      string
	FrozenAt      time.Time // zero: the account is not frozen now
}

// Store keeps alerts and their mails.
type Store interface {
	record.Writer[Tx]
	// Alerts lists those of a mail, newest first. Of accounts that the partner refused at once there are none.
	Alerts(ctx context.Context, workspaceID, mailID string, limit int) ([]Shown, error)
	// NewestWaitingAlert is when the newest that stands in no mail was made; zero where there is none.
	NewestWaitingAlert(ctx context.Context, workspaceID string) (time.Time, error)
	LastAlertMail(ctx context.Context, workspaceID string) (time.Time, error) // zero where there is none
	AlertReaders(ctx context.Context, workspaceID string) ([]Reader, error)
	QueuedAlertMails(ctx context.Context, workspaceID string) ([]Mail, error)
	AlertMail(ctx context.Context, tokenHash string) (Mail, error)
	// UnsentAlerts lists the workspaces with alerts or mails that have waited since before the instant.
	UnsentAlerts(ctx context.Context, before time.Time, limit int) ([]string, error)
	DropAlertTokens(ctx context.Context, before time.Time) error
}

// Tx writes mails.
type Tx interface {
	// BatchAlerts puts all that stand in no mail into one, but for accounts that the
	// partner is still asked about, and tells whether there were any.
	BatchAlerts(ctx context.Context, workspaceID, mailID string) (bool, error)
	InsertAlertMail(context.Context, Mail) error
	// ClaimAlertMail has nobody else send a mail, and is record.ErrStale where somebody does who claimed it after the
	// instant.
	ClaimAlertMail(ctx context.Context, m Mail, now, before time.Time) error
	ReleaseAlertMail(context.Context, Mail) error
	AlertMailed(ctx context.Context, m Mail, status mail.Status) error
	record.Queue
}

// RaiseTx writes an alert in the transaction of the change that it tells of.
type RaiseTx interface {
	InsertAlert(context.Context, Alert) error // unless it is there
	record.Queue
}

// Job mails a workspace's members of changed bank accounts.
const Job job.Kind = "payout_alert"

// New is a change that a caller makes.
func New(cmd *command.Command, now time.Time, workspaceID, accountID string, change Change, detail string) Alert {
	return Alert{
		WorkspaceID: workspaceID, ID: record.NewID(), AccountID: accountID, Change: change, Detail: detail,
		By: cmd.Principal.Kind, ByID: cmd.Principal.ID, RemoteIP: cmd.RemoteIP, CreatedAt: now,
	}
}

// Raise writes an alert down in the transaction of its change, with the job that
// mails it: either both are there after a crash, or neither.
func Raise(ctx context.Context, tx RaiseTx, a Alert) error {
	if err := tx.InsertAlert(ctx, a); err != nil {
		return err
	}
	return tx.Enqueue(ctx, job.Job{Kind: Job, WorkspaceID: a.WorkspaceID, ID: a.WorkspaceID, Anew: true})
}

// happened says in a few words what a change was.
var happened = map[Change]string{
	Added: "added", Changed: "changed", Archived: "archived", Restored: "brought back from the archive",
	Confirmed: "confirmed, so that it is paid from now on", Unfrozen: "unfrozen",
	ReturnChanged: "refunds will go to another address", ReturnConfirmed: "refunds go to another address from now on",
}

// line is an alert as a mail shows it: the account, the change, when, by whom and from where.
func (a Shown) line(members map[string]string) string {
	what := happened[a.Change]
	if a.Detail != "" {
		what += " (" + a.Detail + ")"
	}
	return fmt.Sprintf("%s, %s account ending in %s: %s, %s UTC, by %s, from %s",
		text.InMail(a.RecipientName), a.Currency.Upper(), text.InMail(a.LastFour), what,
		a.CreatedAt.UTC().Format("2 January 2006 15:04"), a.author(members), cmp.Or(a.RemoteIP, "an unknown address"))
}

// author names whoever made a change: a member by its e-mail, if it is a member still.
func (a Alert) author(members map[string]string) string {
	switch a.By {
	case auth.ByInvite:
		return "the recipient's invite"
	case auth.BySession:
		return "the member " + cmp.Or(members[a.ByID], a.ByID)
	}
	return "the API key " + a.ByID
}
