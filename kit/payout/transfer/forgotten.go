package transfer

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/withdraw"
)

// Forgotten lists the partner's transfers out of an order's wallet, since its money came, that no order here has,
// newest first. There are some where an older database was put back: the partner has paid for an order that the
// database does not know, or does not know as paid. Say that a deposit of 44.40 USDC was paid at noon, and at one
// o'clock the database of the morning is put back. The deposit is found again and opens its order again; the payout of
// noon is here then, and is taken over in place of a second one.
//
// What the order itself is asking for just now is not among them, and what another order asks for is that order's.
func (s *Service) Forgotten(ctx context.Context, o order.Order) (all []fiat.Transfer, err error) {
	a, err := s.store.WithdrawAddress(ctx, o.WorkspaceID, o.WithdrawAddressID)
	if err != nil {
		return nil, err
	}
	told, err := s.seen.of(a.CustomerID).since(ctx, s, a.CustomerID, came(o).Add(-aside))
	if errors.Is(err, fiat.ErrAnswer) {
		return s.forgottenByName(ctx, o, a, err)
	}
	if err != nil {
		return nil, err
	}
	for _, t := range told {
		if t.WalletID != "" && t.WalletID != a.PartnerWalletID || order.Owned(o, t.ID) || s.asks(o, t.Reference) {
			continue
		}
		switch others, err := s.isOthers(ctx, o, t); {
		case err != nil:
			return nil, err
		case !others:
			all = append(all, t)
		}
	}
	return all, nil
}

// forgottenByName looks for the attempt that would be made next, where the partner's list makes no sense: one transfer
// that cannot be read, of which nobody knows whose it is, must not hold every payout of a customer.
func (s *Service) forgottenByName(
	ctx context.Context, o order.Order, a withdraw.Address, why error,
) ([]fiat.Transfer, error) {
	s.log.ErrorContext(ctx,
		"the partner's list of transfers makes no sense: only what has this order's name is looked for",
		"workspace", o.WorkspaceID, "order", o.ID, "error", why)
	next := o
	if next.Refund == nil {
		next.Attempt, next.MadeAs = o.Attempt+1, ""
	}
	name := next.PayoutReference()
	if o.Refund != nil {
		r := *o.Refund
		r.Attempt, r.MadeAs, next.Refund = r.Attempt+1, "", &r
		name = next.RefundReference()
	}
	t, err := s.partner.TransferOf(ctx, a.CustomerID, name, since(o))
	if errors.Is(err, fiat.ErrNotFound) {
		return nil, nil
	}
	return []fiat.Transfer{t}, err
}

// asks tells whether the order is asking for a transfer just now, so that it will learn of it by that.
func (s *Service) asks(o order.Order, reference string) bool {
	if o.Refund != nil {
		return o.Refund.Paying && reference == o.RefundReference()
	}
	return o.Paying && reference == o.PayoutReference()
}

// isOthers tells whether another order has a transfer, or is the one that has to ask about it.
func (s *Service) isOthers(ctx context.Context, o order.Order, t fiat.Transfer) (bool, error) {
	connections := s.store.Connections()
	_, _, err := s.store.OrderOf(ctx, order.ClaimPayout, t.ID)
	if err == nil {
		s.seen.of(t.CustomerID).forget(t.ID, connections)
		return true, nil
	}
	if !errors.Is(err, fault.ErrNotFound) {
		return false, err
	}
	name, _, _ := strings.Cut(t.Reference, ":")
	workspaceID, id, err := s.store.OrderOf(ctx, order.ClaimReference, name)
	switch {
	case errors.Is(err, fault.ErrNotFound), err == nil && id == o.ID:
		return false, nil
	case err != nil:
		return false, err
	}
	other, err := s.store.Order(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) { // the name of a withdrawal address
		return false, nil
	}
	return order.Asks(other, t.Reference), err
}

// came is since when an order's money may have been paid out. What is paid from money that lay at the address has
// neither deposit nor bank transfer of its own: an older database that is put back days later may have forgotten a
// payout that this very money has paid.
func came(o order.Order) time.Time {
	if o.Deposit == nil && o.PayIn == nil {
		return o.CreatedAt.Add(-lay)
	}
	at := o.CreatedAt
	if o.Deposit != nil && !o.Deposit.MinedAt.IsZero() && o.Deposit.MinedAt.Before(at) {
		at = o.Deposit.MinedAt
	}
	return at
}

const (
	lay       = 7 * 24 * time.Hour // for which money lies at an address, as far as the partner's list is read
	aside     = time.Hour          // by which the clocks of chain, partner and server may differ
	readAgain = 10 * time.Minute   // of the partner's list, by its clock
	mostSeen  = 20_000             // transfers of one customer, of which the ids are remembered
)

// seen is what the partner told last of the transfers of each customer. Without it each of a thousand payouts of an
// hour would read the list of that hour.
type seen struct {
	mu  sync.Mutex
	all map[string]*seenOf
}

func (s *seen) of(customerID string) *seenOf {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]*seenOf{}
	}
	if s.all[customerID] == nil {
		s.all[customerID] = &seenOf{}
	}
	return s.all[customerID]
}

// seenOf is the part of one customer.
type seenOf struct {
	mu          sync.Mutex
	connections int64 // to the database when that was read which was asked for last
	from, until time.Time
	unknown     []fiat.Transfer // newest first
	known       map[string]bool // by id: told, and in unknown unless an order has it
}

// since are the transfers since an instant that no order was known to have. It reads what the partner has made
// since the last reading. Whoever waits meanwhile takes what a reading finds that began after he came.
//
// Which orders have transfers is known of one database. Over a new connection it may be an older one, whose orders do
// not have them any more: then all is read anew.
func (c *seenOf) since(
	ctx context.Context, s *Service, customerID string, at time.Time,
) (all []fiat.Transfer, err error) {
	asked := s.clock.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	connections := s.store.Connections()
	anew := c.known == nil || at.Before(c.from) || len(c.known) > mostSeen || connections != c.connections
	if anew || !c.until.After(asked) {
		if err := c.read(ctx, s, customerID, at, anew); err != nil {
			return nil, err
		}
		c.connections = connections
	}
	for _, t := range c.unknown {
		if !t.CreatedAt.Before(at) || t.CreatedAt.IsZero() {
			all = append(all, t)
		}
	}
	return all, nil
}

func (c *seenOf) read(ctx context.Context, s *Service, customerID string, at time.Time, anew bool) error {
	now, from := s.clock.Now(), c.until.Add(-readAgain)
	if anew {
		from = at
	}
	told, err := s.partner.Transfers(ctx, customerID, from)
	if err != nil {
		return err
	}
	if anew {
		c.from, c.unknown, c.known = at, nil, map[string]bool{}
	}
	var news []fiat.Transfer
	for _, t := range told {
		if !c.known[t.ID] {
			c.known[t.ID] = true
			news = append(news, t)
		}
	}
	c.unknown, c.until = append(news, c.unknown...), now
	return nil
}

// forget leaves a transfer out from now on: an order has it, in the database of then.
func (c *seenOf) forget(id string, connections int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.connections != connections {
		return
	}
	kept := c.unknown[:0:0]
	for _, t := range c.unknown {
		if t.ID != id {
			kept = append(kept, t)
		}
	}
	c.unknown = kept
}
