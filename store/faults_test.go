package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/pgtest"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

// faulty makes the server itself fail one commit in three, as it does where
// transactions are in each other's way: half as serialization failures, half as
// deadlocks. The trigger runs last, once all of the transaction is written.
var faulty = []string{
	`CREATE SEQUENCE failed_commits`,
	`CREATE FUNCTION fail() RETURNS TRIGGER LANGUAGE plpgsql AS $$
	BEGIN
		IF random() < 0.33 THEN
			PERFORM nextval('failed_commits'); -- which no rollback takes back
			IF random() < 0.5 THEN RAISE EXCEPTION 'injected' USING ERRCODE = '40001'; END IF;
			RAISE EXCEPTION 'injected' USING ERRCODE = '40P01';
		END IF;
		RETURN NULL;
	END $$`,
	`CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`,
}

// Whatever fails at the commit is run again as a whole: each command ends up
// written once, with its audit row, its answer and its job, and its caller sees
// nothing of it, or is told to come back and has changed nothing.
func TestPostgresFaultsAtCommit(t *testing.T) {
	s := openServer(t, pgtest.New(t), clock.System{})
	for _, statement := range faulty {
		if _, err := s.Writer().ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	const callers, each = 8, 40
	var runs, refused atomic.Int64
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for n := range each {
				id := fmt.Sprintf("tx-%d-%d", c, n)
				_, err := s.Signing().Commit(t.Context(), keyedCommand(id), insertWithJob(id, &runs))
				for errors.Is(err, fault.ErrUnavailable) {
					refused.Add(1)
					_, err = s.Signing().Commit(t.Context(), keyedCommand(id), insertWithJob(id, &runs))
				}
				if err != nil {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	wg.Wait()
	const total = callers * each
	for table, want := range map[string]int{
		"transactions": total, "audit": total, "idempotency": total, "river_job": total,
	} {
		if got := count(t, s.Writer(), "SELECT COUNT(*) FROM "+table); got != want {
			t.Errorf("%d rows of %s, want %d", got, table, want)
		}
	}
	failed := count(t, s.Writer(), "SELECT last_value FROM failed_commits")
	t.Logf("%d commits failed, %d runs, %d callers told to come back", failed, runs.Load(), refused.Load())
	if most := total + failed*callers; failed < total/10 || int(runs.Load()) < total || int(runs.Load()) > most {
		t.Errorf("%d runs for %d commands and %d failed commits", runs.Load(), total, failed)
	}
}

func keyedCommand(id string) *command.Command {
	same := func(text []byte) ([]byte, error) { return text, nil }
	return &command.Command{
		Principal: auth.Principal{Tenant: auth.Tenant{WorkspaceID: "ws-1"}, ID: "key-1"}, Operation: "test",
		Key:    &command.Key{Hash: "hash-" + id, Request: "request", Seal: same, Open: same},
		Render: func(command.Reply) ([]byte, error) { return []byte(`{"success":true}`), nil },
	}
}

func insertWithJob(id string, runs *atomic.Int64) func(context.Context, signing.Tx) (command.Reply, error) {
	return func(ctx context.Context, tx signing.Tx) (command.Reply, error) {
		runs.Add(1)
		if _, err := newTransaction(id)(ctx, tx); err != nil {
			return command.Reply{}, err
		}
		err := tx.Enqueue(ctx, job.Job{Kind: transaction.JobConfirm, WorkspaceID: "ws-1", ID: id})
		return command.Reply{Status: 201, Audit: command.Audit{Action: "transaction.prepare", Resource: id}}, err
	}
}
