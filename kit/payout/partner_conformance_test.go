package payout_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/fiattest"
	"github.com/railkit/railkit/money"
)

// The partner in memory does with money what the real client's partner does, or
// tests with it would prove nothing.
func TestPayout_TillIsAPartner(t *testing.T) {
	open := func(t *testing.T) fiattest.Bench {
		d := newTill(t, clock.System{})
		return fiattest.Bench{Partner: d, Move: d.move, Receive: d.arrives, Credit: func(
			_, wallet string, a fiat.LiquidationAddress, amount money.Amount,
		) {
			d.deposits(wallet, a.ID, "0x"+uuid.NewString(), amount)
		}}
	}
	t.Run("Transfers", func(t *testing.T) { fiattest.Transfers(t, open) })
	t.Run("VirtualAccounts", func(t *testing.T) { fiattest.VirtualAccounts(t, open) })
}

// deposits has a deposit arrive at an address and come into its wallet.
func (d *till) deposits(wallet, address, hash string, amount money.Amount) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wallets[wallet] += amount.Minor
	d.drains = append([]fiat.Drain{{
		ID: d.id("drain"), AddressID: address, Amount: amount, State: "payment_processed", DepositHash: hash,
		At: d.clock.Now(),
	}}, d.drains...)
}

// move brings a transfer into a state. One that was sent back gives the wallet all
// but the fee.
func (d *till) move(id string, to fiat.TransferState) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.moved(d.transfers[id], to, d.transfers[id].Source.Minor-d.transfers[id].Fee.Minor)
}

func (d *till) Drains(_ context.Context, _, address string, since time.Time) (some []fiat.Drain, _ error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, drain := range d.drains {
		if drain.AddressID == address && !drain.At.Before(since) {
			some = append(some, drain)
		}
	}
	return some, nil
}

func (d *till) Transfers(_ context.Context, customer string, since time.Time) (some []fiat.Transfer, _ error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls["Transfers"]++
	if f := d.faults["Transfers"]; len(f) > 0 {
		d.faults["Transfers"] = f[1:]
		return nil, f[0].err
	}
	for _, id := range slices.Backward(d.orders) {
		if t := d.tell(id); t.CustomerID == customer && !t.CreatedAt.Before(since) {
			some = append(some, t)
		}
	}
	return some, nil
}
