// Package payout is the payout kit: recipients and their bank accounts, and what
// is paid out to them. The partner holds the money and reaches the banks; what it
// is told to do, and when, is decided here.
package payout

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
)

// Service is the kit.
type Service struct {
	store Store
	clock clock.Clock
	log   *slog.Logger
}

// Config wires a Service.
type Config struct {
	Store Store
	Clock clock.Clock
	Log   *slog.Logger
}

// New makes the kit.
func New(c Config) *Service {
	return &Service{store: c.Store, clock: c.Clock, log: c.Log}
}

// newID is the id of a new row: UUIDv7, so that rows lie in the order of time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// Sweep finds the rows that have waited too long, and does what they wait for.
func (s *Service) Sweep(context.Context) error { return nil }
