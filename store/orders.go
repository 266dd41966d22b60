package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orders"
	"github.com/railkit/railkit/kit/payout/payment"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/store/db"
)

// Order finds one by its id, or the newest of those that a reference names.
func (s orderReads) Order(ctx context.Context, workspaceID, idOrReference string) (order.Order, error) {
	body, err := s.read.Order(ctx, workspaceID, order.ID(idOrReference))
	if none(err) {
		body, err = s.read.OrderByReference(ctx, workspaceID, order.Folded(idOrReference))
	}
	return one("Order", body, err, orderRow)
}

// Orders lists a page of orders, newest first, and counts those of each status
// that the rest of the filter selects.
func (s orderReads) Orders(ctx context.Context, f orders.Filter) ([]order.Order, orders.Counts, error) {
	counts, err := s.orderCounts(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	q := s.selectOrders(f).in("status", texts(f.Statuses)).page("created_at", directions[""], f.Page)
	bodies, err := db.New(q).ListOrders(ctx, f.WorkspaceID)
	all, err := many(bodies, err, orderRow)
	return all, counts, err
}

func (s orderReads) selectOrders(f orders.Filter) *query {
	q := s.query(1).in("type", texts(f.Types)).in("rail", texts(f.Rails)).equal("pair", f.Pair).
		equal("recipient_id", f.RecipientID).equal("bank_account_id", f.BankAccountID).
		equal("withdraw_address_id", f.WithdrawAddressID).
		part("folded_name", f.RecipientName).part("search", f.Search)
	for _, reference := range f.References {
		q.add(" AND id IN (SELECT order_id FROM order_references WHERE workspace_id = ? AND reference = ?)", f.WorkspaceID, order.Folded(reference))
	}
	if !f.From.IsZero() {
		q.add(" AND created_at >= ?", micros(f.From))
	}
	if !f.To.IsZero() {
		q.add(" AND created_at <= ?", micros(f.To))
	}
	return q
}

// Timeline is what happened to an order, in its order.
func (s orderReads) Timeline(ctx context.Context, workspaceID, id string) ([]order.Entry, error) {
	rows, err := s.read.OrderEvents(ctx, workspaceID, id)
	return many(rows, err, orderEvent)
}

// OrdersDue lists orders of every workspace that were due by then, longest first.
func (s orderReads) OrdersDue(ctx context.Context, by time.Time, after page.Cursor, limit int) ([]payment.DueOrder, error) {
	q := s.query(1).after("due_at", " > ", after).add(" ORDER BY due_at, id LIMIT ?", limit)
	rows, err := db.New(q).ListOrdersDue(ctx, micros(by))
	return many(rows, err, func(r db.ListOrdersDueRow) (payment.DueOrder, error) {
		o, err := orderRow(r.Body)
		return payment.DueOrder{Order: o, DueAt: instant(r.DueAt)}, err
	})
}

// OrderOf finds whose something is.
func (s orderReads) OrderOf(ctx context.Context, kind order.ClaimKind, id string) (workspaceID, orderID string, err error) {
	row, err := s.read.OwnerInDirectory(ctx, string(kind), id)
	found, err := one("Order", row, err, func(r db.OwnerInDirectoryRow) (db.OwnerInDirectoryRow, error) { return r, nil })
	return found.WorkspaceID, found.OrderID, err
}

// Apply does all of one change. The row comes first: who loses there has
// touched nothing else.
func (t orderTx) Apply(ctx context.Context, c order.Change) error {
	t.mark = string(c.Entry.Kind)
	t.count(c)
	for _, step := range []func(context.Context, order.Change) error{t.putOrder, t.putEvent, t.putClaims, t.putReferences} {
		if err := step(ctx, c); err != nil {
			return err
		}
	}
	if err := t.book(ctx, c.Order.WorkspaceID, c.Order.ID, c.Entry.At, c.Ledger); err != nil {
		return err
	}
	if len(c.Todo) == 0 {
		return nil
	}
	// Anew: a job that is just ending would not see it.
	return t.Enqueue(ctx, job.Job{Kind: payment.Job, WorkspaceID: c.Order.WorkspaceID, ID: c.Order.ID, Anew: true})
}

func (t orderTx) putOrder(ctx context.Context, c order.Change) error {
	o := c.Order
	body, err := json.Marshal(o)
	if err != nil {
		return doing("writing an order", err)
	}
	p := db.InsertOrderParams{
		WorkspaceID: o.WorkspaceID, ID: o.ID, Reference: o.Reference, Type: string(o.Type), Status: string(o.Status), Rail: string(o.Rail),
		Pair: o.Pair(), RecipientID: o.RecipientID, FoldedName: fold(o.RecipientName), BankAccountID: o.BankAccountID,
		WithdrawAddressID: o.WithdrawAddressID, QuoteID: o.QuoteID, Search: searched(o), Gross: o.Gross(), Net: o.Terms.Net.Minor,
		Version: o.Version, CreatedAt: micros(o.CreatedAt), UpdatedAt: micros(o.UpdatedAt), DueAt: micros(o.Due(c.Entry.At)),
		CompletedAt: micros(completedAt(o)), Body: string(body),
	}
	if o.Version == 1 {
		n, err := t.q.InsertOrder(ctx, p)
		return swapped("inserting an order", n, err)
	}
	n, err := t.q.MoveOrder(ctx, db.MoveOrderParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, Status: p.Status, Search: p.Search, Gross: p.Gross, Net: p.Net,
		Version: p.Version, UpdatedAt: p.UpdatedAt, DueAt: p.DueAt, CompletedAt: p.CompletedAt, Body: p.Body,
	})
	return swapped("moving an order", n, err)
}

