// Package denial keeps what rules refused. The enclave refuses a body when it is prepared, when it is submitted, or
// when its last vote comes in; the server writes one row for each body that was refused, so that the owner of the
// wallet can see later what was tried. A denial has no states: it is written once and never changes.
//
// Read denial.go for the row, write.go for how it is written and list.go for how it is shown.
package denial

import (
	"context"

	"github.com/railkit/railkit/clock"
)

// Tx is what a denial needs of a transaction of the database.
type Tx interface {
	InsertDenial(context.Context, Denial) error // a second one with the same id: no-op
}

// Store is what the denials need of a database.
type Store interface {
	Denials(ctx context.Context, f Filter) ([]Denial, int, error)
	// WalletIDs finds a wallet by either of its ids, and gives both.
	WalletIDs(ctx context.Context, workspaceID, idOrEnclaveID string) (localID, enclaveID string, err error)
}

// Service writes and lists denials.
type Service struct {
	store Store
	clock clock.Clock
}

// New makes a Service.
func New(s Store, c clock.Clock) *Service { return &Service{s, c} }
