package payout_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// till is a partner in memory, which keeps books of its own: what it did, it did,
// whether or not anybody heard its answer.
type till struct {
	t     testing.TB
	clock clock.Clock

	mu        sync.Mutex
	calls     map[string]int // of each method that reached it
	asked     map[string]any // by key: the request
	given     map[string]any // by key: the answer
	faults    map[string][]breakage
	wallets   map[string]int64 // what is on them, minor units
	routes    map[fiat.LiquidationRequest]bool
	transfers map[string]*fiat.Transfer
	orders    []string // ids of transfers, in their order
	drains    []fiat.Drain
	virtuals  map[string]*virtualAccount
	returns   []string // ids of deposits that it was asked to send back, in their order
	sell      string
	middle    string // "": as sell
	rateAge   time.Duration
	number    int
	lie       func(*fiat.Transfer) // changes what is told
	says      string               // the address that it gives, whatever is asked
	holds     money.Currency       // of which coin it says that its wallets are; "": USDC
	meanwhile func()               // happens while it is asked for a balance
}

// breakage is one failure to come. Of one that is done the answer is lost.
type breakage struct {
	err  error
	done bool
}

func newTill(t testing.TB, c clock.Clock) *till {
	t.Helper()
	return &till{
		t: t, clock: c, calls: map[string]int{}, asked: map[string]any{}, given: map[string]any{},
		faults:  map[string][]breakage{},
		wallets: map[string]int64{}, routes: map[fiat.LiquidationRequest]bool{}, transfers: map[string]*fiat.Transfer{},
		virtuals: map[string]*virtualAccount{},
		sell:     "18.4075",
	}
}

// breaks has the next call of a method fail.
func (d *till) breaks(method string, b ...breakage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults[method] = append(d.faults[method], b...)
}

func (d *till) id(what string) string {
	d.number++
	return fmt.Sprintf("%s-%d", what, d.number)
}

// once does a thing once for each key, and breaks as told.
func once[T any](d *till, method, key string, request any, do func() (T, error)) (zero T, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls[method]++
	var fault breakage
	if f := d.faults[method]; len(f) > 0 {
		fault, d.faults[method] = f[0], f[1:]
	}
	if fault.err != nil && !fault.done {
		return zero, fault.err
	}
	if key == "" {
		d.t.Errorf("%s without a key", method)
	}
	if was, known := d.asked[key]; known {
		if !reflect.DeepEqual(was, request) {
			return zero, fiat.ErrKeyReused
		}
		if fault.err != nil {
			return zero, fault.err
		}
		return d.given[key].(T), nil
	}
	made, err := do()
	if err != nil {
		return zero, err
	}
	d.asked[key], d.given[key] = request, made
	if fault.err != nil {
		return zero, fault.err
	}
	return made, nil
}

func (d *till) CreateCustomer(_ context.Context, key string, q fiat.CustomerRequest) (fiat.Customer, error) {
	return once(d, "CreateCustomer", key, q, func() (fiat.Customer, error) {
		return fiat.Customer{ID: d.id("customer"), Status: fiat.CustomerActive}, nil
	})
}

func (d *till) Customer(_ context.Context, id string) (fiat.Customer, error) {
	return fiat.Customer{ID: id, Status: fiat.CustomerActive}, nil
}

func (d *till) CreateAccount(_ context.Context, key, _ string, q fiat.AccountRequest) (fiat.Account, error) {
	return once(d, "CreateAccount", key, q, func() (fiat.Account, error) {
		return fiat.Account{ID: d.id("account"), State: fiat.AccountActive}, nil
	})
}

func (d *till) Account(_ context.Context, _, id string) (fiat.Account, error) {
	return fiat.Account{ID: id, State: fiat.AccountActive}, nil
}

func (d *till) UpdateAccount(_ context.Context, _, id string, _ fiat.AccountChange) (fiat.Account, error) {
	return fiat.Account{ID: id, State: fiat.AccountActive}, nil
}

func (d *till) SetAccountActive(_ context.Context, _, _, id string, _ bool) (fiat.Account, error) {
	return fiat.Account{ID: id, State: fiat.AccountActive}, nil
}

func (d *till) CreateWallet(_ context.Context, key, customer, chain string) (fiat.Wallet, error) {
	return once(d, "CreateWallet", key, customer+chain, func() (fiat.Wallet, error) {
		w := fiat.Wallet{ID: d.id("wallet"), Chain: chain, Address: d.address(chain)}
		d.wallets[w.ID] = 0
		return w, nil
	})
}

// address is a new one on a chain.
func (d *till) address(chain string) string {
	d.number++
	if d.says != "" {
		return d.says
	}
	if chain == "solana" {
		return solana.Address{1, 2, byte(d.number >> 8), byte(d.number), 31: 9}.String()
	}
	return fmt.Sprintf("0x%040x", 0xa0000+d.number)
}

