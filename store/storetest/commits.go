package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
)

// auditRow is what one audit row says, but for its id.
func (b *bench) auditRow(t *testing.T, action string) string {
	t.Helper()
	var f [9]string
	var at int64
	err := b.Store.Writer().QueryRowContext(t.Context(), `SELECT workspace_id, actor, actor_id, operation, action, resource,
		request_id, remote_ip, detail, at FROM audit WHERE action = $1`, action).
		Scan(&f[0], &f[1], &f[2], &f[3], &f[4], &f[5], &f[6], &f[7], &f[8], &at)
	if err != nil {
		t.Fatalf("reading the audit row: %v", err)
	}
	return strings.Join(f[:], "|") + "|" + time.UnixMicro(at).UTC().Format(time.RFC3339Nano)
}

func testCommitAudits(t *testing.T, b *bench) {
	answer, err := b.Commit(t.Context(), Called(Ours), func(context.Context, signing.Tx) (command.Reply, error) {
		return command.Reply{Status: 202, Data: "body", Audit: command.Audit{
			Action: "wallet.create", Resource: "wallet-1", Detail: map[string]string{"name": `"Main"`},
		}}, nil
	})
	OK(t, err)
	Equal(t, "answer", answer, command.Answer{Status: 202, Body: []byte(`"body"`)})
	Equal(t, "audit row", b.auditRow(t, "wallet.create"),
		Ours+"|api_key|key-1|testOperation|wallet.create|wallet-1|request-1|192.0.2.1|"+
			`{"name":"\"Main\""}|2026-11-21T12:00:00.123456Z`)
	b.write(t, func(context.Context, signing.Tx) error { return nil })
	Equal(t, "rows", b.Count(t, "audit"), 2)
	Equal(t, "a commit without detail", strings.Contains(b.auditRow(t, "test.write"), "|{}|"), true)
}

// nothing wants that a failed commit left no trace.
func (b *bench) nothing(t *testing.T) {
	t.Helper()
	for _, table := range []string{"sub_organizations", "transactions", "audit", "idempotency", "river_job"} {
		Equal(t, table, b.Count(t, table), 0)
	}
}

// everything writes to every table that a commit can reach.
func everything(ctx context.Context, tx signing.Tx) error {
	return errors.Join(
		tx.InsertSubOrganization(ctx, aSubOrganization(Ours, "sub-1")),
		tx.InsertTransaction(ctx, aTransaction(Ours, "tx-1")),
		tx.Enqueue(ctx, job.Job{Kind: transaction.JobConfirm, WorkspaceID: Ours, ID: "tx-1"}),
	)
}

func testCommitRefuses(t *testing.T, b *bench) {
	for name, reply := range map[string]command.Reply{
		"no action":    {Status: 200},
		"no status":    {Audit: command.Audit{Action: "a"}},
		"redirect":     {Status: 300, Audit: command.Audit{Action: "a"}},
		"client error": {Status: 404, Audit: command.Audit{Action: "a"}},
		"continue":     {Status: 199, Audit: command.Audit{Action: "a"}},
	} {
		_, err := b.Commit(t.Context(), keyed(t, Ours, newKey(), ""), func(
			ctx context.Context, tx signing.Tx,
		) (command.Reply, error) {
			return reply, everything(ctx, tx)
		})
		if err == nil {
			t.Errorf("%s was committed", name)
		}
		b.nothing(t)
	}
}

