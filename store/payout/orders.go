package payout

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/payment"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Order finds one by its id, or the newest of those that a reference names.
func (s orderReads) Order(ctx context.Context, workspaceID, idOrReference string) (order.Order, error) {
	var body string
	var err error
	if order.Ours(idOrReference) { // no id is spelled so
		body, err = s.db.Read.OrderOfReference(ctx, workspaceID, strings.ToUpper(order.Folded(idOrReference)))
	} else {
		body, err = s.db.Read.Order(ctx, workspaceID, order.ID(idOrReference))
	}
	if sqldb.None(err) {
		body, err = s.db.Read.OrderByReference(ctx, workspaceID, order.Folded(idOrReference))
	}
	return sqldb.One("Order", body, err, orderRow)
}

// Orders lists a page of orders, newest first.
func (s orderReads) Orders(ctx context.Context, f orderview.Filter) ([]order.Order, error) {
	q := s.selectOrders(f).In("status", sqldb.Texts(f.Statuses)).Newest(f.Page)
	bodies, err := db.New(q).ListOrders(ctx, f.WorkspaceID)
	return sqldb.Many(bodies, err, orderRow)
}

func (s orderReads) selectOrders(f orderview.Filter) *sqldb.Query {
	q := s.db.Query(1).In("type", sqldb.Texts(f.Types)).In("rail", sqldb.Texts(f.Rails)).Equal("pair", f.Pair).
		Equal("recipient_id", f.RecipientID).Equal("bank_account_id", f.BankAccountID).
		Equal("withdraw_address_id", f.WithdrawAddressID).Equal("deposit_account_id", f.DepositAccountID).
		Part("folded_name", f.RecipientName).Part("search", f.Search)
	for _, reference := range f.References {
		q.Add(" AND id IN (SELECT order_id FROM order_references WHERE workspace_id = ? AND reference = ?)", f.WorkspaceID, order.Folded(reference))
	}
	if !f.From.IsZero() {
		q.Add(" AND created_at >= ?", sqldb.Micros(f.From))
	}
	if !f.To.IsZero() {
		q.Add(" AND created_at <= ?", sqldb.Micros(f.To))
	}
	return q
}

// Timeline is what happened to an order, in its order.
func (s orderReads) Timeline(ctx context.Context, workspaceID, id string) ([]order.Entry, error) {
	rows, err := s.db.Read.OrderEvents(ctx, workspaceID, id)
	return sqldb.Many(rows, err, orderEvent)
}

// OrdersDue lists orders of every workspace that were due by then, longest first.
func (s orderReads) OrdersDue(
	ctx context.Context, by time.Time, after page.Cursor, limit int,
) ([]payment.DueOrder, error) {
	q := s.db.Query(1).After("due_at", " > ", after).Add(" ORDER BY due_at, id LIMIT ?", limit)
	rows, err := db.New(q).ListOrdersDue(ctx, sqldb.Micros(by))
	return sqldb.Many(rows, err, func(r db.ListOrdersDueRow) (payment.DueOrder, error) {
		o, err := orderRow(r.Body)
		return payment.DueOrder{Order: o, DueAt: sqldb.Instant(r.DueAt)}, err
	})
}

// OrderOf finds whose something is.
func (s orderReads) OrderOf(
	ctx context.Context, kind order.ClaimKind, id string,
) (workspaceID, orderID string, err error) {
	row, err := s.db.Read.OwnerInDirectory(ctx, string(kind), id)
	found, err := sqldb.One("Order", row, err, func(r db.OwnerInDirectoryRow) (db.OwnerInDirectoryRow, error) {
		return r, nil
	})
	return found.WorkspaceID, found.OrderID, err
}

// Connections is how many connections to the database were made so far.
func (s orderReads) Connections() int64 { return s.db.Connections() }

// atOnce is how many ids one query is asked about.
const atOnce = 500

