package enclave

import (
	"fmt"

	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// Outcome tells what became of a body.
func (s *Service) Outcome(q wire.FingerprintRequest) (wire.OutcomeReply, error) {
	past, ok := s.lookup(q.Fingerprint)
	if !ok {
		return wire.OutcomeReply{State: wire.Unknown}, s.durable(0)
	}
	return s.outcome(past.Seq)
}

// Known tells of which bodies Outcome has something to tell. A server asks so about all that wait for their owners: of
// five hundred, say, nearly all have nothing.
func (s *Service) Known(q wire.KnownRequest) (wire.KnownReply, error) {
	if len(q.Fingerprints) > wire.MaxKnown {
		return wire.KnownReply{}, fault.Field("fingerprints", fmt.Sprintf("must name at most %d bodies", wire.MaxKnown))
	}
	known := []string{}
	for _, fingerprint := range q.Fingerprints {
		if _, ok := s.lookup(fingerprint); ok {
			known = append(known, fingerprint)
		}
	}
	return wire.KnownReply{Known: known}, s.durable(0)
}

// outcome makes the proof of a recorded event, the same at every call: it reads
// the event from the journal also the first time, so that a signature of the
// enclave is a function of what stands there and of nothing else.
func (s *Service) outcome(seq uint64) (wire.OutcomeReply, error) {
	if err := s.durable(seq); err != nil {
		return wire.OutcomeReply{}, err
	}
	crash.At("enclave", "durable")
	e, p, err := s.entry(seq)
	if err != nil {
		return wire.OutcomeReply{}, err
	}
	result := e.Result()
	if e.Transaction != nil {
		result.Transaction, err = s.sign(*e.Transaction)
	}
	if e.Message != nil {
		result.Signature, err = s.signMessage(*e.Message)
	}
	if err != nil {
		return wire.OutcomeReply{}, err
	}
	st := wire.Statement{
		Kind:           wire.KindResult,
		OrganizationID: e.OrganizationID,
		Fingerprint:    e.Fingerprint,
		Activity:       e.Activity,
		Result:         result,
	}
	state := stateOf(e.Kind)
	switch state {
	case wire.Cancelled:
		st.Result = nil
	case wire.Held, wire.Denied:
		st.Outcome = state
	}
	st.RecoveryPending = e.RecoveryPending
	if e.Stamp != nil {
		st.PasskeyChanged = e.Stamp.Changed
	}
	proof, err := s.prove(st, p, e.TimeMs)
	crash.At("enclave", "signed")
	return wire.OutcomeReply{State: state, Proof: proof}, err
}

func stateOf(k decide.EventKind) wire.OutcomeState {
	switch k {
	case decide.EventCancelled:
		return wire.Cancelled
	case decide.EventHeld, decide.EventRecovery:
		return wire.Held
	case decide.EventDenied:
		return wire.Denied
	}
	return wire.Done
}
