// Package passkey registers sub-organizations and their passkeys. A sub-organization is an end user of a workspace, or
// a group of them. Only its passkeys sign for its wallets. Registering a first passkey makes the sub-organization; its
// passkeys then add and remove others.
//
// A browser makes a passkey for a challenge of the enclave, which can be used once, for 5 minutes. The passkey is
// valid until another one removes it; the last one cannot be removed. The enclave's journal decides which passkeys are
// valid; the rows here are a copy. Only a passkey's label is not in the enclave.
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
	PasskeyPage(context.Context, Filter) ([]Passkey, int, error)
	Passkey(ctx context.Context, workspaceID, id string) (Passkey, error)
	Activity(ctx context.Context, workspaceID, id string) (activity.Activity, error)
	record.Writer[Tx]
}

// Service registers, changes and lists passkeys.
type Service struct {
	c Config
	*Directory
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
		c:         c,
		Directory: c.Directory,
	}
}
