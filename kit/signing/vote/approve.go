package vote

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/approval"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// errUnstamped is an error of the signer too, which defines it: see there. A test holds it against the signer's.
var errUnstamped = &fault.Error{
	Kind: fault.Forbidden, Code: "passkey_stamp_required", Message: "A passkey has to stamp this",
}

// ApproveInput is a vote. Prepared with ?prepare=true, its body names the request
// and the rules that are in force.
type ApproveInput struct {
	SignedActivity *activity.Stamped `json:"signedActivity,omitempty" doc:"The prepared vote with its stamp; without one nothing is counted"`
	rest.ReturnTo
}

// PreparedVote is a vote that waits for its stamp.
type PreparedVote struct {
	ApprovalID string `json:"approvalId"`
	activity.Prepared
}

// Approve counts a user's vote. With the last vote it has the enclave execute the waiting request.
func (s *Service) Approve(ctx context.Context, cmd *command.Command, id string,
	how activity.Stamping,
) (command.Answer, error) {
	a, err := s.c.Store.Approval(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	switch {
	case how.Prepare && how.SignedActivity != nil:
		return command.Answer{}, fault.Field("signedActivity", "must not be given with prepare=true")
	case how.Prepare:
		return s.prepare(ctx, cmd, a)
	case how.SignedActivity == nil:
		return command.Answer{}, errUnstamped
	}
	vote, err := s.voteRow(ctx, a, *how.SignedActivity)
	if err != nil {
		return command.Answer{}, err
	}
	if !a.Open() && vote.State != activity.Done {
		return command.Answer{}, a.Resolved()
	}
	if err := s.payable(ctx, a); err != nil {
		return command.Answer{}, err
	}
	out, err := s.c.Enclave.Submit(ctx, wire.SubmitRequest{Body: vote.Body, Stamp: &how.SignedActivity.Stamp},
		vote.Fingerprint)
	if errors.Is(err, refusal.ErrApproval) {
		return command.Answer{}, s.gone(ctx, a)
	}
	if err == nil && out.State != wire.Done {
		err = activity.ErrRequestExpired
	}
	if err != nil {
		return command.Answer{}, err
	}
	return s.settle(ctx, cmd, a, vote, how.SignedActivity.Stamp, out)
}

// prepare writes the body of a vote. It names the rules in force, since the enclave counts no vote for other rules.
func (s *Service) prepare(ctx context.Context, cmd *command.Command, a approval.Approval) (command.Answer, error) {
	if !a.Open() {
		return command.Answer{}, a.Resolved()
	}
	if err := s.payable(ctx, a); err != nil {
		return command.Answer{}, err
	}
	w, err := s.askStanding(ctx, a)
	if err != nil {
		return command.Answer{}, err
	}
	held, err := s.HeldBody(ctx, a)
	if err != nil {
		return command.Answer{}, err
	}
	d := activity.Draft{
		Kind: wire.ApproveActivity, Link: link.Approval,
		Owner: activity.Owner{WorkspaceID: a.WorkspaceID, ID: a.SubOrganizationID}, ID: record.NewID(), Held: held,
		URL:    "/v1/signing/approvals/" + a.ID + "/approve",
		Params: wire.ApproveActivityParams{Fingerprint: a.Fingerprint, PolicySet: w.PolicySet},
	}
	if err := s.c.Activities.Prepare(ctx, &d); err != nil {
		return command.Answer{}, err
	}
	row, err := d.Activity()
	if err != nil {
		return command.Answer{}, err
	}
	row.WalletID = a.WalletID
	return s.c.Activities.Commit(ctx, cmd, row, d, PreparedVote{a.ID, d.Prepared}, "approval.prepare")
}

// payable refuses to let an agent's payment go on that waited for votes when the operator stopped the agents. Votes
// would be its authority at the signer, which knows no module and no business check. Rejecting it needs none of this.
func (s *Service) payable(ctx context.Context, a approval.Approval) error {
	if k := wire.ActivityType(a.Activity); !a.Open() || k != wire.AgentPayment && k != wire.AgentX402 {
		return nil
	}
	return s.c.Agents.Open(ctx, a.WorkspaceID)
}

// HeldBody is the body that an approval is about.
func (s *Service) HeldBody(ctx context.Context, a approval.Approval) (string, error) {
	if a.Kind == approval.SubjectActivity {
		row, err := s.c.Store.Activity(ctx, a.WorkspaceID, a.Subject)
		return row.Body, err
	}
	t, err := s.c.Store.Transaction(ctx, a.WorkspaceID, a.Subject)
	return t.Body, err
}

// voteRow is the row of a stamped vote, which has to be for this very approval.
func (s *Service) voteRow(ctx context.Context, a approval.Approval, in activity.Stamped) (activity.Activity, error) {
	var body wire.Body
	var p wire.ApproveActivityParams
	if json.Unmarshal([]byte(in.Body), &body) != nil || json.Unmarshal(body.Parameters, &p) != nil {
		return activity.Activity{}, activity.ErrStampedBody
	}
	row, err := s.c.Store.Activity(ctx, a.WorkspaceID, body.ActivityID)
	if errors.Is(err, fault.ErrNotFound) || err == nil &&
		(row.Body != in.Body || row.Kind != string(wire.ApproveActivity) || p.Fingerprint != a.Fingerprint) {
		return row, activity.ErrStampedBody
	}
	if err == nil && (row.State == activity.Expired || row.State == activity.Cancelled) {
		err = activity.ErrRequestExpired
	}
	return row, err
}

// settle tries to execute a request that has its votes, and commits the vote and the result.
func (s *Service) settle(ctx context.Context, cmd *command.Command, a approval.Approval, vote activity.Activity,
	stamp wire.Stamp, out client.Outcome,
) (command.Answer, error) {
	x, err := s.count(ctx, a, vote, out)
	if err != nil {
		return command.Answer{}, err
	}
	answer, err := s.commit(ctx, cmd, x, vote, stamp, out.Proof)
	if !errors.Is(err, record.ErrStale) {
		return answer, err
	}
	now, err := s.c.Store.Approval(ctx, a.WorkspaceID, a.ID) // another vote was counted beside this one
	if err != nil {
		return command.Answer{}, err
	}
	vote.State = activity.Done
	return s.commit(ctx, cmd, execution{Approval: now}, vote, stamp, out.Proof)
}

// count returns the approval after a vote. A vote that was counted before changes nothing.
func (s *Service) count(ctx context.Context, a approval.Approval, vote activity.Activity,
	out client.Outcome,
) (execution, error) {
	if vote.State == activity.Done || !a.Open() {
		return execution{Approval: a}, nil
	}
	r := out.Statement.Result
	if r == nil || r.Approval == nil || r.Approval.Fingerprint != a.Fingerprint {
		return execution{}, errors.New("the enclave's answer to a vote names no approval")
	}
	if a.State == approval.Approved { // later votes approved it; this vote's first answer was lost before
		return s.attempt(ctx, a, a.State)
	}
	next, err := a.WithVotes(*r.Approval, s.c.Clock.Now())
	if err != nil || next.State != approval.Approved {
		return execution{Approval: next, from: a.State}, err
	}
	return s.attempt(ctx, next, a.State)
}

// commit writes the vote and, if x has a state to start from, the approval after it.
func (s *Service) commit(ctx context.Context, cmd *command.Command, x execution, vote activity.Activity,
	stamp wire.Stamp, proof wire.Proof,
) (command.Answer, error) {
	view, err := s.view(ctx, x)
	if err != nil {
		return command.Answer{}, err
	}
	view.Vote = &proof
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if x.from != "" {
			if err := x.save(ctx, tx, s.c.Clock.Now()); err != nil {
				return command.Reply{}, err
			}
		}
		s.c.Activities.TouchPasskey(tx, vote.WorkspaceID, vote.SubOrganizationID, &stamp)
		return command.Reply{
			Status: 201, Message: "Approved", Data: view,
			Audit: command.Audit{Action: "approval.approve", Resource: x.Subject,
				Detail: map[string]string{"approvalId": x.ID, "status": string(x.State)}},
		}, s.c.Activities.Finish(ctx, tx, vote)
	})
}

