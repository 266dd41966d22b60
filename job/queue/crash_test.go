package queue_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

const crashEnv = "RAILKIT_TEST_CRASH"

// confirmer moves a transaction to confirmed, as the kit would.
func (r *rig) confirmer() job.Handlers {
	return job.Handlers{transaction.JobConfirm: func(ctx context.Context, _, id string) (time.Duration, error) {
		err := r.Signing().Work(ctx, ws, func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
			return command.Audit{Action: "transaction.confirm", Resource: id},
				tx.MoveTransaction(ctx, ws, id, []transaction.State{transaction.Broadcast},
					transaction.Confirmed, transaction.Change{Now: time.Now()})
		})
		if errors.Is(err, record.ErrStale) {
			return 0, nil
		}
		return 0, err
	}}
}

// crash is the process that is killed: it writes transactions, each with its
// job, says the id of each once it is committed, and works the jobs meanwhile.
func crash(path string) {
	ctx := context.Background()
	r, err := openRig(ctx, path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	runner, err := r.queue.NewRunner(r.Writer(), queue.Config{Handlers: r.confirmer()})
	if err == nil {
		err = runner.Start(ctx)
	}
	for err == nil {
		id := fmt.Sprintf("tx-%016x", rand.Uint64())
		err = r.Signing().Work(ctx, ws, func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
			return command.Audit{Action: "transaction.create", Resource: id}, errors.Join(
				tx.InsertTransaction(ctx, transaction.Transaction{
					WorkspaceID: ws, ID: id, State: transaction.Broadcast, CreatedAt: time.Now(),
				}),
				tx.Enqueue(ctx, job.Job{Kind: transaction.JobConfirm, WorkspaceID: ws, ID: id}))
		})
		if err == nil {
			fmt.Println(id)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestCrash(t *testing.T) {
	survive(t, filepath.Join(t.TempDir(), "railkit.db"))
}

func TestCrashOnPostgres(t *testing.T) { survive(t, pgtest.New(t)) }

// What was committed when the process is killed is there, with its audit row,
// and its job runs within seconds of the next start: no sweeper helps here.
func survive(t *testing.T, where string) {
	t.Helper()
	var committed []string
	for range 4 {
		committed = append(committed, killAfter(t, where, 20+rand.IntN(100))...)
	}
	r := newRig(t, where)
	for _, id := range committed {
		if _, err := r.Signing().Transaction(t.Context(), ws, id); err != nil {
			t.Fatalf("a committed transaction is lost: %v", err)
		}
	}
	if n, m := r.rows(t, "transactions"), r.rows(t, "audit WHERE action = 'transaction.create'"); n != m {
		t.Errorf("%d transactions and %d audit rows", n, m)
	}
	left := r.rows(t, "transactions WHERE state = 'broadcast'")
	t.Logf("%d committed, %d not yet confirmed, %d jobs taken when the process died", len(committed), left,
		r.count(t, "state = 'running'"))
	r.start(t, queue.Config{Handlers: r.confirmer()})
	testwait.Until(t, "no transaction has lost its job", func() bool {
		return r.rows(t, "transactions WHERE state = 'broadcast'") == 0
	})
}

func (r *rig) rows(tb testing.TB, from string) (n int) {
	tb.Helper()
	if err := r.Writer().QueryRowContext(tb.Context(), "SELECT COUNT(*) FROM "+from).Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

// killAfter kills the process after it has said so many ids, and returns them.
func killAfter(t *testing.T, path string, lines int) []string {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), crashEnv+"="+path)
	var log testlog.Log
	child.Stderr = &log
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for scan := bufio.NewScanner(out); len(ids) < lines && scan.Scan(); {
		ids = append(ids, scan.Text())
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if len(ids) < lines {
		t.Fatalf("the process ended by itself: %s", log.String())
	}
	return ids
}
