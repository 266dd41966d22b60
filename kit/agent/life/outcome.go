package life

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
)

// resultOf is the agent as it stood after a body.
func resultOf(out client.Outcome) (wire.Agent, error) {
	r := out.Statement.Result
	if r == nil || r.Agent == nil {
		return wire.Agent{}, errors.New("the enclave's answer about an agent names none")
	}
	return *r.Agent, nil
}

// AgentChanged is an agent as it stands after a change, with the enclave's proof of it.
type AgentChanged struct {
	AgentID    string           `json:"agentId" format:"uuid"`
	Name       string           `json:"name"`
	Status     wire.AgentStatus `json:"status" enum:"pending_policies,active,draining,suspended,killed"`
	KillSwitch bool             `json:"killSwitch" doc:"true exactly when the status is killed"`
	Limits     *AgentLimitsView `json:"limits,omitempty" doc:"None before it is activated"`
	Proof      wire.Proof       `json:"proof"`
}

func changed(a wire.Agent, proof wire.Proof) AgentChanged {
	return AgentChanged{AgentID: a.ID, Name: a.Name, Status: a.Status, KillSwitch: a.Status == wire.AgentKilled,
		Limits: limitsView(a.Limits), Proof: proof}
}

// reply is the answer to a change of an agent.
func reply(_ context.Context, _ activity.Activity, out client.Outcome) (any, error) {
	a, err := resultOf(out)
	return changed(a, out.Proof), err
}

// AgentWithSecret is an agent that has a new secret.
type AgentWithSecret struct {
	AgentSecret string `json:"agentSecret,omitempty" doc:"Shown once. Absent where it was sealed, and where it was shown before"`
	// HPKE of the secret, for whoever has the recipient's key.
	SealedSecret *wire.SealedSecret `json:"sealedSecret,omitempty" doc:"The secret under recipientPublicKey: HPKE (RFC 9180), base mode, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM"`
	AgentChanged
}

// secretReply is the answer to an activation, and to a new secret.
func secretReply(_ context.Context, _ activity.Activity, out client.Outcome) (any, error) {
	a, err := resultOf(out)
	return AgentWithSecret{
		AgentSecret: out.AgentSecret, SealedSecret: a.SealedSecret, AgentChanged: changed(a, out.Proof),
	}, err
}

// createdReply is the answer to a new agent: the proof that it was made, and the body of the second round.
func (s *Service) createdReply(ctx context.Context, a activity.Activity, out client.Outcome) (any, error) {
	row, err := s.made(ctx, a, out)
	if err != nil {
		return nil, err
	}
	next, err := s.activation(ctx, row)
	next.Proof = &out.Proof
	return next, err
}

// made is the row of a new agent.
func (s *Service) made(ctx context.Context, a activity.Activity, out client.Outcome) (Agent, error) {
	r, err := resultOf(out)
	if err != nil {
		return Agent{}, err
	}
	at, err := time.Parse(time.RFC3339, r.CreatedAt)
	if err != nil {
		return Agent{}, fmt.Errorf("reading an agent's time: %w", err)
	}
	draft, err := s.c.Store.AgentDraft(ctx, a.WorkspaceID, a.ID)
	return Agent{
		WorkspaceID: a.WorkspaceID, ID: r.ID, SubOrganizationID: a.SubOrganizationID, WalletID: r.WalletID,
		Name: r.Name, Description: draft.Description, Asked: draft.Asked, CreatedAt: at.UTC(),
	}, err
}

// finishCreated writes the row and the wallet of a new agent. What is written of an agent otherwise is its secret and
// its end; everything else is read from the enclave.
func (s *Service) finishCreated(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	row, err := s.made(ctx, a, out)
	if err != nil {
		return err
	}
	return errors.Join(tx.InsertAgent(ctx, row), tx.NoteAgentSubject(ctx, a.WorkspaceID, row.ID, a.ID),
		s.c.Wallets.Finish(ctx, tx, a, out))
}

func (s *Service) finishDeleted(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	r, err := resultOf(out)
	if err != nil {
		return err
	}
	return errors.Join(tx.DeleteAgent(ctx, a.WorkspaceID, r.ID), s.end(ctx, tx, a.WorkspaceID, r.ID),
		s.c.Activities.Finish(ctx, tx, a))
}

func (s *Service) finishStatus(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	r, err := resultOf(out)
	if err == nil && r.Status == wire.AgentKilled {
		err = s.end(ctx, tx, a.WorkspaceID, r.ID)
	}
	return errors.Join(err, s.c.Activities.Finish(ctx, tx, a))
}

// end notes that an agent is killed for good, also for a signer that was put back to an older copy.
func (s *Service) end(ctx context.Context, tx Tx, workspaceID, id string) error {
	return tx.EndAgent(ctx, workspaceID, id, s.c.Clock.Now())
}

// finishSecret keeps a sealed secret for its recipient, who may ask after the answer that had it was lost.
func (s *Service) finishSecret(ctx context.Context, tx Tx, a activity.Activity, out client.Outcome) error {
	r, err := resultOf(out)
	if err != nil {
		return err
	}
	proof := ""
	if r.SealedSecret != nil {
		if proof, err = signer.Text(out.Proof); err != nil {
			return err
		}
	}
	at, err := signer.Said(out.Statement)
	if err != nil {
		return err
	}
	return errors.Join(tx.KeepAgentSecret(ctx, a.WorkspaceID, r.ID, proof, at), s.c.Activities.Finish(ctx, tx, a))
}

// auditOf is the audit row of a change: the agent as it then was, never its secret.
func auditOf(_ context.Context, _ activity.Activity, out client.Outcome) (command.Audit, error) {
	a, err := resultOf(out)
	after := map[string]any{"status": string(a.Status)}
	if a.Limits != nil {
		after["limits"] = limitsView(a.Limits)
	}
	return command.Audit{Resource: a.ID, After: after}, err
}

// KillSwitchView is the switch of a sub-organization.
type KillSwitchView struct {
	SubOrganizationID string     `json:"subOrganizationId"`
	On                bool       `json:"on"`
	Proof             wire.Proof `json:"proof"`
}

// killSwitchReply is the answer to a switch that was turned.
func killSwitchReply(_ context.Context, a activity.Activity, out client.Outcome) (any, error) {
	on, err := killSwitchOf(out)
	return KillSwitchView{SubOrganizationID: a.SubOrganizationID, On: on, Proof: out.Proof}, err
}

func killSwitchOf(out client.Outcome) (bool, error) {
	if r := out.Statement.Result; r != nil && r.KillSwitch != nil {
		return *r.KillSwitch, nil
	}
	return false, errors.New("the enclave's answer about a kill switch names none")
}

// killSwitchAudit is its audit row.
func killSwitchAudit(_ context.Context, a activity.Activity, out client.Outcome) (command.Audit, error) {
	on, err := killSwitchOf(out)
	return command.Audit{Resource: a.SubOrganizationID, After: map[string]any{"on": on}}, err
}
