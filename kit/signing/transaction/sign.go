package transaction

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// SignTransactionInput asks for a signature over exactly these bytes.
type SignTransactionInput struct {
	SignWith            string            `json:"signWith" minLength:"1" maxLength:"64" doc:"Address, or id of the wallet account"`
	UnsignedTransaction string            `json:"unsignedTransaction" minLength:"2" maxLength:"131074" doc:"Hex; exactly these bytes are signed"`
	Type                string            `json:"type" enum:"TRANSACTION_TYPE_ETHEREUM,TRANSACTION_TYPE_SOLANA,TRANSACTION_TYPE_TRON"`
	ChainID             uint64            `json:"chainId,omitempty" doc:"Held against that of the transaction"`
	Broadcast           bool              `json:"broadcast,omitempty" doc:"Also send it; else POST /v1/transactions/broadcast/{transactionId} does"`
	SignedActivity      *activity.Stamped `json:"signedActivity,omitempty" doc:"The body that prepare=true answered, with a passkey's stamp, or with that of a delegation's key"`
	rest.ReturnTo
}

// Sign signs a caller's own bytes: at once under a stamp or within a
// delegation, else once enough users have agreed. It is not sent unless asked for.
func (s *Service) Sign(ctx context.Context, cmd *command.Command, in SignTransactionInput,
	prepare bool,
) (command.Answer, error) {
	p, err := s.planSigning(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	switch {
	case prepare && in.SignedActivity != nil:
		return command.Answer{}, fault.Field("signedActivity", "must not be given with prepare=true")
	case prepare:
		t, fee, d, err := s.draftSigning(ctx, p, in, record.NewID())
		if err != nil {
			return command.Answer{}, err
		}
		return s.commitPrepared(ctx, cmd, t, fee, d)
	case in.SignedActivity != nil:
		return s.signStamped(ctx, cmd, p, in)
	}
	t, err := s.unstampedRow(ctx, cmd, p, in)
	if err != nil {
		return command.Answer{}, err
	}
	if t.State != Awaiting {
		return s.AnswerAgain(ctx, cmd, t, nil)
	}
	return s.signAndCommit(ctx, cmd, t, nil, !in.Broadcast)
}

func (s *Service) planSigning(ctx context.Context, workspaceID string, in SignTransactionInput) (plan.Plan, error) {
	family, ok := families.OfType(in.Type)
	if !ok {
		return plan.Plan{}, fault.Field("type", "must be "+families.Types()+": the others are not signed yet")
	}
	p, err := s.c.Planner.Plan(ctx, workspaceID, plan.PrepareTransactionInput{
		Type: plan.ExactBytes, SignWith: in.SignWith, ChainID: in.ChainID, UnsignedTransaction: in.UnsignedTransaction,
		AllowContract: true, // its caller wrote every byte; preview and rules tell where money would be lost
	})
	switch {
	case err != nil:
	case p.External:
		err = fault.Missing("Address")
	case p.Family.Kind() != family.Kind():
		err = fault.Field("type", "is not that of signWith")
	}
	return p, err
}

func (s *Service) draftSigning(ctx context.Context, p plan.Plan, in SignTransactionInput,
	id string,
) (Transaction, rest.NetworkFee, activity.Draft, error) {
	t, fee, d, err := s.draft(ctx, p, plan.ExactBytes, id, "/v1/transactions/sign")
	t.Held = !in.Broadcast
	return t, fee, d, err
}

// signStamped finds the prepared row of a stamped body.
func (s *Service) signStamped(ctx context.Context, cmd *command.Command, p plan.Plan,
	in SignTransactionInput,
) (command.Answer, error) {
	var body wire.Body
	if json.Unmarshal([]byte(in.SignedActivity.Body), &body) != nil {
		return command.Answer{}, activity.ErrStampedBody
	}
	asked, err := signer.Encode(p.Params)
	if err != nil {
		return command.Answer{}, err
	}
	t, err := s.c.Store.Transaction(ctx, cmd.Principal.WorkspaceID, body.ActivityID)
	if errors.Is(err, fault.ErrNotFound) || err == nil &&
		(t.Body != in.SignedActivity.Body || !bytes.Equal(asked, body.Parameters)) {
		err = activity.ErrStampedBody
	}
	if err != nil {
		return command.Answer{}, err
	}
	return s.Confirm(ctx, cmd, ConfirmTransactionInput{TransactionID: t.ID, SignedActivity: in.SignedActivity,
		Broadcast: &in.Broadcast})
}

// unstampedRow finds or writes the row of a signing that nobody stamped. Under
// one Idempotency-Key there is one body, so that a retry after a crash gets the
// enclave's first result.
func (s *Service) unstampedRow(ctx context.Context, cmd *command.Command, p plan.Plan,
	in SignTransactionInput,
) (Transaction, error) {
	id := record.NewID()
	if cmd.Key != nil {
		id = record.DerivedID("bare", cmd.Principal.WorkspaceID, cmd.Key.Hash, cmd.Key.Request)
		t, err := s.c.Store.Transaction(ctx, cmd.Principal.WorkspaceID, id)
		if !errors.Is(err, fault.ErrNotFound) {
			return t, err
		}
	}
	t, _, _, err := s.draftSigning(ctx, p, in, id)
	if err != nil {
		return t, err
	}
	failed := s.c.Store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.InsertTransaction(ctx, t)
	})
	if failed == nil {
		return t, nil
	}
	if t, err = s.c.Store.Transaction(ctx, t.WorkspaceID, id); err != nil {
		return t, failed
	}
	return t, nil // a caller beside this one was faster
}
