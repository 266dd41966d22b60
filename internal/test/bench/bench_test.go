package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/railkit/railkit/internal/test/testenv"
)

// flow is a line of the table: the platform's calls and the floor's.
type flow struct {
	name        string
	callers     int
	per         int                         // calls in a round
	aim         float64                     // our calls a second by the floor's
	ours, floor func(n int) ([]call, error) // no floor: pgbench is it
}

// What is aimed at, in calls a second by the floor's: of what an owner confirms, and of it with one caller, of whom a
// call takes then four times as long.
const (
	confirmAim = 0.36
	oneAtATime = 0.25
)

// most is how many times the floor's p50 a call may take with one caller; 0: there are more.
func (f flow) most() float64 {
	switch {
	case f.callers > 1:
		return 0
	case f.aim == oneAtATime:
		return 1 / oneAtATime
	}
	return 2
}

// size is how much is measured.
type size struct {
	rounds, wallets int
	scale           int // a flow's calls in a round are divided by it
}

// BenchmarkFlows prints its own table: each line is a comparison, and no number
// of it means much beside that of another machine.
func BenchmarkFlows(b *testing.B) {
	if err := errors.Join(someFlow(testenv.Flow(b)), profileFolder(os.Getenv(profileEnv))); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		table := newTable(os.Stdout)
		for _, engine := range testenv.Engines(b) {
			run(b, table, engine, size{rounds: 7, wallets: 48, scale: 1})
		}
		table.flush()
	}
	b.ReportMetric(0, "ns/op") // the table has the numbers
}

// The benchmark itself has to work before anybody wants its numbers, on the
// engine of the run.
func TestFlows(t *testing.T) {
	engine := testenv.TestEngine(t)
	run(t, newTable(io.Discard), engine, size{rounds: 1, wallets: 2, scale: 20})
}

// floorFlows are those beside the floor's two processes.
func (c *customers) floorFlows() []flow {
	return []flow{
		{"sign", 1, 40, oneAtATime, c.signs, c.stamped("/sign")},
		{"sign", 8, 120, confirmAim, c.signs, c.stamped("/sign")},
		{"sign", 32, 96, confirmAim, c.signs, c.stamped("/sign")},
		{"sign, caps", 1, 40, oneAtATime, c.cappedSigns, c.stamped("/sign")},
		{"sign, caps", 8, 96, confirmAim, c.cappedSigns, c.stamped("/sign")},
		{"sign, caps", 32, 96, confirmAim, c.cappedSigns, c.stamped("/sign")},
		{"create wallet", 1, 20, 0.5, c.creations, c.stamped("/wallet")},
		{"create wallet", 8, 40, 0.5, c.creations, c.stamped("/wallet")},
		{"read wallet", 1, 200, 0.5, c.reads, c.floorReads},
		{"read wallet", 8, 800, 0.5, c.reads, c.floorReads},
		{"read transaction", 1, 200, 0.5, c.views, c.floorViews},
		{"read transaction", 8, 800, 0.5, c.views, c.floorViews},
		{"rename passkey", 1, 100, 0.35, c.renames, c.floorRenames},
		{"rename passkey", 8, 400, 0.35, c.renames, c.floorRenames},
		{"rename, 8 workspaces", 8, 400, 0.35, c.tenantRenames, c.floorTenantRenames},
		{"rename passkey, raw", 8, 400, 0.35, c.renames, c.rawRenames},
	}
}

// ownFlows are those beside other calls of the platform itself.
func (c *customers) ownFlows() []flow { return append(c.capsByNone(), c.solanaByEVM()...) }

// someFlow refuses an expression that is of no flow: a run that measures nothing looks like one that is done.
func someFlow(wanted *regexp.Regexp) error {
	c := &customers{platform: &platform{}}
	var names []string
	for _, f := range slices.Concat(c.floorFlows(), c.orderFlows("postgres"), c.ownFlows(), c.sendFlows(),
		c.enclaveFlows()) {
		if wanted.MatchString(f.name) {
			return nil
		}
		names = append(names, f.name)
	}
	if wanted.MatchString(growth) {
		return nil
	}
	names = append(slices.Compact(names), growth)
	return fmt.Errorf("%s is of no flow; there are %s", wanted, strings.Join(names, "; "))
}

// run measures every flow over one engine.
func run(tb testing.TB, table *table, engine string, s size) {
	p := newPlatform(tb, engine)
	c := newCustomers(p, s.wallets)
	floor, own := []int{c.floor.PID(), c.signer.PID(), self}, []int{c.server.PID(), c.enclave.PID(), self}
	for _, part := range []struct {
		flows  []flow
		others []int
	}{{c.floorFlows(), floor}, {c.orderFlows(engine), floor}, {c.ownFlows(), own}, {c.sendFlows(), floor}} {
		for _, f := range part.flows {
			f.run(c, table, engine, s, part.others)
		}
	}
	if engine == "sqlite" { // the enclave has no part in the database
		table.node = c.nodeTime()
		runEnclave(c, table, s)
	}
	p.group.Stop(time.Second)
}

