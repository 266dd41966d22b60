// Package page says which part of a list is asked for, the same for every list.
package page

import "time"

// Page is where a list begins and how long it is.
type Page struct {
	Limit, Offset int
	After         *Cursor // instead of Offset: rows beyond this one in the order of time
}

// Cursor names the last row of a page that is sorted by time.
type Cursor struct {
	CreatedAt time.Time
	ID        string
}

// Total is how many rows the list has, where a page of so many tells: it is not full, so that nothing comes after it.
func (p Page) Total(rows int) (total int64, told bool) {
	if p.After != nil || rows >= p.Limit || rows == 0 && p.Offset > 0 {
		return 0, false
	}
	return int64(p.Offset + rows), true
}

// Next is where the page after this one begins, nil after the last.
func Next[T any](p Page, rows []T, total int, at func(T) Cursor) *Cursor {
	if len(rows) == 0 || len(rows) < p.Limit || p.After == nil && p.Offset+len(rows) >= total {
		return nil
	}
	c := at(rows[len(rows)-1])
	return &c
}
