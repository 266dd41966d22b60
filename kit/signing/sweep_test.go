package signing_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store"
)

// oracle is an enclave that only tells outcomes.
type oracle struct {
	signer.Enclave
	asked     int    // questions, about one body or about many
	bodies    int    // that were asked about
	cancelled string // fingerprint
	down      bool
}

func (o *oracle) Outcome(_ context.Context, fingerprint string) (client.Outcome, error) {
	o.asked, o.bodies = o.asked+1, o.bodies+1
	if o.down {
		return client.Outcome{}, fault.ErrUnavailable
	}
	if fingerprint == o.cancelled {
		return client.Outcome{State: wire.Cancelled}, nil
	}
	return client.Outcome{State: wire.Unknown}, nil
}

func (o *oracle) Known(_ context.Context, fingerprints []string) (known []string, err error) {
	o.asked, o.bodies = o.asked+1, o.bodies+len(fingerprints)
	if o.down {
		return nil, fault.ErrUnavailable
	}
	if slices.Contains(fingerprints, o.cancelled) {
		known = append(known, o.cancelled)
	}
	return known, nil
}

// embedded is an empty database.
func embedded(t *testing.T) *store.Store {
	t.Helper()
	jobs, err := queue.SQLite()
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.OpenSQLite(ctx, filepath.Join(t.TempDir(), "railkit.db"), jobs, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// waitingRows is a kit over a database in which so many transactions wait.
func waitingRows(t *testing.T, n int, o *oracle) (*signing.Kit, *store.Store) {
	t.Helper()
	s := embedded(t)
	since := time.Now().UTC().Add(-time.Minute)
	err := s.Signing().Work(ctx, "w", func(ctx context.Context, tx signing.Tx) (command.Audit, error) {
		for i := range n {
			id := fmt.Sprintf("tx-%05d", i)
			if err := tx.InsertTransaction(ctx, transaction.Transaction{
				WorkspaceID: "w", ID: id, Fingerprint: "fp-" + id, State: transaction.Awaiting, CreatedAt: since,
				UpdatedAt: since,
				ExpiresAt: since.Add(15 * time.Minute),
			}); err != nil {
				return command.Audit{}, err
			}
		}
		return command.Audit{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return signing.New(signing.Config{
		Stores: s.Signing().Stores(), Enclave: o, Environment: chain.Sandbox, Clock: clock.System{},
	}), s
}

// Many rows that wait for their owners must not keep the sweeper from the one
// behind them, nor make one sweep endless. It asks once about all of them.
func TestSigning_SweepReachesEveryRow(t *testing.T) {
	t.Parallel()
	const rows = 1200
	o := &oracle{cancelled: fmt.Sprintf("fp-tx-%05d", rows-1)}
	kit, s := waitingRows(t, rows, o)
	for sweep := 1; ; sweep++ {
		if err := kit.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		if o.bodies > 500*sweep {
			t.Fatalf("%d bodies in %d sweeps", o.bodies, sweep)
		}
		last, err := s.Signing().Transaction(ctx, "w", fmt.Sprintf("tx-%05d", rows-1))
		if err != nil {
			t.Fatal(err)
		}
		if last.State == transaction.Cancelled {
			break
		}
		if sweep == 3 {
			t.Fatal("three sweeps of 500 do not reach the last of 1200 rows")
		}
	}
	if err := kit.Sweep(ctx); err != nil || o.bodies != rows+1+500 || o.asked != 4+1 {
		t.Errorf("the sweep after the last begins again: %d questions about %d bodies, %v", o.asked, o.bodies, err)
	}
}

// With the enclave away one question is enough.
func TestSigning_SweepStopsAtAnOutage(t *testing.T) {
	t.Parallel()
	o := &oracle{down: true}
	kit, _ := waitingRows(t, 30, o)
	if err := kit.Sweep(ctx); err == nil || o.asked != 1 {
		t.Errorf("%d questions, %v", o.asked, err)
	}
}
