// Package idempotency executes a mutating call once, however often it is repeated with the same Idempotency-Key. Each
// repetition gets the first answer, byte for byte.
package idempotency

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

const (
	// Retention is how long an answer is kept.
	Retention = 24 * time.Hour
	// Patience is how long a second caller of a key waits for the first.
	Patience = 5 * time.Second
)

// The errors of a key.
var (
	ErrBadKey = fault.Define(fault.Invalid, "idempotency_key_malformed",
		"Validation failed: Idempotency-Key must be a UUID v4",
		"The Idempotency-Key header is not a UUID of version 4, or was sent more than once")
	ErrOtherRequest = fault.Define(fault.Unprocessable, "idempotency_key_reused",
		"Idempotency-Key was used with another request",
		"The key belongs to a call of the last 24 hours with another method, path, query or body")
	ErrInFlight = fault.Define(fault.Conflict, "idempotency_key_in_flight",
		"A request with this Idempotency-Key is still running",
		"The first call under the key did not finish within five seconds; retry after Retry-After")
)

// Service finds the first answer of a key, and lets a second call with the key wait until the first has ended.
type Service struct {
	store Store
	clock clock.Clock

	mu      sync.Mutex
	flights map[string]chan struct{} // by workspace and key hash; closed when the call ends
	waits   Waits
}

// Waits are the calls that came while another call with their key ran.
type Waits struct {
	Calls  uint64        // all of them
	GaveUp uint64        // those that waited for Patience, and those whose caller left
	Took   time.Duration // of all
}

// Waits counts since the process started.
func (s *Service) Waits() Waits {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waits
}

// New makes a Service.
func New(store Store, clk clock.Clock) *Service {
	return &Service{store: store, clock: clk, flights: map[string]chan struct{}{}}
}

// Begin claims the key for one call. If the key has an answer already, Begin returns it and claims nothing. Otherwise
// the caller runs its command and then calls end, also after an error.
func (s *Service) Begin(
	ctx context.Context, workspaceID string, key *command.Key,
) (first *command.Answer, end func(), err error) {
	end, err = s.claim(ctx, workspaceID+" "+key.Hash)
	if err != nil {
		return nil, nil, err
	}
	// Find comes after the claim: a call that held the key before has committed by now.
	first, err = s.Find(ctx, workspaceID, key)
	if err != nil || first != nil {
		end()
		return first, nil, err
	}
	return nil, end, nil
}

// Find reads the stored answer of a key. It is nil if the key has none.
func (s *Service) Find(ctx context.Context, workspaceID string, key *command.Key) (*command.Answer, error) {
	row, found, err := s.store.Answer(ctx, workspaceID, key.Hash, s.clock.Now().Add(-Retention))
	if err != nil {
		return nil, fmt.Errorf("finding the answer of an idempotency key: %w", err)
	}
	if !found {
		return nil, nil
	}
	answer, err := Replay(row, key)
	return &answer, err
}

// Replay decrypts the first answer from its row. If another request made the row, it returns ErrOtherRequest.
func Replay(row Row, key *command.Key) (command.Answer, error) {
	if row.Request != key.Request {
		return command.Answer{}, ErrOtherRequest
	}
	body, err := key.Open(row.Sealed)
	if err != nil {
		return command.Answer{}, err
	}
	return command.Answer{Status: row.Status, Body: body, Replayed: true}, nil
}

// claim waits until no other call holds the id, for Patience at most.
func (s *Service) claim(ctx context.Context, id string) (end func(), err error) {
	busy := s.take(id)
	if busy == nil {
		return sync.OnceFunc(func() { s.release(id) }), nil
	}
	began := time.Now()
	defer func() { s.count(time.Since(began), err != nil) }()
	late := time.NewTimer(Patience)
	defer late.Stop()
	for ; busy != nil; busy = s.take(id) {
		select {
		case <-busy:
		case <-late.C:
			return nil, ErrInFlight.After(time.Second)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return sync.OnceFunc(func() { s.release(id) }), nil
}

func (s *Service) count(took time.Duration, gaveUp bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits.Calls++
	s.waits.Took += took
	if gaveUp {
		s.waits.GaveUp++
	}
}

// take claims the id. If another call holds it, take returns a channel that closes when that call ends.
func (s *Service) take(id string) (busy <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if held, ok := s.flights[id]; ok {
		return held
	}
	s.flights[id] = make(chan struct{})
	return nil
}

func (s *Service) release(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.flights[id])
	delete(s.flights, id)
}
