package kyb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/rest"
)

// leaveAlone is how long a job is late before the sweeper makes another one.
const leaveAlone = time.Minute

// mailFor is for how long a mail is tried.
const mailFor = 7 * 24 * time.Hour

// statuses are what a workspace's KYB status becomes with each word about its form.
var statuses = map[State]string{
	Approved: workspace.KYBApproved, Rejected: workspace.KYBRejected, MoreInformation: workspace.KYBPending,
	pending: workspace.KYBPending,
}

// pending is the operator's word that nothing is decided: it takes a decision back.
const pending State = workspace.KYBPending

// Decide is the operator's word: it sets the workspace's KYB status, and decides its last submission where there is
// one. Nobody else may call it: a workspace must not approve itself.
func (s *Service) Decide(ctx context.Context, cmd *command.Command, in rest.KybRequest) (command.Answer, error) {
	to := State(in.Status)
	if _, known := statuses[to]; !known {
		words := []string{string(pending), string(Approved), string(Rejected), string(MoreInformation)}
		return command.Answer{}, fault.Field("status", "must be one of "+strings.Join(words, ", "))
	}
	if !cmd.Principal.May(auth.AccessOperate) {
		return command.Answer{}, auth.ErrScope
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		w, err := workspace.Hold(ctx, tx, cmd.Principal)
		if err != nil {
			return command.Reply{}, err
		}
		last, err := tx.LastSubmission(ctx, w.ID)
		switch {
		case errors.Is(err, fault.ErrNotFound):
			err = withoutForm(in)
		case err == nil:
			err = s.decideLast(ctx, tx, last, in)
		}
		if err != nil {
			return command.Reply{}, err
		}
		w, changed, err := s.follow(ctx, tx, w, to, in.Reason)
		changed.Detail = map[string]string{"submission": last.ID, "decision": in.Status}
		return command.Reply{Status: 200, Message: "Workspace updated", Data: w.View(), Audit: changed}, err
	})
}

// withoutForm refuses what can only be said of a submitted form, where there is none.
func withoutForm(in rest.KybRequest) error {
	if in.SubmissionID != "" || State(in.Status) == MoreInformation {
		return ErrNoSubmission
	}
	return nil
}

// decideLast decides the last submission. It refuses a decision about another one, since the operator has not read the
// last one then, and to approve a form while its members are changing it.
func (s *Service) decideLast(ctx context.Context, tx Tx, last Submission, in rest.KybRequest) error {
	to := State(in.Status)
	switch {
	case in.SubmissionID == "" && s.c.Named:
		return fault.Field("submissionId", "is required: the workspace has submitted a form")
	case in.SubmissionID != "" && in.SubmissionID != last.ID:
		return ErrSubmittedAgain.With("submissionId", last.ID)
	case to == Approved && last.State == MoreInformation:
		return ErrOpen
	case in.Reason == "" && (to == Rejected || to == MoreInformation):
		return fault.Field("reason", "is required: the workspace's members read it")
	}
	return s.settle(ctx, tx, last, to, in.Reason)
}

// settle gives a submission its next state, and has the workspace's admins mailed of it.
func (s *Service) settle(ctx context.Context, tx Tx, is Submission, to State, reason string) error {
	was, now := is.State, s.c.Clock.Now()
	switch {
	case to != pending:
		is.State, is.Reason, is.DecidedAt, is.CheckAt = to, reason, now, time.Time{}
	case was == Approved || was == Rejected || was == MoreInformation:
		is.State, is.Reason, is.DecidedAt = InReview, "", time.Time{}
	default:
		return nil
	}
	if err := tx.MoveSubmission(ctx, is, was); err != nil || to == pending {
		return err
	}
	decision := record.NewID()
	if err := tx.InsertMails(ctx, is.WorkspaceID, decision, to, reason, now); err != nil {
		return err
	}
	return tx.Enqueue(ctx, job.Job{Kind: JobMail, WorkspaceID: is.WorkspaceID, ID: decision})
}

