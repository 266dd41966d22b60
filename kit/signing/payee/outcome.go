package payee

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
)

// payeeOf reads a payee from the enclave's result.
func payeeOf(a activity.Activity, out client.Outcome) (Payee, error) {
	r := out.Statement.Result
	if r == nil || r.Payee == nil {
		return Payee{}, errors.New("the enclave's answer about a payee names none")
	}
	p, err := payeeFrom(*r.Payee, out.Statement)
	if err != nil {
		return Payee{}, err
	}
	p.WorkspaceID = a.WorkspaceID
	p.Proof, err = signer.Text(out.Proof)
	return p, err
}

// payeeFrom is the row of a payee that the enclave states, without workspace and proof.
func payeeFrom(w wire.Payee, st wire.Statement) (Payee, error) {
	created, err := time.Parse(time.RFC3339, w.AddedAt)
	if err != nil {
		return Payee{}, fmt.Errorf("reading a payee's time: %w", err)
	}
	seq, err := strconv.ParseInt(st.Seq, 10, 64)
	if err != nil {
		return Payee{}, fmt.Errorf("reading the seq of a statement: %w", err)
	}
	return Payee{SubOrganizationID: st.OrganizationID, Payee: w, Seq: seq, CreatedAt: created.UTC()}, nil
}

// finish writes the payee that the enclave has added or removed, and the mail that its users are owed.
func (s *Service) finish(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	p, err := payeeOf(a, out)
	if err != nil {
		return err
	}
	if err := tx.KeepPayee(ctx, p); err != nil {
		return err
	}
	n := s.noticeOf(p)
	if err := errors.Join(tx.InsertPayeeNotice(ctx, n), tx.Enqueue(ctx, n.job())); err != nil {
		return err
	}
	return s.c.Activities.Finish(ctx, tx, a)
}

// reply is the answer to a payee that was added or removed.
func reply(_ context.Context, a activity.Activity, out client.Outcome) (any, error) {
	p, err := payeeOf(a, out)
	if err != nil {
		return nil, err
	}
	return p.view(), nil
}

// auditOf is its audit row, with the payee after it was added or before it was removed.
func auditOf(_ context.Context, a activity.Activity, out client.Outcome) (command.Audit, error) {
	p, err := payeeOf(a, out)
	if err != nil {
		return command.Audit{}, err
	}
	audit := command.Audit{Resource: p.ID}
	if p.Removed() {
		audit.Before = p.fields()
	} else {
		audit.After = p.fields()
	}
	return audit, nil
}

func (p Payee) fields() map[string]any {
	return map[string]any{"name": p.Name, "network": p.Chain, "address": p.Address, "kind": string(p.Kind)}
}
