package arrival

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/payin"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/watch"
)

// Job records a change of a transfer to a withdrawal address; the id is the transfer's.
const Job job.Kind = "payout_deposit"

// Transfers reads the transfers that the watcher wrote.
type Transfers interface {
	Transfer(ctx context.Context, workspaceID, id string) (watch.Transfer, error)
	// TransfersSince lists transfers of every workspace that changed after a moment.
	TransfersSince(ctx context.Context, kind watch.OwnerKind, after page.Cursor, limit int) ([]watch.Transfer, error)
	Head(ctx context.Context, chain string) (watch.Cursor, bool, error)
}

// Take records the present state of a transfer, and returns when to look again.
func (s *Service) Take(ctx context.Context, workspaceID, transferID string) (again time.Duration, err error) {
	for {
		var seen time.Time
		err = record.Retry(func() (err error) {
			seen, again, err = s.take(ctx, workspaceID, transferID)
			return err
		})
		if err != nil || again > 0 {
			return again, err
		}
		// What changed meanwhile found this job running, and enqueued none.
		t, err := s.c.Transfers.Transfer(ctx, workspaceID, transferID)
		if err != nil || !t.UpdatedAt.After(seen) {
			return 0, err
		}
	}
}

// sighting is a transfer with the rows here that it concerns.
type sighting struct {
	transfer watch.Transfer
	address  withdraw.Address // that it came to
	was      Arrival          // zero: it is seen for the first time
	becomes  Arrival
	order    order.Order // that it pays for; zero: none yet
	repeats  string      // the order that had just these coins before
	now      time.Time
}

// take takes in a transfer as it is now. seen is when the transfer last changed.
func (s *Service) take(
	ctx context.Context, workspaceID, transferID string,
) (seen time.Time, again time.Duration, err error) {
	a, err := s.look(ctx, workspaceID, transferID)
	if err != nil || a.transfer.Owner != watch.Withdraw {
		return a.transfer.UpdatedAt, 0, err
	}
	if a.becomes.Reason != "" && !a.replaced() {
		err = s.setAside(ctx, a)
	} else {
		err = s.pursue(ctx, a)
	}
	if errors.Is(err, payin.ErrWait) {
		return a.transfer.UpdatedAt, untilDeep, nil
	}
	if err == nil && (a.transfer.State == watch.Seen || a.replaced()) {
		again = untilDeep
	}
	return a.transfer.UpdatedAt, again, err
}

// look reads a transfer and the rows that it concerns.
func (s *Service) look(ctx context.Context, workspaceID, transferID string) (a sighting, err error) {
	a.now = s.c.Clock.Now()
	if a.transfer, err = s.c.Transfers.Transfer(ctx, workspaceID, transferID); err != nil ||
		a.transfer.Owner != watch.Withdraw {
		return a, err
	}
	if a.address, err = s.c.Store.WithdrawAddress(ctx, workspaceID, a.transfer.OwnerID); err != nil {
		return a, err
	}
	if a.was, err = s.c.Store.Arrival(ctx, workspaceID, transferID); err != nil && !errors.Is(err, fault.ErrNotFound) {
		return a, err
	}
	if a.was.OrderID != "" {
		if a.order, err = s.c.Store.Order(ctx, workspaceID, a.was.OrderID); err != nil {
			return a, err
		}
	}
	head, _, err := s.c.Transfers.Head(ctx, a.transfer.Chain)
	network, _ := chain.BySlug(s.c.Environment, a.transfer.Chain)
	a.describe(head.Number, int64(cmp.Or(s.c.Depth, network.Confirmations)))
	if !a.wasFinal() { // what an order has had as final is its own, whatever it is now
		a.becomes.Reason = a.reason(s.c.Least)
	}
	return a, err
}

// describe makes the arrival as the transfer is now.
func (a *sighting) describe(head, required int64) {
	t := a.transfer
	a.becomes = Arrival{
		WorkspaceID: t.WorkspaceID, ID: t.ID, AddressID: a.address.ID, OrderID: a.was.OrderID,
		Chain: t.Chain, Currency: strings.ToLower(t.Symbol), Amount: t.Units(), From: t.From, Hash: t.Tx,
		LogIndex: t.LogIndex,
		Block:    t.BlockNumber, Confirmations: min(t.Confirmations(head), required), Required: required,
		State: t.State, Booked: a.was.Booked, Version: a.was.Version + 1, TransferAt: t.UpdatedAt,
		CreatedAt: a.was.CreatedAt, UpdatedAt: a.now,
	}
	if t.State == watch.Final {
		a.becomes.Confirmations = required
	}
	if a.was.Version == 0 {
		a.becomes.CreatedAt = a.now
	}
}

// unchanged tells whether the transfer is as it was when it was last looked at.
func (a *sighting) unchanged() bool {
	return a.was.Version > 0 && a.was.TransferAt.Equal(a.becomes.TransferAt) &&
		a.was.Confirmations == a.becomes.Confirmations
}

// amount is what arrived, if it can be counted.
func (a *sighting) amount() (money.Amount, error) {
	return money.ParseNamed(a.transfer.Units(), a.transfer.Symbol)
}

// reason is why what arrived is not paid out; "": it is.
func (a *sighting) reason(least money.Amount) Reason {
	amount, err := a.amount()
	switch {
	case a.transfer.Chain != a.address.Chain:
		return WrongChain
	case !strings.EqualFold(a.transfer.Symbol, string(a.address.Currency)):
		return WrongToken
	case err != nil:
		return TooMuch
	case amount.Minor < least.Minor:
		return Dust
	}
	return ""
}

