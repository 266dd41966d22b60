package rule

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// ApprovalConfig is the server's copy of the enclave's approval settings of a sub-organization.
type ApprovalConfig struct {
	WorkspaceID, SubOrganizationID string
	Config                         wire.ApprovalConfig
	Proof                          string // JSON of wire.Proof
	Seq                            int64  // as of Policy
	UpdatedAt                      time.Time
	Replaces                       int64 // as of Policy
}

func (c ApprovalConfig) fields() map[string]any {
	return map[string]any{
		"enabled": c.Config.Enabled, "thresholdUsd": c.Config.ThresholdUSD,
		"requiredApprovers": c.Config.RequiredApprovers, "includeMessages": c.Config.IncludeMessages,
	}
}

func (c ApprovalConfig) view() (ApprovalConfigView, error) {
	required, err := strconv.Atoi(c.Config.RequiredApprovers)
	if err != nil {
		return ApprovalConfigView{}, fmt.Errorf("reading an approval configuration: %w", err)
	}
	v := ApprovalConfigView{
		Enabled: c.Config.Enabled, ThresholdUSD: rest.Number(c.Config.ThresholdUSD), RequiredApprovers: required,
		IncludeMessages: c.Config.IncludeMessages, TimeoutMinutes: approvalMinutes,
		SubOrganizationID: c.SubOrganizationID, UpdatedAt: clock.ISOOrNil(c.UpdatedAt),
	}
	if c.Proof != "" {
		p := signer.Proof(c.Proof)
		v.Proof = &p
	}
	return v, nil
}

// approvalMinutes is the time after which a waiting request expires in the enclave.
const approvalMinutes = 30

// ApprovalConfigInput changes the approval settings. An omitted field stays as it is.
type ApprovalConfigInput struct {
	Enabled           *bool             `json:"enabled,omitempty"`
	ThresholdUSD      *rest.Number      `json:"thresholdUsd,omitempty" minimum:"0" maximum:"1000000000000" doc:"What costs more than this waits for votes"`
	RequiredApprovers *int              `json:"requiredApprovers,omitempty" minimum:"1" maximum:"100" doc:"Distinct users, and no more than there are"`
	IncludeMessages   *bool             `json:"includeMessages,omitempty" doc:"Every message and all typed data wait for votes, too, also what costs nothing: a text can log somebody in"`
	SubOrganizationID string            `json:"subOrganizationId,omitempty" maxLength:"64" doc:"Needed where the workspace has several"`
	SignedActivity    *activity.Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
	rest.ReturnTo
}

func (in ApprovalConfigInput) apply(c *wire.ApprovalConfig) error {
	if in.Enabled != nil {
		c.Enabled = *in.Enabled
	}
	if in.IncludeMessages != nil {
		c.IncludeMessages = *in.IncludeMessages
	}
	if in.RequiredApprovers != nil {
		c.RequiredApprovers = strconv.Itoa(*in.RequiredApprovers)
	}
	if in.ThresholdUSD == nil {
		return nil
	}
	text, err := usd("thresholdUsd", rest.Number(*in.ThresholdUSD))
	c.ThresholdUSD = text
	return err
}

// ApprovalConfigView is the configuration as the API shows it.
type ApprovalConfigView struct {
	Enabled           bool        `json:"enabled"`
	ThresholdUSD      rest.Number `json:"thresholdUsd"`
	RequiredApprovers int         `json:"requiredApprovers"`
	IncludeMessages   bool        `json:"includeMessages" doc:"Every message and all typed data wait for votes; false: a text is signed on one stamp, whatever thresholdUsd is"`
	TimeoutMinutes    int         `json:"timeoutMinutes" doc:"How long a request waits; the same for all"`
	SubOrganizationID string      `json:"subOrganizationId"`
	UpdatedAt         *string     `json:"updatedAt" format:"date-time"`
	Proof             *wire.Proof `json:"proof,omitempty" doc:"Of the enclave, when it took this; none where nothing was ever set"`
}

// ApprovalConfig gives the configuration of a sub-organization.
func (s *Service) ApprovalConfig(ctx context.Context, p auth.Principal, subOrganizationID string,
	fresh bool,
) (ApprovalConfigView, error) {
	sub, err := s.c.Passkeys.SubOrganization(ctx, p.WorkspaceID, subOrganizationID)
	if err != nil {
		return ApprovalConfigView{}, err
	}
	var now *wire.Proof
	if fresh {
		if _, now, err = s.fetchAndSyncRules(ctx, p.WorkspaceID, sub.ID); err != nil {
			return ApprovalConfigView{}, err
		}
	}
	c, err := s.config(ctx, sub.Owner())
	if err != nil {
		return ApprovalConfigView{}, err
	}
	v, err := c.view()
	if now != nil {
		v.Proof = now
	}
	return v, err
}

