package page_test

import (
	"testing"

	"github.com/railkit/railkit/platform/page"
)

// A page tells how long its list is where it is the last one and has a row, or is the only one.
func TestTotal(t *testing.T) {
	for name, c := range map[string]struct {
		page  page.Page
		rows  int
		total int64
		told  bool
	}{
		"the only page":    {page.Page{Limit: 50}, 20, 20, true},
		"an empty list":    {page.Page{Limit: 50}, 0, 0, true},
		"the last page":    {page.Page{Limit: 50, Offset: 100}, 7, 107, true},
		"a full page":      {page.Page{Limit: 50}, 50, 0, false},
		"beyond the end":   {page.Page{Limit: 50, Offset: 100}, 0, 0, false},
		"after a cursor":   {page.Page{Limit: 50, After: &page.Cursor{}}, 7, 0, false},
		"nothing is asked": {page.Page{}, 0, 0, false},
	} {
		if total, told := c.page.Total(c.rows); total != c.total || told != c.told {
			t.Errorf("%s: %d, %v, want %d, %v", name, total, told, c.total, c.told)
		}
	}
}
