// Package passkey is sub-organizations and their passkeys. A sub-organization is an end user's corner of a workspace:
// its passkeys are the only authority over its wallets. Registering a passkey makes one; a passkey of it adds and
// removes others.
//
// A passkey is made by a browser for a challenge of the enclave, which is good once and for 5 minutes. From then on it
// is there until another one removes it; the last one stays. The enclave's journal decides which passkeys count, and
// the rows here are the server's memory of it. Only a passkey's label is the server's own.
//
// Read passkey.go for the rows, then challenge.go, register.go, change.go (further passkeys) and list.go.
package passkey

import (
	"context"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/record"
)

// Tx is what passkeys need of a transaction of the database.
type Tx interface {
	activity.Tx
	InsertSubOrganization(context.Context, SubOrganization) error // a second one with the same id: no-op
	InsertPasskey(context.Context, Passkey) error                 // same
	RenamePasskey(ctx context.Context, workspaceID, id, label string) error
	RemovePasskey(ctx context.Context, workspaceID, subOrganizationID, credentialID string) error // none: no-op
	// RetryActivity replaces what was tried, if the row still awaits with that fingerprint.
	RetryActivity(ctx context.Context, tried string, a activity.Activity) error
}

// Store is what passkeys need of a database.
type Store interface {
	DirectoryStore
	Passkey(ctx context.Context, workspaceID, id string) (Passkey, error)
	Activity(ctx context.Context, workspaceID, id string) (activity.Activity, error)
	record.Writer[Tx]
}

// Service registers, changes and lists passkeys.
type Service struct {
	store   Store
	enclave signer.Enclave
	*Directory
	activities *activity.Service
	changes    activity.Changes
	links      *link.Links
	env        chain.Environment
	rpID       string
	clock      clock.Clock
}

// Config wires a Service.
type Config struct {
	Store       Store
	Enclave     signer.Enclave
	Directory   *Directory
	Activities  *activity.Service
	Changes     activity.Changes
	Links       *link.Links
	Environment chain.Environment
	RPID        string
	Clock       clock.Clock
}

// New makes a Service.
func New(c Config) *Service {
	return &Service{
		store:      c.Store,
		enclave:    c.Enclave,
		Directory:  c.Directory,
		activities: c.Activities,
		changes:    c.Changes,
		links:      c.Links,
		env:        c.Environment,
		rpID:       c.RPID,
		clock:      c.Clock,
	}
}