// recoverVote is for the sweeper: it writes a vote that the enclave has counted and whose row a crash left unfinished.
// Later votes may have outdated the enclave's answer to that vote, so the enclave is asked for the approval's current
// state.
func (s *Service) recoverVote(ctx context.Context, vote activity.Activity, out client.Outcome) error {
	r := out.Statement.Result
	if r == nil || r.Approval == nil {
		return errors.New("the enclave's answer to a vote names no approval")
	}
	a, err := s.c.Store.Approval(ctx, vote.WorkspaceID, approval.ID(vote.WorkspaceID, r.Approval.Fingerprint))
	if err != nil {
		return err
	}
	x := execution{Approval: a}
	if a.Open() {
		if x, err = s.askOutcome(ctx, a); err != nil {
			return err
		}
	}
	return s.c.Store.Work(ctx, vote.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		if a.Open() {
			if err := x.save(ctx, tx, s.c.Clock.Now()); err != nil {
				return command.Audit{}, err
			}
		}
		return command.Audit{Action: "approval.recover", Resource: a.Subject,
			Detail: map[string]string{"approvalId": a.ID}}, s.c.Activities.Finish(ctx, tx, vote)
	})
}

// gone is for an approval whose row is open although the enclave no longer holds the request.
func (s *Service) gone(ctx context.Context, a approval.Approval) error {
	x, err := s.askOutcome(ctx, a)
	if err == nil {
		err = s.record(ctx, x)
	}
	if err != nil {
		return err
	}
	return x.Resolved()
}
