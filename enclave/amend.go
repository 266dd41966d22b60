package enclave

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/wire"
)

// Amending is what an operator wants added to a signer that is not running.
type Amending struct {
	Options
	Wanted decide.Amendment
	Listed bool // also the networks and tokens that this program lists and the signer has not
	// Confirm has the operator confirm every change by its name. Nothing is written where it fails.
	Confirm func(env chain.Environment, changes []decide.Change) error
}

// Amend adds to what was sealed at genesis, and says what it has added: nothing where all of it was in force. Who
// amends has the unseal secret, since the journal's key is sealed with it, and the signer is not running, since the
// journal is locked by one process alone. No call over the socket can do it.
//
// All changes are one entry of the journal. A crash leaves either all of them or none, and who amends again finds out
// which: the same changes are then said to be in force. The sealed genesis is not touched.
func Amend(a Amending) (done []decide.Change, err error) {
	a.AcceptEnd = false // a damaged end is accepted by a start alone, which journals it
	s, err := Unseal(a.Options)
	if errors.Is(err, journal.ErrLocked) {
		return nil, fmt.Errorf("the signer is running: stop it first: %w", err)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if a.Listed {
		missing := s.state.Lacking(decide.Listed(s.state.Environment))
		a.Wanted.Networks = append(missing.Networks, a.Wanted.Networks...)
		a.Wanted.Tokens = append(missing.Tokens, a.Wanted.Tokens...)
	}
	e, wanted, err := s.state.DecideAmendment(a.Wanted, s.clock.Now())
	if err != nil || !wanted {
		return nil, err
	}
	changes := e.Amendment.Changes()
	if err := a.Confirm(s.state.Environment, changes); err != nil {
		return nil, err
	}
	crash.At("amend", "confirmed")
	e.TimeMs = s.clock.Now().UnixMilli() // whoever confirms takes a while
	s.mu.Lock()
	p, err := s.record(e)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	crash.At("amend", "appended")
	if err := s.durable(p.Seq); err != nil {
		return nil, err
	}
	crash.At("amend", "durable")
	return changes, nil
}

// amendments are those that the journal holds, with the hash up to each.
func (m *memory) amendments() (wire.Sealed, error) {
	sealed := wire.Sealed{Genesis: m.bound, Amendments: m.state.Amendments()}
	for i := range sealed.Amendments {
		a := &sealed.Amendments[i]
		seq, err := strconv.ParseUint(a.Seq, 10, 64)
		if err != nil {
			return sealed, err
		}
		heads, err := m.journal.Heads([]uint64{seq})
		if err != nil {
			return sealed, fmt.Errorf("the journal has no entry of an amendment: %w", err)
		}
		a.Head = hex.EncodeToString(heads[0].Head[:])
	}
	return sealed, nil
}
