package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/watch"
)

// desk is a partner with money for everybody, that pays at once. What it makes is
// called by the key that it is asked with.
type desk struct {
	fiat.Partner // what nobody asks for here
	addresses    atomic.Int64
	mu           sync.Mutex
	newest       []fiat.Transfer // mostKept and more, up to twice as many
}

// mostKept transfers can be asked for again, as a server does that was suspended after it had made one: those that were
// under way then. All of a backlog would be more memory than the kit itself may take.
const mostKept = 1000

func (*desk) CreateCustomer(_ context.Context, key string, _ fiat.CustomerRequest) (fiat.Customer, error) {
	return fiat.Customer{ID: "customer-" + key, Status: fiat.CustomerActive}, nil
}

func (d *desk) CreateWallet(_ context.Context, key, _, chain string) (fiat.Wallet, error) {
	return fiat.Wallet{ID: "wallet-" + key, Chain: chain, Address: d.address()}, nil
}

func (d *desk) address() string { return fmt.Sprintf("0x%040x", d.addresses.Add(1)) }

func (d *desk) CreateLiquidationAddress(
	_ context.Context, key, _ string, q fiat.LiquidationRequest,
) (fiat.LiquidationAddress, error) {
	return fiat.LiquidationAddress{ID: "address-" + key, Chain: q.Chain, Address: d.address()}, nil
}

func (d *desk) WalletBalances(context.Context, string, string) ([]money.Amount, error) {
	return []money.Amount{money.Of(1e15, money.USDC)}, nil
}

func (d *desk) Rate(_ context.Context, from, to money.Currency) (fiat.Rate, error) {
	sell, err := money.ParseRate("18.4075")
	return fiat.Rate{From: from, To: to, Midmarket: sell, Sell: sell, At: time.Now()}, err
}

func (d *desk) CreateTransfer(ctx context.Context, key string, q fiat.TransferRequest) (fiat.Transfer, error) {
	rate, err := d.Rate(ctx, q.Source, q.Destination)
	if err != nil {
		return fiat.Transfer{}, err
	}
	net, err := rate.Sell.Convert(money.Of(q.Gross.Minor-q.Fee.Minor, q.Source), q.Destination)
	t := fiat.Transfer{
		ID: "transfer-" + key, Reference: q.Reference, CustomerID: q.CustomerID, WalletID: q.WalletID,
		AccountID: q.AccountID, State: fiat.TransferProcessed, Source: q.Gross, Fee: q.Fee, Destination: net,
		Rate: rate.Sell, TrackingKey: "K" + key, UpdatedAt: time.Now(),
	}
	d.keep(t)
	return t, err
}

func (d *desk) keep(t fiat.Transfer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.newest = append(d.newest, t); len(d.newest) == 2*mostKept {
		d.newest = slices.Delete(d.newest, 0, mostKept)
	}
}

// Transfers lists a customer's transfers since an instant, of those that are kept.
func (d *desk) Transfers(_ context.Context, customerID string, since time.Time) (all []fiat.Transfer, _ error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.newest {
		if t.CustomerID == customerID && !t.UpdatedAt.Before(since) {
			all = append(all, t)
		}
	}
	return all, nil
}

func (d *desk) Transfer(_ context.Context, id string) (fiat.Transfer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := slices.IndexFunc(d.newest, func(t fiat.Transfer) bool { return t.ID == id })
	if at < 0 {
		return fiat.Transfer{}, fiat.ErrNotFound
	}
	return d.newest[at], nil
}

// sightings are what a watcher would have written.
type sightings struct{ all sync.Map }

// put is a deposit of 100 USDC.
func (s *sightings) put(a withdraw.Address, id string, final bool) {
	now := time.Now()
	t := watch.Transfer{
		WorkspaceID: a.WorkspaceID, ID: id, Owner: watch.Withdraw, OwnerID: a.ID, Chain: "base", Tx: "0x" + id,
		Token: "0xusdc", Symbol: "USDC", Decimals: 6, From: "0xpayer", To: a.Address, Amount: "100000000",
		State: watch.Seen, BlockNumber: 100, SeenAt: now, UpdatedAt: now,
	}
	if final {
		t.State = watch.Final
	}
	s.all.Store(id, t)
}

// TransfersOfTx finds nothing: no bank transfer is delivered here.
func (s *sightings) TransfersOfTx(context.Context, string, string, string) ([]watch.Transfer, error) {
	return nil, nil
}

func (s *sightings) Transfer(_ context.Context, _, id string) (watch.Transfer, error) {
	t, ok := s.all.Load(id)
	if !ok {
		return watch.Transfer{}, fault.Missing("Transfer")
	}
	return t.(watch.Transfer), nil
}

func (*sightings) TransfersSince(context.Context, watch.OwnerKind, page.Cursor, int) ([]watch.Transfer, error) {
	return nil, nil
}

func (*sightings) Head(context.Context, string) (watch.Cursor, bool, error) {
	return watch.Cursor{Number: 100}, true, nil
}
