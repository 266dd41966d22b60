package change

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/agent"
	"github.com/railkit/railkit/kit/signing/message"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/payee"
	"github.com/railkit/railkit/kit/signing/recovery"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

// kind says how the server answers and records one kind of change.
type kind struct {
	action  string // of the audit row: "policy.create"
	status  int    // of the answer, once it is done
	message string // of the answer then; "": Success
	view    func(context.Context, activity.Activity, client.Outcome) (any, error)
	// nil: the action, of the activity
	audit func(context.Context, activity.Activity, client.Outcome) (command.Audit, error)
}

// kinds lists all kinds of changes.
func (s *Service) kinds() map[wire.ActivityType]kind {
	policy := func(action string, status int, message string) kind {
		return kind{action: action, status: status, message: message, view: s.rules.PolicyReply,
			audit: s.rules.PolicyAuditEntry(action)}
	}
	return map[wire.ActivityType]kind{
		wire.CreatePolicy: policy("policy.create", 201, "Policy created"),
		wire.UpdatePolicy: policy("policy.update", 200, ""),
		wire.DeletePolicy: policy("policy.delete", 200, "Policy deleted"),
		wire.UpdateApprovalConfig: {
			action: "approval_config.update", status: 200, view: s.rules.ConfigReply, audit: s.rules.ConfigAuditEntry,
		},
		wire.AddPayee: {
			action: "payee.add", status: 201, message: "Payee added", view: payee.Reply,
			audit: payee.AuditEntry("payee.add"),
		},
		wire.RemovePayee: {
			action: "payee.remove", status: 200, message: "Payee removed", view: payee.Reply,
			audit: payee.AuditEntry("payee.remove"),
		},
		wire.CreateAuthenticator: {
			action: "passkey.add", status: 201, message: "Passkey added", view: passkey.Changed,
			audit: passkey.Audit("passkey.add"),
		},
		wire.DeleteAuthenticator: {
			action: "passkey.delete", status: 200, message: "Passkey deleted", view: passkey.Changed,
			audit: passkey.Audit("passkey.delete"),
		},
		wire.UpdateRecovery: {
			action: "recovery.update", status: 200, view: recovery.RuleChanged,
			audit: recovery.Audit("recovery.update"),
		},
		wire.CancelRecovery: {
			action: "recovery.cancel", status: 200, message: "Recovery cancelled", view: s.recoveries.CancelView,
			audit: recovery.Audit("recovery.cancel"),
		},
		wire.OverridePrice: {
			action: "price.override", status: 200, message: "Price counts", view: rule.PriceReply,
			audit: rule.PriceAuditEntry,
		},
		wire.CreateAgent: {
			action: "agent.create", status: 200, message: "Agent created; it waits for its limits",
			view: s.agents.CreatedReply, audit: agent.AuditEntry("agent.create"),
		},
		wire.ActivateAgent: {
			action: "agent.activate", status: 200, message: "Agent active", view: agent.SecretReply,
			audit: agent.AuditEntry("agent.activate"),
		},
		wire.SetAgentLimits: {
			action: "agent.limits", status: 200, view: agent.Reply, audit: agent.AuditEntry("agent.limits"),
		},
		wire.SetAgentStatus: {
			action: "agent.status", status: 200, view: agent.Reply, audit: agent.AuditEntry("agent.status"),
		},
		wire.RotateAgentSecret: {
			action: "agent.rotate", status: 200, message: "The old secret is worth nothing now",
			view: agent.SecretReply, audit: agent.AuditEntry("agent.rotate"),
		},
		wire.DeleteAgent: {
			action: "agent.delete", status: 200, message: "Agent deleted", view: agent.Reply,
			audit: agent.AuditEntry("agent.delete"),
		},
		wire.SetKillSwitch: {
			action: "agent.kill_switch", status: 200, view: agent.KillSwitchReply, audit: agent.KillSwitchAudit,
		},
		wire.SignMessage: {action: "message.sign", status: 200, view: message.Signed},
	}
}

// Do runs a change, in whichever of its three forms the call comes.
func (s *Service) Do(ctx context.Context, cmd *command.Command, c activity.Change,
	how activity.Stamping,
) (command.Answer, error) {
	if how.Prepare && how.SignedActivity != nil {
		return command.Answer{}, fault.Field("signedActivity", "must not be given with prepare=true")
	}
	if how.Prepare {
		return s.prepare(ctx, cmd, c)
	}
	if how.SignedActivity == nil {
		a, err := s.unstampedRow(ctx, cmd, c)
		if err != nil {
			return command.Answer{}, err
		}
		return s.submit(ctx, cmd, a, nil)
	}
	a, err := s.stampedRow(ctx, cmd, c, *how.SignedActivity)
	if err != nil {
		return command.Answer{}, err
	}
	return s.submit(ctx, cmd, a, &how.SignedActivity.Stamp)
}

func (s *Service) prepare(ctx context.Context, cmd *command.Command, c activity.Change) (command.Answer, error) {
	a, d, err := s.draft(ctx, c, record.NewID())
	if err != nil {
		return command.Answer{}, err
	}
	return s.activities.Commit(ctx, cmd, a, d, d.Prepared, s.prepareAction(c))
}

// Prepare prepares a change without a command of its own, in a transaction of its own.
func (s *Service) Prepare(ctx context.Context, c activity.Change) (activity.Prepared, error) {
	a, d, err := s.draft(ctx, c, record.NewID())
	if err != nil {
		return activity.Prepared{}, err
	}
	return d.Prepared, s.activities.Keep(ctx, a, d, s.prepareAction(c))
}

