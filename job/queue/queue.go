// Package queue runs jobs. River keeps them in the same database as everything else, so that a job exists if and only
// if the transaction that enqueued it committed. queue.go puts jobs in, runner.go works them, reclaim.go frees jobs
// that a killed process held.
package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/requestid"
)

// args are what River stores of a job. One type serves all kinds, so that a new kind needs nothing here.
type args struct {
	kind        job.Kind
	WorkspaceID string `json:"workspaceId"`
	ID          string `json:"id"` // of the row
}

// Kind is River's name of the job.
func (a args) Kind() string { return string(a.kind) }

// waiting are the states in which a job still has work to do. A second job of
// one kind and row in any of them would only do the same again.
var waiting = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
	rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// once are the options of the one job of a kind and row that waits or runs.
var once = river.UniqueOpts{ByArgs: true, ByState: waiting}

// Queue puts jobs into River's tables.
type Queue struct {
	driver func(*sql.DB) riverdriver.Driver[*sql.Tx]
	insert *river.Client[*sql.Tx]
	// runNow makes a job available at once.
	runNow string
	// count is the SQL of Runner.Backlog.
	count string
	// reclaim frees what processes that died held.
	reclaim func(context.Context, *sql.DB) error
}

// SQLite is the queue of the embedded database.
func SQLite() (*Queue, error) {
	return newQueue(
		newPeeking,
		"UPDATE river_job SET state = 'available', scheduled_at = datetime('now', 'subsec') WHERE id = ?",
		"unixepoch('subsec') - unixepoch(scheduled_at, 'subsec')",
		reclaimSQLite,
	)
}

// Postgres is the queue of the production database. Other processes may be alive
// and hold jobs there, so that only those are reclaimed that are surely dead.
func Postgres() (*Queue, error) {
	return newQueue(
		func(db *sql.DB) riverdriver.Driver[*sql.Tx] { return quiet{riverdatabasesql.New(db)} },
		"UPDATE river_job SET state = 'available', scheduled_at = clock_timestamp() WHERE id = $1",
		"EXTRACT(EPOCH FROM clock_timestamp() - scheduled_at)",
		reclaimPostgres,
	)
}

// quiet is River's driver without notifications: River would send one inside each
// of our transactions, and PostgreSQL commits transactions that notify one by one.
type quiet struct{ *riverdatabasesql.Driver }

// SupportsListenNotify is asked by River before it notifies.
func (quiet) SupportsListenNotify() bool { return false }

func newQueue(
	driver func(*sql.DB) riverdriver.Driver[*sql.Tx], runNow, late string, reclaim func(context.Context, *sql.DB) error,
) (*Queue, error) {
	insert, err := river.NewClient(driver(nil), &river.Config{
		Logger: slog.New(slog.DiscardHandler),
		Hooks:  []rivertype.Hook{&soon{}},
	})
	if err != nil {
		return nil, fmt.Errorf("making the job queue: %w", err)
	}
	return &Queue{driver: driver, insert: insert, runNow: runNow, count: counting(late), reclaim: reclaim}, nil
}

// Migrate makes River's tables and brings them up to date.
func (q *Queue) Migrate(ctx context.Context, writer *sql.DB) error {
	migrator, err := rivermigrate.New(q.driver(writer), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("reading the migrations of the job queue: %w", err)
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("applying the migrations of the job queue: %w", err)
	}
	return nil
}

// Enqueue adds a job that runs only if tx commits. It adds none where the same job waits already. A job that is to run
// Anew then makes the one that waits run now: an order that is looked at every ten minutes, and of which 200 notices
// come, still has one job. Only beside a job that runs, and may have read the row before tx changed it, a second one is
// added; its worker leaves further looks to the first (Work).
func (q *Queue) Enqueue(ctx context.Context, tx *sql.Tx, j job.Job) error {
	opts := river.InsertOpts{MaxAttempts: maxAttempts, ScheduledAt: j.RunAt, UniqueOpts: once, Metadata: labels(ctx)}
	of := args{kind: j.Kind, WorkspaceID: j.WorkspaceID, ID: j.ID}
	first, err := q.insert.InsertTx(ctx, tx, of, &opts)
	switch {
	case err != nil || !j.Anew || !first.UniqueSkippedAsDuplicate:
	case first.Job.State == rivertype.JobStateRunning:
		opts.UniqueOpts = river.UniqueOpts{}
		_, err = q.insert.InsertTx(ctx, tx, of, &opts)
	case first.Job.ScheduledAt.After(time.Now()): // its row is locked until tx ends: no worker takes it meanwhile
		_, err = tx.ExecContext(ctx, q.runNow, first.Job.ID)
	}
	if err != nil {
		return fmt.Errorf("inserting a %s job: %w", j.Kind, err)
	}
	return nil
}

// labels are a job's metadata: the id of the request that asked for the work, so that the job's lines in the log have
// it too. It is no argument, since the same work for two requests is one job.
func labels(ctx context.Context) []byte {
	id := requestid.Of(ctx)
	if id == "" {
		return nil
	}
	return []byte(`{"` + requestid.Key + `":"` + id + `"}`) // a valid id needs no escapes
}

// within is the context of a job's work.
func within(ctx context.Context, j *rivertype.JobRow) context.Context {
	var labels map[string]json.RawMessage
	var id string
	if json.Unmarshal(j.Metadata, &labels) != nil || json.Unmarshal(labels[requestid.Key], &id) != nil {
		return ctx
	}
	return requestid.With(ctx, id)
}

// schedulerTick is how often River looks for scheduled jobs whose time has come.
const schedulerTick = 5 * time.Second

// soon makes a job that is due before the scheduler's next look available at
// once. The workers take no job before its time, and River does the same where
// a job is snoozed or retried shortly.
type soon struct{ river.HookDefaults }

// InsertBegin is called by River before each insert.
func (*soon) InsertBegin(_ context.Context, p *rivertype.JobInsertParams) error {
	if p.ScheduledAt != nil && time.Until(*p.ScheduledAt) <= schedulerTick {
		p.State = rivertype.JobStateAvailable
	}
	return nil
}
