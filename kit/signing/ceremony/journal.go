package ceremony

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/railkit/railkit/enclave/wire"
)

// journal lets a page check that the enclave continues the journal that the page has seen before. The enclave states
// the hashes of the entries that the page remembers together with those of the proofs in this answer. If they do not
// fit the remembered ones, the journal was replaced, and the page stops.
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
	proof, err := s.c.Enclave.Heads(ctx, seqs)
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
