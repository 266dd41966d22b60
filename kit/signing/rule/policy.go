package rule

import (
	"context"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// Policy is the server's copy of a policy that the enclave enforces. Only its name is not in the enclave.
type Policy struct {
	WorkspaceID, ID   string
	SubOrganizationID string
	WalletID          string // local id
	Name              string
	Policy            wire.Policy
	Proof             string // JSON of wire.Proof
	Seq               int64  // of the entry of the enclave's journal that it rests on
	Deleted           bool
	CreatedAt         time.Time
	// Replaces is the seq of a row that is overwritten although it names a later entry than this one; 0: of none.
	// Nobody but an editor of the database can have written such a row.
	Replaces int64
}

// PolicyFilter selects policies that are not deleted, newest first. Zero fields do not filter.
type PolicyFilter struct {
	WorkspaceID       string
	SubOrganizationID string
	WalletID          string // local id
	Page              page.Page
}

// PolicyInput is a new policy.
type PolicyInput struct {
	Name           string            `json:"name" minLength:"1" maxLength:"100"`
	WalletID       string            `json:"walletId" minLength:"1" maxLength:"64"`
	Rules          rest.PolicyRules  `json:"rules"`
	SignedActivity *activity.Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
	rest.ReturnTo
}

// PolicyChange changes a policy.
type PolicyChange struct {
	Name           string            `json:"name,omitempty" minLength:"1" maxLength:"100" doc:"The server's alone: changing only this needs no stamp"`
	Rules          *RulesPatch       `json:"rules,omitempty" doc:"Members that are named replace those of the policy, null takes one away; the others stay"`
	SignedActivity *activity.Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
	rest.ReturnTo
}

// CreatePolicy puts a policy on a wallet.
func (s *Service) CreatePolicy(ctx context.Context, cmd *command.Command, in PolicyInput,
	prepare bool,
) (command.Answer, error) {
	w, err := s.c.Store.Wallet(ctx, cmd.Principal.WorkspaceID, in.WalletID)
	if err != nil {
		return command.Answer{}, err
	}
	rules, err := wireRules(in.Rules)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Changes.Do(ctx, cmd, activity.Change{
		Kind: wire.CreatePolicy, Owner: w.Owner(), WalletID: w.ID, Name: in.Name, URL: policiesURL,
		Params: wire.CreatePolicyParams{WalletID: w.EnclaveID, Rules: rules},
	}, activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity})
}

const policiesURL = "/v1/signing/policies"

// UpdatePolicy changes a policy's name, which is free, or its rules.
func (s *Service) UpdatePolicy(ctx context.Context, cmd *command.Command, id string, in PolicyChange,
	prepare bool,
) (command.Answer, error) {
	how := activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity}
	p, err := s.policy(ctx, cmd.Principal.WorkspaceID, id, how)
	if err != nil {
		return command.Answer{}, err
	}
	if in.Rules == nil {
		return s.renamePolicy(ctx, cmd, p, in.Name, how)
	}
	before, err := s.rulesBefore(ctx, p, how)
	if err != nil {
		return command.Answer{}, err
	}
	next, err := in.Rules.applyTo(rulesOf(before))
	if err != nil {
		return command.Answer{}, err
	}
	rules, err := wireRules(next)
	if err != nil {
		return command.Answer{}, err
	}
	c := p.change(wire.UpdatePolicy, wire.UpdatePolicyParams{PolicyID: p.ID, Rules: rules})
	c.Name = in.Name
	return s.c.Changes.Do(ctx, cmd, c, how)
}

// DeletePolicy takes a policy away.
func (s *Service) DeletePolicy(ctx context.Context, cmd *command.Command, id string, in activity.StampInput,
	prepare bool,
) (command.Answer, error) {
	how := activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity}
	p, err := s.policy(ctx, cmd.Principal.WorkspaceID, id, how)
	if err != nil {
		bare := activity.Stamping{Prepare: prepare}
		return s.c.Changes.Again(ctx, cmd, activity.Gone{Kind: wire.DeletePolicy}, bare, err)
	}
	return s.c.Changes.Do(ctx, cmd, p.change(wire.DeletePolicy, wire.DeletePolicyParams{PolicyID: p.ID}), how)
}

// change is a change of the policy.
func (p Policy) change(kind wire.ActivityType, params any) activity.Change {
	return activity.Change{
		Kind: kind, Owner: activity.Owner{WorkspaceID: p.WorkspaceID,
			ID: p.SubOrganizationID}, WalletID: p.WalletID, Params: params,
		URL: policiesURL + "/" + p.ID,
	}
}

// policy finds a policy that is not deleted. For a stamped call it also finds a deleted one: the call may repeat the
// deletion, and gets the first answer again.
func (s *Service) policy(ctx context.Context, workspaceID, id string, how activity.Stamping) (Policy, error) {
	p, err := s.c.Store.Policy(ctx, workspaceID, id)
	if err == nil && p.Deleted && how.SignedActivity == nil {
		return p, fault.Missing("Policy")
	}
	return p, err
}

// rulesBefore are the rules that a change starts from. A patch names some members only: {"dailyUsd": 500} on rules
// with maxValueUsd 100 gives both. The rest comes from the enclave and not from the row, which may be old. A stamped
// body has all rules itself. It is compared with the call in those members only that the call names, so that the same
// call can come again once it is done.
func (s *Service) rulesBefore(ctx context.Context, p Policy, how activity.Stamping) (wire.Rules, error) {
	if how.SignedActivity != nil {
		var params wire.UpdatePolicyParams
		err := activity.StampedParams(how.SignedActivity, &params)
		return params.Rules, err
	}
	st, _, err := s.enforcedRules(ctx, p.SubOrganizationID)
	if err != nil {
		return wire.Rules{}, err
	}
	for _, have := range st.State.Policies {
		if have.ID == p.ID {
			return have.Rules, nil
		}
	}
	return wire.Rules{}, fault.Missing("Policy")
}

func (s *Service) renamePolicy(ctx context.Context, cmd *command.Command, p Policy, name string,
	how activity.Stamping,
) (command.Answer, error) {
	switch {
	case name == "":
		return command.Answer{}, fault.Field("rules", "is required where there is no name")
	case how.Prepare:
		return command.Answer{}, fault.Field("prepare", "must not be given for a name, which needs no stamp")
	case how.SignedActivity != nil:
		return command.Answer{}, fault.Field("signedActivity", "must not be given for a name, which needs no stamp")
	}
	before := p.title()
	p.Name = name
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Data: p.view(), Audit: command.Audit{
			Action: "policy.rename", Resource: p.ID, Before: map[string]any{"name": before},
			After: map[string]any{"name": name},
		}}, tx.RenamePolicy(ctx, p.WorkspaceID, p.ID, name)
	})
}
