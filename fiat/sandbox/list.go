package sandbox

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// page is a list's answer.
type page[T any] struct {
	Count int `json:"count"`
	Data  []T `json:"data"`
}

// Bounds of a page.
const (
	usualPage = 10
	mostPage  = 100
)

var errPage = refuse(http.StatusBadRequest, "invalid_parameters",
	"limit is 1 to 100, and starting_after and ending_before are ids of the list, one of them at most")

// list answers the objects that a condition is true of, newest first, as the
// query's paging asks.
func list[T any](v *view, r request, kind, where string, args ...any) (page[T], error) {
	limit, err := limitOf(r)
	if err != nil {
		return page[T]{}, err
	}
	where, args = "kind = ? AND "+where, append([]any{kind}, args...)
	after, before := r.URL.Query().Get("starting_after"), r.URL.Query().Get("ending_before")
	order := "DESC"
	switch {
	case after != "" && before != "":
		return page[T]{}, errPage
	case after != "":
		where += " AND seq < ?"
		args, err = v.withSeq(args, kind, after)
	case before != "":
		where, order = where+" AND seq > ?", "ASC"
		args, err = v.withSeq(args, kind, before)
	}
	if err != nil {
		return page[T]{}, err
	}
	found, err := all[T](v, where+" ORDER BY seq "+order+" LIMIT ?", append(args, limit)...)
	if order == "ASC" {
		for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
			found[i], found[j] = found[j], found[i]
		}
	}
	return page[T]{len(found), found}, err
}

func limitOf(r request) (int, error) {
	text := r.URL.Query().Get("limit")
	if text == "" {
		return usualPage, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostPage {
		return 0, errPage
	}
	return n, nil
}

func (v *view) withSeq(args []any, kind, id string) ([]any, error) {
	var seq int64
	err := v.q.QueryRowContext(v.ctx, `SELECT seq FROM objects WHERE id = ? AND kind = ?`, id, kind).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errPage
	}
	if err != nil {
		return nil, fmt.Errorf("reading a page: %w", err)
	}
	return append(args, seq), nil
}
