package bench

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/payment"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store/storetest/payouttest"
)

const mostGrowth = 32 << 20 // bytes, of the heap while a backlog drains

// J6: orders that wait while nobody works are all paid out once somebody does,
// and the memory that takes does not depend on how many they are. `make soak` has
// a hundred thousand of them.
func TestPayout_J6_SoakBacklogDrains(t *testing.T) {
	n := 200
	if os.Getenv("RAILKIT_SOAK") != "" {
		n = 100_000
	}
	k := openKit(t, testenv.TestEngine(t))
	_, err := many(n, func(i int) (struct{}, error) {
		return struct{}{}, k.confirmed(k.addresses[i%len(k.addresses)], fmt.Sprint("o", i))
	})
	must(t, err)
	base := heap()
	runner, err := k.queue.NewRunner(k.db.Writer(), queue.Config{
		Handlers: job.Handlers{payment.Job: k.Payments.Advance},
	})
	must(t, err)
	must(t, runner.Start(t.Context()))
	most := base
	bound := testwait.Bound + time.Duration(n)*100*time.Millisecond
	testwait.Within(t, bound, "all orders are paid", func() bool {
		most = max(most, heap())
		return k.completed(t) == n
	})
	must(t, runner.Stop(t.Context()))
	if most > base+mostGrowth {
		t.Errorf("the heap grew from %d to %d bytes", base, most)
	}
	t.Logf("%d orders; the heap grew by %d KiB", n, (most-base)>>10)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// confirmed is an order whose deposit is final.
func (k *kit) confirmed(a withdraw.Address, id string) error {
	now := time.Now()
	o, detected := payouttest.Deposited(a.WorkspaceID, id, a.ID, now)
	o.RecipientID, o.BankAccountID = a.RecipientID, a.BankAccountID
	k.sightings.put(a, detected.Deposit.TransferID, true)
	return k.store.Work(context.Background(), a.WorkspaceID,
		func(ctx context.Context, tx payout.Tx) (command.Audit, error) {
			o, err := payouttest.Walk(ctx, tx, o, detected)
			if err == nil {
				_, err = payouttest.Walk(ctx, tx, o, payouttest.Paid(o, now)[0])
			}
			return command.Audit{}, err
		})
}

// completed counts the orders of all workspaces that were paid.
func (k *kit) completed(t *testing.T) (n int) {
	t.Helper()
	for _, a := range eachWorkspace(k.addresses) {
		counts, err := k.store.OrderCounts(t.Context(), orderview.Filter{WorkspaceID: a.WorkspaceID})
		must(t, err)
		n += counts[order.Completed]
	}
	return n
}
