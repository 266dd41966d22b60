package payee

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/command"
)

// fetchAndSync has the enclave state a sub-organization's book, and repairs rows that say something else.
func (s *Service) fetchAndSync(
	ctx context.Context, workspaceID, subOrganizationID string,
) (string, *wire.Proof, error) {
	sub, err := s.c.Passkeys.SubOrganization(ctx, workspaceID, subOrganizationID)
	if err != nil {
		return "", nil, err
	}
	seqs, err := s.seqs(ctx, sub.Owner())
	if err != nil {
		return "", nil, err
	}
	proof, err := s.c.Enclave.State(ctx, wire.StateRequest{OrganizationID: sub.ID, Payees: true})
	if err != nil {
		return "", nil, err
	}
	var st wire.Statement
	if err := json.Unmarshal([]byte(proof.Payload), &st); err != nil {
		return "", nil, fmt.Errorf("reading a statement: %w", err)
	}
	if st.State == nil {
		return "", nil, errors.New("the enclave's statement about payees names no state")
	}
	return sub.ID, &proof, s.syncRows(ctx, sub.Owner(), seqs, st)
}

// seqs are the numbers of the journal entries that rows name, by the payees' ids.
func (s *Service) seqs(ctx context.Context, o activity.Owner) (map[string]int64, error) {
	rows, err := s.c.Store.PayeesOf(ctx, o.WorkspaceID, o.ID)
	seqs := map[string]int64{}
	for _, p := range rows {
		seqs[p.ID] = p.Seq
	}
	return seqs, err
}

// syncRows makes the rows those of the enclave's statement, where they differ and the database knows nothing later.
// Rows differ after the database was put back to an older copy, or lost, or edited. A row that still has its seq of
// before the enclave was asked knows nothing later, whatever number somebody wrote there.
func (s *Service) syncRows(ctx context.Context, o activity.Owner, seqs map[string]int64, st wire.Statement) error {
	have, err := s.c.Store.PayeesOf(ctx, o.WorkspaceID, o.ID)
	if err != nil {
		return err
	}
	wrong, err := differing(o, have, st)
	if err != nil || len(wrong) == 0 {
		return err
	}
	for i, p := range wrong {
		wrong[i].Replaces = seqs[p.ID]
	}
	return s.c.Store.Work(ctx, o.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		for _, p := range wrong {
			if err := tx.KeepPayee(ctx, p); err != nil {
				return command.Audit{}, err
			}
		}
		return command.Audit{Action: "payees.restore", Resource: o.ID}, nil
	})
}

// differing are the payees whose rows have to change: those that are missing or different, and those that the enclave's
// book no longer has. Their rows get no proof: the statement of a whole book beside each of its payees would fill the
// database.
func differing(o activity.Owner, have []Payee, st wire.Statement) (wrong []Payee, err error) {
	known := map[string]Payee{}
	for _, p := range have {
		known[p.ID] = p
	}
	for _, w := range st.State.Payees {
		p, err := payeeFrom(w, st)
		if err != nil {
			return nil, err
		}
		p.WorkspaceID = o.WorkspaceID
		if k, ok := known[w.ID]; !ok || !k.same(p) {
			wrong = append(wrong, p)
		}
		delete(known, w.ID)
	}
	for _, p := range known {
		if p.Removed() {
			continue
		}
		gone := p.Payee
		gone.RemovedAt = st.Time
		row, err := payeeFrom(gone, st)
		if err != nil {
			return nil, err
		}
		row.WorkspaceID = o.WorkspaceID
		wrong = append(wrong, row)
	}
	return wrong, nil
}
