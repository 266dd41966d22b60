package api

import (
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/page"
)

// paged answers with a page of what is read.
func paged[T any](p edge.Paging, read func(page.Page) ([]T, *page.Cursor, int, error)) (edge.Page[T], error) {
	at, err := pageOf(p)
	if err != nil {
		return edge.Page[T]{}, err
	}
	views, next, total, err := read(at)
	return edge.PageOf(p, views, total, cursor(next)), err
}

func pageOf(p edge.Paging) (page.Page, error) {
	if err := p.Check(); err != nil {
		return page.Page{}, err
	}
	at, id, ok, err := p.After()
	asked := page.Page{Limit: p.Limit, Offset: p.Offset()}
	if ok {
		asked.Offset, asked.After = 0, &page.Cursor{CreatedAt: at, ID: id}
	}
	return asked, err
}

func cursor(c *page.Cursor) string {
	if c == nil {
		return ""
	}
	return edge.EncodeCursor(c.CreatedAt, c.ID)
}
