package enclave

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/stamp"
	"github.com/railkit/railkit/enclave/wire"
)

// Bounds of the memory for unanswered recoveries. A later one for the same e-mail
// does not end the earlier: who can ask for one must not be able to kill another's
// link. The oldest of too many makes room; beyond the bound of all, new ones are
// refused until others expire.
const (
	recoveryLife    = 15 * time.Minute
	recoverySecret  = 32
	perEmail        = 4
	recoveriesOfOne = 1024 // of one workspace
	allRecoveries   = 1 << 16
)

// recoveries remembers what was begun and not yet answered. It is memory only:
// after a restart the recovery begins again.
type recoveries struct {
	mu    sync.Mutex
	order []*begun // oldest first
	byID  map[string]*begun
}

type begun struct {
	decide.Begun
	workspaceID string
	secret      [recoverySecret]byte
}

func newRecoveries() *recoveries { return &recoveries{byID: map[string]*begun{}} }

// Recovery begins one: it gives the half that is mailed. For an e-mail that nobody
// has it does the same work.
func (s *Service) Recovery(q wire.RecoveryRequest) (wire.RecoveryReply, error) {
	// It rests on no entry, but what a broken enclave begins could not be answered.
	if err := s.durable(0); err != nil {
		return wire.RecoveryReply{}, err
	}
	b, err := s.newRecovery(q)
	if err != nil {
		return wire.RecoveryReply{}, err
	}
	sealed, err := sealTo(q.TargetPublicKey, wire.RecoveryInfo(string(s.genesis.Environment), b.ID), b.secret[:])
	if err != nil {
		return wire.RecoveryReply{},
			refusal.ErrBody.Msg("targetPublicKey is not a compressed P-256 key in hex").Because(err)
	}
	if err := s.begun.add(b, s.clock.Now()); err != nil {
		return wire.RecoveryReply{}, err
	}
	reply := wire.RecoveryReply{
		RecoveryID: b.ID, OrganizationID: b.OrganizationID, UserID: b.UserID, Bundle: sealed,
		Known: b.OrganizationID != "", ExpiresAtMs: strconv.FormatInt(b.ExpiresAt.UnixMilli(), 10),
	}
	if reply.Known {
		reply.Email = b.Email
	}
	return reply, nil
}

func (s *Service) newRecovery(q wire.RecoveryRequest) (*begun, error) {
	if q.WorkspaceID == "" || len(q.WorkspaceID) > 64 {
		return nil, refusal.ErrBody.Msg("workspaceId is missing or too long")
	}
	if !decide.IsEmail(q.Email) {
		return nil, refusal.ErrBody.Msg("email is not an e-mail address")
	}
	b := &begun{workspaceID: q.WorkspaceID}
	id := make([]byte, 16)
	for _, random := range [][]byte{id, b.secret[:]} {
		if _, err := rand.Read(random); err != nil {
			return nil, fmt.Errorf("making a recovery's secret: %w", err)
		}
	}
	b.Email = q.Email
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.state.Recoverable(q.WorkspaceID, q.Email); ok {
		b.Begun = known
	}
	b.ID, b.ExpiresAt = decide.RecoveryID(hex.EncodeToString(id)), s.clock.Now().Add(recoveryLife)
	return b, nil
}

func (r *recoveries) add(b *begun, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(func(old *begun) bool { return !now.Before(old.ExpiresAt) })
	if len(r.order) >= allRecoveries {
		return errBusy
	}
	of := func(old *begun) bool { return old.workspaceID == b.workspaceID }
	r.room(recoveriesOfOne, of)
	r.room(perEmail, func(old *begun) bool { return of(old) && strings.EqualFold(old.Email, b.Email) })
	r.order, r.byID[b.ID] = append(r.order, b), b
	return nil
}

// room drops the oldest of a kind that has its number already.
func (r *recoveries) room(limit int, of func(*begun) bool) {
	n := 0
	for _, b := range r.order {
		if of(b) {
			n++
		}
	}
	r.drop(func(b *begun) bool {
		if n < limit || !of(b) {
			return false
		}
		n--
		return true
	})
}

// drop forgets, and leaves no secret behind.
func (r *recoveries) drop(gone func(*begun) bool) {
	kept := r.order[:0]
	for _, b := range r.order {
		if !gone(b) {
			kept = append(kept, b)
			continue
		}
		delete(r.byID, b.ID)
		clear(b.secret[:])
	}
	clear(r.order[len(kept):])
	r.order = kept
}

// find gives what was begun, nil where it was not, or was for nobody.
func (r *recoveries) find(id string) *decide.Begun {
	b, _ := r.open(id)
	return b
}

func (r *recoveries) open(id string) (*decide.Begun, [recoverySecret]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.byID[id]
	if b == nil || b.OrganizationID == "" {
		return nil, [recoverySecret]byte{}
	}
	known := b.Begun
	return &known, b.secret
}

// use removes a recovery that was answered.
func (r *recoveries) use(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(func(b *begun) bool { return b.ID == id })
}

// readRecovery holds the new passkey against the mailed secret, which it has to
// have answered as its challenge.
func (s *Service) readRecovery(sub *decide.Submission) error {
	p := sub.Request.Recovery()
	b, secret := s.begun.open(p.RecoveryID)
	if b == nil {
		return refusal.ErrRecovery
	}
	reg, err := stamp.VerifyRegistration(s.state.RP, secret[:], p.Attestation)
	if err != nil {
		return refusal.ErrRecovery.Because(err)
	}
	sub.Begun, sub.Registration = b, &reg
	return nil
}