// config is the stored configuration of a sub-organization, or the default: approvals off.
func (s *Service) config(ctx context.Context, o activity.Owner) (ApprovalConfig, error) {
	c, err := s.c.Store.ApprovalConfig(ctx, o.WorkspaceID, o.ID)
	if errors.Is(err, fault.ErrNotFound) {
		return ApprovalConfig{
			WorkspaceID: o.WorkspaceID, SubOrganizationID: o.ID, Config: wire.ApprovalConfig{ThresholdUSD: "0",
				RequiredApprovers: "1"},
		}, nil
	}
	return c, err
}

// UpdateApprovalConfig changes the configuration of a sub-organization.
func (s *Service) UpdateApprovalConfig(ctx context.Context, cmd *command.Command, in ApprovalConfigInput,
	prepare bool,
) (command.Answer, error) {
	if in.Enabled == nil && in.ThresholdUSD == nil && in.RequiredApprovers == nil && in.IncludeMessages == nil {
		return command.Answer{}, fault.Field("enabled",
			"or thresholdUsd, requiredApprovers or includeMessages is required")
	}
	sub, err := s.c.Passkeys.SubOrganization(ctx, cmd.Principal.WorkspaceID, in.SubOrganizationID)
	if err != nil {
		return command.Answer{}, err
	}
	how := activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity}
	next, err := s.configBefore(ctx, sub.ID, how)
	if err == nil {
		err = in.apply(&next)
	}
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Changes.Do(ctx, cmd, activity.Change{
		Kind: wire.UpdateApprovalConfig, Owner: sub.Owner(), Params: next, URL: "/v1/signing/approval-config",
	}, how)
}

// configBefore returns the configuration that a change starts from.
func (s *Service) configBefore(ctx context.Context, subOrganizationID string,
	how activity.Stamping,
) (wire.ApprovalConfig, error) {
	if how.SignedActivity != nil {
		var params wire.ApprovalConfig
		err := activity.StampedParams(how.SignedActivity, &params)
		return params, err
	}
	st, _, err := s.enforcedRules(ctx, subOrganizationID)
	if err != nil {
		return wire.ApprovalConfig{}, err
	}
	return *st.State.ApprovalConfig, nil
}

func configOf(a activity.Activity, out client.Outcome) (ApprovalConfig, error) {
	r := out.Statement.Result
	if r == nil || r.ApprovalConfig == nil {
		return ApprovalConfig{}, errors.New("the enclave's answer about the approval configuration names none")
	}
	c, err := configFrom(*r.ApprovalConfig, out.Statement, out.Proof)
	c.WorkspaceID = a.WorkspaceID
	return c, err
}

func configFrom(w wire.ApprovalConfig, st wire.Statement, proof wire.Proof) (ApprovalConfig, error) {
	at, err := time.Parse(time.RFC3339, st.Time)
	if err != nil {
		return ApprovalConfig{}, fmt.Errorf("reading the time of a statement: %w", err)
	}
	seq, raw, err := entryOf(st, proof)
	return ApprovalConfig{SubOrganizationID: st.OrganizationID, Config: w, Proof: raw, Seq: seq, UpdatedAt: at}, err
}

// finishConfig writes a configuration after the enclave has changed it.
func (s *Service) finishConfig(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	c, err := configOf(a, out)
	if err != nil {
		return err
	}
	if err := tx.KeepApprovalConfig(ctx, c); err != nil {
		return err
	}
	return s.c.Activities.Finish(ctx, tx, a)
}

// configReply is the answer to a changed configuration.
func configReply(_ context.Context, a activity.Activity, out client.Outcome) (any, error) {
	c, err := configOf(a, out)
	if err != nil {
		return nil, err
	}
	return c.view()
}

// configAudit is its audit row, with the fields before and after.
func (s *Service) configAudit(ctx context.Context, a activity.Activity, out client.Outcome) (command.Audit, error) {
	c, err := configOf(a, out)
	if err != nil {
		return command.Audit{}, err
	}
	before, err := s.config(ctx, activity.Owner{WorkspaceID: a.WorkspaceID, ID: a.SubOrganizationID})
	return command.Audit{Resource: a.SubOrganizationID, Before: before.fields(), After: c.fields()}, err
}
