// Package widget keeps the rows of the widget kit: mini apps.
package widget

import (
	"context"
	"encoding/json"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Store is the database as the widget kit sees it.
type Store struct {
	db *sqldb.DB
	sqldb.Writer[miniapp.Tx]
}

// New makes it.
func New(d *sqldb.DB) Store {
	return Store{d, sqldb.WriterOf(d, func(t *sqldb.Tx) miniapp.Tx { return tx{t} })}
}

// tx is the writing half of a transaction.
type tx struct{ *sqldb.Tx }

// MiniApp finds one.
func (s Store) MiniApp(ctx context.Context, environment, id string) (miniapp.MiniApp, error) {
	row, err := s.db.Read.MiniApp(ctx, environment, id)
	return sqldb.One("Mini app", row, err, miniAppRow)
}

// MiniApps lists a page of those of an environment, newest first, and counts all.
func (s Store) MiniApps(ctx context.Context, environment string, p page.Page) ([]miniapp.MiniApp, int, error) {
	total, err := s.db.Read.CountMiniApps(ctx, environment)
	if err != nil {
		return nil, 0, sqldb.Reading("counting mini apps", err)
	}
	rows, err := db.New(s.db.Query(1).Newest(p)).ListMiniApps(ctx, environment)
	return sqldb.Listed(total, rows, err, miniAppRow)
}

func (t tx) InsertMiniApp(ctx context.Context, m miniapp.MiniApp) error {
	raw, err := json.Marshal(m.Metadata)
	if err != nil {
		return err
	}
	return sqldb.Doing("listing a mini app", t.Q.InsertMiniApp(ctx, db.InsertMiniAppParams{
		ID: m.ID, Environment: m.Environment, Operator: m.Operator, Type: m.Type, Protocol: m.Protocol,
		Wallet: m.Wallet, Contract: m.Contract, ChainID: int64(m.ChainID), DestinationID: int64(m.DestinationID),
		Metadata: string(raw), Active: sqldb.Flag(m.Active), CreatedAt: sqldb.Micros(m.CreatedAt),
		UpdatedAt: sqldb.Micros(m.UpdatedAt),
	}))
}

func (t tx) SwitchMiniApp(ctx context.Context, environment, id string, active bool, now time.Time) error {
	n, err := t.Q.SwitchMiniApp(ctx, db.SwitchMiniAppParams{
		Environment: environment, ID: id, Active: sqldb.Flag(active), UpdatedAt: sqldb.Micros(now),
	})
	if err == nil && n == 0 {
		return fault.Missing("Mini app")
	}
	return sqldb.Doing("switching a mini app", err)
}

func miniAppRow(r db.MiniApp) (miniapp.MiniApp, error) {
	m := miniapp.MiniApp{
		ID: r.ID, Environment: r.Environment, Operator: r.Operator, Type: r.Type, Protocol: r.Protocol,
		Wallet: r.Wallet, Contract: r.Contract, ChainID: uint64(r.ChainID), DestinationID: uint64(r.DestinationID),
		Active: r.Active == 1, CreatedAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}
	return m, json.Unmarshal([]byte(r.Metadata), &m.Metadata)
}
