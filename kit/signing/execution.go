package signing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/command"
)

// execution is what became of an approval, on its way into the database.
type execution struct {
	Approval                                        // as it is to be
	from     ApprovalState                          // as it is there
	write    func(ctx context.Context, tx Tx) error // of the subject; nil: it stays as it is
	after    *Transaction                           // the subject as it is to be, where it is one
	result   *wire.Proof                            // what the enclave made of the body
}

// open says that the approval's subject still waits.
func (a Approval) open() bool {
	return a.State == ApprovalPending || a.State == ApprovalApproved && a.ResolvedAt.IsZero()
}

// lasts says that it can still be voted for, by the server's clock.
func (a Approval) lasts(now time.Time) bool { return now.Before(a.ExpiresAt) }

// attempt has the enclave execute what has its votes, with what the chain says
// now. Whatever stands in the way may pass until the approval expires, and is
// written down as the reason; only what can never pass ends it.
func (s *Service) attempt(ctx context.Context, a Approval, from ApprovalState) (execution, error) {
	out, err := s.submitHeld(ctx, a)
	switch {
	case hopeless(err):
		return s.abandon(ctx, a, from, reasonWords(err))
	case err != nil:
		s.log.Warn("executing what was approved failed; the job goes on trying", "approval", a.ID, "error", err)
		a.Comment, a.UpdatedAt = reasonWords(err), s.clock.Now()
		return execution{Approval: a, from: from}, nil
	}
	return s.became(ctx, a, from, out)
}

// submitHeld brings the body again, without a stamp: the votes are its authority.
func (s *Service) submitHeld(ctx context.Context, a Approval) (client.Outcome, error) {
	if a.Kind == SubjectActivity {
		row, err := s.store.Activity(ctx, a.WorkspaceID, a.Subject)
		if err != nil {
			return client.Outcome{}, err
		}
		return s.enclave.Submit(ctx, wire.SubmitRequest{Body: row.Body}, row.Fingerprint)
	}
	t, err := s.store.Transaction(ctx, a.WorkspaceID, a.Subject)
	if err != nil {
		return client.Outcome{}, err
	}
	volatile, refusal := s.ask(ctx, t)
	out, err := s.submit(ctx, t, nil, volatile, refusal)
	if errors.Is(err, ErrTransactionCancelled) {
		return s.enclave.Outcome(ctx, t.Fingerprint)
	}
	return out, err
}

// hopeless says that a refusal stays, however often the body comes again: its
// nonce or its rule is gone, or its time is over.
func hopeless(err error) bool {
	f, ok := fault.As(err)
	return ok && slices.Contains([]string{"nonce_taken", "nonce_mined", "already_replaced", "policy_unknown", "approval_over", "approval_void"}, f.Code)
}

// reasonWords is what a caller may read about a failed try.
func reasonWords(err error) string {
	if f, ok := fault.As(err); ok && f.Kind != fault.Internal {
		return f.Message
	}
	return "it could not be executed yet; it is tried again"
}

// abandon makes sure that a body is never executed, and ends what waits for it.
func (s *Service) abandon(ctx context.Context, a Approval, from ApprovalState, why string) (execution, error) {
	out, err := s.enclave.Cancel(ctx, a.Fingerprint)
	if err != nil {
		return execution{}, err
	}
	if out.State == wire.Cancelled {
		return s.ended(a, from, ApprovalExpired, why), nil
	}
	return s.became(ctx, a, from, out)
}

// became is what the enclave's word about a body means for its approval.
func (s *Service) became(ctx context.Context, a Approval, from ApprovalState, out client.Outcome) (execution, error) {
	switch out.State {
	case wire.Held:
		return s.stands(ctx, a, from)
	case wire.Done, wire.Denied:
		return s.executed(ctx, a, from, out)
	case wire.Cancelled:
		if a.lasts(s.clock.Now()) {
			return s.ended(a, from, ApprovalRejected, a.Comment), nil
		}
		return s.ended(a, from, ApprovalExpired, "not enough votes in time"), nil
	}
	return execution{}, fmt.Errorf("the enclave knows nothing of the approval %s", a.ID)
}

// stands is an approval with the votes that count now.
func (s *Service) stands(ctx context.Context, a Approval, from ApprovalState) (execution, error) {
	w, err := s.standing(ctx, a)
	if f, ok := fault.As(err); ok && f.Code == "approval_void" {
		return s.abandon(ctx, a, from, f.Message)
	}
	if hopeless(err) {
		return s.abandon(ctx, a, from, "not enough votes in time")
	}
	if err != nil {
		return execution{}, err
	}
	a, err = a.with(*w, s.clock.Now())
	return execution{Approval: a, from: from}, err
}