func testCommitFails(t *testing.T, b *bench) {
	broken := errors.New("broken")
	_, err := b.commit(t, keyed(t, Ours, newKey(), ""), func(ctx context.Context, tx signing.Tx) error {
		return errors.Join(everything(ctx, tx), broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("error of fn: got %v", err)
	}
	b.nothing(t)

	cmd := keyed(t, Ours, newKey(), "")
	cmd.Render = func(command.Reply) ([]byte, error) { return nil, broken }
	if _, err = b.commit(t, cmd, everything); !errors.Is(err, broken) {
		t.Errorf("error of Render: got %v", err)
	}
	b.nothing(t)

	cmd = keyed(t, Ours, newKey(), "")
	cmd.Key.Seal = func([]byte) ([]byte, error) { return nil, broken }
	if _, err = b.commit(t, cmd, everything); !errors.Is(err, broken) {
		t.Errorf("error of Seal: got %v", err)
	}
	b.nothing(t)
}

func testCommitPanics(t *testing.T, b *bench) {
	func() {
		defer func() { _ = recover() }()
		_, _ = b.commit(t, Called(Ours), func(ctx context.Context, tx signing.Tx) error {
			_ = everything(ctx, tx)
			panic("a bug")
		})
	}()
	b.nothing(t)
	b.write(t, everything) // and the writer is free
}

func testCommitIsolated(t *testing.T, b *bench) {
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		err := everything(ctx, tx)
		_, read := b.Transaction(ctx, Ours, "tx-1")
		Missing(t, "Transaction", read)
		return err
	})
	_, err := b.Transaction(t.Context(), Ours, "tx-1")
	OK(t, err)
}

func testCommitStops(t *testing.T, b *bench) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.Commit(ctx, Called(Ours), func(ctx context.Context, tx signing.Tx) (command.Reply, error) {
		err := everything(ctx, tx)
		cancel()
		return command.Reply{Status: 200, Audit: command.Audit{Action: "a"}}, err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left: got %v", err)
	}
	b.nothing(t)
}

