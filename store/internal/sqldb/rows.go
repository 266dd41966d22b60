package sqldb

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
)

// Micros is how an instant is stored; none is 0.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return clock.Micros(t)
}

// Instant reads what Micros wrote.
func Instant(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return clock.FromMicros(us)
}

// List is how a list of texts is stored.
func List[T any](values []T) string {
	if len(values) == 0 {
		return "[]"
	}
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // names and plain structs of text always have a JSON form
	}
	return string(text)
}

// Unlist reads what List wrote.
func Unlist[T any](text string) ([]T, error) {
	var values []T
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return nil, fmt.Errorf("reading a stored list: %w", err)
	}
	return values, nil
}

// Texts are values of a kit's own type of text.
func Texts[T ~string](values []T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}

// None reports whether a query found no row.
func None(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// One turns a row into what the kits know, and no row into the 404 of the resource.
func One[Row, T any](resource string, row Row, err error, turn func(Row) (T, error)) (T, error) {
	var zero T
	if None(err) {
		return zero, fault.Missing(resource)
	}
	if err != nil {
		return zero, fmt.Errorf("reading a row: %w", outage(err))
	}
	return turn(row)
}

// Many is One for lists.
func Many[Row, T any](rows []Row, err error, turn func(Row) (T, error)) ([]T, error) {
	if err != nil {
		return nil, fmt.Errorf("reading rows: %w", outage(err))
	}
	all := make([]T, 0, len(rows))
	for _, row := range rows {
		t, err := turn(row)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// Listed is Many for a page, with how many there are in all.
func Listed[Row, T any](total int64, rows []Row, err error, turn func(Row) (T, error)) ([]T, int, error) {
	all, err := Many(rows, err, turn)
	return all, int(total), err
}

// Flag is how a yes or no is stored.
func Flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Truth is Flag, and NULL for nil.
func Truth(b *bool) sql.NullInt64 {
	if b == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: Flag(*b), Valid: true}
}

// Text is a text, and NULL for nil.
func Text(s *string) sql.NullString {
	if s == nil {
		return sql.NullString{}
	}
	return sql.NullString{String: *s, Valid: true}
}

// Number is a number, and NULL for nil.
func Number[N int | int64](n *N) sql.NullInt64 {
	if n == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: int64(*n), Valid: true}
}

// Moment is Micros, and NULL for nil.
func Moment(t *time.Time) sql.NullInt64 {
	if t == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: Micros(*t), Valid: true}
}
