package widget

import (
	"context"
	"time"

	"github.com/railkit/railkit/kit/widget/reward"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Rewards is the database as executions of mini apps see it.
func (s Store) Rewards() reward.Store {
	return rewards{s.db, sqldb.WriterOf(s.db, func(t *sqldb.Tx) reward.Tx { return rewardTx{t} })}
}

type rewards struct {
	db *sqldb.DB
	sqldb.Writer[reward.Tx]
}

// Execution finds one.
func (s rewards) Execution(ctx context.Context, id string) (reward.Execution, error) {
	row, err := s.db.Read.MiniAppExecution(ctx, id)
	return sqldb.One("Execution", row, err, executionRow)
}

// selected adds a filter's conditions to a query of those that count.
func (s rewards) selected(f reward.Filter) *sqldb.Query {
	return s.db.Query(2).Equal("referrer", f.Referrer).Equal("mini_app_id", f.MiniAppID)
}

// Executions lists a page of those that count, newest first, and counts all.
func (s rewards) Executions(ctx context.Context, f reward.Filter) ([]reward.Execution, int, error) {
	since := sqldb.Micros(f.Since)
	total, err := db.New(s.selected(f)).CountExecutions(ctx, f.Environment, since)
	if err != nil {
		return nil, 0, sqldb.Reading("counting executions", err)
	}
	rows, err := db.New(s.selected(f).Newest(f.Page)).ListExecutions(ctx, f.Environment, since)
	return sqldb.Listed(total, rows, err, executionRow)
}

// Moves has what moved by each that counts.
func (s rewards) Moves(ctx context.Context, f reward.Filter) ([]reward.Execution, error) {
	rows, err := db.New(s.selected(f)).SumExecutions(ctx, f.Environment, sqldb.Micros(f.Since))
	return sqldb.Many(rows, err, func(r db.SumExecutionsRow) (reward.Execution, error) {
		return reward.Execution{
			MiniAppID: r.MiniAppID, ChainID: uint64(r.ChainID), Type: r.Type,
			Moved: reward.Amount{Asset: r.Asset, Symbol: r.Symbol, Decimals: int(r.Decimals), Units: r.Amount},
		}, nil
	})
}

// PendingExecutions lists pending ones that nobody has written to since an instant.
func (s rewards) PendingExecutions(ctx context.Context, before time.Time, most int) ([]reward.Execution, error) {
	rows, err := s.db.Read.PendingExecutions(ctx, sqldb.Micros(before), int32(most))
	return sqldb.Many(rows, err, executionRow)
}

// rewardTx is the writing half of a transaction.
type rewardTx struct{ *sqldb.Tx }

func (t rewardTx) ReportExecution(
	ctx context.Context, e reward.Execution, refusedBefore time.Time,
) (bool, error) {
	n, err := t.Q.ReportExecution(ctx, db.ReportExecutionParams{
		ID: e.ID, Environment: e.Environment, WorkspaceID: e.WorkspaceID, MiniAppID: e.MiniAppID,
		ChainID: int64(e.ChainID), TxHash: e.TxHash, UserAddress: e.User, Referrer: e.Referrer,
		CreatedAt: sqldb.Micros(e.CreatedAt), UpdatedAt: sqldb.Micros(e.UpdatedAt),
		RefusedBefore: sqldb.Micros(refusedBefore),
	})
	return n == 1, sqldb.Doing("taking an execution in", err)
}

func (t rewardTx) Execution(ctx context.Context, id string) (reward.Execution, error) {
	row, err := t.Q.MiniAppExecution(ctx, id)
	return sqldb.One("Execution", row, err, executionRow)
}

func (t rewardTx) JudgeExecution(ctx context.Context, e reward.Execution) error {
	n, err := t.Q.JudgeExecution(ctx, db.JudgeExecutionParams{
		State: string(e.State), Reason: e.Reason, Type: e.Type, Asset: e.Moved.Asset, Symbol: e.Moved.Symbol,
		Decimals: int64(e.Moved.Decimals), Amount: e.Moved.Units, Block: e.Block, UpdatedAt: sqldb.Micros(e.UpdatedAt),
		ID: e.ID, UserAddress: e.User, CreatedAt: sqldb.Micros(e.CreatedAt),
	})
	return sqldb.Swapped("judging an execution", n, err)
}

func executionRow(r db.MiniAppExecution) (reward.Execution, error) {
	return reward.Execution{
		ID: r.ID, Environment: r.Environment, WorkspaceID: r.WorkspaceID, MiniAppID: r.MiniAppID,
		ChainID: uint64(r.ChainID), TxHash: r.TxHash, User: r.UserAddress, Referrer: r.Referrer,
		State: reward.State(r.State), Reason: r.Reason, Type: r.Type, Block: r.Block,
		Moved:     reward.Amount{Asset: r.Asset, Symbol: r.Symbol, Decimals: int(r.Decimals), Units: r.Amount},
		CreatedAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, nil
}
