package life

import (
	"context"
	"strconv"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// AgentBudgetInput changes some of an agent's limits.
type AgentBudgetInput struct {
	rest.AgentAmounts
	rest.AgentReach
	SignedActivity *activity.Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
	rest.ReturnTo
}

// SetLimits changes an agent's limits. Those that are not named stay as the enclave has them now.
func (s *Service) SetLimits(
	ctx context.Context, cmd *command.Command, id string, in AgentBudgetInput, prepare bool,
) (command.Answer, error) {
	a, now, err := s.find(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	params := wire.SetAgentLimitsParams{AgentID: a.ID}
	switch {
	case in.SignedActivity != nil: // the limits may have changed since it was prepared
		err = activity.StampedParams(in.SignedActivity, &params)
	case now.Limits == nil: // the enclave refuses it
		params.Limits = a.Asked.Limits
	default:
		params.Limits = *now.Limits
		if err = putAmounts(&params.Limits, in.AgentAmounts); err == nil {
			err = putReach(&params.Limits, in.AgentReach, s.c.Networks, cmd.Principal.Environment)
		}
	}
	if err != nil {
		return command.Answer{}, err
	}
	return s.change(ctx, cmd, a, now, wire.SetAgentLimits, params, "/budget", prepare, in.SignedActivity)
}

// SetStatus halts an agent, lets it go on, or ends it. Halting and ending need no stamp.
func (s *Service) SetStatus(
	ctx context.Context, cmd *command.Command, id string, to wire.AgentStatus, how activity.Stamping, path string,
) (command.Answer, error) {
	a, now, err := s.find(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	return s.change(ctx, cmd, a, now, wire.SetAgentStatus, wire.SetAgentStatusParams{AgentID: a.ID, Status: to}, path,
		how.Prepare, how.SignedActivity)
}

// RotateAgentInput asks for a new secret.
type RotateAgentInput struct {
	RecipientPublicKey string            `json:"recipientPublicKey,omitempty" minLength:"66" maxLength:"66" doc:"P-256, compressed hex: the new secret is sealed to it. Without a stamp it has to be the recipient of the old one"`
	SignedActivity     *activity.Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
	rest.ReturnTo
}

// Rotate ends an agent's secret at once, and makes another one.
func (s *Service) Rotate(
	ctx context.Context, cmd *command.Command, id string, in RotateAgentInput, prepare bool,
) (command.Answer, error) {
	a, now, err := s.find(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	params := wire.RotateAgentSecretParams{AgentID: a.ID, RecipientPublicKey: in.RecipientPublicKey}
	return s.change(ctx, cmd, a, now, wire.RotateAgentSecret, params, "/rotate", prepare, in.SignedActivity)
}

// Delete takes away an agent that was never activated. Its wallet stays its owner's. The enclave forgets the agent.
func (s *Service) Delete(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	a, now, err := s.find(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return s.c.Changes.Again(ctx, cmd, activity.Gone{Kind: wire.DeleteAgent}, activity.Stamping{}, err)
	}
	return s.change(ctx, cmd, a, now, wire.DeleteAgent, wire.DeleteAgentParams{AgentID: a.ID}, "", false, nil)
}

// KillSwitchInput stops all agents of a sub-organization, or lets them pay again.
type KillSwitchInput struct {
	SubOrganizationID string            `json:"subOrganizationId,omitempty" maxLength:"64" doc:"Needed where the workspace has several"`
	On                bool              `json:"on" doc:"true: no agent of the sub-organization pays"`
	SignedActivity    *activity.Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
	rest.ReturnTo
}

// SetKillSwitch stops the payments of all agents of a sub-organization, or allows them again. Stopping needs no stamp.
func (s *Service) SetKillSwitch(
	ctx context.Context, cmd *command.Command, in KillSwitchInput, prepare bool,
) (command.Answer, error) {
	sub, err := s.c.Passkeys.SubOrganization(ctx, cmd.Principal.WorkspaceID, in.SubOrganizationID)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Changes.Do(ctx, cmd, activity.Change{
		Kind: wire.SetKillSwitch, Owner: sub.Owner(), URL: agentsURL + "/kill-switch",
		Params: wire.SetKillSwitchParams{On: in.On},
	}, activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity})
}

func (s *Service) change(
	ctx context.Context, cmd *command.Command, a Agent, now wire.AgentReply, kind wire.ActivityType, params any,
	path string, prepare bool, stamped *activity.Stamped,
) (command.Answer, error) {
	changed, _ := strconv.ParseInt(now.ChangedAtMs, 10, 64) // 0: never
	return s.c.Changes.Do(ctx, cmd, activity.Change{
		Kind: kind, Owner: activity.Owner{WorkspaceID: a.WorkspaceID, ID: a.SubOrganizationID}, Params: params,
		URL: agentsURL + "/" + a.ID + path, Name: a.Name, NotBefore: time.UnixMilli(changed),
	}, activity.Stamping{Prepare: prepare, SignedActivity: stamped})
}
