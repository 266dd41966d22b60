package life

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

const agentsURL = "/v1/agents"

// PreparedAgent is the answer to a new agent: its owner stamps unsignedActivity, and sends it to confirm-user.
type PreparedAgent struct {
	AgentRequestID string `json:"agentRequestId" format:"uuid"`
	activity.Prepared
}

// Prepare writes the body that makes an agent and its wallet, and keeps what its activation will ask for.
func (s *Service) Prepare(
	ctx context.Context, cmd *command.Command, in rest.PrepareAgentRequest,
) (command.Answer, error) {
	limits, err := s.limits(in, cmd.Principal.Environment)
	if err != nil {
		return command.Answer{}, err
	}
	owner, err := s.owner(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	d := activity.Draft{
		Kind: wire.CreateAgent, Link: link.Agent, Owner: owner, ID: record.NewID(), URL: agentsURL + "/confirm-user",
		Params: wire.CreateAgentParams{
			AgentName: strings.TrimSpace(in.Name), Networks: walletFor(limits, s.c.Networks),
		},
	}
	if err := s.c.Activities.Prepare(ctx, &d); err != nil {
		return command.Answer{}, err
	}
	a, err := d.Activity()
	if err != nil {
		return command.Answer{}, err
	}
	a.WalletID, a.Name = uuid.NewString(), strings.TrimSpace(in.Name)
	draft := Draft{
		WorkspaceID: a.WorkspaceID, RequestID: a.ID, Description: in.Description, CreatedAt: d.Now,
		Asked: Asked{Limits: limits, RecipientPublicKey: in.RecipientPublicKey},
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Data: PreparedAgent{AgentRequestID: a.ID, Prepared: d.Prepared},
			Audit: command.Audit{Action: "agent.prepare", Resource: a.ID},
		}, errors.Join(tx.InsertActivity(ctx, a), tx.InsertAgentDraft(ctx, draft), d.InsertLink(ctx, tx, cmd.Return))
	})
}

// owner finds the sub-organization that gets the agent.
func (s *Service) owner(ctx context.Context, workspaceID string, in rest.PrepareAgentRequest) (activity.Owner, error) {
	if in.WalletAddress == "" {
		sub, err := s.c.Passkeys.SubOrganization(ctx, workspaceID, in.SubOrganizationID)
		return sub.Owner(), err
	}
	from, err := s.c.Wallets.Sender(ctx, workspaceID, in.WalletAddress)
	switch {
	case errors.Is(err, fault.ErrNotFound), err == nil && from.External:
		return activity.Owner{}, fault.Field("walletAddress", "must be an address of one of the workspace's wallets")
	case err != nil:
		return activity.Owner{}, err
	case in.SubOrganizationID != "" && in.SubOrganizationID != from.Wallet.SubOrganizationID:
		return activity.Owner{}, fault.Field("subOrganizationId", "is not that of walletAddress")
	}
	return from.Wallet.Owner(), nil
}

// ConfirmAgentInput is the stamped body of a new agent.
type ConfirmAgentInput struct {
	AgentRequestID string           `json:"agentRequestId" format:"uuid"`
	SignedActivity activity.Stamped `json:"signedActivity"`
	rest.ReturnTo
}

// ConfirmUser has the enclave make the agent, and answers the body that gives it limits and secret.
func (s *Service) ConfirmUser(ctx context.Context, cmd *command.Command, in ConfirmAgentInput) (command.Answer, error) {
	return s.confirm(ctx, cmd, in.AgentRequestID, wire.CreateAgent, in.SignedActivity)
}

// ConfirmAgentPoliciesInput is the stamped body of an activation.
type ConfirmAgentPoliciesInput struct {
	PoliciesRequestID string           `json:"policiesRequestId,omitempty" format:"uuid" doc:"Needed unless agentId is given"`
	AgentID           string           `json:"agentId,omitempty" format:"uuid"`
	SignedActivity    activity.Stamped `json:"signedActivity"`
}

// ConfirmPolicies has the enclave activate the agent, and answers its secret.
func (s *Service) ConfirmPolicies(
	ctx context.Context, cmd *command.Command, in ConfirmAgentPoliciesInput,
) (command.Answer, error) {
	var params wire.ActivateAgentParams
	if err := activity.StampedParams(&in.SignedActivity, &params); err != nil {
		return command.Answer{}, err
	}
	id, err := activity.IDOf(in.SignedActivity.Body)
	switch {
	case err != nil:
		return command.Answer{}, err
	case in.PoliciesRequestID == "" && in.AgentID == "":
		return command.Answer{}, fault.Field("policiesRequestId", "is required")
	case in.AgentID != "" && !strings.EqualFold(in.AgentID, params.AgentID):
		return command.Answer{}, activity.ErrStampedBody
	}
	return s.confirm(ctx, cmd, cmp.Or(in.PoliciesRequestID, id), wire.ActivateAgent, in.SignedActivity)
}

// confirm has the enclave execute the prepared body of a round. Done before, it is answered again.
func (s *Service) confirm(
	ctx context.Context, cmd *command.Command, id string, kind wire.ActivityType, in activity.Stamped,
) (command.Answer, error) {
	a, err := s.c.Store.Activity(ctx, cmd.Principal.WorkspaceID, id)
	switch {
	case errors.Is(err, fault.ErrNotFound), err == nil && a.Kind != string(kind):
		return command.Answer{}, fault.Missing("Agent request")
	case err != nil:
		return command.Answer{}, err
	case a.Body != in.Body:
		return command.Answer{}, activity.ErrStampedBody
	}
	return s.c.Changes.Confirm(ctx, cmd, a.ID, in.Stamp)
}

// PreparePolicies prepares the second round anew, where its answer was lost or its 15 minutes are over.
func (s *Service) PreparePolicies(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	a, _, err := s.find(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	round, err := s.activation(ctx, a)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Activities.Commit(ctx, cmd, round.row, round.draft, round, "agent.policies")
}

// PreparedAgentPolicies is the body of the second round: its owner stamps unsignedActivity, and sends it to
// confirm-policies.
type PreparedAgentPolicies struct {
	AgentID           string `json:"agentId" format:"uuid"`
	PoliciesRequestID string `json:"policiesRequestId" format:"uuid"`
	activity.Prepared
	Proof *wire.Proof `json:"proof,omitempty" doc:"Of confirm-user: the enclave's, that it made the agent"`

	row   activity.Activity
	draft activity.Draft
}

// Insert writes the body with its link.
func (p PreparedAgentPolicies) Insert(ctx context.Context, tx activity.Tx, back *command.Return) error {
	return errors.Join(tx.InsertActivity(ctx, p.row), p.draft.InsertLink(ctx, tx, back))
}

// activation prepares the body that gives an agent its limits and its secret.
func (s *Service) activation(ctx context.Context, a Agent) (PreparedAgentPolicies, error) {
	row, draft, err := s.c.Changes.Draft(ctx, activity.Change{
		Kind: wire.ActivateAgent, Owner: activity.Owner{WorkspaceID: a.WorkspaceID, ID: a.SubOrganizationID},
		URL: agentsURL + "/confirm-policies", Name: a.Name,
		Params: wire.ActivateAgentParams{
			AgentID: a.ID, Limits: a.Asked.Limits, RecipientPublicKey: a.Asked.RecipientPublicKey,
		},
	})
	return PreparedAgentPolicies{
		AgentID: a.ID, PoliciesRequestID: row.ID, Prepared: draft.Prepared, row: row, draft: draft,
	}, err
}
