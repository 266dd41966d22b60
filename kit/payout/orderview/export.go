package orderview

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// exportPage is how many orders an export reads at once.
const exportPage = 200

// Format is a form of an export.
type Format string

// The formats.
const (
	CSV   Format = "csv"   // a header line, and a line for each order
	JSONL Format = "jsonl" // each order as the list shows it, on a line of its own
)

// Export yields the orders that the filter selects, newest first, in parts of a file. It reads them
// page by page, with no transaction over the pages. An order that changes meanwhile comes at most
// once: its creation time and id, by which the pages are ordered, do not change.
func (s *Service) Export(ctx context.Context, p auth.Principal, f Filter, format Format) iter.Seq2[[]byte, error] {
	write := writeJSONL
	if format == CSV {
		write = writeCSV
	}
	f.WorkspaceID = p.WorkspaceID
	return func(yield func([]byte, error) bool) {
		var part bytes.Buffer
		first := true
		for views, err := range s.pages(ctx, f) {
			part.Reset()
			if err == nil {
				err = write(&part, views, first)
			}
			if first = false; !yield(part.Bytes(), err) || err != nil {
				return
			}
		}
	}
}

// pages reads all orders of a filter, one page after the other. The last page may be empty.
func (s *Service) pages(ctx context.Context, f Filter) iter.Seq2[[]rest.Order, error] {
	return func(yield func([]rest.Order, error) bool) {
		f, err := s.ofAddress(ctx, f)
		if err != nil {
			yield(nil, err)
			return
		}
		f.Page = page.Page{Limit: exportPage}
		for {
			rows, err := s.store.Orders(ctx, f)
			views := make([]rest.Order, len(rows))
			for i, o := range rows {
				views[i] = ViewOf(o)
			}
			if !yield(views, err) || err != nil || len(rows) < exportPage {
				return
			}
			last := rows[len(rows)-1]
			f.Page.After = &page.Cursor{CreatedAt: last.CreatedAt, ID: last.ID}
		}
	}
}

func writeJSONL(to *bytes.Buffer, views []rest.Order, _ bool) error {
	lines := json.NewEncoder(to)
	lines.SetEscapeHTML(false)
	for _, v := range views {
		if err := lines.Encode(v); err != nil {
			return fmt.Errorf("writing an order: %w", err)
		}
	}
	return nil
}
