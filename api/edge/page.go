package edge

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/page"
)

// Page is one page of a list.
type Page[T any] struct {
	Data []T
	Listed
}

// Listed is where a page lies in its list.
type Listed struct {
	Page, Limit int // as asked
	Total       int
	NextCursor  string // empty: no more, or not a list that grows
	Counts      map[string]int
	Proof       *wire.Proof // the signer's statement about the items, where a fresh one was asked for
}

func metaOf(l Listed) *Meta {
	m := &Meta{Page: l.Page, Limit: l.Limit, Total: l.Total, NextCursor: l.NextCursor, Counts: l.Counts, Proof: l.Proof}
	if l.Limit > 0 {
		m.TotalPages = (l.Total + l.Limit - 1) / l.Limit
	}
	return m
}

// Paging is the query of a list; embed it in the operation's input.
type Paging struct {
	Page   int    `query:"page" minimum:"1" maximum:"1000000" default:"1" doc:"Counted from 1"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Items per page"`
	Skip   int    `query:"offset" minimum:"0" maximum:"100000000" doc:"Items before the page, instead of page"`
	Cursor string `query:"cursor" maxLength:"200" doc:"nextCursor of the page before; page then does not count"`
}

// Offset is how many items lie before the page.
func (p Paging) Offset() int {
	if p.Skip > 0 {
		return p.Skip
	}
	return (p.Page - 1) * p.Limit
}

// Check refuses a page that is named in two ways.
func (p Paging) Check() error {
	if p.Skip > 0 && p.Page > 1 {
		return fault.Field("offset", "must not be given with page")
	}
	return nil
}

// number is the page that the answer names.
func (p Paging) number() int { return p.Offset()/p.Limit + 1 }

func (p Paging) listed(total int, next string) Listed {
	return Listed{Page: p.number(), Limit: p.Limit, Total: total, NextCursor: next}
}

// PageOf is the page of the query, out of total items.
func PageOf[T any](p Paging, data []T, total int, nextCursor string) Page[T] {
	return Page[T]{data, p.listed(total, nextCursor)}
}

// EncodeCursor names the last item of a page of a list that is sorted by time.
func EncodeCursor(at time.Time, id string) string { return EncodePlace(clock.Micros(at), id) }

// EncodePlace names the last item of a page of a list that is sorted by a number.
func EncodePlace(n int64, id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(n, 10) + " " + id))
}

// After reads the query's cursor; ok is false where there is none.
func (p Paging) After() (at time.Time, id string, ok bool, err error) {
	n, id, ok, err := p.Place()
	if !ok {
		return time.Time{}, "", false, err
	}
	return clock.FromMicros(n), id, true, nil
}

// Place reads the query's cursor of a list that is sorted by a number.
func (p Paging) Place() (n int64, id string, ok bool, err error) {
	if p.Cursor == "" {
		return 0, "", false, nil
	}
	bad := fault.Field("cursor", "must be the nextCursor of an earlier page")
	raw, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err != nil {
		return 0, "", false, bad
	}
	text, id, found := strings.Cut(string(raw), " ")
	n, err = strconv.ParseInt(text, 10, 64)
	if err != nil || !found || id == "" {
		return 0, "", false, bad
	}
	return n, id, true, nil
}

// PageFrom answers with a page of what is read.
func PageFrom[T any](p Paging, read func(page.Page) ([]T, *page.Cursor, int, error)) (Page[T], error) {
	at, err := PageAt(p)
	if err != nil {
		return Page[T]{}, err
	}
	views, next, total, err := read(at)
	return PageOf(p, views, total, Cursor(next)), err
}

// PageAt is the page that a query asks for.
func PageAt(p Paging) (page.Page, error) {
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

// Cursor is the text of a place in a list, empty where the list has ended.
func Cursor(c *page.Cursor) string {
	if c == nil {
		return ""
	}
	return EncodeCursor(c.CreatedAt, c.ID)
}

// AuditPlace is where a page of entries begins, nil where it is named by its number.
func AuditPlace(p Paging) (*audit.Place, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	seq, id, ok, err := p.Place()
	if err != nil || !ok {
		return nil, err
	}
	return &audit.Place{Seq: seq, ID: id}, nil
}

// AuditCursor is the text of a place in the record, empty where it has ended.
func AuditCursor(next *audit.Place) string {
	if next == nil {
		return ""
	}
	return EncodePlace(next.Seq, next.ID)
}
