package signing

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
)

// denial is the rule that refused a transaction once it was submitted, nil where
// none did.
func (t Transaction) denial() *wire.Denial {
	if t.State != Failed || t.SignedTransaction != "" || t.Proof == "" {
		return nil
	}
	var st wire.Statement
	if err := json.Unmarshal([]byte(proofOf(t.Proof).Payload), &st); err != nil || st.Result == nil {
		return nil
	}
	return st.Result.Denial
}

func denialOf(out client.Outcome) (*wire.Denial, error) {
	if r := out.Statement.Result; r != nil && r.Denial != nil {
		return r.Denial, nil
	}
	return nil, errors.New("the enclave's answer to what it denied names no rule")
}

// denialWords is the reason that a denied row shows.
func denialWords(d *wire.Denial) string { return "denied by the rule " + d.Rule }

func (t Transaction) refused() refused {
	return refused{t.WorkspaceID, t.SubOrganizationID, t.Fingerprint, t.ID}
}

func (a Activity) refused() refused {
	return refused{workspaceID: a.WorkspaceID, subOrganizationID: a.SubOrganizationID, fingerprint: a.Fingerprint}
}

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

// denyActivity does the same for what is no transaction.
func (s *Service) denyActivity(ctx context.Context, a Activity, out client.Outcome) error {
	d, err := denialOf(out)
	if err != nil {
		return err
	}
	return s.deny(ctx, a.refused(), *d, func(ctx context.Context, tx Tx) error {
		return tx.MoveActivity(ctx, a.WorkspaceID, a.ID, Awaiting, Failed, a.WalletID, s.clock.Now())
	})
}

// deniedChange is what a row learns from a denial.
func (s *Service) deniedChange(out client.Outcome) (TransactionChange, *wire.Denial, error) {
	d, err := denialOf(out)
	if err != nil {
		return TransactionChange{}, nil, err
	}
	proof, err := text(out.Proof)
	now, why := s.clock.Now(), denialWords(d)
	return TransactionChange{Now: now, Reason: &why, Proof: &proof, FailedAt: &now}, d, err
}

// insertDenial is deny for what was approved: the approval's own transaction
// writes the row.
func (s *Service) insertDenial(ctx context.Context, r refused, out client.Outcome) (func(context.Context, Tx) error, error) {
	d, err := denialOf(out)
	if err != nil {
		return nil, err
	}
	row, err := s.denialRow(ctx, r, *d)
	return func(ctx context.Context, tx Tx) error { return tx.InsertDenial(ctx, row) }, err
}
