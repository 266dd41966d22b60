package signing

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

// ApproveInput is a vote. Prepared with ?prepare=true, its body names the request
// and the rules that are in force.
type ApproveInput struct {
	SignedActivity *Stamped `json:"signedActivity,omitempty" doc:"The prepared vote with its stamp; without one nothing is counted"`
}

// PreparedVote is a vote that waits for its stamp.
type PreparedVote struct {
	ApprovalID string `json:"approvalId"`
	Prepared
}

// Approve counts a user's vote and, with the last one, has what waits executed.
func (s *Service) Approve(ctx context.Context, cmd *command.Command, id string, how Stamping) (command.Answer, error) {
	a, err := s.store.Approval(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	switch {
	case how.Prepare && how.SignedActivity != nil:
		return command.Answer{}, fault.Field("signedActivity", "must not be given with prepare=true")
	case how.Prepare:
		return s.prepareVote(ctx, cmd, a)
	case how.SignedActivity == nil:
		return command.Answer{}, ErrVoteUnstamped
	}
	vote, err := s.voteRow(ctx, a, *how.SignedActivity)
	if err != nil {
		return command.Answer{}, err
	}
	if !a.open() && vote.State != Confirmed {
		return command.Answer{}, a.resolved()
	}
	out, err := s.enclave.Submit(ctx, wire.SubmitRequest{Body: vote.Body, Stamp: &how.SignedActivity.Stamp}, vote.Fingerprint)
	if f, ok := fault.As(err); ok && f.Code == "approval_unknown" {
		return command.Answer{}, s.gone(ctx, a)
	}
	if err == nil && out.State != wire.Done {
		err = ErrRequestExpired
	}
	if err != nil {
		return command.Answer{}, err
	}
	return s.settleVote(ctx, cmd, a, vote, how.SignedActivity.Stamp, out)
}

// resolved says that there is nothing left to decide.
func (a Approval) resolved() error {
	return ErrApprovalResolved.Msg(string(a.State)).With("status", string(a.State))
}

// gone is for what the enclave holds no more, although its row says that it waits.
func (s *Service) gone(ctx context.Context, a Approval) error {
	x, err := s.look(ctx, a)
	if err == nil {
		err = s.record(ctx, x)
	}
	if err != nil {
		return err
	}
	return x.resolved()
}

// prepareVote names the rules of now: under others the vote would not count.
func (s *Service) prepareVote(ctx context.Context, cmd *command.Command, a Approval) (command.Answer, error) {
	if !a.open() {
		return command.Answer{}, a.resolved()
	}
	w, err := s.standing(ctx, a)
	if err != nil {
		return command.Answer{}, err
	}
	sub, err := s.store.SubOrganization(ctx, a.WorkspaceID, a.SubOrganizationID)
	if err != nil {
		return command.Answer{}, err
	}
	held, err := s.heldBody(ctx, a)
	if err != nil {
		return command.Answer{}, err
	}
	d := draft{
		kind: wire.ApproveActivity, sub: sub, id: newID(), held: held, url: "/v1/signing/approvals/" + a.ID + "/approve",
		params: wire.ApproveActivityParams{Fingerprint: a.Fingerprint, PolicySet: w.PolicySet},
	}
	if err := s.prepare(ctx, &d); err != nil {
		return command.Answer{}, err
	}
	row, err := d.activity()
	if err != nil {
		return command.Answer{}, err
	}
	row.WalletID = a.WalletID
	return s.commitActivity(ctx, cmd, row, d.ceremony, PreparedVote{a.ID, d.Prepared}, "approval.prepare")
}

// heldBody is the body that an approval is about.
func (s *Service) heldBody(ctx context.Context, a Approval) (string, error) {
	if a.Kind == SubjectActivity {
		row, err := s.store.Activity(ctx, a.WorkspaceID, a.Subject)
		return row.Body, err
	}
	t, err := s.store.Transaction(ctx, a.WorkspaceID, a.Subject)
	return t.Body, err
}

// voteRow is the row of a stamped vote, which has to be for this very approval.
func (s *Service) voteRow(ctx context.Context, a Approval, in Stamped) (Activity, error) {
	var body wire.Body
	var p wire.ApproveActivityParams
	if json.Unmarshal([]byte(in.Body), &body) != nil || json.Unmarshal(body.Parameters, &p) != nil {
		return Activity{}, ErrStampedBody
	}
	row, err := s.store.Activity(ctx, a.WorkspaceID, body.ActivityID)
	if errors.Is(err, fault.ErrNotFound) || err == nil && (row.Body != in.Body || row.Kind != string(wire.ApproveActivity) || p.Fingerprint != a.Fingerprint) {
		return row, ErrStampedBody
	}
	if err == nil && (row.State == Expired || row.State == Cancelled) {
		err = ErrRequestExpired
	}
	return row, err
}

// settleVote tries to execute what has its votes now, and commits vote and result.
func (s *Service) settleVote(ctx context.Context, cmd *command.Command, a Approval, vote Activity, stamp wire.Stamp, out client.Outcome) (command.Answer, error) {
	x, err := s.counted(ctx, a, vote, out)
	if err != nil {
		return command.Answer{}, err
	}
	answer, err := s.commitVote(ctx, cmd, x, vote, stamp, out.Proof)
	if !errors.Is(err, ErrStale) {
		return answer, err
	}
	now, err := s.store.Approval(ctx, a.WorkspaceID, a.ID) // another vote was counted beside this one
	if err != nil {
		return command.Answer{}, err
	}
	vote.State = Confirmed
	return s.commitVote(ctx, cmd, execution{Approval: now}, vote, stamp, out.Proof)
}

// counted is what an approval is with a vote. One that was counted before counts
// for nothing more.
func (s *Service) counted(ctx context.Context, a Approval, vote Activity, out client.Outcome) (execution, error) {
	if vote.State == Confirmed || !a.open() {
		return execution{Approval: a}, nil
	}
	r := out.Statement.Result
	if r == nil || r.Approval == nil || r.Approval.Fingerprint != a.Fingerprint {
		return execution{}, errors.New("the enclave's answer to a vote names no approval")
	}
	if a.State == ApprovalApproved { // by later votes, of which an answer that was lost knows nothing
		return s.attempt(ctx, a, a.State)
	}
	next, err := a.with(*r.Approval, s.clock.Now())
	if err != nil || next.State != ApprovalApproved {
		return execution{Approval: next, from: a.State}, err
	}
	return s.attempt(ctx, next, a.State)
}

// commitVote writes the vote and, where there is a state to start from, what
// became of the approval by it.
func (s *Service) commitVote(ctx context.Context, cmd *command.Command, x execution, vote Activity, stamp wire.Stamp, proof wire.Proof) (command.Answer, error) {
	view, err := s.approvalView(ctx, x)
	if err != nil {
		return command.Answer{}, err
	}
	view.Vote = &proof
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if x.from != "" {
			if err := x.into(ctx, tx, s.clock.Now()); err != nil {
				return command.Reply{}, err
			}
		}
		return command.Reply{
			Status: 201, Message: "Approved", Data: view,
			Audit: command.Audit{Action: "approval.approve", Resource: x.Subject, Detail: map[string]string{"approvalId": x.ID, "status": string(x.State)}},
		}, errors.Join(s.done(ctx, tx, vote), s.used(ctx, tx, vote.WorkspaceID, vote.SubOrganizationID, &stamp))
	})
}

// recoverVote is the sweeper's half: a vote that the enclave has counted. What that
// said then may be outdated by later votes, so that it is asked how it stands now.
func (s *Service) recoverVote(ctx context.Context, vote Activity, out client.Outcome) error {
	r := out.Statement.Result
	if r == nil || r.Approval == nil {
		return errors.New("the enclave's answer to a vote names no approval")
	}
	a, err := s.store.Approval(ctx, vote.WorkspaceID, approvalID(vote.WorkspaceID, r.Approval.Fingerprint))
	if err != nil {
		return err
	}
	x := execution{Approval: a}
	if a.open() {
		if x, err = s.look(ctx, a); err != nil {
			return err
		}
	}
	return s.store.Work(ctx, vote.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		if a.open() {
			if err := x.into(ctx, tx, s.clock.Now()); err != nil {
				return command.Audit{}, err
			}
		}
		return command.Audit{Action: "approval.recover", Resource: a.Subject, Detail: map[string]string{"approvalId": a.ID}}, s.done(ctx, tx, vote)
	})
}
