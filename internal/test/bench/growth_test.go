package bench

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
)

const (
	growth    = "growth" // its name among the flows
	growthAim = 1.3
)

// BenchmarkGrowth prints what a call takes with many orders in the tables, by what
// it takes with few.
func BenchmarkGrowth(b *testing.B) {
	if !testenv.Flow(b).MatchString(growth) {
		b.Skip("it is none of the flows that are wanted")
	}
	for b.Loop() {
		for _, engine := range testenv.Engines(b) {
			runGrowth(b, os.Stdout, engine, testenv.Sizes(b), 7, 20)
		}
	}
	b.ReportMetric(0, "ns/op") // the table has the numbers
}

func TestGrowth(t *testing.T) {
	runGrowth(t, io.Discard, testenv.TestEngine(t), []int{100, 200}, 1, 2)
}

// grown is a kit with so many orders.
type grown struct {
	*kit
	size int
}

// reads are what is asked of one.
var reads = []struct {
	name string
	do   func(context.Context, grown) error
}{
	{"create", func(_ context.Context, g grown) error { return g.order(g.addresses[1+rand.N(len(g.addresses)-1)]) }},
	{"get by id", func(ctx context.Context, g grown) error { return g.get(ctx, copyID(1+rand.N(g.size))) }},
	{"get by reference",
		func(ctx context.Context, g grown) error { return g.get(ctx, copyReference(1+rand.N(g.size))) }},
	{"list, first page", func(ctx context.Context, g grown) error { return g.list(ctx, orderview.Filter{}) }},
	{"list, of a status", func(ctx context.Context, g grown) error {
		return g.list(ctx, orderview.Filter{Statuses: []order.Status{order.Completed}})
	}},
	{"list, of a rare status", func(ctx context.Context, g grown) error {
		return g.list(ctx, orderview.Filter{Statuses: []order.Status{order.InReview}})
	}},
	{"list, of a recipient", func(ctx context.Context, g grown) error {
		return g.list(ctx, orderview.Filter{RecipientID: g.recipient()})
	}},
	{"list, of an account and a status", func(ctx context.Context, g grown) error {
		return g.list(ctx, orderview.Filter{BankAccountID: g.recipient(), Statuses: []order.Status{order.Completed}})
	}},
	{"list, a cursor's page", func(ctx context.Context, g grown) error {
		n := 1 + g.size/2
		return g.list(ctx, orderview.Filter{
			Page: page.Page{After: &page.Cursor{CreatedAt: g.madeAt(n), ID: copyID(n)}},
		})
	}},
}

// runGrowth measures every call over each size in turn.
func runGrowth(tb testing.TB, w io.Writer, engine string, sizes []int, rounds, calls int) {
	tb.Helper()
	var all []grown
	for _, n := range sizes {
		g := grown{openKit(tb, engine), n}
		begun := time.Now()
		g.fill(tb, engine)
		tb.Logf("%s: %d orders in %v", engine, n, time.Since(begun).Round(time.Second))
		all = append(all, g)
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "call\tengine\tms with %d\tby it, with %v\taim\t\n", sizes[0], sizes[1:])
	for _, r := range reads {
		results := make([]result, len(all))
		for round := range rounds + 1 {
			for i, g := range all {
				one, _, err := measure(slices.Repeat([]call{func() error {
					return r.do(context.Background(), g)
				}}, calls), 1, nil)
				if err != nil {
					tb.Fatalf("%s, %d orders: %v", r.name, g.size, err)
				}
				if round > 0 {
					results[i].add(one, calls, nil)
				}
			}
		}
		var by []string
		for i := range all[1:] {
			by = append(by, fmt.Sprintf("%.2f", float64(results[i+1].p50())/float64(results[0].p50())))
		}
		fmt.Fprintf(out, "%s\t%s\t%.2f\t%s\t%.1f\t\n", r.name, engine, ms(results[0].p50()),
			strings.Join(by, "  "), growthAim)
		_ = out.Flush() // to a terminal or nowhere
	}
}

func (g grown) principal() auth.Principal {
	return auth.Principal{Tenant: auth.Tenant{WorkspaceID: g.addresses[0].WorkspaceID}}
}

func (g grown) get(ctx context.Context, id string) error {
	_, err := g.Orders.Get(ctx, g.principal(), id)
	return err
}

func (g grown) all() orderview.Filter {
	return orderview.Filter{WorkspaceID: g.principal().WorkspaceID, Page: page.Page{Limit: 50}}
}

// list wants something of a filter.
func (g grown) list(ctx context.Context, f orderview.Filter) error {
	f.Page.Limit = 50
	rows, _, counts, err := g.Orders.List(ctx, g.principal(), f)
	if err == nil && (len(rows) == 0 || counts.Total(f.Statuses) < len(rows)) {
		err = fmt.Errorf("%d rows of %v", len(rows), counts)
	}
	return err
}
