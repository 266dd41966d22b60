package rule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
)

// policyOf reads a policy from the enclave's result.
func policyOf(a activity.Activity, out client.Outcome) (Policy, error) {
	r := out.Statement.Result
	if r == nil || r.Policy == nil {
		return Policy{}, errors.New("the enclave's answer about a policy names none")
	}
	p, err := policyFrom(*r.Policy, out.Statement, out.Proof)
	p.WorkspaceID, p.WalletID, p.Name = a.WorkspaceID, a.WalletID, a.Name
	p.Deleted = wire.ActivityType(a.Kind) == wire.DeletePolicy
	return p, err
}

func policyFrom(w wire.Policy, st wire.Statement, proof wire.Proof) (Policy, error) {
	created, err := time.Parse(time.RFC3339, w.CreatedAt)
	if err != nil {
		return Policy{}, fmt.Errorf("reading a policy's time: %w", err)
	}
	seq, raw, err := entryOf(st, proof)
	return Policy{ID: w.ID, SubOrganizationID: st.OrganizationID, Policy: w, Proof: raw, Seq: seq,
		CreatedAt: created}, err
}

// entryOf is the number of a statement's journal entry, and its proof as JSON.
func entryOf(st wire.Statement, proof wire.Proof) (seq int64, raw string, err error) {
	if seq, err = strconv.ParseInt(st.Seq, 10, 64); err != nil {
		return 0, "", fmt.Errorf("reading the seq of a statement: %w", err)
	}
	raw, err = signer.Text(proof)
	return seq, raw, err
}

// finishPolicy writes the enclave's result of a change. Of two concurrent changes the later one by the enclave's
// journal wins, in whichever order they commit here.
func (s *Service) finishPolicy(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	p, err := policyOf(a, out)
	if err != nil {
		return err
	}
	if err := tx.KeepPolicy(ctx, p); err != nil {
		return err
	}
	return s.c.Activities.Finish(ctx, tx, a)
}

// policyReply is the answer to a policy that was made, changed or deleted. Where the change took a delegation away,
// the answer lists what was signed under it.
func (s *Service) policyReply(ctx context.Context, a activity.Activity, out client.Outcome) (any, error) {
	p, err := policyOf(a, out)
	if err != nil {
		return nil, err
	}
	known, err := s.storedPolicy(ctx, p)
	if err != nil {
		return nil, err
	}
	p.Name = cmp.Or(p.Name, known.Name)
	v := p.view()
	v.Outstanding = s.outstandingIfRevoked(ctx, a, out, p, known)
	return v, nil
}

func (s *Service) storedPolicy(ctx context.Context, p Policy) (Policy, error) {
	known, err := s.c.Store.Policy(ctx, p.WorkspaceID, p.ID)
	if errors.Is(err, fault.ErrNotFound) {
		return Policy{}, nil
	}
	return known, err
}

// policyAudit is its audit row, with the rules before and after.
func (s *Service) policyAudit(ctx context.Context, a activity.Activity, out client.Outcome) (command.Audit, error) {
	p, err := policyOf(a, out)
	if err != nil {
		return command.Audit{}, err
	}
	known, err := s.storedPolicy(ctx, p)
	audit := command.Audit{Resource: p.ID}
	if known.ID != "" {
		audit.Before = map[string]any{"rules": rulesOf(known.Policy.Rules)}
	}
	if !p.Deleted {
		audit.After = map[string]any{"rules": rulesOf(p.Policy.Rules)}
	}
	return audit, err
}
