package signing

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/agent/life"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// agentReads reads committed rows of agents.
type agentReads struct{ db *sqldb.DB }

// Agent finds one that is not deleted.
func (s agentReads) Agent(ctx context.Context, workspaceID, id string) (life.Agent, error) {
	row, err := s.db.Read.Agent(ctx, workspaceID, id)
	return sqldb.One("Agent", row, err, agentRow)
}

// Agents lists a page of agents and counts all that the filter selects.
func (s agentReads) Agents(ctx context.Context, f life.Filter) ([]life.Agent, int, error) {
	q := s.db.Query(1).Equal("sub_organization_id", f.SubOrganizationID).Part("folded_name", f.Search)
	total, err := db.New(q).CountAgents(ctx, f.WorkspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting agents", err)
	}
	rows, err := db.New(q.Newest(f.Page)).ListAgents(ctx, f.WorkspaceID)
	return sqldb.Listed(total, rows, err, agentRow)
}

func agentRow(r db.Agent) (life.Agent, error) {
	asked, err := askedOf(r.Asked)
	return life.Agent{
		WorkspaceID: r.WorkspaceID, ID: r.ID, SubOrganizationID: r.SubOrganizationID, WalletID: r.WalletID,
		Name: r.Name, Description: r.Description, Asked: asked, SecretProof: r.SecretProof,
		CreatedAt: sqldb.Instant(r.CreatedAt),
	}, err
}

// AgentDraft finds what the first round of an agent asked for.
func (s agentReads) AgentDraft(ctx context.Context, workspaceID, requestID string) (life.Draft, error) {
	row, err := s.db.Read.AgentDraft(ctx, workspaceID, requestID)
	return sqldb.One("Agent request", row, err, func(r db.AgentDraft) (life.Draft, error) {
		asked, err := askedOf(r.Asked)
		return life.Draft{
			WorkspaceID: r.WorkspaceID, RequestID: r.RequestID, Description: r.Description, Asked: asked,
			CreatedAt: sqldb.Instant(r.CreatedAt),
		}, err
	})
}

func askedOf(text string) (asked life.Asked, err error) {
	return asked, sqldb.Reading("decoding an agent's limits", json.Unmarshal([]byte(text), &asked))
}

func (t tx) InsertAgentDraft(ctx context.Context, d life.Draft) error {
	asked, err := json.Marshal(d.Asked)
	if err != nil {
		return sqldb.Doing("encoding an agent's limits", err)
	}
	return sqldb.Doing("inserting an agent's draft", t.Q.InsertAgentDraft(ctx, db.InsertAgentDraftParams{
		WorkspaceID: d.WorkspaceID, RequestID: d.RequestID, Description: d.Description, Asked: string(asked),
		CreatedAt: sqldb.Micros(d.CreatedAt),
	}))
}

func (t tx) InsertAgent(ctx context.Context, a life.Agent) error {
	asked, err := json.Marshal(a.Asked)
	if err != nil {
		return sqldb.Doing("encoding an agent's limits", err)
	}
	noted := t.NoteAgentSubject(ctx, a.WorkspaceID, a.ID, a.ID)
	n, err := t.Q.InsertAgent(ctx, db.InsertAgentParams{
		WorkspaceID: a.WorkspaceID, ID: a.ID, SubOrganizationID: a.SubOrganizationID, WalletID: a.WalletID,
		Name: a.Name, FoldedName: sqldb.Fold(a.Name), Description: a.Description, Asked: string(asked),
		CreatedAt: sqldb.Micros(a.CreatedAt),
	})
	return errors.Join(noted, t.Told("inserting an agent", n, err, event.Change{
		Type: event.AgentCreated, WorkspaceID: a.WorkspaceID, Object: a.ID, AgentID: a.ID,
		Data: rest.EventAgent{SubOrganizationID: a.SubOrganizationID, WalletID: a.WalletID, Name: a.Name},
	}))
}

// agentEvents are what the executed activities about agents are told as.
var agentEvents = map[string]event.Type{
	string(wire.ActivateAgent): event.AgentActivated, string(wire.SetAgentLimits): event.AgentLimits,
	string(wire.SetAgentStatus): event.AgentStatus, string(wire.RotateAgentSecret): event.AgentRotated,
	string(wire.DeleteAgent): event.AgentDeleted, string(wire.SetKillSwitch): event.KillSwitchMoved,
}

// tellAgent tells of an executed activity, if that is about agents: the signer keeps what came of it, and no row here
// does.
func tellAgent(t *sqldb.Tx, a db.Activity) {
	kind, is := agentEvents[a.Kind]
	if !is || activity.State(a.State) != activity.Done {
		return
	}
	about := activity.AboutAgent(a.Body)
	c := event.Change{Type: kind, WorkspaceID: a.WorkspaceID, Object: about.AgentID, AgentID: about.AgentID}
	c.Data = rest.EventAgent{SubOrganizationID: a.SubOrganizationID, Status: string(about.Status)}
	if kind == event.KillSwitchMoved {
		c.Object = a.SubOrganizationID
		c.Data = rest.EventKillSwitch{SubOrganizationID: a.SubOrganizationID, On: about.On}
	}
	t.Tell(c)
}

// NoteAgentSubject makes the audit entries of a subject some of the agent's.
func (t tx) NoteAgentSubject(ctx context.Context, workspaceID, agentID, subject string) error {
	return sqldb.Doing("noting an agent's subject", t.Q.NoteAgentSubject(ctx, workspaceID, subject, agentID))
}

// noteAgentOf is NoteAgentSubject for a row with a body, where that is about an agent.
func (t tx) noteAgentOf(ctx context.Context, workspaceID, id, body string) error {
	agentID := activity.AgentOf(body)
	if agentID == "" {
		return nil
	}
	return t.NoteAgentSubject(ctx, workspaceID, agentID, id)
}

func (t tx) KeepAgentSecret(ctx context.Context, workspaceID, id, proof string, at time.Time) error {
	return sqldb.Doing("keeping an agent's sealed secret", t.Q.KeepAgentSecret(ctx, db.KeepAgentSecretParams{
		SecretProof: proof, At: sqldb.Micros(at), WorkspaceID: workspaceID, ID: id,
	}))
}

// EndAgent notes that an agent was killed or deleted.
func (t tx) EndAgent(ctx context.Context, workspaceID, id string, at time.Time) error {
	return sqldb.Doing("ending an agent", t.Q.EndAgent(ctx, workspaceID, id, sqldb.Micros(at)))
}

func (t tx) DeleteAgent(ctx context.Context, workspaceID, id string) error {
	return sqldb.Doing("deleting an agent", t.Q.DeleteAgent(ctx, workspaceID, id))
}