// standing asks the enclave how an approval stands.
func (s *Service) standing(ctx context.Context, a Approval) (*wire.Approval, error) {
	proof, err := s.enclave.State(ctx, wire.StateRequest{OrganizationID: a.SubOrganizationID, Approval: a.Fingerprint})
	if err != nil {
		return nil, err
	}
	var st wire.Statement
	if err := json.Unmarshal([]byte(proof.Payload), &st); err != nil { // the client has checked it
		return nil, fmt.Errorf("reading how an approval stands: %w", err)
	}
	if st.State == nil || st.State.Approval == nil || st.State.Approval.Fingerprint != a.Fingerprint {
		return nil, errors.New("the enclave's answer about an approval is about another")
	}
	return st.State.Approval, nil
}

// with takes over how the enclave says that an approval stands.
func (a Approval) with(w wire.Approval, now time.Time) (Approval, error) {
	required, err := strconv.Atoi(w.RequiredApprovers)
	if err != nil {
		return a, fmt.Errorf("reading an approval: %w", err)
	}
	a.Votes, a.Required, a.UpdatedAt = w.Votes, required, now
	switch {
	case !w.Approved && a.State == ApprovalApproved:
		a.State, a.Comment = ApprovalPending, "the rules have changed: who approved before is asked again"
	case w.Approved && a.State == ApprovalPending:
		a.State, a.Comment = ApprovalApproved, ""
	}
	return a, nil
}

// ended is an approval that will never be executed.
func (s *Service) ended(a Approval, from, to ApprovalState, why string) execution {
	now := s.clock.Now()
	a.State, a.Comment, a.UpdatedAt, a.ResolvedAt = to, why, now, now
	state := map[ApprovalState]State{ApprovalRejected: Cancelled, ApprovalExpired: Expired}[to]
	reason := cmp.Or(why, "rejected")
	return execution{Approval: a, from: from, write: func(ctx context.Context, tx Tx) error {
		if a.Kind == SubjectActivity {
			return tx.MoveActivity(ctx, a.WorkspaceID, a.Subject, AwaitingApproval, state, "", now)
		}
		return tx.MoveTransaction(ctx, a.WorkspaceID, a.Subject, []State{AwaitingApproval}, state, TransactionChange{Now: now, Reason: &reason})
	}}
}

// executed is an approval whose body the enclave has executed, or refused for good.
func (s *Service) executed(ctx context.Context, a Approval, from ApprovalState, out client.Outcome) (execution, error) {
	now := s.clock.Now()
	a.State, a.Comment, a.UpdatedAt, a.ResolvedAt = ApprovalApproved, "", now, now
	if r := out.Statement.Result; r != nil && r.Approval != nil { // how it stood then
		a.Votes = r.Approval.Votes
	}
	if r := out.Statement.Result; out.State == wire.Denied && r != nil && r.Denial != nil {
		a.Comment = denialWords(r.Denial)
	}
	x := execution{Approval: a, from: from, result: &out.Proof}
	if a.Kind == SubjectActivity {
		err := s.activityInto(ctx, &x, out)
		return x, err
	}
	err := s.transactionInto(ctx, &x, out)
	return x, err
}

func (s *Service) activityInto(ctx context.Context, x *execution, out client.Outcome) error {
	row, err := s.store.Activity(ctx, x.WorkspaceID, x.Subject)
	if err != nil {
		return err
	}
	if out.State == wire.Done {
		x.write = func(ctx context.Context, tx Tx) error { return s.recoverActivity(ctx, tx, row, out) }
		return nil
	}
	denial, err := s.insertDenial(ctx, row.refused(), out)
	x.write = func(ctx context.Context, tx Tx) error {
		if err := denial(ctx, tx); err != nil {
			return err
		}
		return tx.MoveActivity(ctx, row.WorkspaceID, row.ID, AwaitingApproval, Failed, "", s.clock.Now())
	}
	return err
}

func (s *Service) transactionInto(ctx context.Context, x *execution, out client.Outcome) error {
	t, err := s.store.Transaction(ctx, x.WorkspaceID, x.Subject)
	if err != nil {
		return err
	}
	if out.State == wire.Denied {
		return s.denialInto(ctx, x, t, out)
	}
	change, err := s.signedChange(out, t.Held)
	if err != nil {
		return err
	}
	to := s.sendOnce(ctx, t, &change) // one node, once, as confirm does
	t.apply(to, change)
	x.after = &t
	x.write = func(ctx context.Context, tx Tx) error {
		if err := t.succeed(ctx, tx, change); err != nil {
			return err
		}
		if err := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []State{AwaitingApproval}, to, change); err != nil {
			return err
		}
		return enqueueNext(ctx, tx, t)
	}
	return nil
}

