// Package fiattest says what a fiat.Partner must do, whoever it is: the client with
// the sandbox's server behind it, and every stand-in that tests take for one. What
// the kits rely on is here, and nothing that they do not.
package fiattest

import (
	"cmp"
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/money"
)

// Bench is a partner under test, with the hands behind it.
type Bench struct {
	fiat.Partner
	// Place is the chain of wallets, addresses and coins; zero: Base.
	Place Place
	// Credit has a deposit arrive at an address, and come into its wallet.
	Credit func(customer, wallet string, a fiat.LiquidationAddress, amount money.Amount)
	// Move brings a transfer further, if it does not go by itself.
	Move func(transfer string, to fiat.TransferState)
	// Receive has a bank transfer arrive at a virtual account, and tells its deposit's id. One that is held is not
	// converted.
	Receive func(v fiat.VirtualAccount, amount money.Amount, held bool) (deposit string)
	// Control are the sandbox's controls: of Faults and Notices only.
	Control *control.Client
	// Keep makes sure that the partner's own books are right; of them only.
	Keep func(reference string, paid int)
}

// Place is a chain, and somebody's address on it, which is nobody's account at the partner.
type Place struct{ Chain, Address string }

var base = Place{"base", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}

// Open makes a partner for one test.
type Open func(t *testing.T) Bench

// customer is one with a wallet, an address and a bank account in Mexico.
type customer struct {
	Bench
	t                   *testing.T
	id, wallet, account string
	address             fiat.LiquidationAddress
}

const clabe = "032180000118359719"

func newCustomer(t *testing.T, open Open) *customer {
	t.Helper()
	c := &customer{Bench: open(t), t: t}
	c.setUp()
	return c
}

func (c *customer) setUp() {
	t := c.t
	t.Helper()
	c.Place = cmp.Or(c.Place, base)
	made, err := c.CreateCustomer(t.Context(), uuid.NewString(), fiat.CustomerRequest{
		Name: "Acme", Email: "ops@acme.test",
	})
	if err != nil || made.Status != fiat.CustomerActive {
		t.Fatalf("%+v %v", made, err)
	}
	c.id = made.ID
	w, err := c.CreateWallet(t.Context(), uuid.NewString(), c.id, c.Place.Chain)
	if err != nil {
		t.Fatal(err)
	}
	c.wallet = w.ID
	if c.address, err = c.CreateLiquidationAddress(t.Context(), uuid.NewString(), c.id, c.liquidation()); err != nil {
		t.Fatal(err)
	}
	a, err := c.CreateAccount(t.Context(), uuid.NewString(), c.id, mexican("Ana Ruiz"))
	if err != nil || a.State != fiat.AccountActive {
		t.Fatalf("%+v %v", a, err)
	}
	c.account = a.ID
}

func mexican(owner string) fiat.AccountRequest {
	return fiat.AccountRequest{
		Currency: money.MXN, Rail: fiat.SPEI, OwnerName: owner, BankName: "STP", Details: fiat.Details{CLABE: clabe},
		Address: fiat.Address{Street: "Av. Reforma 1", City: "CDMX", Country: "MX"},
	}
}

func (c *customer) liquidation() fiat.LiquidationRequest {
	return fiat.LiquidationRequest{Chain: c.Place.Chain, Currency: money.USDC, WalletID: c.wallet}
}

// payout asks for ten dollars' worth of pesos.
func (c *customer) payout() fiat.TransferRequest {
	return fiat.TransferRequest{
		CustomerID: c.id, WalletID: c.wallet, Reference: uuid.NewString(), Chain: c.Place.Chain, AccountID: c.account,
		Source: money.USDC, Gross: usdc(10_000_000), Fee: usdc(75_000), Destination: money.MXN, Rail: fiat.SPEI,
	}
}

func usdc(minor int64) money.Amount { return money.Of(minor, money.USDC) }

func (c *customer) credit(minor int64) {
	c.t.Helper()
	c.Credit(c.id, c.wallet, c.address, usdc(minor))
}

func (c *customer) holds(what string, minor int64) {
	c.t.Helper()
	all, err := c.WalletBalances(c.t.Context(), c.id, c.wallet)
	got := int64(0)
	for _, a := range all {
		if a.Currency == money.USDC {
			got += a.Minor
		}
	}
	if err != nil || got != minor {
		c.t.Errorf("%s: the wallet holds %v (%v), want %s", what, all, err, usdc(minor))
	}
}

func (c *customer) pays(q fiat.TransferRequest) fiat.Transfer {
	c.t.Helper()
	made, err := c.CreateTransfer(c.t.Context(), uuid.NewString(), q)
	if err != nil {
		c.t.Fatal(err)
	}
	return made
}

// reaches waits until a transfer is in a state.
func (c *customer) reaches(id string, want fiat.TransferState) fiat.Transfer {
	c.t.Helper()
	if c.Move != nil {
		c.Move(id, want)
	}
	var is fiat.Transfer
	c.eventually("a transfer is "+string(want), func() bool {
		var err error
		is, err = c.Transfer(c.t.Context(), id)
		return err == nil && is.State == want
	})
	return is
}

func (c *customer) eventually(what string, check func() bool) {
	c.t.Helper()
	testwait.Until(c.t, what, check)
}

// fails holds an error to be one of the port's, and none of the others.
func (c *customer) fails(what string, err, want error) {
	c.t.Helper()
	if !errors.Is(err, want) {
		c.t.Errorf("%s: %v, want %v", what, err, want)
	}
	for _, other := range []error{
		fiat.ErrRefused, fiat.ErrInsufficient, fiat.ErrNotFound, fiat.ErrUnavailable, fiat.ErrBusy,
		fiat.ErrKeyReused, fiat.ErrAnswer,
	} {
		if other != want && errors.Is(err, other) {
			c.t.Errorf("%s: %v is %v too", what, err, other)
		}
	}
}

// together makes a call many times at once, and wants one answer.
func together[T comparable](c *customer, what string, call func() (T, error)) (answer T) {
	c.t.Helper()
	answers, errs := make([]T, 8), make([]error, 8)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i], errs[i] = call() })
	}
	all.Wait()
	for i := range answers {
		if errs[i] != nil || answers[i] != answers[0] {
			c.t.Errorf("%s, asked eight times at once: %+v (%v) and %+v (%v)", what, answers[0],
				errs[0], answers[i], errs[i])
		}
	}
	return answers[0]
}