// run measures a flow, if it is wanted. The others are the processes of the side
// that it is compared with.
func (f flow) run(c *customers, table *table, engine string, s size, others []int) {
	c.tb.Helper()
	if !testenv.Flow(c.tb).MatchString(f.name) {
		return
	}
	ours, floor := f.sides(c, s)
	ours.pids = []int{c.server.PID(), c.enclave.PID(), c.node.PID(), self}
	ours.profiled = profiledOf(c.server, c.enclave)
	floor.pids = others
	if c.databasePID != 0 {
		ours.pids, floor.pids = append(ours.pids, c.databasePID), append(floor.pids, c.databasePID)
	}
	a, b := compare(c.tb, s.rounds, f.callers, ours, floor)
	l := line{flow: f, engine: engine, ours: a, floor: b, serverCPU: a.perCall(0), enclaveCPU: a.perCall(1),
		floorCPU: b.perCall(0) + b.perCall(1),
		nodeCPU:  a.perCall(2), loadCPU: a.perCall(3)}
	if c.databasePID != 0 {
		l.oursDatabase, l.floorDatabase = a.perCall(4), b.perCall(3)
	}
	table.add(l)
}

func (f flow) sides(c *customers, s size) (ours, floor side) {
	var err error
	n := max(f.callers, f.per/s.scale) * (s.rounds + 1)
	ours.work, err = f.ours(n)
	must(c.tb, err)
	if f.floor == nil {
		floor.program = c.pgbench(s.scale)
		return ours, floor
	}
	floor.work, err = f.floor(n)
	must(c.tb, err)
	return ours, floor
}

func (c *customers) enclaveFlows() []flow {
	return []flow{
		{"enclave alone", 1, 40, 0.5, c.submits, c.floorSubmits},
		{"enclave alone", 8, 120, 0.5, c.submits, c.floorSubmits},
	}
}

// runEnclave measures the enclave without a server.
func runEnclave(c *customers, table *table, s size) {
	flows := c.enclaveFlows()
	var sides [][2]side
	if !testenv.Flow(c.tb).MatchString(flows[0].name) {
		return
	}
	for _, f := range flows {
		ours, floor := f.sides(c, s)
		ours.pids, floor.pids = []int{c.enclave.PID(), self}, []int{c.signer.PID(), self}
		ours.profiled = profiledOf(c.enclave)
		sides = append(sides, [2]side{ours, floor})
	}
	c.stopServer()
	for i, f := range flows {
		a, b := compare(c.tb, s.rounds, f.callers, sides[i][0], sides[i][1])
		table.add(line{
			flow:       f,
			engine:     "-",
			ours:       a,
			floor:      b,
			enclaveCPU: a.perCall(0),
			floorCPU:   b.perCall(0),
			loadCPU:    a.perCall(1),
		})
	}
}

// line is a comparison; CPU is in microseconds a call.
type line struct {
	flow
	engine                                                                         string
	ours, floor                                                                    result
	serverCPU, enclaveCPU, floorCPU, oursDatabase, floorDatabase, nodeCPU, loadCPU int64
}

type table struct {
	out   *tabwriter.Writer
	lines []line
	node  time.Duration
}

func newTable(w io.Writer) *table {
	t := &table{out: tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)}
	fmt.Fprintln(t.out,
		"flow\tengine\tc\tp50 ms\tfloor\tratio\tcalls/s\tfloor\tratio\taim\tserver "+
			"us\tenclave\tfloor\tdatabase\tfloor\tnode\tload\t")
	return t
}

func (t *table) add(l line) {
	t.lines = append(t.lines, l)
	ours, floor := l.ours.p50(), l.floor.p50()
	fast, most := l.ours.throughput(), l.floor.throughput()
	fmt.Fprintf(t.out, "%s\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.0f\t%.0f\t%.2f\t%.2f\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n",
		l.name, l.engine, l.callers,
		ms(ours), ms(floor), float64(ours)/float64(floor), fast, most, fast/most, l.aim,
		l.serverCPU, l.enclaveCPU, l.floorCPU, l.oursDatabase, l.floorDatabase, l.nodeCPU, l.loadCPU)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (t *table) flush() {
	_ = t.out.Flush() // to a terminal or nowhere
	fmt.Println("\nThe aims, each held against the worse of the engines:")
	t.aims(os.Stdout)
	fmt.Println("ratio: ours by the floor's, of the medians of all rounds.")
	fmt.Println("us: CPU microseconds a call. The aims hold for server and enclave together; database, " +
		"node and load generator are apart.")
	fmt.Printf("What a signature asks the node takes %.2f ms, without the server.\n", ms(t.node))
}

// aimed are a flow's calls a second and p50 by the floor's on the engine where they are the worst.
type aimed struct {
	line
	fast, slow float64
}

// worst has each flow once, by what is the worst of its engines.
func (t *table) worst() (all []aimed) {
	for _, l := range t.lines {
		a := aimed{l, l.ours.throughput() / l.floor.throughput(), float64(l.ours.p50()) / float64(l.floor.p50())}
		at := slices.IndexFunc(all, func(b aimed) bool { return b.name == l.name && b.callers == l.callers })
		if at < 0 {
			all = append(all, a)
			continue
		}
		if a.fast < all[at].fast {
			all[at].fast, all[at].engine = a.fast, a.engine
		}
		all[at].slow = max(all[at].slow, a.slow)
	}
	return all
}

// aims prints them beside what is aimed at.
func (t *table) aims(to io.Writer) {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "flow\tc\tlowest calls/s\ton\taim\t\thighest p50\taim\t\t")
	for _, a := range t.worst() {
		p50, late := "", ""
		if most := a.most(); most > 0 {
			p50, late = fmt.Sprintf("%.1f", most), missed(a.slow > most)
		}
		fmt.Fprintf(out, "%s\t%d\t%.2f\t%s\t%.2f\t%s\t%.1f\t%s\t%s\t\n", a.name, a.callers, a.fast, a.engine, a.aim,
			missed(a.fast < a.aim), a.slow, p50, late)
	}
	_ = out.Flush() // to a terminal or nowhere
}

func missed(is bool) string {
	if is {
		return "missed"
	}
	return ""
}
