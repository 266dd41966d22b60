package signing

import (
	"context"
	"encoding/json"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
)

// denial is the rule that refused a transaction, nil where none did.
func (t Transaction) denial() *wire.Denial {
	if t.State != Failed || t.SignedTransaction != "" || t.Proof == "" {
		return nil
	}
	return denialIn(proofOf(t.Proof))
}

// denialIn reads a proof that came from the enclave and was checked then.
func denialIn(p wire.Proof) *wire.Denial {
	var st wire.Statement
	if err := json.Unmarshal([]byte(p.Payload), &st); err != nil || st.Result == nil {
		return nil
	}
	return st.Result.Denial
}

// denialWords is the reason that a denied row shows.
func denialWords(d *wire.Denial) string { return "denied by the rule " + d.Rule }

// endDenied writes that a rule refused a transaction, for good, and says so.
func (s *Service) endDenied(ctx context.Context, t Transaction, out client.Outcome) error {
	c, d, err := s.deniedChange(out)
	if err != nil {
		return err
	}
	return s.deny(ctx, t.refused(), *d, func(ctx context.Context, tx Tx) error {
		return tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []State{Awaiting}, Failed, c)
	})
}

func (t Transaction) refused() refused {
	return refused{workspaceID: t.WorkspaceID, subOrganizationID: t.SubOrganizationID, fingerprint: t.Fingerprint, transactionID: t.ID}
}

func (a Activity) refused() refused {
	return refused{workspaceID: a.WorkspaceID, subOrganizationID: a.SubOrganizationID, fingerprint: a.Fingerprint}
}

// deniedChange is what a row learns from a denial.
func (s *Service) deniedChange(out client.Outcome) (TransactionChange, *wire.Denial, error) {
	d := &wire.Denial{}
	if r := out.Statement.Result; r != nil && r.Denial != nil {
		d = r.Denial
	}
	proof, err := text(out.Proof)
	now, why := s.clock.Now(), denialWords(d)
	return TransactionChange{Now: now, Reason: &why, Proof: &proof, FailedAt: &now}, d, err
}

// denyActivity writes that a rule refused what is no transaction, for good.
func (s *Service) denyActivity(ctx context.Context, a Activity, out client.Outcome) error {
	_, d, err := s.deniedChange(out)
	if err != nil {
		return err
	}
	return s.deny(ctx, a.refused(), *d, func(ctx context.Context, tx Tx) error {
		return tx.MoveActivity(ctx, a.WorkspaceID, a.ID, Awaiting, Failed, a.WalletID, s.clock.Now())
	})
}

// denialOf is the row of what a rule refused when it was to be executed, nil where
// none did.
func (s *Service) denialOf(ctx context.Context, r refused, out client.Outcome) (*Denial, error) {
	if out.State != wire.Denied || out.Statement.Result == nil || out.Statement.Result.Denial == nil {
		return nil, nil
	}
	row, err := s.denialRow(ctx, r, *out.Statement.Result.Denial)
	return &row, err
}
