package payout

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/kit/payout/ledger"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/kit/payout/work"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
)

// JobDeposit takes in what became of a transfer to a withdrawal address; the id
// is the transfer's.
const JobDeposit job.Kind = "payout_deposit"

const (
	untilDeep = 3 * time.Second // between two looks at a deposit that is not final
	lateFor   = 24 * time.Hour  // for which a deposit still belongs to an order that ended without it
	mostOpen  = 200             // quotes of one address that are looked at
)

// Transfers is what the watcher wrote.
type Transfers interface {
	Transfer(ctx context.Context, workspaceID, id string) (watch.Transfer, error)
	// TransfersSince lists transfers of every workspace that changed after a moment.
	TransfersSince(ctx context.Context, kind watch.OwnerKind, after page.Cursor, limit int) ([]watch.Transfer, error)
	Head(ctx context.Context, chain string) (watch.Cursor, bool, error)
}

// Deposit takes in what the watcher wrote of a transfer, and says when to look again.
func (s *Service) Deposit(ctx context.Context, workspaceID, transferID string) (again time.Duration, err error) {
	for {
		var seen time.Time
		err = work.Retry(func() (err error) {
			seen, again, err = s.deposit(ctx, workspaceID, transferID)
			return err
		})
		if err != nil || again > 0 {
			return again, err
		}
		// What changed meanwhile found this job running, and enqueued none.
		t, err := s.transfers.Transfer(ctx, workspaceID, transferID)
		if err != nil || !t.UpdatedAt.After(seen) {
			return 0, err
		}
	}
}

// sighting is a transfer with all that it meets here.
type sighting struct {
	t     watch.Transfer
	to    withdraw.Address
	was   Drain // zero: it is seen for the first time
	drain Drain // as it will be
	o     order.Order
	now   time.Time
}

func (s *Service) deposit(ctx context.Context, workspaceID, transferID string) (seen time.Time, again time.Duration, err error) {
	a, err := s.arrived(ctx, workspaceID, transferID)
	if err != nil || a.t.Owner != watch.Withdraw {
		return a.t.UpdatedAt, 0, err
	}
	if a.drain.Reason != "" && !a.replaced() {
		err = s.setAside(ctx, a)
	} else {
		err = s.pursue(ctx, a)
	}
	if err == nil && (a.t.State == watch.Seen || a.replaced()) {
		again = untilDeep
	}
	return a.t.UpdatedAt, again, err
}

func (s *Service) arrived(ctx context.Context, workspaceID, transferID string) (a sighting, err error) {
	a.now = s.clock.Now()
	if a.t, err = s.transfers.Transfer(ctx, workspaceID, transferID); err != nil || a.t.Owner != watch.Withdraw {
		return a, err
	}
	if a.to, err = s.store.WithdrawAddress(ctx, workspaceID, a.t.OwnerID); err != nil {
		return a, err
	}
	if a.was, err = s.store.Drain(ctx, workspaceID, transferID); err != nil && !work.IsMissing(err) {
		return a, err
	}
	if a.was.OrderID != "" {
		if a.o, err = s.store.Order(ctx, workspaceID, a.was.OrderID); err != nil {
			return a, err
		}
	}
	head, _, err := s.transfers.Head(ctx, a.t.Chain)
	network, _ := chain.BySlug(s.environment, a.t.Chain)
	a.describe(head.Number, int64(cmp.Or(s.depth, network.Confirmations)))
	if !a.late() { // what an order has had as final is its own, whatever it is now
		a.drain.Reason = a.refused(s.least)
	}
	return a, err
}

// describe is the drain as the transfer is now.
func (a *sighting) describe(head, required int64) {
	t := a.t
	a.drain = Drain{
		WorkspaceID: t.WorkspaceID, ID: t.ID, AddressID: a.to.ID, OrderID: a.was.OrderID, Chain: t.Chain, Currency: strings.ToLower(t.Symbol),
		Amount: t.Units(), From: t.From, Hash: t.Tx, LogIndex: t.LogIndex, Block: t.BlockNumber, Confirmations: min(t.Confirmations(head), required),
		Required: required, State: t.State, Booked: a.was.Booked, Version: a.was.Version + 1, TransferAt: t.UpdatedAt,
		CreatedAt: a.was.CreatedAt, UpdatedAt: a.now,
	}
	if t.State == watch.Final {
		a.drain.Confirmations = required
	}
	if a.was.Version == 0 {
		a.drain.CreatedAt = a.now
	}
}