// setAside keeps an arrival that is not paid out: the API lists it, and the ledger has it once it is final.
func (s *Service) setAside(ctx context.Context, a sighting) error {
	if a.unchanged() {
		return nil
	}
	var ops []ledger.Op
	amount, err := a.amount()
	if a.transfer.State == watch.Final && !a.was.Booked && err == nil {
		to := ledger.Suspense
		if a.becomes.Reason == Dust {
			to = ledger.Held(a.address.ID)
		}
		a.becomes.Booked = true
		ops = []ledger.Op{{Do: ledger.Record, Ref: "drain:" + a.transfer.ID, Kind: "drain", Entries: []ledger.Entry{
			{Account: ledger.Chain(a.transfer.Chain), Amount: amount.Neg()}, {Account: to, Amount: amount},
		}}}
	}
	if a.transfer.State == watch.Dropped && a.was.Booked {
		s.reportLost(ctx, a)
	}
	if a.transfer.State == watch.Final && a.was.State != watch.Final && a.becomes.Reason != Dust {
		s.reportAside(ctx, a)
	}
	return s.c.Store.Work(ctx, a.transfer.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, errors.Join(
			tx.PutArrival(ctx, a.becomes), tx.Book(ctx, a.transfer.WorkspaceID, a.now, ops...),
		)
	})
}

// reportAside logs, for an operator, what came to a withdrawal address and is paid out by nobody: somebody will ask for
// it.
func (s *Service) reportAside(ctx context.Context, a sighting) {
	t := a.transfer
	left, tells := s.aside.tells(t, a.now)
	if !tells {
		return
	}
	s.c.Log.WarnContext(ctx, "a withdrawal address has got what nobody pays out: only the partner can give it back",
		"workspace", t.WorkspaceID, "withdrawAddress", a.address.ID, "address", t.To, "chain", t.Chain, "tx", t.Tx,
		"amount", t.Units(), "of", t.Symbol, "from", t.From, "reason", a.becomes.Reason,
		"left_out_before", left)
}

// reportLost logs, for an operator, that a final deposit is not on the chain any more, or has another amount. Orders
// that were not paid wait.
func (s *Service) reportLost(ctx context.Context, a sighting) {
	s.c.Log.ErrorContext(ctx,
		"a final deposit is not on the chain any more: what was paid for it is not covered, and what was not is held",
		"workspace", a.transfer.WorkspaceID, "transfer", a.transfer.ID, "order", a.was.OrderID, slog.String("chain",
			a.transfer.Chain),
		"state", a.transfer.State, "amount now", a.transfer.Units())
}

// pursue writes the events of a deposit to its order.
func (s *Service) pursue(ctx context.Context, a sighting) error {
	events, err := s.eventsOf(ctx, &a)
	if err != nil {
		return err
	}
	if len(events) == 0 && a.unchanged() {
		return nil
	}
	ws := a.transfer.WorkspaceID
	return s.c.Store.Work(ctx, ws, func(ctx context.Context, tx Tx) (done command.Audit, err error) {
		o, d := a.order, a.becomes
		d.OrderID = o.ID
		if a.replaced() {
			d.TransferAt = a.was.TransferAt // what came instead is still to be looked at
		}
		if err := tx.PutArrival(ctx, d); err != nil { // first: who comes second to one transfer ends here
			return done, err
		}
		if o.ID != "" && o.Reference == "" {
			day := a.transfer.Came()
			o.Reference, err = reference.New(ctx, tx, reference.OffRamp, o.WorkspaceID, o.ID, day)
			if err != nil {
				return done, err
			}
		}
		return done, a.write(ctx, tx, o, events)
	})
}

// write applies the events to the order. The database's clock decides whether they came before the quote expired.
func (a *sighting) write(ctx context.Context, tx Tx, o order.Order, events []order.Event) (err error) {
	var shared time.Time
	if o.QuoteID != "" && len(events) > 0 {
		if shared, err = tx.Now(ctx); err != nil {
			return err
		}
	}
	for _, e := range events {
		e.Shared = shared
		if o, err = orderview.Write(ctx, tx, o, e); err != nil {
			return err
		}
	}
	return nil
}

// paysOrder tells whether the order was opened, or is paid for, by this very transfer.
func (a *sighting) paysOrder() bool { return a.was.ID != "" && a.was.pays(a.order) }

// wasFinal tells whether the order has had this deposit as final already.
func (a *sighting) wasFinal() bool { return a.paysOrder() && a.order.Deposit.Final }

// replaced tells whether a reorg mined the transaction again with another amount. The order's deposit is then gone,
// and the new amount is treated as a new arrival.
func (a *sighting) replaced() bool {
	if !a.paysOrder() || a.order.Deposit.Final || a.transfer.State == watch.Dropped {
		return false
	}
	amount, err := a.amount()
	return err != nil || amount != a.order.Deposit.Amount
}

// isDeeper tells whether enough blocks came to be worth a line in the timeline.
func (a *sighting) isDeeper() bool {
	return a.becomes.Confirmations-int64(a.order.Deposit.Confirmations) >= max(1, a.becomes.Required/4)
}

func (a *sighting) event(k order.Kind) order.Event {
	amount, _ := a.amount() // it was looked at before
	return order.Event{Kind: k, By: order.OnChain, At: a.now, OccurredAt: a.transfer.SeenAt, Deposit: &order.Deposit{
		TransferID: a.transfer.ID, Hash: a.transfer.Tx, From: a.transfer.From, Senders: a.transfer.Senders,
		Amount: amount, Block: uint64(max(0, a.transfer.BlockNumber)),
		Confirmations: int(a.becomes.Confirmations), Required: int(a.becomes.Required), MinedAt: a.transfer.Came(),
	}}
}

const (
	untilDeep = 3 * time.Second // between two looks at a deposit that is not final
	lateFor   = 24 * time.Hour  // for which a deposit still belongs to an order that ended without it
)
