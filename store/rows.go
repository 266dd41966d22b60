package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// micros is how an instant is stored; none is 0.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return clock.Micros(t)
}

func instant(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return clock.FromMicros(us)
}

// list is how a list of texts is stored.
func list[T any](values []T) string {
	if len(values) == 0 {
		return "[]"
	}
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // names and plain structs of text always have a JSON form
	}
	return string(text)
}

func unlist[T any](text string) ([]T, error) {
	var values []T
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return nil, fmt.Errorf("reading a stored list: %w", err)
	}
	return values, nil
}

func none(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// one turns a row into what the kits know, and no row into the 404 of the resource.
func one[Row, T any](resource string, row Row, err error, turn func(Row) (T, error)) (T, error) {
	var zero T
	if none(err) {
		return zero, fault.Missing(resource)
	}
	if err != nil {
		return zero, fmt.Errorf("reading a row: %w", postgres.Tell(err))
	}
	return turn(row)
}

// many is one for lists.
func many[Row, T any](rows []Row, err error, turn func(Row) (T, error)) ([]T, error) {
	if err != nil {
		return nil, fmt.Errorf("reading rows: %w", postgres.Tell(err))
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

func workspaceRow(r db.Workspace) (workspace.Workspace, error) {
	modules, err := unlist[auth.Module](r.Modules)
	return workspace.Workspace{
		ID: r.ID, Name: r.Name, Email: r.Email, Environment: r.Environment, KYBStatus: r.KybStatus, KYBReason: r.KybReason,
		Modules: modules, CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}, err
}

func keyRow(r db.ApiKey) (auth.Key, error) {
	scopes, err := unlist[auth.Scope](r.Scopes)
	if err != nil {
		return auth.Key{}, err
	}
	networks, err := networkRow(r.Networks)
	if err != nil {
		return auth.Key{}, err
	}
	return auth.Key{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Name: r.Name, Description: r.Description,
		Hash: r.Hash, Prefix: r.Prefix, LastFour: r.LastFour, Scopes: scopes, Environment: r.Environment,
		Limits: auth.Limits{Standard: int(r.LimitStandard), Financial: int(r.LimitFinancial)}, Networks: networks,
		CreatedAt: instant(r.CreatedAt), ExpiresAt: instant(r.ExpiresAt), RevokedAt: instant(r.RevokedAt), LastUsedAt: instant(r.LastUsedAt),
	}, nil
}

func networkRow(text string) (networks []netip.Prefix, err error) {
	if text == "[]" { // as most keys have
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &networks); err != nil {
		return nil, fmt.Errorf("reading the networks of an API key: %w", err)
	}
	return networks, nil
}

func answerRow(r db.Idempotency) idempotency.Row {
	return idempotency.Row{Request: r.Request, Status: int(r.Status), Sealed: r.Sealed, CreatedAt: instant(r.CreatedAt)}
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func truth(b *bool) sql.NullInt64 {
	if b == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: flag(*b), Valid: true}
}

func text(s *string) sql.NullString {
	if s == nil {
		return sql.NullString{}
	}
	return sql.NullString{String: *s, Valid: true}
}

func number[N int | int64](n *N) sql.NullInt64 {
	if n == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: int64(*n), Valid: true}
}

func moment(t *time.Time) sql.NullInt64 {
	if t == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: micros(*t), Valid: true}
}
