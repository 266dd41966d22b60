package railkit

import (
	"iter"
	"net/url"
	"strconv"
)

// Page is one page of a list.
type Page[T any] struct {
	Items []T
	Meta  Meta
}

// ListOptions select a page. Zero fields are the server's defaults.
type ListOptions struct {
	Page   int
	Limit  int    // 50 by default, 200 at most
	Cursor string // Meta.NextCursor of the page before, instead of Page
}

func (o ListOptions) query() url.Values {
	q := url.Values{}
	if o.Page > 0 {
		q.Set("page", strconv.Itoa(o.Page))
	}
	if o.Limit > 0 {
		q.Set("limit", strconv.Itoa(o.Limit))
	}
	if o.Cursor != "" {
		q.Set("cursor", o.Cursor)
	}
	return q
}

// each walks all pages of a list. An error ends the walk.
func each[T any](start ListOptions, fetch func(ListOptions) (*Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for o := start; ; {
			page, err := fetch(o)
			if err != nil {
				var zero T
				yield(zero, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			next, more := o.next(page.Meta, len(page.Items))
			if !more {
				return
			}
			o = next
		}
	}
}

func (o ListOptions) next(m Meta, got int) (ListOptions, bool) {
	if got == 0 {
		return o, false
	}
	if m.NextCursor != "" && m.NextCursor != o.Cursor {
		return ListOptions{Limit: o.Limit, Cursor: m.NextCursor}, true
	}
	if o.Cursor != "" {
		return o, false // the last page of a walk by cursor
	}
	o.Page = max(m.Page, 1) + 1
	return o, m.Page < m.TotalPages
}