// follow has the workspace's status follow a decision.
func (s *Service) follow(
	ctx context.Context, tx Tx, w workspace.Workspace, to State, reason string,
) (workspace.Workspace, command.Audit, error) {
	return workspace.Change(ctx, tx, w, "workspace.kyb", s.c.Clock.Now(), func(w *workspace.Workspace) error {
		w.KYBStatus, w.KYBReason = statuses[to], reason
		return nil
	})
}

// Check has the Checker judge a submission, a moment after it was handed in. It may run twice: what is decided stays.
func (s *Service) Check(ctx context.Context, workspaceID, id string) (time.Duration, error) {
	sub, err := s.c.Store.Submission(ctx, workspaceID, id)
	now := s.c.Clock.Now()
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return 0, nil
	case err != nil || sub.CheckAt.IsZero():
		return 0, err
	case sub.State == Submitted:
		sub.State, sub.CheckAt = InReview, now.Add(moment)
		return moment, s.move(ctx, sub, Submitted)
	case now.Before(sub.CheckAt):
		return sub.CheckAt.Sub(now), nil
	}
	form, err := openForm(s.c.Vault, sub.place(), sub.Sealed)
	if err != nil {
		return 0, err
	}
	verdict, err := s.c.Checker.Check(ctx, sub.ID, form)
	switch {
	case err != nil:
		return 0, fmt.Errorf("checking a business: %w", err)
	case verdict.State == "":
		sub.CheckAt = time.Time{}
		return 0, s.move(ctx, sub, InReview)
	}
	return 0, s.judge(ctx, sub, verdict)
}

// move writes a submission, unless somebody has decided about it since.
func (s *Service) move(ctx context.Context, sub Submission, from State) error {
	return record.UnlessStale(record.Do(ctx, s.c.Store, sub.WorkspaceID, func(ctx context.Context, tx Tx) error {
		return tx.MoveSubmission(ctx, sub, from)
	}))
}

// judge writes what the Checker decided, unless the operator was faster.
func (s *Service) judge(ctx context.Context, sub Submission, v Verdict) error {
	if !slices.Contains([]State{Approved, Rejected, MoreInformation}, v.State) {
		return errors.New("the check of a business gave no decision that there is")
	}
	return record.UnlessStale(s.c.Store.Work(ctx, sub.WorkspaceID, func(
		ctx context.Context, tx Tx,
	) (command.Audit, error) {
		w, err := tx.HoldWorkspace(ctx, sub.WorkspaceID)
		if err != nil {
			return command.Audit{}, err
		}
		last, err := tx.LastSubmission(ctx, sub.WorkspaceID)
		if err == nil && (last.ID != sub.ID || last.State != InReview) {
			err = record.ErrStale
		}
		if err == nil {
			err = s.settle(ctx, tx, last, v.State, v.Reason)
		}
		if err != nil {
			return command.Audit{}, err
		}
		_, changed, err := s.follow(ctx, tx, w, v.State, v.Reason)
		changed.Detail = map[string]string{"submission": sub.ID, "decision": string(v.State)}
		return changed, err
	}))
}

// Sweep makes jobs of checks and mails whose jobs were lost.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.c.Clock.Now()
	late, err := s.c.Store.Unchecked(ctx, now.Add(-leaveAlone), record.SweepBatch)
	for _, sub := range late {
		err = errors.Join(err, s.c.Store.Queue(ctx, job.Job{Kind: JobCheck, WorkspaceID: sub.WorkspaceID, ID: sub.ID}))
	}
	if s.c.Post == nil {
		return err
	}
	unsent, failed := s.c.Store.Unmailed(ctx, now.Add(-mailFor), now.Add(-leaveAlone), record.SlowBatch)
	for _, m := range unsent {
		failed = errors.Join(failed,
			s.c.Store.Queue(ctx, job.Job{Kind: JobMail, WorkspaceID: m.WorkspaceID, ID: m.DecisionID}))
	}
	return errors.Join(err, failed)
}
