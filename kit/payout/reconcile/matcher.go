package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/match"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
)

// UsedWallet is what one comparison is about: a wallet at the partner to which withdrawal addresses lead, or an account
// number at its bank, a deposit account or a recipient's virtual account.
type UsedWallet struct {
	WorkspaceID, CustomerID string
	WalletID                string // the partner's; "" of an account number
	AccountID, PartnerID    string // of an account number: our id, and the partner's
	AddressID               string // of a virtual account: the withdrawal address to which it leads
}

// Place is the id by which they are in an order.
func (w UsedWallet) Place() string { return cmp.Or(w.AccountID, w.WalletID) }

// Name says which it is.
func (w UsedWallet) Name() string {
	if w.AccountID != "" {
		return "account number " + w.AccountID
	}
	return "wallet " + w.WalletID
}

// MatchStore reads what is compared with the partner and the chains.
type MatchStore interface {
	// WalletsInUse lists wallets and account numbers after one, by workspace and place.
	WalletsInUse(ctx context.Context, after UsedWallet, limit int) ([]UsedWallet, error)
	AddressesOfWallet(ctx context.Context, workspaceID, walletID string) ([]withdraw.Address, error)
	BooksOfWallet(ctx context.Context, workspaceID, walletID string) ([]match.Held, error)
	// DepositsOf lists what came to an address, oldest first, from a cursor on.
	DepositsOf(
		ctx context.Context, workspaceID, addressID string, after page.Cursor, limit int,
	) ([]match.Deposit, error)
	DepositOf(ctx context.Context, workspaceID, id string) (match.Deposit, error)
	Order(ctx context.Context, workspaceID, idOrReference string) (order.Order, error)
	Orders(ctx context.Context, f orderview.Filter) ([]order.Order, error)
	OrderOf(ctx context.Context, kind order.ClaimKind, id string) (workspaceID, orderID string, err error)
	// MatchRun is how far the comparison is; before the first it is zero.
	MatchRun(ctx context.Context) (MatchRun, error)
	// PutMatchRun inserts the first version, and replaces the one before; else record.ErrStale.
	PutMatchRun(ctx context.Context, r MatchRun) error
}

// Nodes tell which of some transfers of one chain are not on it today.
type Nodes interface {
	Gone(ctx context.Context, chain string, some []watch.Transfer) (ids []string, err error)
}

// Transfers reads a transfer that the watcher wrote. One that it does not have is fault.ErrNotFound.
type Transfers interface {
	Transfer(ctx context.Context, workspaceID, id string) (watch.Transfer, error)
}

// Matcher compares orders, ledger, chains and partner. It changes none of them.
type Matcher struct {
	store     MatchStore
	transfers Transfers
	partner   fiat.Partner
	nodes     Nodes
	clock     clock.Clock
	log       *slog.Logger
}

// NewMatcher makes one.
func NewMatcher(
	s MatchStore, t Transfers, p fiat.Partner, n Nodes, clk clock.Clock, log *slog.Logger,
) *Matcher {
	return &Matcher{store: s, transfers: t, partner: p, nodes: n, clock: clk, log: log}
}

// Matched is what the comparison of one wallet or account number found.
type Matched struct {
	UsedWallet
	match.Result
	Err error // it could not be compared, or not with all sides
}

const (
	matchRows   = 500            // of one list at once
	matchBefore = 24 * time.Hour // that are read besides: each side has its own clock
	matchTries  = 4
)

// Match compares wallets and account numbers, beginning after one, by what happened since an instant. It calls each
// with every result, and stops when each returns true.
func (m *Matcher) Match(ctx context.Context, from UsedWallet, since time.Time, each func(Matched) (enough bool)) error {
	told := map[string][]fiat.Transfer{} // by customer; what is newer is under way
	for {
		wallets, err := m.store.WalletsInUse(ctx, from, walletsPage)
		if err != nil {
			return err
		}
		for _, w := range wallets {
			found := Matched{UsedWallet: w}
			if w.AccountID != "" {
				found.Result, found.Err = m.account(ctx, w, since)
			} else {
				found.Result, found.Err = m.walletOf(ctx, w, since, told)
			}
			if each(found) || ctx.Err() != nil {
				return ctx.Err()
			}
			from = w
		}
		if len(wallets) < walletsPage {
			return nil
		}
	}
}

var errBusy = errors.New("it changes faster than it is read: it is looked at again later")

