package transaction

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// approvalID is the id of the approval that a transaction waits for, if it does.
func (t Transaction) approvalID() string {
	return approval.ID(t.WorkspaceID, t.Fingerprint)
}

func approvalOf(t Transaction, out client.Outcome, now time.Time) (approval.Approval, error) {
	return approval.Of(approval.Approval{WorkspaceID: t.WorkspaceID, Kind: approval.SubjectTransaction, Subject: t.ID,
		WalletID: t.WalletID}, out, now)
}

// hold commits that the enclave holds a transaction for votes.
func (s *Service) hold(ctx context.Context, cmd *command.Command, t Transaction, out client.Outcome,
	stamp *wire.Stamp,
) (command.Answer, error) {
	a, err := approvalOf(t, out, s.c.Clock.Now())
	if err != nil {
		return command.Answer{}, err
	}
	answer, err := s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if err := errors.Join(approval.Insert(ctx, tx, cmd, a), s.holdRow(ctx, tx, t)); err != nil {
			return command.Reply{}, err
		}
		s.c.Activities.TouchPasskey(tx, t.WorkspaceID, t.SubOrganizationID, stamp)
		return a.Queued("transaction.sign"), nil
	})
	if errors.Is(err, record.ErrStale) { // another caller committed the same, or it was decided already
		return s.reload(ctx, cmd, t)
	}
	return answer, err
}

func (s *Service) holdRow(ctx context.Context, tx Tx, t Transaction) error {
	none := ""
	return tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []State{Awaiting}, AwaitingApproval,
		Change{Now: s.c.Clock.Now(), Reason: &none})
}

// recoverHeld writes what the enclave holds and a crash kept out of the database.
func (s *Service) recoverHeld(ctx context.Context, t Transaction, out client.Outcome) error {
	a, err := approvalOf(t, out, s.c.Clock.Now())
	if err != nil {
		return err
	}
	work := func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{
			Action: "transaction.recover", Resource: t.ID, Detail: map[string]string{"approvalId": a.ID},
		}, errors.Join(approval.Insert(ctx, tx, nil, a), s.holdRow(ctx, tx, t))
	}
	return record.UnlessStale(s.c.Store.Work(ctx, t.WorkspaceID, work))
}

// denial is the rule that refused a transaction once it was submitted, nil where
// none did.
func (t Transaction) denial() *wire.Denial {
	if t.State != Failed || t.SignedTransaction != "" || t.Proof == "" {
		return nil
	}
	var st wire.Statement
	if err := json.Unmarshal([]byte(signer.Proof(t.Proof).Payload), &st); err != nil || st.Result == nil {
		return nil
	}
	return st.Result.Denial
}

// Refused is the transaction as a denial names it.
func (t Transaction) Refused() denial.Refused {
	return denial.Refused{
		WorkspaceID: t.WorkspaceID, SubOrganizationID: t.SubOrganizationID, Fingerprint: t.Fingerprint,
		TransactionID: t.ID,
	}
}

// endDenied writes that a rule refused a transaction, for good, and says so.
func (s *Service) endDenied(ctx context.Context, t Transaction, out client.Outcome) error {
	c, d, err := DeniedChange(out, s.c.Clock.Now())
	if err != nil {
		return err
	}
	return denial.Deny(ctx, s.c.Denials, s.c.Store.Work, t.Refused(), *d, func(ctx context.Context, tx Tx) error {
		return tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []State{Awaiting}, Failed, c)
	})
}

// DeniedChange is what a row learns from a denial.
func DeniedChange(out client.Outcome, now time.Time) (Change, *wire.Denial, error) {
	d, err := denial.Of(out)
	if err != nil {
		return Change{}, nil, err
	}
	proof, err := signer.Text(out.Proof)
	why := denial.Words(d)
	return Change{Now: now, Reason: &why, Proof: &proof, FailedAt: &now}, d, err
}
