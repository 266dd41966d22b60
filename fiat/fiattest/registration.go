package fiattest

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// Registration holds a partner to what customers, bank accounts and addresses rely on.
func Registration(t *testing.T, open Open) {
	for name, test := range map[string]func(*customer){
		"Customers": customers, "Accounts": accounts, "RefusedAccounts": refusedAccounts,
		"Addresses": addresses, "Rates": rates,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newCustomer(t, open))
		})
	}
}

func customers(c *customer) {
	key, q := uuid.NewString(), fiat.CustomerRequest{Name: "Globex", Email: "ops@globex.test"}
	made := together(c, "a customer", func() (fiat.Customer, error) { return c.CreateCustomer(c.t.Context(), key, q) })
	if got, err := c.Customer(c.t.Context(), made.ID); err != nil || got != made || made.ID == c.id {
		c.t.Errorf("%+v %v, made was %+v", got, err, made)
	}
	q.Name = "Other"
	_, err := c.CreateCustomer(c.t.Context(), key, q)
	c.fails("another customer with the key", err, fiat.ErrKeyReused)
	_, err = c.Customer(c.t.Context(), uuid.NewString())
	c.fails("nobody", err, fiat.ErrNotFound)
}

// A registration can be switched off and on, and its number is told by nobody again.
func accounts(c *customer) {
	key := uuid.NewString()
	made := together(c, "an account", func() (fiat.Account, error) {
		return c.CreateAccount(c.t.Context(), key, c.id, mexican("Eva Pérez"))
	})
	if made.State != fiat.AccountActive || made.LastFour != clabe[14:] || made.ID == c.account {
		c.t.Errorf("%+v", made)
	}
	if got, err := c.Account(c.t.Context(), c.id, made.ID); err != nil || got != made {
		c.t.Errorf("%+v %v", got, err)
	}
	off, err := c.SetAccountActive(c.t.Context(), uuid.NewString(), c.id, made.ID, false)
	if err != nil || off.State != fiat.AccountClosed {
		c.t.Errorf("off: %+v %v", off, err)
	}
	c.credit(50_000_000)
	q := c.payout()
	q.AccountID = made.ID
	_, err = c.CreateTransfer(c.t.Context(), uuid.NewString(), q)
	c.fails("to an account that is off", err, fiat.ErrRefused)
	c.holds("then", 50_000_000)
	on, err := c.SetAccountActive(c.t.Context(), uuid.NewString(), c.id, made.ID, true)
	if err != nil || on.State != fiat.AccountActive {
		c.t.Errorf("on: %+v %v", on, err)
	}
	moved, err := c.UpdateAccount(c.t.Context(), c.id,
		made.ID, fiat.AccountChange{Address: fiat.Address{Street: "Calle 2", City: "Puebla", Country: "MX"}})
	if err != nil || moved.ID != made.ID || moved.State != fiat.AccountActive {
		c.t.Errorf("moved: %+v %v", moved, err)
	}
	_, err = c.Account(c.t.Context(), c.id, uuid.NewString())
	c.fails("an account of nobody", err, fiat.ErrNotFound)
}

// What is wrong with a number is said without it.
func refusedAccounts(c *customer) {
	wrong := mexican("Ana Ruiz")
	wrong.Details.CLABE = clabe[:17] + "0"
	_, err := c.CreateAccount(c.t.Context(), uuid.NewString(), c.id, wrong)
	c.fails("a wrong check digit", err, fiat.ErrRefused)
	if err != nil && strings.Contains(err.Error(), wrong.Details.CLABE) {
		c.t.Errorf("it repeats the number: %v", err)
	}
	_, err = c.CreateAccount(c.t.Context(), uuid.NewString(), uuid.NewString(), mexican("Ana Ruiz"))
	c.fails("for nobody", err, fiat.ErrNotFound)
}

// An address is for ever, and the only one of its wallet.
func addresses(c *customer) {
	key := uuid.NewString()
	w := together(c, "a wallet", func() (fiat.Wallet, error) {
		return c.CreateWallet(c.t.Context(), key, c.id, c.Place.Chain)
	})
	to := fiat.LiquidationRequest{Chain: c.Place.Chain, Currency: money.USDC, WalletID: w.ID}
	key = uuid.NewString()
	a := together(c, "an address", func() (fiat.LiquidationAddress, error) {
		return c.CreateLiquidationAddress(c.t.Context(), key, c.id, to)
	})
	if a.Address == c.address.Address || a.ID == c.address.ID {
		c.t.Errorf("two wallets have the address %+v", a)
	}
	_, err := c.CreateLiquidationAddress(c.t.Context(), uuid.NewString(), c.id, to)
	c.fails("a second address of a wallet", err, fiat.ErrKeyReused) // it is there already
	_, err = c.WalletBalances(c.t.Context(), c.id, uuid.NewString())
	c.fails("a wallet of nobody", err, fiat.ErrNotFound)
}

func rates(c *customer) {
	r, err := c.Rate(c.t.Context(), money.USDC, money.MXN)
	if err != nil || r.From != money.USDC || r.To != money.MXN || r.Sell.IsZero() ||
		r.Sell.Cmp(r.Midmarket) > 0 || r.At.IsZero() {
		c.t.Errorf("%+v %v", r, err)
	}
}