// OrdersWithClaims lists the orders of a workspace that have claimed any of some ids.
func (s orderReads) OrdersWithClaims(
	ctx context.Context, workspaceID string, kind order.ClaimKind, ids []string,
) (all []order.Order, err error) {
	for some := range slices.Chunk(ids, atOnce) {
		q := s.db.Query(1).Add(" AND id IN (SELECT order_id FROM order_directory WHERE workspace_id = ? AND kind = ?",
			workspaceID, string(kind)).In("lookup", some).Add(")")
		bodies, err := db.New(q).ListOrders(ctx, workspaceID)
		found, err := sqldb.Many(bodies, err, orderRow)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// orderTx writes orders.
type orderTx struct {
	*sqldb.Tx
	claimed claimed
}

// The rows of orders that nobody reads before the commit.
var (
	timelines = &sqldb.Set[db.InsertOrderEventsParams]{
		What: "adding to a timeline", Insert: (*db.Queries).InsertOrderEvents,
	}
	references = &sqldb.Set[named]{
		What: "adding references", Insert: func(q *db.Queries, ctx context.Context, r named) error {
			return q.InsertOrderReferences(ctx, r.WorkspaceID, r.Reference, r.OrderID)
		},
	}
)

// named is a name of an order.
type named struct{ WorkspaceID, Reference, OrderID string }

// Apply does all of one change. The row comes first: who loses there has
// touched nothing else.
func (t *orderTx) Apply(ctx context.Context, c order.Change) error {
	t.Mark = string(c.Entry.Kind)
	t.count(c)
	t.tellStep(c)
	if err := t.putOrder(ctx, c); err != nil {
		return err
	}
	if err := t.putEvent(c); err != nil {
		return err
	}
	if err := t.putClaims(ctx, c); err != nil {
		return err
	}
	for _, name := range c.References() {
		references.Put(t.Tx, named{c.Order.WorkspaceID, name, c.Order.ID})
	}
	if err := t.book(ctx, c.Order.WorkspaceID, c.Order.ID, c.Entry.At, c.Ledger); err != nil {
		return err
	}
	crash.At(t.Mark, "applied") // between two orders of a batch
	if len(c.Todo) == 0 {
		return nil
	}
	// Anew: a job that is just ending would not see it.
	return t.Enqueue(ctx, job.Job{Kind: payment.Job, WorkspaceID: c.Order.WorkspaceID, ID: c.Order.ID, Anew: true})
}

// tellStep tells of a step of the timeline: by the order's new status or, where that is the old one, as an update.
func (t *orderTx) tellStep(c order.Change) {
	kind := event.OrderUpdated
	switch o := c.Order; {
	case o.Version == 1:
		kind = event.OrderCreated
	case o.Status != c.Was:
		kind = event.Type("order." + o.Status)
	}
	step := rest.EventStep{Sequence: c.Entry.Seq, Kind: string(c.Entry.Kind), Previous: string(c.Was)}
	if !c.Entry.OccurredAt.IsZero() {
		step.OccurredAt = clock.ISO(c.Entry.OccurredAt)
	}
	t.Tell(event.Change{
		Type: kind, WorkspaceID: c.Order.WorkspaceID, Object: c.Order.ID,
		Data: rest.EventOrder{Step: step, Order: orderview.ViewOf(c.Order)},
	})
}

func (t *orderTx) putOrder(ctx context.Context, c order.Change) error {
	o := c.Order
	body, err := json.Marshal(o)
	if err != nil {
		return sqldb.Doing("writing an order", err)
	}
	p := db.InsertOrderParams{
		WorkspaceID: o.WorkspaceID, ID: o.ID, Reference: o.Reference, Type: string(o.Type), Status: string(o.Status),
		Rail: string(o.Rail),
		Pair: o.Pair(), RecipientID: o.RecipientID, FoldedName: sqldb.Fold(o.RecipientName),
		BankAccountID:     o.BankAccountID,
		WithdrawAddressID: o.WithdrawAddressID, QuoteID: o.QuoteID, Search: searched(o), Gross: o.Gross(),
		Net:     o.Terms.Net.Minor,
		Version: o.Version, CreatedAt: sqldb.Micros(o.CreatedAt), UpdatedAt: sqldb.Micros(o.UpdatedAt),
		DueAt:       sqldb.Micros(o.Due(c.Entry.At)),
		CompletedAt: sqldb.Micros(completedAt(o)), Body: string(body), DepositAccountID: o.DepositAccountID(),
	}
	if o.Version == 1 {
		n, err := t.Q.InsertOrder(ctx, p)
		return sqldb.Swapped("inserting an order", n, err)
	}
	n, err := t.Q.MoveOrder(ctx, db.MoveOrderParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, Type: p.Type, Pair: p.Pair, Status: p.Status, Search: p.Search,
		Gross: p.Gross, Net: p.Net,
		Version: p.Version, UpdatedAt: p.UpdatedAt, DueAt: p.DueAt, CompletedAt: p.CompletedAt, Body: p.Body,
	})
	return sqldb.Swapped("moving an order", n, err)
}

// searched is what a search of orders looks into.
func searched(o order.Order) string {
	text := o.Reference + " " + o.RecipientName + " " + money.Of(o.Gross(), o.Source).String()
	if o.Terms.Net.Minor != 0 {
		text += " " + o.Terms.Net.String()
	}
	return sqldb.Fold(text)
}

func (t *orderTx) putEvent(c order.Change) error {
	e := c.Entry
	detail, err := json.Marshal(e.Detail)
	if err != nil {
		return sqldb.Doing("writing a timeline", err)
	}
	timelines.Put(t.Tx, db.InsertOrderEventsParams{
		WorkspaceID: c.Order.WorkspaceID, OrderID: c.Order.ID, Seq: e.Seq, Kind: string(e.Kind),
		Status: string(e.Status), Party: string(e.By),
		At: sqldb.Micros(e.At), OccurredAt: sqldb.Micros(e.OccurredAt), Detail: string(detail),
	})
	return nil
}

// claimed is what a transaction has claimed last.
type claimed struct {
	kind                     order.ClaimKind
	id, workspaceID, orderID string
}

func (t *orderTx) putClaims(ctx context.Context, c order.Change) error {
	for _, claim := range c.Claims() {
		if claim.Free {
			err := t.Q.FreeOfOrder(ctx, db.FreeOfOrderParams{
				Kind: string(claim.Kind), Lookup: claim.ID, WorkspaceID: c.Order.WorkspaceID, OrderID: c.Order.ID,
			})
			if err != nil {
				return sqldb.Doing("giving up a claim", err)
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
			return fmt.Errorf("%s %s: %w", claim.Kind, claim.ID, orderview.ErrTaken)
		}
	}
	return nil
}

func (t *orderTx) claimFor(ctx context.Context, kind order.ClaimKind, id, workspaceID, orderID string) (bool, error) {
	n, err := t.Q.ClaimForOrder(
		ctx, db.ClaimForOrderParams{Kind: string(kind), Lookup: id, WorkspaceID: workspaceID, OrderID: orderID},
	)
	return n == 1, sqldb.Doing("claiming for an order", err)
}

// ClaimReference takes a reference for an order, or tells that it is taken.
func (t *orderTx) ClaimReference(ctx context.Context, reference, workspaceID, orderID string) (bool, error) {
	mine, err := t.claimFor(ctx, order.ClaimReference, reference, workspaceID, orderID)
	if mine && err == nil {
		t.claimed = claimed{order.ClaimReference, reference, workspaceID, orderID}
	}
	return mine, err
}

// DeferOrder says when the sweeper is to look again.
func (t *orderTx) DeferOrder(ctx context.Context, o order.Order, until time.Time) error {
	n, err := t.Q.DeferOrder(
		ctx, db.DeferOrderParams{DueAt: sqldb.Micros(until), WorkspaceID: o.WorkspaceID, ID: o.ID, Version: o.Version},
	)
	return sqldb.Swapped("deferring an order", n, err)
}

func orderRow(body string) (o order.Order, err error) {
	return o, sqldb.Doing("reading a stored order", json.Unmarshal([]byte(body), &o))
}

func orderEvent(r db.OrderEvent) (order.Entry, error) {
	e := order.Entry{
		Seq: r.Seq, Kind: order.Kind(r.Kind), Status: order.Status(r.Status), By: order.Party(r.Party),
		At: sqldb.Instant(r.At), OccurredAt: sqldb.Instant(r.OccurredAt),
	}
	return e, sqldb.Doing("reading a timeline", json.Unmarshal([]byte(r.Detail), &e.Detail))
}
