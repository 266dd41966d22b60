package queue_test

import (
	"testing"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/signing/transaction"
)

// onEach runs a test on either engine.
func onEach(t *testing.T, test func(*testing.T, *rig)) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		test(t, fresh(t))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		test(t, newRig(t, pgtest.New(t)))
	})
}

func (r *rig) exec(tb testing.TB, statement string) {
	tb.Helper()
	if _, err := r.Writer().ExecContext(tb.Context(), statement); err != nil {
		tb.Fatal(err)
	}
}

// A process that died held a job. Others may live, so a start takes nothing away
// from anybody; but a job that has been held for too long runs again.
func TestRescueOnPostgres(t *testing.T) {
	r := newRig(t, pgtest.New(t))
	for _, id := range []string{"held", "stuck"} {
		r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: id}, nil)
	}
	r.exec(t, `UPDATE river_job SET state = 'running', attempt = 1, attempted_by = ARRAY['another'],
		attempted_at = NOW() - CASE args->>'id' WHEN 'stuck' THEN INTERVAL '2 minutes' ELSE INTERVAL '1 second' END`)
	ran := make(chan string, 2)
	r.start(t, queue.Config{Handlers: confirms(ran)})
	if got := next(t, "the stuck job", ran); got != "stuck" {
		t.Errorf("ran %s", got)
	}
	if n := r.count(t, "state = 'running' AND args->>'id' = 'held'"); n != 1 {
		t.Error("a job was taken away from a process that may be alive")
	}
}

// Two servers on one database share the queue: each job runs once.
func TestTwoRunnersOnPostgres(t *testing.T) {
	url := pgtest.New(t)
	first, second := newRig(t, url), newRig(t, url)
	ran := make(chan string, 100)
	first.start(t, queue.Config{Handlers: confirms(ran)})
	second.start(t, queue.Config{Handlers: confirms(ran)})
	seen := map[string]bool{}
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		first.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: id}, nil)
	}
	for len(seen) < 8 {
		id := next(t, "a job", ran)
		if seen[id] {
			t.Errorf("%s ran twice", id)
		}
		seen[id] = true
	}
}

// River's notifications would make all commits of the server wait for each other.
func TestPostgresIsNotNotified(t *testing.T) {
	r := newRig(t, pgtest.New(t))
	conn, err := r.Writer().Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, statement := range []string{`LISTEN "public.river_insert"`, "mine"} {
		if statement == "mine" { // comes after what the job's transaction would have sent
			r.enqueue(t, job.Job{Kind: transaction.JobConfirm, ID: "x"}, nil)
			statement = "SELECT pg_notify('public.river_insert', 'mine')"
		}
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	err = conn.Raw(func(c any) error {
		got, err := c.(*stdlib.Conn).Conn().WaitForNotification(t.Context())
		if err == nil && got.Payload != "mine" {
			t.Errorf("a transaction notified: %s", got.Payload)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