// searched is what a search of orders looks into.
func searched(o order.Order) string {
	text := o.Reference + " " + o.RecipientName + " " + money.Of(o.Gross(), o.Source).String()
	if o.Terms.Net.Minor != 0 {
		text += " " + o.Terms.Net.String()
	}
	return fold(text)
}

func (t orderTx) putEvent(ctx context.Context, c order.Change) error {
	e := c.Entry
	detail, err := json.Marshal(e.Detail)
	if err != nil {
		return doing("writing a timeline", err)
	}
	return doing("adding to a timeline", t.q.InsertOrderEvent(ctx, db.InsertOrderEventParams{
		WorkspaceID: c.Order.WorkspaceID, OrderID: c.Order.ID, Seq: e.Seq, Kind: string(e.Kind), Status: string(e.Status), Party: string(e.By),
		At: micros(e.At), OccurredAt: micros(e.OccurredAt), Detail: string(detail),
	}))
}

// claimed is what a transaction has claimed last.
type claimed struct {
	kind                     order.ClaimKind
	id, workspaceID, orderID string
}

func (t orderTx) putClaims(ctx context.Context, c order.Change) error {
	for _, claim := range c.Claims() {
		if claim.Free {
			err := t.q.FreeOfOrder(ctx, db.FreeOfOrderParams{
				Kind: string(claim.Kind), Lookup: claim.ID, WorkspaceID: c.Order.WorkspaceID, OrderID: c.Order.ID,
			})
			if err != nil {
				return doing("giving up a claim", err)
			}
			continue
		}
		if t.claimed == (claimed{claim.Kind, claim.ID, c.Order.WorkspaceID, c.Order.ID}) {
			continue
		}
		mine, err := t.claimFor(ctx, claim.Kind, claim.ID, c.Order.WorkspaceID, c.Order.ID)
		if err != nil {
			return err
		}
		if !mine {
			return fmt.Errorf("%s %s: %w", claim.Kind, claim.ID, orders.ErrTaken)
		}
	}
	return nil
}

func (t orderTx) claimFor(ctx context.Context, kind order.ClaimKind, id, workspaceID, orderID string) (bool, error) {
	n, err := t.q.ClaimForOrder(ctx, db.ClaimForOrderParams{Kind: string(kind), Lookup: id, WorkspaceID: workspaceID, OrderID: orderID})
	return n == 1, doing("claiming for an order", err)
}

// ClaimReference takes a reference for an order, or tells that it is taken.
func (t orderTx) ClaimReference(ctx context.Context, reference, workspaceID, orderID string) (bool, error) {
	mine, err := t.claimFor(ctx, order.ClaimReference, reference, workspaceID, orderID)
	if mine && err == nil {
		t.claimed = claimed{order.ClaimReference, reference, workspaceID, orderID}
	}
	return mine, err
}

func (t orderTx) putReferences(ctx context.Context, c order.Change) error {
	all := c.References()
	if len(all) == 0 {
		return nil
	}
	q := &query{DBTX: t.handle, given: 3}
	for _, reference := range all[1:] {
		q.add(", (?, ?, ?)", c.Order.WorkspaceID, reference, c.Order.ID)
	}
	q.add(" ON CONFLICT DO NOTHING")
	return doing("adding references", db.New(q).InsertOrderReferences(ctx, c.Order.WorkspaceID, all[0], c.Order.ID))
}

// DeferOrder says when the sweeper is to look again.
func (t orderTx) DeferOrder(ctx context.Context, o order.Order, until time.Time) error {
	n, err := t.q.DeferOrder(ctx, db.DeferOrderParams{DueAt: micros(until), WorkspaceID: o.WorkspaceID, ID: o.ID, Version: o.Version})
	return swapped("deferring an order", n, err)
}

func orderRow(body string) (o order.Order, err error) {
	return o, doing("reading a stored order", json.Unmarshal([]byte(body), &o))
}

func orderEvent(r db.OrderEvent) (order.Entry, error) {
	e := order.Entry{
		Seq: r.Seq, Kind: order.Kind(r.Kind), Status: order.Status(r.Status), By: order.Party(r.Party),
		At: instant(r.At), OccurredAt: instant(r.OccurredAt),
	}
	return e, doing("reading a timeline", json.Unmarshal([]byte(r.Detail), &e.Detail))
}
