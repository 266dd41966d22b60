package signer

import (
	"context"

	"github.com/railkit/railkit/enclave/wire"
)

// JournalView is what the enclave states of its journal.
type JournalView struct {
	Proof wire.Proof `json:"proof" doc:"A statement of kind journal: seq and head of the journal now, and heads as they were at the entries that were asked for"`
}

// Journal is the enclave's journal, as far as the enclave tells of it.
type Journal struct{ Enclave Enclave }

// Heads has the enclave state which heads its journal had at these entries. The
// journal is one for all workspaces, and every proof tells numbers and hashes of it.
func (j *Journal) Heads(ctx context.Context, seqs []string) (JournalView, error) {
	proof, err := j.Enclave.Heads(ctx, seqs)
	return JournalView{Proof: proof}, err
}
