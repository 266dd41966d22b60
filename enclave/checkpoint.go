package enclave

import (
	"errors"
	"os"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
)

// checkpointEvery is how many entries a start has to decode at most, about.
const checkpointEvery = 10_000

// restore gives the state of the last checkpoint and where it stands, or an empty
// state where there is none that can be used: then the journal is replayed in full.
// One that is authentic has to fit the log also when it is not used.
func (s *Service) restore(o journal.Options, c decide.Constants) (state *decide.State, p journal.Position, used bool) {
	p, payload, err := journal.ReadCheckpoint(o)
	if err == nil {
		state, err = decide.Restore(c, s.build, payload)
	}
	if err == nil {
		return state, p, true
	}
	if !errors.Is(err, os.ErrNotExist) {
		s.log.Warn("the checkpoint of the journal cannot be used, the journal is replayed in full", "error", err)
	}
	return decide.NewState(c), p, false
}

// wantCheckpoint asks for a checkpoint. While one is being written the next is
// let go: it will come with the one after.
func (s *Service) wantCheckpoint(seq uint64) {
	select {
	case s.due <- seq:
	default:
	}
}

// keepCheckpoints writes checkpoints until the service stops. Nothing depends on
// them, so a failure is told and that is all.
func (s *Service) keepCheckpoints() {
	for {
		select {
		case <-s.stop:
			return
		case seq := <-s.due:
			if _, err := guarded(s.checkpoint, seq); err != nil {
				s.log.Warn("no checkpoint of the journal was written, the next start takes longer",
					"entry", seq, "error", err)
			}
		}
	}
}

// checkpoint makes the state of the entries up to seq out of the last checkpoint
// and of the log, not of what is in memory: signing does not stop for it, and
// what is written is what a replay would have made.
func (s *Service) checkpoint(seq uint64) (done bool, err error) {
	if err := s.journal.Wait(seq); err != nil {
		return false, err
	}
	state, p := s.lastCheckpoint()
	if p.Seq >= seq {
		return false, nil
	}
	for p.Seq < seq {
		if s.stopping() {
			return false, nil
		}
		var e decide.Event
		if e, p, err = readEvent(s.journal, p.Seq+1); err != nil {
			return false, err
		}
		if err := state.Apply(e, p.Seq); err != nil {
			return false, err
		}
	}
	payload, err := state.Save(s.build)
	if err != nil {
		return false, err
	}
	return true, s.journal.WriteCheckpoint(p, payload)
}

// lastCheckpoint is the state to go on from: an empty one where there is no good one.
func (s *Service) lastCheckpoint() (*decide.State, journal.Position) {
	p, payload, err := s.journal.Checkpoint()
	if err == nil {
		if state, err := decide.Restore(s.sealed, s.build, payload); err == nil {
			return state, p
		}
	}
	return decide.NewState(s.sealed), journal.Position{}
}

func (s *Service) stopping() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}
