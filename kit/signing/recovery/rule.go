package recovery

import (
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// UpdateRecoveryInput changes how a user is recovered. An omitted field stays as it is.
type UpdateRecoveryInput struct {
	RecoveryPublicKey *string           `json:"recoveryPublicKey,omitempty" pattern:"^(0[23][0-9a-f]{64})?$" patternDescription:"a compressed P-256 key in lower-case hex, or nothing" doc:"Empty: no recovery code counts any more"`
	EmailOnlyRecovery *bool             `json:"emailOnlyRecovery,omitempty" doc:"true: whoever reads the mail, the operator too, can take the wallets after the delay"`
	SubOrganizationID string            `json:"subOrganizationId,omitempty" maxLength:"64" doc:"Needed where the workspace has several"`
	SignedActivity    *activity.Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
	rest.ReturnTo
}

// RecoveryRuleView tells how a user is recovered.
type RecoveryRuleView struct {
	SubOrganizationID string     `json:"subOrganizationId"`
	RecoveryPublicKey string     `json:"recoveryPublicKey"`
	EmailOnlyRecovery bool       `json:"emailOnlyRecovery"`
	Proof             wire.Proof `json:"proof"`
}

// Update changes how a user is recovered. Any such change loosens, so it takes a stamp or votes.
func (s *Service) Update(ctx context.Context, cmd *command.Command, in UpdateRecoveryInput,
	prepare bool,
) (command.Answer, error) {
	sub, err := s.c.Passkeys.SubOrganization(ctx, cmd.Principal.WorkspaceID, in.SubOrganizationID)
	if err != nil {
		return command.Answer{}, err
	}
	p := wire.UpdateRecoveryParams{RecoveryPublicKey: sub.RecoveryPublicKey, EmailOnlyRecovery: sub.EmailOnly}
	if in.RecoveryPublicKey != nil {
		p.RecoveryPublicKey = *in.RecoveryPublicKey
	}
	if in.EmailOnlyRecovery != nil {
		p.EmailOnlyRecovery = *in.EmailOnlyRecovery
	}
	return s.c.Changes.Do(ctx, cmd, activity.Change{
		Kind: wire.UpdateRecovery, Owner: sub.Owner(), URL: "/v1/signing/recovery", Params: p,
	}, activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity})
}

// Cancel stops a recovery, on the stamp of any passkey.
func (s *Service) Cancel(ctx context.Context, cmd *command.Command, id string, in activity.StampInput,
	prepare bool,
) (command.Answer, error) {
	r, err := s.c.Store.Recovery(ctx, cmd.Principal.WorkspaceID, id)
	if err == nil && r.SubOrganizationID == "" {
		err = fault.Missing("Recovery")
	}
	if err != nil {
		return command.Answer{}, err
	}
	answer, err := s.c.Changes.Do(ctx, cmd, activity.Change{
		Kind: wire.CancelRecovery, Owner: activity.Owner{WorkspaceID: r.WorkspaceID, ID: r.SubOrganizationID},
		URL: "/v1/signing/recovery/" + r.ID + "/cancel", Params: wire.CancelRecoveryParams{RecoveryID: r.ID},
	}, activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity})
	if errors.Is(err, refusal.ErrNoRecovery) {
		err = fault.Missing("Recovery") // the same answer as for an unknown e-mail
	}
	return answer, err
}

// finishRule writes the enclave's result of a change.
func (s *Service) finishRule(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	r := out.Statement.Result
	if r == nil || r.Owners == nil {
		return errors.New("the enclave's answer about recovery names no owners")
	}
	first, err := s.c.Activities.FinishFirst(ctx, tx, a)
	if err != nil || !first {
		return err
	}
	at, err := signer.Said(out.Statement)
	if err != nil {
		return err
	}
	return tx.SetRecoveryRule(ctx, a.WorkspaceID, a.SubOrganizationID, r.Owners.RecoveryPublicKey,
		r.Owners.EmailOnlyRecovery, at)
}

// finishCancel writes that a recovery was cancelled, and that its contacts have to be mailed.
func (s *Service) finishCancel(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	r, err := s.cancelled(a, out)
	if err != nil {
		return err
	}
	if err := s.c.Activities.Finish(ctx, tx, a); err != nil {
		return err
	}
	err = tx.MoveRecovery(ctx, r, Pending, r.notice())
	if errors.Is(err, record.ErrStale) {
		return nil
	}
	return errors.Join(err, tx.Enqueue(ctx, r.job()))
}

func (s *Service) cancelled(a activity.Activity, out client.Outcome) (Recovery, error) {
	res := out.Statement.Result
	if res == nil || res.Recovery == nil {
		return Recovery{}, errors.New("the enclave's answer to a cancelled recovery names none")
	}
	w := res.Recovery
	proof, err := signer.Text(out.Proof)
	return Recovery{
		WorkspaceID: a.WorkspaceID, ID: w.RecoveryID, SubOrganizationID: a.SubOrganizationID, UserID: w.UserID,
		Email: w.Email, CredentialID: w.CredentialID, EmailOnly: w.EmailOnly, State: Cancelled, Proof: proof,
		UpdatedAt: s.c.Clock.Now(),
	}, err
}

// ruleChanged is the answer to Update.
func ruleChanged(_ context.Context, a activity.Activity, out client.Outcome) (any, error) {
	r := out.Statement.Result
	if r == nil || r.Owners == nil {
		return nil, errors.New("the enclave's answer about recovery names no owners")
	}
	return RecoveryRuleView{
		SubOrganizationID: a.SubOrganizationID, RecoveryPublicKey: r.Owners.RecoveryPublicKey,
		EmailOnlyRecovery: r.Owners.EmailOnlyRecovery, Proof: out.Proof,
	}, nil
}

// cancelView is the answer to Cancel.
func (s *Service) cancelView(_ context.Context, a activity.Activity, out client.Outcome) (any, error) {
	r, err := s.cancelled(a, out)
	if err != nil {
		return nil, err
	}
	return r.view()
}

// auditOf is the audit row of a changed rule, or of a cancelled recovery.
func auditOf(_ context.Context, a activity.Activity, out client.Outcome) (command.Audit, error) {
	audit := command.Audit{
		Resource: a.SubOrganizationID, Detail: map[string]string{"subOrganizationId": a.SubOrganizationID},
	}
	if r := out.Statement.Result; r != nil && r.Recovery != nil {
		audit.Resource = r.Recovery.RecoveryID
	}
	return audit, nil
}
