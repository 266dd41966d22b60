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
func (m *memory) restore(o journal.Options, c decide.Constants) (state *decide.State, p journal.Position, used bool) {
	p, payload, err := journal.ReadCheckpoint(o)
	if err == nil {
		state, err = decide.Restore(c, m.build, payload)
	}
	if err == nil {
		return state, p, true
	}
	if !errors.Is(err, os.ErrNotExist) {
		m.log.Warn("the checkpoint of the journal cannot be used, the journal is replayed in full", "error", err)
	}
	return decide.NewState(c), p, false
}

// wantCheckpoint asks for a checkpoint. While one is being written the next is
// let go: it will come with the one after.
func (m *memory) wantCheckpoint(seq uint64) {
	select {
	case m.due <- seq:
	default:
	}
}

// keepCheckpoints writes checkpoints until the service stops. Nothing depends on
// them, so a failure is told and that is all.
func (m *memory) keepCheckpoints() {
	for {
		select {
		case <-m.stop:
			return
		case seq := <-m.due:
			if _, err := guarded(m.checkpoint, seq); err != nil {
				m.log.Warn("no checkpoint of the journal was written, the next start takes longer",
					"entry", seq, "error", err)
			}
		}
	}
}

// checkpoint makes the state of the entries up to seq out of the last checkpoint
// and of the log, not of what is in memory: signing does not stop for it, and
// what is written is what a replay would have made.
func (m *memory) checkpoint(seq uint64) (done bool, err error) {
	if err := m.journal.Wait(seq); err != nil {
		return false, err
	}
	state, p := m.lastCheckpoint()
	if p.Seq >= seq {
		return false, nil
	}
	for p.Seq < seq {
		if m.stopping() {
			return false, nil
		}
		var e decide.Event
		if e, p, err = readEvent(m.journal, p.Seq+1); err != nil {
			return false, err
		}
		if err := state.Apply(e, p.Seq); err != nil {
			return false, err
		}
	}
	payload, err := state.Save(m.build)
	if err != nil {
		return false, err
	}
	return true, m.journal.WriteCheckpoint(p, payload)
}

// lastCheckpoint is the state to go on from: an empty one where there is no good one.
func (m *memory) lastCheckpoint() (*decide.State, journal.Position) {
	p, payload, err := m.journal.Checkpoint()
	if err == nil {
		if state, err := decide.Restore(m.sealed, m.build, payload); err == nil {
			return state, p
		}
	}
	return decide.NewState(m.sealed), journal.Position{}
}

func (m *memory) stopping() bool {
	select {
	case <-m.stop:
		return true
	default:
		return false
	}
}