// walletOf compares one wallet. The partner is asked once for the transfers of a customer.
func (m *Matcher) walletOf(
	ctx context.Context, w UsedWallet, since time.Time, told map[string][]fiat.Transfer,
) (match.Result, error) {
	if _, known := told[w.CustomerID]; !known {
		clear(told) // wallets of one customer come in a row
		all, err := m.partner.Transfers(ctx, w.CustomerID, since.Add(-matchBefore))
		if err != nil {
			return match.Result{}, err
		}
		told[w.CustomerID] = all
	}
	return twice(func() (found match.Result, still bool, failed, err error) {
		return m.wallet(ctx, w, since, told[w.CustomerID])
	})
}

// twice reads until two readings find the same. Records that change while the partner is asked look like differences.
// So a reading counts only if our own records are still the same at its end, and a difference only if a second reading
// finds it again.
func twice(read func() (found match.Result, still bool, failed, err error)) (match.Result, error) {
	var was match.Result
	for try := range matchTries {
		found, still, failed, err := read()
		switch {
		case err != nil:
			return match.Result{}, err
		case still && (len(found.Differences) == 0 || try > 0 && reflect.DeepEqual(found, was)):
			return found, failed
		case still:
			was = found
		}
	}
	return match.Result{}, errBusy
}

// wallet reads the records of a wallet and compares them.
func (m *Matcher) wallet(
	ctx context.Context, w UsedWallet, since time.Time, told []fiat.Transfer,
) (found match.Result, still bool, failed, err error) {
	before, err := m.readOurs(ctx, w, since)
	if err != nil {
		return found, false, nil, err
	}
	sides := before.sides(w, since, told)
	if err := m.askPartner(ctx, w, before, &sides); err != nil {
		return found, false, nil, err
	}
	now, err := m.readOurs(ctx, w, since)
	if err != nil || !reflect.DeepEqual(before, now) {
		return found, false, nil, err
	}
	found, failed, err = m.compare(ctx, w, sides)
	return found, true, failed, err
}

// compare completes the sides and compares them. If a chain could not be asked, that is reported beside the
// differences of the others.
func (m *Matcher) compare(ctx context.Context, w UsedWallet, s match.Sides) (_ match.Result, failed, err error) {
	if err := m.older(ctx, w, &s); err != nil {
		return match.Result{}, nil, err
	}
	failed = m.onChain(ctx, &s)
	return match.Compare(s, m.clock.Now()), failed, nil
}

// onChain marks the deposits that the nodes do not have today.
func (m *Matcher) onChain(ctx context.Context, s *match.Sides) error {
	final := map[string][]watch.Transfer{}
	for _, d := range s.Deposits {
		if d.State == watch.Final && !d.SeenAt.Before(s.Since) {
			final[d.Chain] = append(final[d.Chain], d.Transfer)
		}
	}
	gone, failed := m.gone(ctx, final)
	for i := range s.Deposits {
		s.Deposits[i].Gone = slices.Contains(gone, s.Deposits[i].ID)
	}
	return failed
}

// gone are the ids of those transfers, by chain, that the nodes do not have today.
func (m *Matcher) gone(ctx context.Context, final map[string][]watch.Transfer) (gone []string, failed error) {
	for chain, some := range final {
		ids, err := m.nodes.Gone(ctx, chain, some)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("asking the node of %s: %w", chain, err))
		}
		gone = append(gone, ids...)
	}
	return gone, failed
}

// ourSide are our own records of a wallet.
type ourSide struct {
	addresses []withdraw.Address
	ledger    []match.Held
	deposits  []match.Deposit
	orders    []order.Order
}

func (m *Matcher) readOurs(ctx context.Context, w UsedWallet, since time.Time) (o ourSide, err error) {
	if o.addresses, err = m.store.AddressesOfWallet(ctx, w.WorkspaceID, w.WalletID); err != nil {
		return o, err
	}
	if o.ledger, err = m.store.BooksOfWallet(ctx, w.WorkspaceID, w.WalletID); err != nil {
		return o, err
	}
	for _, a := range o.addresses {
		if err := m.depositsOf(ctx, &o, a, since.Add(-matchBefore)); err != nil {
			return o, err
		}
		some, err := m.ordersOf(ctx, orderview.Filter{WorkspaceID: a.WorkspaceID, WithdrawAddressID: a.ID, From: since})
		if err != nil {
			return o, err
		}
		o.orders = append(o.orders, some...)
	}
	return o, nil
}

