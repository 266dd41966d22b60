package signing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

// Stamping is how a call without a prepare and a confirm of its own comes: asked
// with prepare, it changes nothing and answers the activity to stamp; with the
// stamped activity in its body it carries a passkey's word; bare it has the API
// key's only, with which whatever only tightens happens and the rest waits.
type Stamping struct {
	Prepare        bool
	SignedActivity *Stamped
}

// change is a call about rules on its way to the enclave.
type change struct {
	kind   wire.ActivityType
	sub    SubOrganization
	params any
	url    string // of this very call
	name   string // of what is made; the enclave never sees it
	wallet string // local id of the wallet it is about, if any
	action string // of the audit row: "policy.create"
	status int    // once it is done
	said   string // its message then; "": Success
	view   func(context.Context, Activity, client.Outcome) (any, error)
	audit  func(context.Context, Activity, client.Outcome) (command.Audit, error) // nil: its action, of the activity
}

// do runs a call about rules, in whichever of its three forms it comes.
func (s *Service) do(ctx context.Context, cmd *command.Command, c change, how Stamping) (command.Answer, error) {
	if how.Prepare && how.SignedActivity != nil {
		return command.Answer{}, fault.Field("signedActivity", "must not be given with prepare=true")
	}
	if how.Prepare {
		return s.prepareChange(ctx, cmd, c)
	}
	a, stamp, err := s.changeRow(ctx, cmd, c, how.SignedActivity)
	if err != nil {
		return command.Answer{}, err
	}
	return s.submitChange(ctx, cmd, c, a, stamp)
}

func (s *Service) submitChange(ctx context.Context, cmd *command.Command, c change, a Activity, stamp *wire.Stamp) (command.Answer, error) {
	if a.State == Expired || a.State == Cancelled {
		return command.Answer{}, ErrRequestExpired
	}
	out, err := s.enclave.Submit(ctx, wire.SubmitRequest{Body: a.Body, Stamp: stamp}, a.Fingerprint)
	if err != nil {
		return command.Answer{}, err
	}
	return s.settleChange(ctx, cmd, c, a, stamp, out)
}

func (s *Service) prepareChange(ctx context.Context, cmd *command.Command, c change) (command.Answer, error) {
	d := c.draft(newID())
	if err := s.prepare(ctx, &d); err != nil {
		return command.Answer{}, err
	}
	a, err := c.activity(d)
	if err != nil {
		return command.Answer{}, err
	}
	return s.commitActivity(ctx, cmd, a, d.ceremony, d.Prepared, c.action+".prepare")
}

func (c change) draft(id string) draft {
	return draft{kind: c.kind, sub: c.sub, id: id, url: c.url, params: c.params}
}

func (c change) activity(d draft) (Activity, error) {
	a, err := d.activity()
	a.Name, a.WalletID = c.name, c.wallet
	return a, err
}

// changeRow is the row of the body that is to be submitted: the prepared one that
// came back stamped, or one that is written now, before the enclave hears of it.
func (s *Service) changeRow(ctx context.Context, cmd *command.Command, c change, in *Stamped) (Activity, *wire.Stamp, error) {
	if in == nil {
		a, err := s.bareRow(ctx, cmd, c)
		return a, nil, err
	}
	var body wire.Body
	if err := json.Unmarshal([]byte(in.Body), &body); err != nil {
		return Activity{}, nil, ErrStampedBody
	}
	a, err := s.store.Activity(ctx, cmd.Principal.WorkspaceID, body.ActivityID)
	if errors.Is(err, fault.ErrNotFound) {
		err = ErrStampedBody
	}
	if err == nil && (a.Body != in.Body || a.Kind != string(c.kind) || !c.asks(body)) {
		err = ErrStampedBody
	}
	return a, &in.Stamp, err
}

// asks reports whether a prepared body asks for what the call asks for now.
func (c change) asks(body wire.Body) bool {
	params, err := encode(c.params)
	return err == nil && body.OrganizationID == c.sub.ID && bytes.Equal(params, body.Parameters)
}

