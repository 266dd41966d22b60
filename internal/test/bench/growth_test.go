package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/job/queue"
	"github.com/railkit/railkit/kit/agent/budget"
	"github.com/railkit/railkit/store"
	"github.com/railkit/railkit/store/storetest/agenttest"
)

const (
	growth    = "growth" // its name among the flows
	growthAim = 1.3
)

// BenchmarkGrowth prints what a call takes with many rows in the tables, by what
// it takes with few.
func BenchmarkGrowth(b *testing.B) {
	if !testenv.Flow(b).MatchString(growth) {
		b.Skip("it is none of the flows that are wanted")
	}
	sizes := testenv.Sizes(b)
	must(b, enoughRows(sizes))
	for b.Loop() {
		for _, engine := range testenv.Engines(b) {
			runGrowth(b, os.Stdout, engine, sizes, 7, 1)
		}
	}
	b.ReportMetric(0, "ns/op") // the table has the numbers
}

// enoughRows refuses tables without a group beside the first one.
func enoughRows(sizes []int) error {
	if least := slices.Min(sizes); least < 2*perGroup {
		return fmt.Errorf("%d rows are too few: the least is %d", least, 2*perGroup)
	}
	return nil
}

func TestGrowth(t *testing.T) {
	runGrowth(t, io.Discard, testenv.TestEngine(t), []int{100, 200}, 1, 20)
}

// grown is the programs over a database whose tables have so many rows of each kind.
type grown struct {
	*customers
	size    int
	store   *store.Store    // the same database, from here
	budgets *budget.Service // over it
}

func newGrown(tb testing.TB, engine string, size int) *grown {
	tb.Helper()
	g := &grown{customers: newCustomers(newPlatform(tb, engine), 8), size: size}
	g.use()
	g.stopServer()
	g.openStore(engine)
	begun := time.Now()
	g.fill(engine)
	tb.Logf("%s: %d rows of each kind in %v", engine, size, time.Since(begun).Round(time.Second))
	g.startServer()
	g.client = g.clientOf(g.keys.BenchKey) // it is at another address
	g.checked()
	return g
}

func (g *grown) openStore(engine string) {
	g.tb.Helper()
	ctx, newQueue := context.Background(), queue.SQLite
	if engine == "postgres" {
		newQueue = queue.Postgres
	}
	q, err := newQueue()
	must(g.tb, err)
	if engine == "postgres" {
		g.store, err = store.OpenPostgres(ctx, g.database, q, clock.System{})
	} else {
		g.store, err = store.OpenSQLite(ctx, filepath.Join(g.database, "railkit.db"), q, clock.System{})
	}
	must(g.tb, err)
	g.tb.Cleanup(func() { _ = g.store.Close() })
	g.budgets = agenttest.Server(g.store)
}

// pids are those whose CPU is counted; the embedded database is the server's.
func (g *grown) pids() []int {
	all := []int{g.server.PID(), g.enclave.PID(), g.node.PID()}
	if g.databasePID != 0 {
		all = append(all, g.databasePID)
	}
	return all
}

// runGrowth measures every call over each size in turn.
func runGrowth(tb testing.TB, w io.Writer, engine string, sizes []int, rounds, scale int) {
	tb.Helper()
	var all []*grown
	for _, n := range sizes {
		all = append(all, newGrown(tb, engine, n))
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "call\tengine\trows\tp50 ms\tp99 ms\tp50 by %d's\tp99\taim of p50\t\t"+
		"server us\tenclave\tnode\tdatabase\t\n", sizes[0])
	for _, h := range slices.Concat(hottest, lists) {
		results := h.measure(tb, all, rounds, max(1, h.per/scale))
		few := results[0]
		for i, r := range results {
			by := float64(r.p50()) / float64(few.p50())
			fmt.Fprintf(out, "%s\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%s\t", h.name, engine, all[i].size, ms(r.p50()),
				ms(r.p99()), by, float64(r.p99())/float64(few.p99()), growthAim, missed(by > growthAim))
			for process := range r.cpu {
				fmt.Fprintf(out, "%d\t", r.perCall(process))
			}
			fmt.Fprintln(out)
		}
		_ = out.Flush() // to a terminal or nowhere
	}
}

// measure has one caller; the first round warms up and does not count.
func (h hot) measure(tb testing.TB, all []*grown, rounds, per int) []result {
	tb.Helper()
	work, results := make([][]call, len(all)), make([]result, len(all))
	for i, g := range all {
		calls, err := h.calls(g, per*(rounds+1))
		must(tb, err)
		work[i] = calls
	}
	for round := range rounds + 1 {
		for i, g := range all {
			one, cpu, err := measure(work[i][round*per:(round+1)*per], 1, g.pids())
			if err != nil {
				tb.Fatalf("%s, %d rows: %v", h.name, g.size, err)
			}
			if round > 0 {
				results[i].add(one, per, cpu)
			}
		}
	}
	return results
}
