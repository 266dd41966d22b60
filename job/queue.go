// Package job runs what must happen after a request: River is the queue, in the
// same database as everything else, so that a job exists if and only if the
// transaction that wanted it committed. A job is a hint, and state is truth:
// workers may run twice or late, and the sweeper finds what was lost.
package job

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/platform/team"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// row names what a job is about. The two jobs of a row are told apart by kind.
type row struct {
	WorkspaceID string `json:"workspaceId"`
	ID          string `json:"id"`
}

type broadcastArgs struct{ row }

// Kind is River's name of the job.
func (broadcastArgs) Kind() string { return string(signing.JobBroadcast) }

type mailArgs struct{ row }

// Kind is River's name of the job.
func (mailArgs) Kind() string { return team.JobMail }

type inviteArgs struct{ row }

// Kind is River's name of the job.
func (inviteArgs) Kind() string { return string(payout.JobInvite) }

type alertArgs struct{ row }

// Kind is River's name of the job.
func (alertArgs) Kind() string { return string(payout.JobAlert) }

type recoveryArgs struct{ row }

// Kind is River's name of the job.
func (recoveryArgs) Kind() string { return string(signing.JobRecovery) }

type confirmArgs struct{ row }

// Kind is River's name of the job.
func (confirmArgs) Kind() string { return string(signing.JobConfirm) }

type noticeArgs struct{ row }

// Kind is River's name of the job.
func (noticeArgs) Kind() string { return string(payout.JobNotice) }

type executeArgs struct{ row }

// Kind is River's name of the job.
func (executeArgs) Kind() string { return string(signing.JobExecute) }

type orderArgs struct{ row }

// Kind is River's name of the job.
func (orderArgs) Kind() string { return string(payout.JobOrder) }

// waiting are the states in which a job still has work to do. A second job of
// one kind and row in any of them would only do the same again.
var waiting = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
	rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// Queue puts jobs into River's tables.
type Queue struct {
	driver func(*sql.DB) riverdriver.Driver[*sql.Tx]
	insert *river.Client[*sql.Tx]
	// reclaim frees what processes that died held.
	reclaim func(context.Context, *sql.DB) error
}

// SQLite is the queue of the embedded database.
func SQLite() (*Queue, error) {
	return newQueue(func(db *sql.DB) riverdriver.Driver[*sql.Tx] { return riversqlite.New(db) }, reclaimSQLite)
}

// Postgres is the queue of the production database. Other processes may be alive
// and hold jobs there, so that only those are reclaimed that are surely dead.
func Postgres() (*Queue, error) {
	return newQueue(func(db *sql.DB) riverdriver.Driver[*sql.Tx] { return quiet{riverdatabasesql.New(db)} }, reclaimPostgres)
}

// quiet is River's driver without notifications: River would send one inside each
// of our transactions, and PostgreSQL commits transactions that notify one by one.
type quiet struct{ *riverdatabasesql.Driver }

// SupportsListenNotify is asked by River before it notifies.
func (quiet) SupportsListenNotify() bool { return false }

func newQueue(driver func(*sql.DB) riverdriver.Driver[*sql.Tx], reclaim func(context.Context, *sql.DB) error) (*Queue, error) {
	insert, err := river.NewClient(driver(nil), &river.Config{
		Logger: slog.New(slog.DiscardHandler),
		Hooks:  []rivertype.Hook{&soon{}},
	})
	if err != nil {
		return nil, fmt.Errorf("making the job queue: %w", err)
	}
	return &Queue{driver: driver, insert: insert, reclaim: reclaim}, nil
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

// Enqueue adds a job that runs only if tx commits. It adds none where the same
// job waits already, unless the job says so.
func (q *Queue) Enqueue(ctx context.Context, tx *sql.Tx, j signing.Job) error {
	args, err := argsOf(j)
	if err != nil {
		return err
	}
	opts := &river.InsertOpts{MaxAttempts: maxAttempts, ScheduledAt: j.RunAt}
	if !j.Anew {
		opts.UniqueOpts = river.UniqueOpts{ByArgs: true, ByState: waiting}
	}
	_, err = q.insert.InsertTx(ctx, tx, args, opts)
	if err != nil {
		return fmt.Errorf("inserting a %s job: %w", j.Kind, err)
	}
	return nil
}

func argsOf(j signing.Job) (river.JobArgs, error) {
	about := row{WorkspaceID: j.WorkspaceID, ID: j.ID}
	switch j.Kind {
	case signing.JobBroadcast:
		return broadcastArgs{about}, nil
	case signing.JobConfirm:
		return confirmArgs{about}, nil
	case signing.JobExecute:
		return executeArgs{about}, nil
	case signing.JobRecovery:
		return recoveryArgs{about}, nil
	case signing.JobKind(payout.JobOrder):
		return orderArgs{about}, nil
	case Deposit:
		return depositArgs{about}, nil
	case signing.JobKind(payout.JobNotice):
		return noticeArgs{about}, nil
	case signing.JobKind(payout.JobInvite):
		return inviteArgs{about}, nil
	case signing.JobKind(payout.JobAlert):
		return alertArgs{about}, nil
	case team.JobMail:
		return mailArgs{about}, nil
	}
	return nil, fmt.Errorf("no worker for jobs of the kind %q", j.Kind)
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