func (d *till) WalletBalances(_ context.Context, _, id string) ([]money.Amount, error) {
	if d.meanwhile != nil {
		d.meanwhile()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls["WalletBalances"]++
	if f := d.faults["WalletBalances"]; len(f) > 0 {
		d.faults["WalletBalances"] = f[1:]
		if f[0].err != nil {
			return nil, f[0].err
		}
	}
	return []money.Amount{money.Of(d.wallets[id], cmp.Or(d.holds, money.USDC))}, nil
}

func (d *till) CreateLiquidationAddress(
	_ context.Context, key, customer string, q fiat.LiquidationRequest,
) (fiat.LiquidationAddress, error) {
	return once(d, "CreateLiquidationAddress", key, []any{customer, q}, func() (fiat.LiquidationAddress, error) {
		if d.routes[q] {
			return fiat.LiquidationAddress{}, fiat.ErrKeyReused // a second one to the same wallet
		}
		d.routes[q] = true
		return fiat.LiquidationAddress{ID: d.id("address"), Chain: q.Chain, Address: d.address(q.Chain)}, nil
	})
}

func (d *till) Rate(_ context.Context, from, to money.Currency) (fiat.Rate, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.faults["Rate"]; len(f) > 0 {
		d.faults["Rate"] = f[1:]
		return fiat.Rate{}, f[0].err
	}
	sell, err := money.ParseRate(d.sell)
	middle := sell
	if d.middle != "" && err == nil {
		middle, err = money.ParseRate(d.middle)
	}
	return fiat.Rate{From: from, To: to, Midmarket: middle, Sell: sell, At: d.clock.Now().Add(-d.rateAge)}, err
}

var errNoMoney = fmt.Errorf("wallet: %w", fiat.ErrInsufficient)

func (d *till) CreateTransfer(_ context.Context, key string, q fiat.TransferRequest) (fiat.Transfer, error) {
	made, err := once(d, "CreateTransfer", key, q, func() (fiat.Transfer, error) { return d.transfer(q) })
	if err == nil {
		made = d.tell(made.ID)
	}
	return made, err
}

// transfer books a transfer out of a wallet.
func (d *till) transfer(q fiat.TransferRequest) (fiat.Transfer, error) {
	for _, t := range d.transfers {
		if t.Reference == q.Reference {
			d.t.Errorf("%s is paid twice", q.Reference)
		}
	}
	rate, err := money.ParseRate(d.sell)
	if err != nil {
		return fiat.Transfer{}, err
	}
	t := fiat.Transfer{
		ID: d.id("transfer"), Reference: q.Reference, CustomerID: q.CustomerID, WalletID: q.WalletID,
		AccountID: q.AccountID,
		ToAddress: q.ToAddress, State: fiat.TransferFunded, Fee: money.Of(q.Fee.Minor, q.Source),
		CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now(),
	}
	switch {
	case q.ToAddress != "":
		t.Source, t.Destination = q.Gross, q.Gross
	case q.Net.Currency != "":
		cost, err := rate.Cost(q.Net, q.Source)
		if err != nil {
			return t, err
		}
		t.Source, t.Destination, t.Rate = money.Of(cost.Minor+q.Fee.Minor, q.Source), q.Net, rate
	default:
		net, err := rate.Convert(money.Of(q.Gross.Minor-q.Fee.Minor, q.Source), q.Destination)
		if err != nil {
			return t, err
		}
		t.Source, t.Destination, t.Rate = q.Gross, net, rate
	}
	if d.wallets[q.WalletID] < t.Source.Minor {
		return t, errNoMoney
	}
	d.wallets[q.WalletID] -= t.Source.Minor
	d.transfers[t.ID] = &t
	d.orders = append(d.orders, t.ID)
	return t, nil
}

// tell is a transfer as it is told.
func (d *till) tell(id string) fiat.Transfer {
	t := *d.transfers[id]
	if d.lie != nil {
		d.lie(&t)
	}
	return t
}

func (d *till) Transfer(_ context.Context, id string) (fiat.Transfer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls["Transfer"]++
	if f := d.faults["Transfer"]; len(f) > 0 {
		d.faults["Transfer"] = f[1:]
		return fiat.Transfer{}, f[0].err
	}
	if d.transfers[id] == nil {
		return fiat.Transfer{}, fiat.ErrNotFound
	}
	return d.tell(id), nil
}

func (d *till) TransferOf(_ context.Context, _, reference string, since time.Time) (fiat.Transfer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls["TransferOf"]++
	if f := d.faults["TransferOf"]; len(f) > 0 {
		d.faults["TransferOf"] = f[1:]
		return fiat.Transfer{}, f[0].err
	}
	if since.IsZero() {
		d.t.Errorf("all of a customer's transfers are looked through for %s", reference)
	}
	for id, t := range d.transfers {
		if t.Reference == reference && !t.CreatedAt.Before(since) {
			return d.tell(id), nil
		}
	}
	return fiat.Transfer{}, fiat.ErrNotFound
}

func (d *till) ReadNotice(string, []byte, time.Time) (fiat.Notice, error) {
	return fiat.Notice{}, errors.New("no notices")
}

// moves brings the newest transfer into a state. One that was sent back gives the
// wallet what was converted.
func (d *till) moves(state fiat.TransferState, back int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.moved(d.transfers[d.orders[len(d.orders)-1]], state, back)
}

func (d *till) moved(t *fiat.Transfer, state fiat.TransferState, back int64) {
	t.State, t.UpdatedAt = state, d.clock.Now()
	switch state {
	case fiat.TransferProcessed:
		t.TrackingKey = "KEY" + t.ID
		if t.ToAddress != "" {
			t.TrackingKey, t.Hash = "", "0x"+t.ID
		}
	case fiat.TransferRefunded:
		t.Refunded, t.ReturnCode, t.ReturnReason = money.Of(back, t.Source.Currency), "03", "closed_account"
		d.wallets[t.WalletID] += back
	}
}

// receives puts a deposit onto every wallet's books.
func (d *till) receives(minor int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id := range d.wallets {
		d.wallets[id] += minor
	}
}

// forgetsKeys has it know no key any more.
func (d *till) forgetsKeys() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.asked)
	clear(d.given)
}

func (d *till) count(method string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[method]
}

// paid counts the transfers that it made.
func (d *till) paid() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.orders)
}