func testReplayParallel(t *testing.T, b *bench) {
	const callers = 64
	key := newKey()
	var ran atomic.Int64
	answers := make([]command.Answer, callers)
	var wg sync.WaitGroup
	for i := range answers {
		cmd := keyed(t, Ours, key, "body")
		wg.Go(func() {
			var err error
			answers[i], err = b.Commit(t.Context(), cmd, func(
				ctx context.Context, tx signing.Tx,
			) (command.Reply, error) {
				n := ran.Add(1)
				err := tx.InsertTransaction(ctx, aTransaction(Ours, fmt.Sprintf("tx-%d-%d", i, n)))
				return command.Reply{
					Status: 201, Data: fmt.Sprint("caller ", i), Audit: command.Audit{Action: "a"},
				}, err
			})
			if err != nil {
				t.Errorf("caller %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	Equal(t, "executions", ran.Load(), 1)
	Equal(t, "transactions", b.Count(t, "transactions"), 1)
	Equal(t, "audit rows", b.Count(t, "audit"), 1)
	first := 0
	for _, a := range answers {
		if !a.Replayed {
			first++
		}
		if a.Status != 201 || !bytes.Equal(a.Body, answers[0].Body) {
			t.Errorf("answers differ: %s and %s", a.Body, answers[0].Body)
		}
	}
	Equal(t, "first answers", first, 1)
}

func testReplayOfAnotherRequest(t *testing.T, b *bench) {
	key := newKey()
	_, err := b.commit(t, keyed(t, Ours, key, "one"), everything)
	OK(t, err)
	_, err = b.commit(t, keyed(t, Ours, key, "two"), func(ctx context.Context, tx signing.Tx) error {
		return tx.InsertTransaction(ctx, aTransaction(Ours, "tx-2"))
	})
	if !errors.Is(err, idempotency.ErrOtherRequest) {
		t.Errorf("got %v", err)
	}
	Equal(t, "transactions", b.Count(t, "transactions"), 1)
	Equal(t, "audit rows", b.Count(t, "audit"), 1)
}

func testReplayAfterFailure(t *testing.T, b *bench) {
	key := newKey()
	broken := errors.New("broken")
	if _, err := b.commit(t, keyed(t, Ours, key, ""), func(context.Context, signing.Tx) error {
		return broken
	}); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	answer, err := b.commit(t, keyed(t, Ours, key, ""), everything)
	OK(t, err)
	Equal(t, "replayed", answer.Replayed, false)
	Equal(t, "transactions", b.Count(t, "transactions"), 1)
}

func testReplayPerWorkspace(t *testing.T, b *bench) {
	key := newKey()
	for _, ws := range []string{Ours, Theirs} {
		answer, err := b.commit(t, keyed(t, ws, key, ""), func(context.Context, signing.Tx) error { return nil })
		OK(t, err)
		Equal(t, "replayed in "+ws, answer.Replayed, false)
	}
}

func testReplayExpires(t *testing.T, b *bench) {
	key := newKey()
	for _, step := range []struct {
		at       time.Duration
		replayed bool
	}{
		{0, false},
		{idempotency.Retention - time.Microsecond, true},
		{idempotency.Retention, false},
		{2*idempotency.Retention - time.Microsecond, true}, // of the second answer
	} {
		now := Start.Add(step.at)
		b.Clock.set(now)
		cmd := keyed(t, Ours, key, "")
		row, found, err := b.Answer(t.Context(), Ours, cmd.Key.Hash, now.Add(-idempotency.Retention))
		OK(t, err)
		Equal(t, fmt.Sprintf("row found after %v", step.at), found, step.replayed)
		if found {
			Equal(t, "status", row.Status, 201)
		}
		answer, err := b.commit(t, cmd, func(context.Context, signing.Tx) error { return nil })
		OK(t, err)
		Equal(t, fmt.Sprintf("replayed after %v", step.at), answer.Replayed, step.replayed)
	}
	Equal(t, "rows", b.Count(t, "idempotency"), 1)
}

func testReplayRowSealed(t *testing.T, b *bench) {
	cmd := keyed(t, Ours, newKey(), "")
	_, err := b.Commit(t.Context(), cmd, func(context.Context, signing.Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Data: "a secret shown once", Audit: command.Audit{Action: "a"}}, nil
	})
	OK(t, err)
	row, found, err := b.Answer(t.Context(), Ours, cmd.Key.Hash, Start.Add(-time.Microsecond))
	if !found || err != nil || bytes.Contains(row.Sealed, []byte("secret")) {
		t.Fatalf("got %v, %v, %q", found, err, row.Sealed)
	}
	Equal(t, "made at", row.CreatedAt, Start)
	answer, err := idempotency.Replay(row, cmd.Key)
	OK(t, err)
	Equal(t, "body", string(answer.Body), `"a secret shown once"`)
}

func testDropAnswers(t *testing.T, b *bench) {
	for _, at := range []time.Time{Start, Start.Add(time.Hour)} {
		b.Clock.set(at)
		_, err := b.commit(t, keyed(t, Ours, newKey(), ""), func(context.Context, signing.Tx) error { return nil })
		OK(t, err)
	}
	OK(t, b.DropAnswers(t.Context(), Start.Add(time.Hour)))
	Equal(t, "rows", b.Count(t, "idempotency"), 1)
}

func testWork(t *testing.T, b *bench) {
	OK(t, b.Work(t.Context(), Ours, func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
		return command.Audit{Action: "transaction.expire", Resource: "tx-1"}, everything(ctx, tx)
	}))
	Equal(
		t, "audit row", b.auditRow(t, "transaction.expire"),
		Ours+"|system|||transaction.expire|tx-1|||{}|2026-11-21T12:00:00.123456Z",
	)
	OK(t, b.Work(t.Context(), Ours, func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
		return command.Audit{}, tx.InsertTransaction(ctx, aTransaction(Ours, "tx-2"))
	}))
	Equal(t, "audit rows", b.Count(t, "audit"), 1)
	broken := errors.New("broken")
	err := b.Work(t.Context(), Ours, func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
		return command.Audit{Action: "a"}, errors.Join(tx.InsertTransaction(ctx, aTransaction(Ours, "tx-3")), broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	Equal(t, "transactions", b.Count(t, "transactions"), 2)
}

func testJobs(t *testing.T, b *bench) {
	enqueue := func(id string, kinds ...job.Kind) error {
		return b.try(t, func(ctx context.Context, tx signing.Tx) error {
			for _, kind := range kinds {
				if err := tx.Enqueue(ctx, job.Job{Kind: kind, WorkspaceID: Ours, ID: id}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	OK(t, enqueue("tx-1", transaction.JobBroadcast, transaction.JobConfirm))
	Equal(t, "jobs", b.Count(t, "river_job"), 2)
	OK(t, enqueue("tx-1", transaction.JobConfirm, transaction.JobConfirm))
	Equal(t, "jobs after the same again", b.Count(t, "river_job"), 2)
	OK(t, enqueue("tx-2", transaction.JobConfirm))
	Equal(t, "jobs of two transactions", b.Count(t, "river_job"), 3)
}
