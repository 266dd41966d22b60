package transaction

import (
	"context"
	"errors"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
)

// Rows reads and moves transactions, for those who sign them and for those who send them.
type Rows struct {
	store Store
	clock clock.Clock
}

// NewRows makes a Rows.
func NewRows(s Store, c clock.Clock) *Rows { return &Rows{s, c} }

// Move changes a row for a job. Who finds the row elsewhere already has nothing to do.
func (r *Rows) Move(ctx context.Context, t Transaction, from []State, to State, c Change, action string) error {
	return r.moveWith(ctx, t, from, to, c, action, func(context.Context, Tx) error { return nil })
}

// moveWith also does what has to come before the move.
func (r *Rows) moveWith(ctx context.Context, t Transaction, from []State, to State, c Change, action string,
	before func(context.Context, Tx) error,
) error {
	next := t
	next.Apply(to, c)
	err := r.store.Work(ctx, t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		if err := before(ctx, tx); err != nil {
			return command.Audit{}, err
		}
		if err := tx.MoveTransaction(ctx, t.WorkspaceID, t.ID, from, to, c); err != nil {
			return command.Audit{}, err
		}
		audit := command.Audit{Action: action, Resource: t.ID,
			Detail: map[string]string{"status": string(to), "txHash": next.TxHash}}
		if to == t.State {
			return audit, nil
		}
		return audit, EnqueueNext(ctx, tx, next)
	})
	if errors.Is(err, record.ErrStale) {
		return nil
	}
	return err
}

// writeHeld writes down whether the result is to be sent, where the row says otherwise: should a crash keep the result
// out of the database, the sweeper does with it what its owner wanted last.
func (r *Rows) writeHeld(ctx context.Context, t Transaction, held bool) error {
	if held == t.Held {
		return nil
	}
	return r.Move(ctx, t, []State{Awaiting}, Awaiting, Change{Now: t.UpdatedAt, Held: &held}, "")
}

// WaitsFor lists what has to be sent before a transaction can be mined: those of
// the same address that were signed for lower nonces and are on no chain. Of
// siblings that is the newest, unless an older one is on its way or mined.
func (r *Rows) WaitsFor(ctx context.Context, t Transaction) ([]string, error) {
	if t.Nonce == nil || !t.MinedAt.IsZero() {
		return nil, nil
	}
	if t.External() {
		return r.waitsOutside(ctx, t)
	}
	return r.store.Unsent(ctx, t.WorkspaceID, t.Chain, t.From, *t.Nonce)
}

// waitsOutside is waitsFor where the owner signs outside: the nonce of one that
// failed may be another transaction's by now.
func (r *Rows) waitsOutside(ctx context.Context, t Transaction) ([]string, error) {
	rows, _, err := r.store.Transactions(ctx, Filter{
		WorkspaceID: t.WorkspaceID, From: t.From, States: []State{Pending}, Page: page.Page{Limit: 200},
	})
	var ids []string
	for _, o := range rows {
		if o.Chain == t.Chain && o.Nonce != nil && *o.Nonce < *t.Nonce && o.MinedAt.IsZero() {
			ids = append(ids, o.ID)
		}
	}
	return ids, err
}

// answer commits nothing but the answer: the row is already what was asked for.
func (r *Rows) answer(ctx context.Context, cmd *command.Command, t Transaction, action string) (command.Answer, error) {
	return r.store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) { return t.reply(action), nil })
}

func (t Transaction) reply(action string) command.Reply {
	return command.Reply{
		Status: 200, Data: t.view(),
		Audit: command.Audit{Action: action, Resource: t.ID,
			Detail: map[string]string{"status": string(t.State), "txHash": t.TxHash}},
	}
}

func (t Transaction) cursor() page.Cursor { return page.Cursor{CreatedAt: t.CreatedAt, ID: t.ID} }
