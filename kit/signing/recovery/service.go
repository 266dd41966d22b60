// Package recovery gives a user whose passkeys are lost a new one, after a delay in which any passkey that is left can
// cancel it. docs/recovery.md tells why it is safe.
//
// A recovery is requested when its link is mailed, and expires with the link after 15 minutes. With the new passkey
// handed in it is pending, until the delay is over and it is completed, or a passkey cancels it. Example: the mail
// goes out at 12:00 and the new passkey is handed in at 12:10; with the delay of 72 hours it can sign from 12:10 three
// days later.
//
// No answer tells whether an e-mail belongs to a user: a recovery for an unknown e-mail makes the same rows and gives
// the same answers. Only the mail is missing.
//
// Read recovery.go for the row, then initiate.go, context.go, sync.go and settle.go in the order in which they happen,
// job.go for what the server does by itself, mail.go for what it mails, and rule.go for how one is recovered and how a
// recovery is cancelled.
package recovery

import (
	"context"
	"log/slog"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what recoveries need of a transaction of the database.
type Tx interface {
	passkey.Tx
	record.Queue
	InsertRecovery(context.Context, Recovery) error
	TryRecovery(ctx context.Context, r Recovery, tried string) error // body and passkey
	// state, proof, times; notice is owed then
	MoveRecovery(ctx context.Context, r Recovery, from State, notice string) error
	MailedRecovery(ctx context.Context, r Recovery, owed string) error // if r still owes what it did
	TouchRecovery(ctx context.Context, workspaceID, id string, now time.Time) error
	// SetRecoveryRule writes what the enclave said at an instant; what it said earlier than the row has is not written.
	SetRecoveryRule(
		ctx context.Context, workspaceID, subOrganizationID, publicKey string, emailOnly bool, at time.Time,
	) error
}

// Store is what recoveries need of a database.
type Store interface {
	SubOrganization(ctx context.Context, workspaceID, id string) (passkey.SubOrganization, error)
	Passkeys(ctx context.Context, workspaceID, subOrganizationID string) ([]passkey.Passkey, error)
	Recovery(ctx context.Context, workspaceID, id string) (Recovery, error)
	RecoveryOfPasskey(ctx context.Context, workspaceID, credentialID string) (Recovery, error) // the newest
	// that have work since before then
	WaitingRecoveries(ctx context.Context, before time.Time, limit int) ([]Recovery, error)
	// EarlierRecoveries counts those of the same e-mail that were asked for since then and before this one.
	EarlierRecoveries(ctx context.Context, r Recovery, since time.Time) (int, error)
	AdminEmails(ctx context.Context, workspaceID string) ([]string, error)
	record.Writer[Tx]
}

// Service recovers users.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store          Store
	Enclave        signer.Enclave
	Activities     *activity.Service
	Changes        activity.Changes
	Passkeys       *passkey.Service
	Links          *link.Links
	Post           *mail.Post // nil: mail waits until there is one
	Environment    chain.Environment
	RPID           string
	CeremonyOrigin string // of the passkey page; empty: there is none
	Clock          clock.Clock
	Log            *slog.Logger
}

// New makes a Service.
func New(c Config) *Service { return &Service{c} }
