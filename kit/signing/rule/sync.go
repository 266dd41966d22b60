package rule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/command"
)

// enforcedRules asks the enclave for the rules of a sub-organization.
func (s *Service) enforcedRules(ctx context.Context, subOrganizationID string) (wire.Statement, wire.Proof, error) {
	proof, err := s.c.Enclave.State(ctx, wire.StateRequest{OrganizationID: subOrganizationID, Rules: true})
	if err != nil {
		return wire.Statement{}, proof, err
	}
	var st wire.Statement
	if err := json.Unmarshal([]byte(proof.Payload), &st); err != nil {
		return st, proof, fmt.Errorf("reading a statement: %w", err)
	}
	if st.State == nil || st.State.ApprovalConfig == nil {
		return st, proof, errors.New("the enclave's statement about rules names none")
	}
	return st, proof, nil
}

// fetchAndSyncRules has the enclave state which rules it enforces, and repairs rows that say something else.
func (s *Service) fetchAndSyncRules(
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
	st, proof, err := s.enforcedRules(ctx, sub.ID)
	if err != nil {
		return "", nil, err
	}
	return sub.ID, &proof, s.syncRows(ctx, sub.Owner(), seqs, st, proof)
}

// seqs are the numbers of the journal entries that rows name, by the policies' ids; under "" is that of the approval
// configuration.
func (s *Service) seqs(ctx context.Context, o activity.Owner) (map[string]int64, error) {
	rows, err := s.c.Store.PoliciesOf(ctx, o.WorkspaceID, o.ID)
	if err != nil {
		return nil, err
	}
	config, err := s.config(ctx, o)
	seqs := map[string]int64{"": config.Seq}
	for _, p := range rows {
		seqs[p.ID] = p.Seq
	}
	return seqs, err
}

// syncRows makes the rows those of the enclave's statement, where they differ and the database knows nothing later.
// Rows differ after the database was put back to an older copy, or lost, or edited. A row that still has its seq of
// before the enclave was asked knows nothing later, whatever number somebody wrote there.
func (s *Service) syncRows(
	ctx context.Context, o activity.Owner, seqs map[string]int64, st wire.Statement, proof wire.Proof,
) error {
	have, err := s.c.Store.PoliciesOf(ctx, o.WorkspaceID, o.ID)
	if err != nil {
		return err
	}
	wrong, err := s.differingPolicies(ctx, o, have, st, proof)
	if err != nil {
		return err
	}
	config, err := configFrom(*st.State.ApprovalConfig, st, proof)
	if err != nil {
		return err
	}
	config.WorkspaceID, config.Replaces = o.WorkspaceID, seqs[""]
	known, err := s.config(ctx, o)
	if err != nil || len(wrong) == 0 && known.Config == config.Config {
		return err
	}
	return s.c.Store.Work(ctx, o.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		for _, p := range wrong {
			p.Replaces = seqs[p.ID]
			if err := tx.KeepPolicy(ctx, p); err != nil {
				return command.Audit{}, err
			}
		}
		audit := command.Audit{Action: "rules.restore", Resource: o.ID}
		if known.Config == config.Config {
			return audit, nil
		}
		return audit, tx.KeepApprovalConfig(ctx, config)
	})
}

// differingPolicies are the policies whose rows have to change: those that are missing or different, and those that
// the enclave no longer has.
func (s *Service) differingPolicies(ctx context.Context, o activity.Owner, have []Policy, st wire.Statement,
	proof wire.Proof,
) (wrong []Policy, err error) {
	known := map[string]Policy{}
	for _, p := range have {
		known[p.ID] = p
	}
	for _, w := range st.State.Policies {
		k, ok := known[w.ID]
		delete(known, w.ID)
		if ok && !k.Deleted && reflect.DeepEqual(k.Policy, w) {
			continue
		}
		p, err := policyFrom(w, st, proof)
		if err != nil {
			return nil, err
		}
		wallet, err := s.c.Store.Wallet(ctx, o.WorkspaceID, w.WalletID)
		if err != nil {
			return nil, err
		}
		p.WorkspaceID, p.WalletID = o.WorkspaceID, wallet.ID
		wrong = append(wrong, p)
	}
	for _, p := range known {
		if p.Deleted {
			continue
		}
		gone, err := policyFrom(p.Policy, st, proof)
		if err != nil {
			return nil, err
		}
		gone.WorkspaceID, gone.WalletID, gone.Deleted = p.WorkspaceID, p.WalletID, true
		wrong = append(wrong, gone)
	}
	return wrong, nil
}