// bareRow finds or writes the row of a call without a stamp. Under one
// Idempotency-Key there is one body, so that a retry after a crash gets the
// enclave's first result.
func (s *Service) bareRow(ctx context.Context, cmd *command.Command, c change) (Activity, error) {
	id := newID()
	if cmd.Key != nil {
		id = derivedID("bare", cmd.Principal.WorkspaceID, cmd.Key.Hash, cmd.Key.Request)
		a, err := s.store.Activity(ctx, cmd.Principal.WorkspaceID, id)
		if !errors.Is(err, fault.ErrNotFound) {
			return a, err
		}
	}
	d := c.draft(id)
	if err := s.prepare(ctx, &d); err != nil {
		return Activity{}, err
	}
	a, err := c.activity(d)
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

// settleChange commits what the enclave made of the body.
func (s *Service) settleChange(ctx context.Context, cmd *command.Command, c change, a Activity, stamp *wire.Stamp, out client.Outcome) (command.Answer, error) {
	switch out.State {
	case wire.Held:
		return s.queueActivity(ctx, cmd, c, a, stamp, out)
	case wire.Done:
	case wire.Denied:
		return command.Answer{}, s.denyActivity(ctx, a, out)
	default:
		return command.Answer{}, ErrRequestExpired
	}
	view, err := c.view(ctx, a, out)
	if err != nil {
		return command.Answer{}, err
	}
	audit := command.Audit{Action: c.action, Resource: a.ID}
	if c.audit != nil {
		if audit, err = c.audit(ctx, a, out); err != nil {
			return command.Answer{}, err
		}
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: c.status, Message: c.said, Data: view, Audit: audit,
		}, errors.Join(s.recoverActivity(ctx, tx, a, out), s.used(ctx, tx, a.WorkspaceID, a.SubOrganizationID, stamp))
	})
}

// confirmChange is do for a prepared body that came back by the passkey page,
// which knows nothing but the body: what it is for stands in its row.
func (s *Service) confirmChange(ctx context.Context, cmd *command.Command, a Activity, stamp wire.Stamp) (command.Answer, error) {
	c, ok := s.changes()[wire.ActivityType(a.Kind)]
	if !ok {
		return command.Answer{}, ErrStampedBody
	}
	return s.submitChange(ctx, cmd, c, a, &stamp)
}

// changes are the kinds of calls about rules, as far as they are told by their kind.
func (s *Service) changes() map[wire.ActivityType]change {
	policy := func(kind wire.ActivityType, action string, status int, said string) change {
		return change{kind: kind, action: action, status: status, said: said, view: s.policyMade, audit: s.policyAudit(action)}
	}
	return map[wire.ActivityType]change{
		wire.CreatePolicy: policy(wire.CreatePolicy, "policy.create", 201, "Policy created"),
		wire.UpdatePolicy: policy(wire.UpdatePolicy, "policy.update", 200, ""),
		wire.DeletePolicy: policy(wire.DeletePolicy, "policy.delete", 200, "Policy deleted"),
		wire.UpdateApprovalConfig: {
			kind: wire.UpdateApprovalConfig, action: "approval_config.update", status: 200, view: s.configMade, audit: s.configAudit,
		},
		wire.CreateAuthenticator: {
			kind: wire.CreateAuthenticator, action: "passkey.add", status: 201, said: "Passkey added", view: passkeyMade, audit: passkeyAudit("passkey.add"),
		},
		wire.UpdateRecovery: {
			kind: wire.UpdateRecovery, action: "recovery.update", status: 200, view: recoveryRuleMade, audit: recoveryAudit("recovery.update"),
		},
		wire.CancelRecovery: {
			kind: wire.CancelRecovery, action: "recovery.cancel", status: 200, said: "Recovery cancelled", view: s.recoveryCancelled,
			audit: recoveryAudit("recovery.cancel"),
		},
		wire.DeleteAuthenticator: {
			kind: wire.DeleteAuthenticator, action: "passkey.delete", status: 200, said: "Passkey deleted", view: passkeyMade, audit: passkeyAudit("passkey.delete"),
		},
		wire.OverridePrice: {
			kind: wire.OverridePrice, action: "price.override", status: 200, said: "Price counts", view: overrideMade, audit: overrideAudit,
		},
		wire.SignMessage: {kind: wire.SignMessage, action: "message.sign", status: 200, view: signedMessage},
	}
}

func (s *Service) queueActivity(ctx context.Context, cmd *command.Command, c change, a Activity, stamp *wire.Stamp, out client.Outcome) (command.Answer, error) {
	approval, err := s.approvalOfActivity(a, out)
	if err != nil {
		return command.Answer{}, err
	}
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return approval.queued(c.action), errors.Join(s.wait(ctx, tx, cmd, a, approval), s.used(ctx, tx, a.WorkspaceID, a.SubOrganizationID, stamp))
	})
}

func (s *Service) approvalOfActivity(a Activity, out client.Outcome) (Approval, error) {
	return approvalOf(Approval{WorkspaceID: a.WorkspaceID, Kind: SubjectActivity, Subject: a.ID, WalletID: a.WalletID}, out, s.clock.Now())
}

// wait writes that an activity waits for votes. It may run beside another caller,
// and in the sweeper.
func (s *Service) wait(ctx context.Context, tx Tx, cmd *command.Command, a Activity, approval Approval) error {
	if err := insertApproval(ctx, tx, cmd, approval); err != nil {
		return err
	}
	return unlessStale(tx.MoveActivity(ctx, a.WorkspaceID, a.ID, Awaiting, AwaitingApproval, a.WalletID, s.clock.Now()))
}
