package bridge

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/railkit/railkit/fiat"
)

// The calls in this file only read. railkit verify-address makes them for a person who checks an address without the
// server that showed it. Bridge documents the list of a customer at
// https://apidocs.bridge.xyz/api-reference/liquidation-addresses/get-all-liquidation-addresses-for-a-customer
// and has the list of all customers, GET /liquidation_addresses, of the same shape and paging in its OpenAPI document.

// Route is a liquidation address as Bridge lists it: whose it is, and where Bridge sends what arrives there.
type Route struct {
	ID, CustomerID           string
	Chain, Currency, Address string
	State                    string    // "" where it is not told
	CreatedAt                time.Time // zero where it is not told

	Rail, ToCurrency string // by which rail the money leaves, and as what
	// To what of the partner's or of others the money goes: what is told of these.
	WalletID, AccountID, PrefundedID, ToAddress string
}

type routeAnswer struct {
	liquidationAnswer
	State       string `json:"state"`
	CreatedAt   string `json:"created_at"`
	Rail        string `json:"destination_payment_rail"`
	ToCurrency  string `json:"destination_currency"`
	AccountID   string `json:"external_account_id"`
	PrefundedID string `json:"prefunded_account_id"`
	ToAddress   string `json:"destination_address"`
}

// Routes lists a customer's liquidation addresses or, where no customer is named, those of all customers.
func (c *Client) Routes(ctx context.Context, customerID string) ([]Route, error) {
	at := "/liquidation_addresses"
	if customerID != "" {
		var err error
		if at, err = path("customers", customerID, "liquidation_addresses"); err != nil {
			return nil, err
		}
	}
	var all []Route
	err := each(ctx, c, at, func(a routeAnswer) string { return a.ID }, func(a routeAnswer) (bool, error) {
		r, err := a.route(customerID)
		all = append(all, r)
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// longestAddress is longer than an address of any chain.
const longestAddress = 128

// route checks one of a list. Its address may be of a chain that is unknown here.
func (a routeAnswer) route(customerID string) (Route, error) {
	at, err := instant(a.CreatedAt)
	if err := firstOf(err, told(a.ID), told(a.CustomerID)); err != nil {
		return Route{}, err
	}
	if customerID != "" && a.CustomerID != customerID {
		return Route{}, fmt.Errorf("another customer than asked for: %w", fiat.ErrAnswer)
	}
	if a.Chain == "" || a.Currency == "" || a.Address == "" || len(a.Address) > longestAddress {
		return Route{}, fmt.Errorf("one of a list without its chain, currency or address: %w", fiat.ErrAnswer)
	}
	return Route{
		ID: a.ID, CustomerID: a.CustomerID, Chain: a.Chain, Currency: a.Currency, Address: a.Address,
		State: a.State, CreatedAt: at, Rail: a.Rail, ToCurrency: a.ToCurrency,
		WalletID: a.WalletID, AccountID: a.AccountID, PrefundedID: a.PrefundedID, ToAddress: a.ToAddress,
	}, nil
}

// Identity is what a person recognises a customer by.
type Identity struct{ ID, Name, Email string }

type identityAnswer struct {
	ID        string `json:"id"`
	LegalName string `json:"business_legal_name"`
	FirstName string `json:"first_name"` // a business has its whole name here
	LastName  string `json:"last_name"`  // of a business "_" or null
	Email     string `json:"email"`
}

// Identity tells who a customer is.
func (c *Client) Identity(ctx context.Context, customerID string) (Identity, error) {
	at, err := path("customers", customerID)
	if err != nil {
		return Identity{}, err
	}
	var a identityAnswer
	if err := c.get(ctx, at, nil, &a); err != nil {
		return Identity{}, err
	}
	if a.ID != customerID {
		return Identity{}, fmt.Errorf("another customer than asked for: %w", fiat.ErrAnswer)
	}
	name := first(a.LegalName, strings.TrimSpace(a.FirstName+" "+strings.TrimPrefix(a.LastName, "_")))
	return Identity{a.ID, name, a.Email}, nil
}

// Wallet tells where a wallet of a customer is. A wallet of another customer is not found.
func (c *Client) Wallet(ctx context.Context, customerID, id string) (fiat.Wallet, error) {
	a, err := c.wallet(ctx, customerID, id)
	return fiat.Wallet{ID: a.ID, Chain: a.Chain, Address: a.Address}, err
}

// BankAccount is what a person recognises a bank account by.
type BankAccount struct{ ID, OwnerName, BankName, LastFour string }

type bankAccountAnswer struct {
	accountAnswer
	OwnerName string `json:"account_owner_name"`
	BankName  string `json:"bank_name"`
}

// BankAccount tells whose account an external account of a customer is.
func (c *Client) BankAccount(ctx context.Context, customerID, id string) (BankAccount, error) {
	at, err := path("customers", customerID, "external_accounts", id)
	if err != nil {
		return BankAccount{}, err
	}
	var a bankAccountAnswer
	if err := c.get(ctx, at, nil, &a); err != nil {
		return BankAccount{}, err
	}
	known, err := a.account(customerID, id)
	return BankAccount{known.ID, a.OwnerName, a.BankName, known.LastFour}, err
}
