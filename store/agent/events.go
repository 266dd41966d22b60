package agent

import (
	"context"

	"github.com/railkit/railkit/kit/agent/event"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

func (t tx) InsertAgentEvent(ctx context.Context, e event.Event) (bool, error) {
	n, err := t.Q.InsertAgentEvent(ctx, db.InsertAgentEventParams{
		WorkspaceID: e.WorkspaceID, AgentID: e.AgentID, ID: e.ID, Type: e.Type, Layer: string(e.Layer),
		Amount: int64(e.Amount), Recipient: e.Recipient, Metadata: e.Metadata, CreatedAt: sqldb.Micros(e.CreatedAt),
	})
	return n == 1, sqldb.Doing("inserting an agent's event", err)
}