func (s *Service) denialInto(ctx context.Context, x *execution, t Transaction, out client.Outcome) error {
	change, _, err := s.deniedChange(out)
	if err != nil {
		return err
	}
	denial, err := s.insertDenial(ctx, t.refused(), out)
	t.apply(Failed, change)
	x.after = &t
	x.write = func(ctx context.Context, tx Tx) error {
		if err := denial(ctx, tx); err != nil {
			return err
		}
		return tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, []State{AwaitingApproval}, Failed, change)
	}
	return err
}

// into writes an execution, and asks for the next try where there has to be one.
// Who comes second finds ErrStale.
func (x execution) into(ctx context.Context, tx Tx, now time.Time) error {
	if err := tx.MoveApproval(ctx, x.Approval, x.from); err != nil {
		return err
	}
	if x.write != nil {
		// A subject that has gone on already was written by a caller of its own.
		if err := unlessStale(x.write(ctx, tx)); err != nil {
			return err
		}
	}
	if x.State != ApprovalApproved || !x.open() {
		return nil
	}
	return tx.Enqueue(ctx, job.Job{Kind: JobExecute, WorkspaceID: x.WorkspaceID, ID: x.ID, RunAt: now.Add(executeAgain)})
}

// record writes an execution that no caller waits for.
func (s *Service) record(ctx context.Context, x execution) error {
	return unlessStale(s.store.Work(ctx, x.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		audit := command.Audit{Resource: x.Subject, Detail: map[string]string{"approvalId": x.ID, "status": string(x.State)}}
		if x.State != x.from || !x.open() {
			audit.Action = "approval." + string(x.State)
		}
		return audit, x.into(ctx, tx, s.clock.Now())
	}))
}

// executeAgain is how long after a failed try the next one comes.
const executeAgain = 2 * time.Second

// Execute is the job of an approval that has its votes and is not executed yet.
// It says when to try again; 0 ends it.
func (s *Service) Execute(ctx context.Context, workspaceID, id string) (again time.Duration, err error) {
	a, err := s.store.Approval(ctx, workspaceID, id)
	if err != nil || a.State != ApprovalApproved || !a.open() {
		return 0, err
	}
	x, err := s.carryOn(ctx, a)
	if err != nil {
		return 0, err
	}
	if err := s.record(ctx, x); err != nil || x.State != ApprovalApproved || !x.open() {
		return 0, err
	}
	return max(executeAgain, min(s.clock.Now().Sub(a.CreatedAt)/20, pollSlowest)), nil
}

func (s *Service) carryOn(ctx context.Context, a Approval) (execution, error) {
	if a.lasts(s.clock.Now()) {
		return s.attempt(ctx, a, a.State)
	}
	why := "not enough votes in time"
	if a.State == ApprovalApproved {
		why = "it could not be executed in time: " + a.Comment
	}
	return s.abandon(ctx, a, a.State, why)
}

// sweepApprovals finishes what a crash left undone, and ends what has expired.
func (s *Service) sweepApprovals(ctx context.Context) (err error) {
	before := s.clock.Now().Add(-sweepAfter)
	for _, state := range []ApprovalState{ApprovalPending, ApprovalApproved} {
		rows, failed := s.store.WaitingApprovals(ctx, state, before, s.sweptApprovals[state], sweepBatch)
		if failed != nil {
			return errors.Join(err, failed)
		}
		s.sweptApprovals[state] = resume(rows, func(a Approval) Cursor { return Cursor{CreatedAt: a.UpdatedAt, ID: a.ID} })
		err = errors.Join(err, each(rows, func(a Approval) error { return s.sweepApproval(ctx, a) }))
	}
	return err
}

// sweepApproval leaves alone what was looked at lately and still waits for votes.
func (s *Service) sweepApproval(ctx context.Context, a Approval) error {
	now := s.clock.Now()
	if a.State == ApprovalPending && a.lasts(now) {
		if now.Sub(a.UpdatedAt) < sweepJobs {
			return nil
		}
		x, err := s.look(ctx, a)
		if err != nil {
			return err
		}
		return s.record(ctx, x)
	}
	x, err := s.carryOn(ctx, a)
	if err != nil {
		return err
	}
	return s.record(ctx, x)
}

// look asks the enclave what has become of an approval.
func (s *Service) look(ctx context.Context, a Approval) (execution, error) {
	out, err := s.enclave.Outcome(ctx, a.Fingerprint)
	if err != nil {
		return execution{}, err
	}
	return s.became(ctx, a, a.State, out)
}
