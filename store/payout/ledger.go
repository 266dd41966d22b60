package payout

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// entries are those of all changes. A row that has no number says that those of its transaction are void: some of them
// may not be written yet.
var entries = &sqldb.Set[db.InsertLedgerEntriesParams]{
	What: "adding ledger entries", Insert: (*db.Queries).InsertLedgerEntries, Merge: voided,
}

func voided(all []db.InsertLedgerEntriesParams) []db.InsertLedgerEntriesParams {
	void, kept := map[[2]string]bool{}, make([]db.InsertLedgerEntriesParams, 0, len(all))
	for _, e := range all {
		if e.N == 0 {
			void[[2]string{e.WorkspaceID, e.Ref}] = true
			continue
		}
		kept = append(kept, e)
	}
	for i, e := range kept {
		if void[[2]string{e.WorkspaceID, e.Ref}] {
			kept[i].Summed = 1
		}
	}
	return kept
}

// Book does steps on the ledger that are no order's.
func (t *orderTx) Book(ctx context.Context, workspaceID string, at time.Time, ops ...ledger.Op) error {
	return t.book(ctx, workspaceID, "", at, ops)
}

// book writes the transactions in their order, and then what they do together to
// the balances that have a floor.
func (t *orderTx) book(ctx context.Context, workspaceID, orderID string, at time.Time, ops []ledger.Op) error {
	for _, op := range ops {
		if err := op.Check(); err != nil {
			return err
		}
		if err := t.bookOne(ctx, workspaceID, orderID, at, op); err != nil {
			return err
		}
	}
	deltas, err := ledger.Deltas(ops)
	if err != nil {
		return err
	}
	for _, d := range deltas {
		if err := t.moveBalance(ctx, workspaceID, d); err != nil {
			return err
		}
	}
	return nil
}

func (t *orderTx) bookOne(ctx context.Context, workspaceID, orderID string, at time.Time, op ledger.Op) error {
	if op.Settles() {
		return t.settle(ctx, workspaceID, at, op)
	}
	p := db.InsertLedgerTransactionParams{
		WorkspaceID: workspaceID, Ref: op.Ref, Kind: op.Kind, OrderID: orderID, State: string(op.State()),
		Digest: op.Digest(), CreatedAt: sqldb.Micros(at),
	}
	if op.State() == ledger.Posted {
		p.SettledAt = p.CreatedAt
	}
	n, err := t.Q.InsertLedgerTransaction(ctx, p)
	if err != nil {
		return sqldb.Doing("adding a ledger transaction", err)
	}
	if n == 0 {
		return fmt.Errorf("booking %s: %w", op.Ref, ledger.ErrState)
	}
	for i, e := range op.Entries {
		entries.Put(t.Tx, entryParams(workspaceID, op.Ref, i+1, e))
	}
	return nil
}

// settle posts or voids what is pending. Of several who try one succeeds.
func (t *orderTx) settle(ctx context.Context, workspaceID string, at time.Time, op ledger.Op) error {
	n, err := t.Q.SettleLedgerTransaction(ctx, db.SettleLedgerTransactionParams{
		WorkspaceID: workspaceID, Ref: op.Ref, ToState: string(op.State()), At: sqldb.Micros(at), Digest: op.Digest(),
	})
	if err != nil {
		return sqldb.Doing("settling a ledger transaction", err)
	}
	if n == 0 {
		return fmt.Errorf("settling %s: %w", op.Ref, ledger.ErrState)
	}
	if op.Do == ledger.Void {
		entries.Put(t.Tx, db.InsertLedgerEntriesParams{WorkspaceID: workspaceID, Ref: op.Ref})
		return sqldb.Doing("voiding ledger entries", t.Q.VoidLedgerEntries(ctx, workspaceID, op.Ref))
	}
	return nil
}

func entryParams(workspaceID, ref string, n int, e ledger.Entry) db.InsertLedgerEntriesParams {
	return db.InsertLedgerEntriesParams{
		WorkspaceID: workspaceID, Ref: ref, N: int64(n), Account: string(e.Account),
		Currency: string(e.Amount.Currency), Amount: e.Amount.Minor,
		Summed: sqldb.Flag(e.Account.Guarded()), // in its balance
	}
}

func (t *orderTx) moveBalance(ctx context.Context, workspaceID string, d ledger.Delta) error {
	n, err := t.changeBalance(ctx, workspaceID, d)
	switch {
	case err != nil:
		return sqldb.Doing("changing a balance", err)
	case n == 1:
		return nil
	case d.Taken() > 0:
		return fmt.Errorf("%s: %w", d.Account, ledger.ErrShort)
	}
	return fmt.Errorf("%s: %w", d.Account, money.ErrRange)
}

func (t *orderTx) changeBalance(ctx context.Context, workspaceID string, d ledger.Delta) (int64, error) {
	room := int64(math.MaxInt64)
	if more, err := money.Of(d.Posted, d.Currency).Add(money.Of(d.PendingIn, d.Currency)); err != nil {
		return 0, err
	} else if more.Minor > 0 {
		room -= more.Minor
	}
	if d.Gains() {
		return t.Q.AddToBalance(ctx, db.AddToBalanceParams{
			WorkspaceID: workspaceID, Account: string(d.Account), Currency: string(d.Currency), Posted: d.Posted,
			PendingIn: d.PendingIn, Room: room,
		})
	}
	return t.Q.MoveBalance(ctx, db.MoveBalanceParams{
		WorkspaceID: workspaceID, Account: string(d.Account), Currency: string(d.Currency),
		Posted: d.Posted, PendingIn: d.PendingIn, PendingOut: d.PendingOut, Taken: d.Taken(), Room: room,
	})
}

// Balance is what an account has.
func (s orderReads) Balance(
	ctx context.Context, workspaceID string, a ledger.Account, c money.Currency,
) (ledger.Balance, error) {
	if !a.Guarded() {
		row, err := s.db.Read.HotBalance(ctx, workspaceID, string(a), string(c))
		if err != nil {
			return ledger.Balance{}, sqldb.Reading("summing up an account", err)
		}
		posted, err := money.Of(row.Checkpoint, c).Add(money.Of(row.Posted, c))
		return ledger.Balance{
			Account: a, Posted: posted, PendingIn: money.Of(row.PendingIn, c), PendingOut: money.Of(row.PendingOut, c),
		}, err
	}
	row, err := s.db.Read.GuardedBalance(ctx, workspaceID, string(a), string(c))
	if err != nil && !sqldb.None(err) {
		return ledger.Balance{}, sqldb.Reading("reading a balance", err)
	}
	return ledger.Balance{
		Account: a, Posted: money.Of(row.Posted, c), PendingIn: money.Of(row.PendingIn, c),
		PendingOut: money.Of(row.PendingOut, c),
	}, nil
}