// amount is what arrived, if it can be counted.
func (a *sighting) amount() (money.Amount, error) { return amountOf(a.t) }

func amountOf(t watch.Transfer) (money.Amount, error) {
	c, err := money.ParseCurrency(t.Symbol)
	if err != nil {
		return money.Amount{}, err
	}
	return money.Parse(t.Units(), c)
}

// refused says why it is not paid out, if it is not.
func (a *sighting) refused(least money.Amount) DrainReason {
	amount, err := a.amount()
	switch {
	case a.t.Chain != a.to.Chain:
		return WrongChain
	case !strings.EqualFold(a.t.Symbol, string(a.to.Currency)):
		return WrongToken
	case err != nil:
		return TooMuch
	case amount.Minor < least.Minor:
		return Dust
	}
	return ""
}

// setAside keeps what is not paid out: visible as a drain, and in the ledger once
// it is final.
func (s *Service) setAside(ctx context.Context, a sighting) error {
	if a.was.Version > 0 && a.was.TransferAt.Equal(a.drain.TransferAt) && a.was.Confirmations == a.drain.Confirmations {
		return nil
	}
	var ops []ledger.Op
	amount, err := a.amount()
	if a.t.State == watch.Final && !a.was.Booked && err == nil {
		to := ledger.Suspense
		if a.drain.Reason == Dust {
			to = ledger.Held(a.to.ID)
		}
		a.drain.Booked = true
		ops = []ledger.Op{{Do: ledger.Record, Ref: "drain:" + a.t.ID, Kind: "drain", Entries: []ledger.Entry{
			{Account: ledger.Chain(a.t.Chain), Amount: amount.Neg()}, {Account: to, Amount: amount},
		}}}
	}
	if a.t.State == watch.Dropped && a.was.Booked {
		s.reportLost(a)
	}
	return s.store.Work(ctx, a.t.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return command.Audit{}, errors.Join(tx.PutDrain(ctx, a.drain), tx.Book(ctx, a.t.WorkspaceID, a.now, ops...))
	})
}

// reportLost is for a person: what was final is not on the chain any more, or not as it
// was. Orders that were not paid wait.
func (s *Service) reportLost(a sighting) {
	s.log.Error("a final deposit is not on the chain any more: what was paid for it is not covered, and what was not is held",
		"workspace", a.t.WorkspaceID, "transfer", a.t.ID, "order", a.was.OrderID, slog.String("chain", a.t.Chain),
		"state", a.t.State, "amount now", a.t.Units())
}

// pursue has the order of a deposit hear what became of it.
func (s *Service) pursue(ctx context.Context, a sighting) error {
	events, err := s.heard(ctx, &a)
	if err != nil {
		return err
	}
	if len(events) == 0 && a.was.Version > 0 && a.was.TransferAt.Equal(a.drain.TransferAt) && a.was.Confirmations == a.drain.Confirmations {
		return nil
	}
	return s.store.Work(ctx, a.t.WorkspaceID, func(ctx context.Context, tx Tx) (done command.Audit, err error) {
		o, d := a.o, a.drain
		d.OrderID = o.ID
		if a.replaced() {
			d.TransferAt = a.was.TransferAt // what came instead is still to be looked at
		}
		if err := tx.PutDrain(ctx, d); err != nil { // first: who comes second to one transfer ends here
			return done, err
		}
		if o.ID != "" && o.Reference == "" {
			if o.Reference, err = reference.New(ctx, tx, reference.OffRamp, o.WorkspaceID, o.ID, a.now); err != nil {
				return done, err
			}
		}
		return done, a.tell(ctx, tx, o, events)
	})
}

// tell has an order hear what there is to hear. Whether that was before a quote's
// end, the database's clock says.
func (a *sighting) tell(ctx context.Context, tx Tx, o order.Order, events []order.Event) (err error) {
	var shared time.Time
	if o.QuoteID != "" && len(events) > 0 {
		if shared, err = tx.Now(ctx); err != nil {
			return err
		}
	}
	for _, e := range events {
		e.Shared = shared
		if o, err = applied(ctx, tx, o, e); err != nil {
			return err
		}
	}
	return nil
}

// applied writes down an event. One that is known already changes nothing.
func applied(ctx context.Context, tx Tx, o order.Order, e order.Event) (order.Order, error) {
	c, err := order.Apply(o, e)
	if errors.Is(err, order.ErrKnown) {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	return c.Order, tx.Apply(ctx, c)
}
