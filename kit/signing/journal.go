package signing

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/railkit/railkit/enclave/wire"
)

// JournalView is what the enclave states of its journal.
type JournalView struct {
	Proof wire.Proof `json:"proof" doc:"A statement of kind journal: seq and head of the journal now, and heads as they were at the entries that were asked for"`
}

// Journal has the enclave state which heads its journal had at these entries. The
// journal is one for all workspaces, and every proof tells numbers and hashes of it.
func (s *Service) Journal(ctx context.Context, seqs []string) (JournalView, error) {
	proof, err := s.enclave.Heads(ctx, seqs)
	return JournalView{Proof: proof}, err
}

// ceremonyJournal is for a page that remembers entries. The enclave states them
// together with those of the proofs that the page is about to see: all of them are
// entries of one journal, or the page stops.
func (s *Service) ceremonyJournal(ctx context.Context, v *CeremonyView, seqs []string) error {
	if len(seqs) == 0 {
		return nil
	}
	seqs = slices.Clone(seqs)
	for _, proof := range v.proofs() {
		var st wire.Statement
		if err := json.Unmarshal([]byte(proof.Payload), &st); err != nil {
			return fmt.Errorf("reading a proof: %w", err)
		}
		seqs = append(seqs, st.Seq)
	}
	proof, err := s.enclave.Heads(ctx, seqs)
	v.Journal = &proof
	return err
}

func (v *CeremonyView) proofs() []wire.Proof {
	if v.Stamp == nil {
		return nil
	}
	if v.Stamp.State == nil {
		return []wire.Proof{v.Stamp.Preview}
	}
	return []wire.Proof{v.Stamp.Preview, *v.Stamp.State}
}
