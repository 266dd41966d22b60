package vote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/denial"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// execution is what became of an approval, on its way into the database.
type execution struct {
	approval.Approval                                        // as it is to be
	from              approval.State                         // as it is there
	writeSubject      func(ctx context.Context, tx Tx) error // of the subject; nil: it stays as it is
	after             *transaction.Transaction               // the subject as it is to be, where it is one
	result            *wire.Proof                            // what the enclave made of the body
}

// save writes an execution, and asks for the next try where there has to be one. A caller that comes second finds
// record.ErrStale.
func (x execution) save(ctx context.Context, tx Tx, now time.Time) error {
	if err := tx.MoveApproval(ctx, x.Approval, x.from); err != nil {
		return err
	}
	if x.writeSubject != nil {
		// A subject that has gone on already was written by a caller of its own.
		if err := record.UnlessStale(x.writeSubject(ctx, tx)); err != nil {
			return err
		}
	}
	if x.State != approval.Approved || !x.Open() {
		return nil
	}
	return tx.Enqueue(ctx, job.Job{Kind: JobExecute, WorkspaceID: x.WorkspaceID, ID: x.ID,
		RunAt: now.Add(executeAgain)})
}

// attempt has the enclave execute what has its votes, with the fee that the network asks now. Whatever stands in the
// way may pass until the approval expires, and is written down as the comment. Only what can never pass ends it.
func (s *Service) attempt(ctx context.Context, a approval.Approval, from approval.State) (execution, error) {
	out, err := s.submit(ctx, a)
	switch {
	case hopeless(err):
		return s.abandon(ctx, a, from, reasonWords(err))
	case err != nil:
		s.c.Log.WarnContext(ctx,
			"executing what was approved failed; the job goes on trying", "approval", a.ID, "error", err)
		a.Comment, a.UpdatedAt = reasonWords(err), s.c.Clock.Now()
		return execution{Approval: a, from: from}, nil
	}
	return s.afterOutcome(ctx, a, from, out)
}

// submit brings the body again, without a stamp: the votes are its authority.
func (s *Service) submit(ctx context.Context, a approval.Approval) (client.Outcome, error) {
	if err := s.payable(ctx, a); err != nil {
		return client.Outcome{}, err
	}
	if a.Kind == approval.SubjectActivity {
		row, err := s.c.Store.Activity(ctx, a.WorkspaceID, a.Subject)
		if err != nil {
			return client.Outcome{}, err
		}
		volatile, err := s.c.Changes.Volatile(ctx, row)
		if err != nil {
			return client.Outcome{}, err
		}
		return s.c.Enclave.Submit(ctx, wire.SubmitRequest{Body: row.Body, Volatile: volatile}, row.Fingerprint)
	}
	t, err := s.c.Store.Transaction(ctx, a.WorkspaceID, a.Subject)
	if err != nil {
		return client.Outcome{}, err
	}
	volatile, refusal := s.c.Transactions.Volatile(ctx, t)
	out, err := s.c.Transactions.Submit(ctx, t, nil, volatile, refusal)
	if errors.Is(err, transaction.ErrCancelled) {
		return s.c.Enclave.Outcome(ctx, t.Fingerprint)
	}
	return out, err
}

// hopeless says that a refusal stays, however often the body comes again: its nonce or its rule is gone, its agent was
// changed, or its time is over.
func hopeless(err error) bool {
	f, ok := fault.As(err)
	return ok && slices.Contains([]string{"nonce_taken", "nonce_mined", "already_replaced", "policy_unknown",
		"payee_unknown", "agent_changed", "approval_over", "approval_void"}, f.Code)
}

// reasonWords is what a caller may read about a failed try.
func reasonWords(err error) string {
	if f, ok := fault.As(err); ok && f.Kind != fault.Internal {
		return f.Message
	}
	return "it could not be executed yet; it is tried again"
}

// abandon makes sure that a body is never executed, and ends what waits for it.
func (s *Service) abandon(ctx context.Context, a approval.Approval, from approval.State,
	why string,
) (execution, error) {
	out, err := s.c.Enclave.Cancel(ctx, a.Fingerprint)
	if err != nil {
		return execution{}, err
	}
	if out.State == wire.Cancelled {
		return s.end(a, from, approval.Expired, why), nil
	}
	return s.afterOutcome(ctx, a, from, out)
}

// afterOutcome is what the enclave's word about a body means for its approval.
func (s *Service) afterOutcome(ctx context.Context, a approval.Approval, from approval.State,
	out client.Outcome,
) (execution, error) {
	switch out.State {
	case wire.Held:
		return s.recount(ctx, a, from)
	case wire.Done, wire.Denied:
		return s.executed(ctx, a, from, out)
	case wire.Cancelled:
		if !a.Lasts(s.c.Clock.Now()) {
			return s.end(a, from, approval.Expired, "not enough votes in time"), nil
		}
		// Who rejects writes the reason before the enclave cancels, perhaps after this row was read.
		now, err := s.c.Store.Approval(ctx, a.WorkspaceID, a.ID)
		return s.end(a, from, approval.Rejected, now.Comment), err
	}
	return execution{}, fmt.Errorf("the enclave knows nothing of the approval %s", a.ID)
}

