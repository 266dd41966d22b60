package bench

import (
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/railkit/railkit/internal/test/testenv"
	railkit "github.com/railkit/railkit/sdk/go"
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
	for _, engine := range testenv.Engines(b) {
		b.Run(engine, func(b *testing.B) {
			for b.Loop() {
				must(b, enoughDisk(os.TempDir(), sizes))
				runGrowth(b, os.Stdout, engine, sizes, 7, 1)
			}
			b.ReportMetric(0, "ns/op") // the table has the numbers
		})
	}
}

// enoughRows refuses tables without a group beside the first one.
func enoughRows(sizes []int) error {
	if least := slices.Min(sizes); least < 2*perGroup {
		return fmt.Errorf("%d rows are too few: the least is %d", least, 2*perGroup)
	}
	return nil
}

const (
	bytesOfRow = 23_500  // a row of each kind, with its indexes, on either engine
	spareDisk  = 5 << 30 // for the rest of the machine
)

// enoughDisk refuses to fill the disk. The databases of an engine stand side by side, and those of one before it are
// gone with it.
func enoughDisk(folder string, sizes []int) error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return err
	}
	free, need := int64(disk.Bavail)*disk.Bsize, int64(spareDisk)
	for _, n := range sizes {
		need += int64(n) * bytesOfRow
	}
	if free < need {
		return fmt.Errorf("%s has room for %d GB, and this takes %d; TMPDIR names another folder", folder,
			free>>30, need>>30)
	}
	return nil
}

func TestGrowth(t *testing.T) {
	runGrowth(t, io.Discard, testenv.TestEngine(t), []int{100, 200}, 1, 20)
}

// grown is the programs over a database whose tables have so many rows of each kind.
type grown struct {
	*customers
	size  int
	agent *railkit.AgentChange // that pays
	payer *railkit.AgentClient // it, at the server's address of now
}

func newGrown(tb testing.TB, engine string, size int) *grown {
	tb.Helper()
	g := &grown{customers: newCustomers(newPrograms(tb, engine), 8), size: size}
	g.use()
	g.stopServer()
	begun := time.Now()
	g.fill()
	tb.Logf("%s: %d rows of each kind in %v", engine, size, time.Since(begun).Round(time.Second))
	g.startServer()
	g.client, g.payer = g.clientOf(g.keys.BenchKey), nil // it is at another address
	g.checked()
	tb.Logf("%s: the books of %d are checked, %v after it began", engine, size, time.Since(begun).Round(time.Second))
	return g
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
	fmt.Fprintf(out, "call\tengine\trows\tread first, p50 ms\tp50 ms\tp99 ms\tp50 by %d's\tp99\taim of p50\t\t"+
		"server us\tenclave\tnode\tdatabase\t\n", sizes[0])
	for _, h := range slices.Concat(followed, lists, hottest) {
		results := h.measure(tb, all, rounds, max(1, h.per/scale))
		few := results[0]
		for i, r := range results {
			by := float64(r.p50()) / float64(few.p50())
			fmt.Fprintf(out, "%s\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%s\t", h.name, engine, all[i].size,
				ms(r.first), ms(r.p50()), ms(r.p99()), by, float64(r.p99())/float64(few.p99()), growthAim,
				missed(by > growthAim))
			for process := range r.cpu {
				fmt.Fprintf(out, "%d\t", r.perCall(process))
			}
			fmt.Fprintln(out)
		}
		_ = out.Flush() // to a terminal or nowhere
	}
}

// grew is what calls take over so many rows.
type grew struct {
	result
	first time.Duration // the median of reads that were made for the first time, of which many read the disk
}

// measure has one caller; the first round warms up and does not count. What is read is measured the second time: a
// database of 22 GB is as large as the memory, and the kernel drops what nobody has read for a while.
func (h hot) measure(tb testing.TB, all []*grown, rounds, per int) []grew {
	tb.Helper()
	work, results := make([][]call, len(all)), make([]grew, len(all))
	for i, g := range all {
		calls, err := h.calls(g, per*(rounds+1))
		must(tb, err)
		work[i] = calls
		if h.reads {
			one, _, err := measure(calls, 1, nil)
			must(tb, err)
			results[i].first = one.p50
		}
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
	for _, g := range all {
		g.settled()
	}
	return results
}