func (m *Matcher) depositsOf(ctx context.Context, o *ourSide, a withdraw.Address, since time.Time) error {
	for after := (page.Cursor{CreatedAt: since}); ; {
		rows, err := m.store.DepositsOf(ctx, a.WorkspaceID, a.ID, after, matchRows)
		if err != nil {
			return err
		}
		for _, d := range rows {
			d.PartnerAddressID = a.PartnerID
			o.deposits = append(o.deposits, d)
			after = page.Cursor{CreatedAt: d.SeenAt, ID: d.ID}
		}
		if len(rows) < matchRows {
			return nil
		}
	}
}

// ordersOf lists all orders that a filter selects.
func (m *Matcher) ordersOf(ctx context.Context, f orderview.Filter) (all []order.Order, err error) {
	f.Page = page.Page{Limit: matchRows}
	for {
		rows, err := m.store.Orders(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
		if len(rows) < matchRows {
			return all, nil
		}
		last := rows[len(rows)-1]
		f.Page.After = &page.Cursor{CreatedAt: last.CreatedAt, ID: last.ID}
	}
}

func (o ourSide) sides(w UsedWallet, since time.Time, told []fiat.Transfer) match.Sides {
	s := match.Sides{
		Since: since, Deposits: o.deposits, Ledger: o.ledger, Orders: map[string]order.Order{},
		Transfers: map[string]fiat.Transfer{},
	}
	for _, each := range o.orders {
		s.Orders[each.ID] = each
	}
	for _, t := range told {
		if t.WalletID == w.WalletID {
			s.Transfers[t.ID] = t
		}
	}
	return s
}

// askPartner reads the partner's records. The balance is read last: if it is higher than the drains explain, a later
// reading of the drains has the rest.
func (m *Matcher) askPartner(ctx context.Context, w UsedWallet, o ourSide, s *match.Sides) (err error) {
	for _, a := range o.addresses {
		drains, err := m.partner.Drains(ctx, w.CustomerID, a.PartnerID, s.Since.Add(-matchBefore))
		if err != nil {
			return fmt.Errorf("asking the partner for drains: %w", err)
		}
		s.Drains = append(s.Drains, drains...)
	}
	if s.Balances, err = m.partner.WalletBalances(ctx, w.CustomerID, w.WalletID); err != nil {
		return fmt.Errorf("asking the partner for a balance: %w", err)
	}
	return nil
}

// older reads, by id, transfers that the records name and that are older than the lists.
func (m *Matcher) older(ctx context.Context, w UsedWallet, s *match.Sides) error {
	for _, d := range s.Deposits {
		if err := m.olderOrder(ctx, w, s, d.OrderID); err != nil {
			return err
		}
	}
	for _, t := range s.Transfers {
		workspaceID, id, err := m.store.OrderOf(ctx, order.ClaimPayout, t.ID)
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			return err
		}
		if err == nil && workspaceID == w.WorkspaceID {
			if err := m.olderOrder(ctx, w, s, id); err != nil {
				return err
			}
		}
	}
	seen := map[string]bool{}
	for _, d := range s.Deposits {
		seen[d.ID] = true
	}
	for _, o := range s.Orders {
		if err := m.olderTransfers(ctx, s, o); err != nil {
			return err
		}
		if o.Deposit == nil || seen[o.Deposit.TransferID] {
			continue
		}
		d, err := m.store.DepositOf(ctx, w.WorkspaceID, o.Deposit.TransferID)
		if err == nil {
			s.Deposits = append(s.Deposits, d)
		} else if !errors.Is(err, fault.ErrNotFound) {
			return err
		}
	}
	return nil
}

func (m *Matcher) olderOrder(ctx context.Context, w UsedWallet, s *match.Sides, id string) error {
	if _, known := s.Orders[id]; known || id == "" {
		return nil
	}
	o, err := m.store.Order(ctx, w.WorkspaceID, id)
	if errors.Is(err, fault.ErrNotFound) {
		return nil
	}
	s.Orders[id] = o
	return err
}

func (m *Matcher) olderTransfers(ctx context.Context, s *match.Sides, o order.Order) error {
	ids := []string{o.Payout.TransferID}
	if o.Refund != nil {
		ids = append(ids, o.Refund.TransferID)
	}
	for _, id := range ids {
		if _, known := s.Transfers[id]; known || id == "" {
			continue
		}
		t, err := m.partner.Transfer(ctx, id)
		if errors.Is(err, fiat.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("asking the partner about a transfer: %w", err)
		}
		s.Transfers[id] = t
	}
	return nil
}