// end is an approval that will never be executed.
func (s *Service) end(a approval.Approval, from, to approval.State, why string) execution {
	now := s.c.Clock.Now()
	a.State, a.Comment, a.UpdatedAt, a.ResolvedAt = to, why, now, now
	state, ended := transaction.Cancelled, activity.Cancelled
	if to == approval.Expired {
		state, ended = transaction.Expired, activity.Expired
	}
	reason := cmp.Or(why, "rejected")
	return execution{Approval: a, from: from, writeSubject: func(ctx context.Context, tx Tx) error {
		if a.Kind == approval.SubjectActivity {
			return tx.MoveActivity(ctx, a.WorkspaceID, a.Subject, activity.Held, ended, "", now)
		}
		return tx.MoveTransaction(ctx, a.WorkspaceID, a.Subject, []transaction.State{transaction.AwaitingApproval},
			state, transaction.Change{Now: now, Reason: &reason})
	}}
}

// executed is an approval whose body the enclave has executed, or refused for good.
func (s *Service) executed(ctx context.Context, a approval.Approval, from approval.State,
	out client.Outcome,
) (execution, error) {
	now := s.c.Clock.Now()
	a.State, a.Comment, a.UpdatedAt, a.ResolvedAt = approval.Approved, "", now, now
	if r := out.Statement.Result; r != nil && r.Approval != nil { // how it stood then
		a.Votes = r.Approval.Votes
	}
	if r := out.Statement.Result; out.State == wire.Denied && r != nil && r.Denial != nil {
		a.Comment = denial.Words(r.Denial)
	}
	x := execution{Approval: a, from: from, result: &out.Proof}
	if a.Kind == approval.SubjectActivity {
		err := s.withActivity(ctx, &x, out)
		return x, err
	}
	err := s.withTransaction(ctx, &x, out)
	return x, err
}

func (s *Service) withActivity(ctx context.Context, x *execution, out client.Outcome) error {
	row, err := s.c.Store.Activity(ctx, x.WorkspaceID, x.Subject)
	if err != nil {
		return err
	}
	if out.State == wire.Done {
		x.writeSubject = func(ctx context.Context, tx Tx) error { return s.c.Changes.Finish(ctx, tx, row, out) }
		return nil
	}
	denied, err := s.c.Denials.Row(ctx, row.Refused(), out)
	x.writeSubject = func(ctx context.Context, tx Tx) error {
		if err := tx.InsertDenial(ctx, denied); err != nil {
			return err
		}
		return tx.MoveActivity(ctx, row.WorkspaceID, row.ID, activity.Held, activity.Failed, "", s.c.Clock.Now())
	}
	return err
}

func (s *Service) withTransaction(ctx context.Context, x *execution, out client.Outcome) error {
	t, err := s.c.Store.Transaction(ctx, x.WorkspaceID, x.Subject)
	if err != nil {
		return err
	}
	if out.State == wire.Denied {
		return s.withDenial(ctx, x, t, out)
	}
	change, err := t.SignedChange(out, s.c.Clock.Now())
	if err != nil {
		return err
	}
	to := s.c.Transactions.SendOnce(ctx, t, &change) // one node, once, as confirm does
	t.Apply(to, change)
	x.after = &t
	x.writeSubject = func(ctx context.Context, tx Tx) error {
		if err := t.Succeed(ctx, tx, change); err != nil {
			return err
		}
		if err := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []transaction.State{transaction.AwaitingApproval}, to,
			change); err != nil {
			return err
		}
		return transaction.EnqueueNext(ctx, tx, t)
	}
	return nil
}

func (s *Service) withDenial(ctx context.Context, x *execution, t transaction.Transaction, out client.Outcome) error {
	change, _, err := transaction.DeniedChange(out, s.c.Clock.Now())
	if err != nil {
		return err
	}
	denied, err := s.c.Denials.Row(ctx, t.Refused(), out)
	t.Apply(transaction.Failed, change)
	x.after = &t
	x.writeSubject = func(ctx context.Context, tx Tx) error {
		if err := tx.InsertDenial(ctx, denied); err != nil {
			return err
		}
		return tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []transaction.State{transaction.AwaitingApproval},
			transaction.Failed, change)
	}
	return err
}

// record writes an execution that no caller waits for.
func (s *Service) record(ctx context.Context, x execution) error {
	work := func(ctx context.Context, tx Tx) (command.Audit, error) {
		audit := command.Audit{Resource: x.Subject,
			Detail: map[string]string{"approvalId": x.ID, "status": string(x.State)}}
		if x.State != x.from || !x.Open() {
			audit.Action = "approval." + string(x.State)
		}
		return audit, x.save(ctx, tx, s.c.Clock.Now())
	}
	return record.UnlessStale(s.c.Store.Work(ctx, x.WorkspaceID, work))
}

// askOutcome asks the enclave what has become of an approval.
func (s *Service) askOutcome(ctx context.Context, a approval.Approval) (execution, error) {
	out, err := s.c.Enclave.Outcome(ctx, a.Fingerprint)
	if err != nil {
		return execution{}, err
	}
	return s.afterOutcome(ctx, a, a.State, out)
}
