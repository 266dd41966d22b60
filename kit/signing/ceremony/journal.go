package ceremony

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/railkit/railkit/enclave/wire"
)

// journal is for a page that remembers entries. The enclave states them
// together with those of the proofs that the page is about to see: all of them are
// entries of one journal, or the page stops.
func (s *Service) journal(ctx context.Context, v *CeremonyView, seqs []string) error {
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
