package sqldb

import (
	"context"
	"slices"
	"time"

	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/store/db"
)

// answered undoes a change whose idempotency key has its answer already.
type answered struct{ row idempotency.Row }

func (*answered) Error() string { return "store: the idempotency key has its answer already" }

// answer is what an idempotency key's row is filled with.
type answer struct {
	status int
	sealed []byte
}

// seal makes it of what the caller is answered.
func seal(cmd *command.Command, status int, body []byte) (*answer, error) {
	if cmd.Key == nil {
		return nil, nil
	}
	sealed, err := cmd.Key.Seal(body)
	return &answer{status, sealed}, Doing("sealing the answer of "+cmd.Operation, err)
}

// claimOne is claim for one change, whose error it becomes.
func (b *batch) claimOne(ctx context.Context, c *change) {
	if err := b.claim(ctx, []*change{c}); err != nil {
		c.err = err
	}
}

// claim takes the rows of the changes' keys before any work is done under them, so that of several servers one works
// and the others wait at the row. A change whose key has its answer gets that for an error.
func (b *batch) claim(ctx context.Context, keyed []*change) error {
	waiting, cancel := context.WithTimeout(ctx, idempotency.Patience) // for another server's call
	defer cancel()
	since := Micros(b.begun.Add(-idempotency.Retention))
	more := make([][]any, 0, len(keyed)-1)
	for _, c := range keyed[1:] {
		more = append(more, []any{c.workspaceID, c.key.Hash, c.key.Request, []byte{}, Micros(b.begun)})
	}
	first := keyed[0]
	taken, err := b.repeat(6, more).ClaimAnswers(waiting, db.ClaimAnswersParams{
		WorkspaceID: first.workspaceID, KeyHash: first.key.Hash, Request: first.key.Request,
		Sealed: []byte{}, Now: Micros(b.begun), Since: since,
	})
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return idempotency.ErrInFlight.After(time.Second).Because(err)
	}
	if err != nil {
		return Doing("claiming the idempotency key", err)
	}
	for _, c := range keyed {
		if i := slices.IndexFunc(taken, func(r db.ClaimAnswersRow) bool { return r.KeyHash == c.key.Hash }); i >= 0 {
			c.claimed = taken[i].ClaimedAt
			continue
		}
		row, err := db.New(b.q).Answer(ctx, c.workspaceID, c.key.Hash, since)
		if err != nil {
			return Doing("reading the answer of the idempotency key", err)
		}
		c.err = &answered{AnswerRow(row)}
	}
	return nil
}

// answerRows are claimed already: each is filled.
var answerRows = &Set[db.FillAnswersParams]{What: "storing answers", Insert: (*db.Queries).FillAnswers}

// answersOf are what the keys of changes are answered.
func answersOf(done []*change) (rows []any) {
	for _, c := range done {
		if a := c.tx.answer; a != nil {
			rows = append(rows, db.FillAnswersParams{
				WorkspaceID: c.workspaceID, KeyHash: c.key.Hash, Status: int64(a.status), Sealed: a.sealed,
			})
		}
	}
	return rows
}

// AnswerRow is the answer of an idempotency key as it is stored.
func AnswerRow(r db.Idempotency) idempotency.Row {
	return idempotency.Row{Request: r.Request, Status: int(r.Status), Sealed: r.Sealed, CreatedAt: Instant(r.CreatedAt)}
}
