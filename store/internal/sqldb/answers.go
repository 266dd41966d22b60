package sqldb

import (
	"context"
	"time"

	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/store/db"
)

// answered undoes a transaction whose idempotency key has its answer already.
type answered struct{ row idempotency.Row }

func (*answered) Error() string { return "store: the idempotency key has its answer already" }

// claim takes the row of the command's key before any work is done under it, so
// that of several callers one works and the others wait at the row.
func (t *Tx) claim(ctx context.Context, cmd *command.Command) error {
	if cmd.Key == nil {
		return nil
	}
	since := Micros(t.Begun.Add(-idempotency.Retention))
	waiting, cancel := context.WithTimeout(ctx, idempotency.Patience) // for another server's call
	defer cancel()
	n, err := t.Q.ClaimAnswer(waiting, db.ClaimAnswerParams{
		WorkspaceID: cmd.Principal.WorkspaceID, KeyHash: cmd.Key.Hash, Request: cmd.Key.Request,
		Sealed: []byte{}, Now: Micros(t.Begun), Since: since,
	})
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return idempotency.ErrInFlight.After(time.Second).Because(err)
	}
	if err != nil || n == 1 {
		return Doing("claiming the idempotency key", err)
	}
	row, err := t.Q.Answer(ctx, cmd.Principal.WorkspaceID, cmd.Key.Hash, since)
	if err != nil {
		return Doing("reading the answer of the idempotency key", err)
	}
	return &answered{AnswerRow(row)}
}

// fill puts the answer into the claimed row.
func (t *Tx) fill(ctx context.Context, cmd *command.Command, status int, body []byte) error {
	if cmd.Key == nil {
		return nil
	}
	sealed, err := cmd.Key.Seal(body)
	if err != nil {
		return Doing("sealing the answer of "+cmd.Operation, err)
	}
	return Doing("storing the answer of "+cmd.Operation, t.Q.FillAnswer(ctx, db.FillAnswerParams{
		WorkspaceID: cmd.Principal.WorkspaceID, KeyHash: cmd.Key.Hash, Status: int64(status), Sealed: sealed,
	}))
}

// AnswerRow is the answer of an idempotency key as it is stored.
func AnswerRow(r db.Idempotency) idempotency.Row {
	return idempotency.Row{Request: r.Request, Status: int(r.Status), Sealed: r.Sealed, CreatedAt: Instant(r.CreatedAt)}
}