// Draft has the enclave preview a change that becomes part of another answer, and gives the row of its body.
func (s *Service) Draft(ctx context.Context, c activity.Change) (activity.Activity, activity.Draft, error) {
	return s.draft(ctx, c, record.NewID())
}

func (s *Service) prepareAction(c activity.Change) string {
	return s.kinds()[c.Kind].action + ".prepare"
}

// draft has the enclave preview a change, and gives the row of its body.
func (s *Service) draft(ctx context.Context, c activity.Change, id string) (activity.Activity, activity.Draft, error) {
	d := c.Draft(id)
	if err := s.activities.Prepare(ctx, &d); err != nil {
		return activity.Activity{}, d, err
	}
	a, err := c.Activity(d)
	return a, d, err
}

// stampedRow finds the prepared row of a body that came back stamped.
func (s *Service) stampedRow(ctx context.Context, cmd *command.Command, c activity.Change,
	in activity.Stamped,
) (activity.Activity, error) {
	var body wire.Body
	if err := json.Unmarshal([]byte(in.Body), &body); err != nil {
		return activity.Activity{}, activity.ErrStampedBody
	}
	a, err := s.store.Activity(ctx, cmd.Principal.WorkspaceID, body.ActivityID)
	if errors.Is(err, fault.ErrNotFound) {
		err = activity.ErrStampedBody
	}
	if err == nil && (a.Body != in.Body || a.Kind != string(c.Kind) || !c.AskedBy(body)) {
		err = activity.ErrStampedBody
	}
	return a, err
}

// unstampedRow finds or writes the row of a call without a stamp, before the
// enclave hears of it. Under one Idempotency-Key there is one body, so that a
// retry after a crash gets the enclave's first result.
func (s *Service) unstampedRow(ctx context.Context, cmd *command.Command,
	c activity.Change,
) (activity.Activity, error) {
	id := record.NewID()
	if cmd.Key != nil {
		id = bareID(cmd)
		a, err := s.store.Activity(ctx, cmd.Principal.WorkspaceID, id)
		if !errors.Is(err, fault.ErrNotFound) {
			return a, err
		}
	}
	a, _, err := s.draft(ctx, c, id)
	if err != nil {
		return a, err
	}
	err = s.store.Work(ctx, a.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, tx.InsertActivity(ctx, a)
	})
	if err != nil {
		return a, err
	}
	return s.store.Activity(ctx, a.WorkspaceID, a.ID) // a caller beside this one may have been faster
}

// Confirm has the enclave execute a prepared body that came back by the
// passkey page. The page knows nothing but the body: what it is for is in its row.
func (s *Service) Confirm(ctx context.Context, cmd *command.Command, id string,
	stamp wire.Stamp,
) (command.Answer, error) {
	a, err := s.store.Activity(ctx, cmd.Principal.WorkspaceID, id)
	if err != nil {
		return command.Answer{}, err
	}
	if _, ok := s.kinds()[wire.ActivityType(a.Kind)]; !ok {
		return command.Answer{}, activity.ErrStampedBody
	}
	return s.submit(ctx, cmd, a, &stamp)
}

// submit brings the body to the enclave and commits what the enclave made of it.
func (s *Service) submit(ctx context.Context, cmd *command.Command, a activity.Activity,
	stamp *wire.Stamp,
) (command.Answer, error) {
	if a.State == activity.Expired || a.State == activity.Cancelled {
		return command.Answer{}, activity.ErrRequestExpired
	}
	out, err := s.enclave.Submit(ctx, wire.SubmitRequest{Body: a.Body, Stamp: stamp}, a.Fingerprint)
	if err != nil {
		return command.Answer{}, err
	}
	kind := s.kinds()[wire.ActivityType(a.Kind)]
	switch out.State {
	case wire.Held:
		return s.hold(ctx, cmd, kind.action, a, stamp, out)
	case wire.Done:
		return s.commitDone(ctx, cmd, kind, a, stamp, out)
	case wire.Denied:
		return command.Answer{}, s.activities.Deny(ctx, a, out)
	}
	return command.Answer{}, activity.ErrRequestExpired
}

// further is an answer with rows of its own: a body that is to be stamped next. They are written together with what the
// enclave has done, so that calls beside one another leave the rows of one.
type further interface {
	Insert(ctx context.Context, tx activity.Tx) error
}

func (s *Service) commitDone(ctx context.Context, cmd *command.Command, kind kind, a activity.Activity,
	stamp *wire.Stamp,
	out client.Outcome,
) (command.Answer, error) {
	view, err := kind.view(ctx, a, out)
	if err != nil {
		return command.Answer{}, err
	}
	audit := command.Audit{Action: kind.action, Resource: a.ID}
	if kind.audit != nil {
		if audit, err = kind.audit(ctx, a, out); err != nil {
			return command.Answer{}, err
		}
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if next, ok := view.(further); ok {
			if err := next.Insert(ctx, tx); err != nil {
				return command.Reply{}, err
			}
		}
		return command.Reply{
				Status: kind.status, Message: kind.message, Data: view, Audit: audit,
			}, errors.Join(s.Finish(ctx, tx, a, out),
				s.activities.TouchPasskey(ctx, tx, a.WorkspaceID, a.SubOrganizationID, stamp))
	})
}

// hold commits that the enclave holds a body for votes.
func (s *Service) hold(ctx context.Context, cmd *command.Command, action string, a activity.Activity, stamp *wire.Stamp,
	out client.Outcome,
) (command.Answer, error) {
	approval, err := s.activities.Approval(a, out)
	if err != nil {
		return command.Answer{}, err
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return approval.Queued(action), errors.Join(s.activities.Hold(ctx, tx, cmd, a, approval),
			s.activities.TouchPasskey(ctx, tx, a.WorkspaceID, a.SubOrganizationID, stamp))
	})
}
