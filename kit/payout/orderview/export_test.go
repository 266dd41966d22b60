package orderview

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// many is a store of so many orders, which it makes as they are read.
type many struct {
	Store
	orders  int
	failsAt int // how many are read before it fails; 0: it does not
	between func(o order.Order) order.Order
	read    int
	alive   []uint64 // bytes of the heap in use, at the second page and at each fiftieth
}

func (m *many) numbered(n int) order.Order {
	o := order.Order{
		WorkspaceID: "ws", ID: fmt.Sprintf("o%06d", n), Reference: fmt.Sprintf("OFR-%06d", n), Source: money.USDC,
		RecipientName: strings.Repeat("Ana ", 50), Destination: money.MXN,
		CreatedAt: midday.Add(time.Duration(n/3) * time.Second), // some of one instant
	}
	if m.between != nil {
		o = m.between(o)
	}
	return o
}

func (m *many) Orders(ctx context.Context, f Filter) ([]order.Order, error) {
	if m.failsAt > 0 && m.read >= m.failsAt {
		return nil, fault.ErrUnavailable
	}
	if pages := m.read / exportPage; pages == 1 || pages%50 == 49 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		m.alive = append(m.alive, s.HeapAlloc)
	}
	next := m.orders - 1
	if after := f.Page.After; after != nil {
		if _, err := fmt.Sscanf(after.ID, "o%d", &next); err != nil {
			return nil, err
		}
		next--
	}
	var rows []order.Order
	for ; next >= 0 && len(rows) < f.Page.Limit; next-- {
		rows = append(rows, m.numbered(next))
	}
	m.read += len(rows)
	return rows, ctx.Err()
}

func exported(t *testing.T, m *many, format Format) (string, error) {
	t.Helper()
	var all bytes.Buffer
	for part, err := range New(m, nil).Export(t.Context(), auth.Principal{}, Filter{}, format) {
		if err != nil {
			return all.String(), err
		}
		all.Write(part)
	}
	return all.String(), nil
}

func names() (all []string) {
	for _, c := range columns {
		all = append(all, c.name)
	}
	return all
}

// Each order comes once, over any number of pages, the newest first.
func TestExport_Pages(t *testing.T) {
	for _, n := range []int{0, 1, exportPage - 1, exportPage, exportPage + 1, 3*exportPage + 7} {
		text, err := exported(t, &many{orders: n}, CSV)
		rows, failed := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || failed != nil || len(rows) != n+1 || !slices.Equal(rows[0], names()) {
			t.Fatalf("%d orders: %d lines, %v %v", n, len(rows), err, failed)
		}
		lines, err := exported(t, &many{orders: n}, JSONL)
		if err != nil || strings.Count(lines, "\n") != n {
			t.Fatalf("%d orders: %d lines of JSON, %v", n, strings.Count(lines, "\n"), err)
		}
		decoder := json.NewDecoder(strings.NewReader(lines))
		for i := range n {
			var o rest.Order
			if err := decoder.Decode(&o); err != nil || o.ID != fmt.Sprintf("o%06d", n-1-i) || rows[i+1][1] != o.ID {
				t.Fatalf("order %d of %d is %s in JSON and %s in CSV, %v", i, n, o.ID, rows[i+1][1], err)
			}
		}
	}
}

// An order that moves while the export runs comes once, as it is when its page is read.
// One that is made meanwhile does not come.
func TestExport_ChangedMeanwhile(t *testing.T) {
	m := &many{orders: 2 * exportPage}
	m.between = func(o order.Order) order.Order {
		if m.read >= exportPage {
			o.Status, o.UpdatedAt = order.Completed, midday.Add(time.Hour)
		}
		m.orders = 3 * exportPage
		return o
	}
	text, err := exported(t, m, CSV)
	rows, _ := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 2*exportPage+1 || strings.Count(text, ",completed,") != exportPage {
		t.Errorf("%d lines, %d completed, %v", len(rows), strings.Count(text, ",completed,"), err)
	}
}

func TestExport_Fails(t *testing.T) {
	text, err := exported(t, &many{orders: 1000, failsAt: exportPage}, CSV)
	if !errors.Is(err, fault.ErrUnavailable) || strings.Count(text, "\r\n") != exportPage+1 {
		t.Errorf("%d lines, %v", strings.Count(text, "\r\n"), err)
	}
}

// Who stops taking parts has no more of them read.
func TestExport_Stops(t *testing.T) {
	m := &many{orders: 10 * exportPage}
	for range New(m, nil).Export(t.Context(), auth.Principal{}, Filter{}, CSV) {
		break
	}
	if m.read != exportPage {
		t.Errorf("%d orders were read", m.read)
	}
}

// What 20,000 orders need in memory is what a page of them needs.
func TestExport_MemoryIsFlat(t *testing.T) {
	for _, format := range []Format{CSV, JSONL} {
		m := &many{orders: 20_000}
		sent := 0
		for part, err := range New(m, nil).Export(t.Context(), auth.Principal{}, Filter{}, format) {
			if err != nil {
				t.Fatal(err)
			}
			sent += len(part)
		}
		first, last := m.alive[0], m.alive[len(m.alive)-1]
		if m.read != 20_000 || len(m.alive) < 3 || last > first+1<<20 {
			t.Errorf("%s: %d bytes of %d orders, heap %v", format, sent, m.read, m.alive)
		}
		if sent < 5<<20 { // else the heap could hold all of them unnoticed
			t.Errorf("%s: only %d bytes", format, sent)
		}
	}
}
