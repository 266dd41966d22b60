// Package activity is a body on its way through the enclave: it is prepared here, stamped by a passkey elsewhere, and
// executed by the enclave. All that is no transaction is an activity: a new passkey, wallet or address, a rule, a
// message, a vote.
//
// An activity awaits its stamp for 15 minutes. Then it is done, held for votes, failed (a rule refuses it for good) or
// expired; one that was held ends as done, failed, cancelled or expired.
//
// Read activity.go for the row and its states, stamped.go for the forms in which bodies travel, draft.go for how a body
// is prepared, change.go for calls that come in three forms, kind.go for what the server does about each kind of
// bodies, and held.go for bodies that wait or are refused.
package activity

import (
	"context"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Tx is what an activity needs of a transaction of the database. A compare-and-swap that finds another state answers
// record.ErrStale.
type Tx interface {
	denial.Tx
	approval.Tx
	link.Tx
	Toucher
	// InsertActivity also notes the agent that the body is about, if it is about one: the activity's audit entries are
	// the agent's too. A second one with the same id: no-op.
	InsertActivity(context.Context, Activity) error
	// MoveActivity also names the wallet that came of it, where walletID is given.
	MoveActivity(ctx context.Context, workspaceID, id string, from, to State, walletID string, now time.Time) error
	// ShowActivity keeps the preview of a body that got none before it was held.
	ShowActivity(ctx context.Context, workspaceID, id, preview string) error
}

// Toucher notes when a passkey was last used.
type Toucher interface {
	// none: no-op
	TouchPasskey(workspaceID, subOrganizationID, credentialID string, at time.Time)
}

// Store is what activities need of a database.
type Store interface {
	record.Writer[Tx]
}

// Passkeys knows which passkeys may stamp; package passkey has it.
type Passkeys interface {
	AllowCredentials(ctx context.Context, o Owner) ([]rest.AllowCredential, error)
}

// Service prepares bodies and writes what becomes of them.
type Service struct{ c Config }

// Config wires a Service.
type Config struct {
	Store       Store
	Enclave     signer.Enclave
	Environment chain.Environment
	Passkeys    Passkeys
	Denials     *denial.Service
	Links       *link.Links
	Clock       clock.Clock
}

// New makes a Service.
func New(c Config) *Service { return &Service{c} }
