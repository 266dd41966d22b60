package bridge

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

type virtualBody struct {
	Source      currencyBody `json:"source"`
	Destination struct {
		Rail     string `json:"payment_rail"`
		Currency string `json:"currency"`
		Address  string `json:"address"`
	} `json:"destination"`
}

type currencyBody struct {
	Currency string `json:"currency"`
}

type virtualAnswer struct {
	ID           string `json:"id"`
	CustomerID   string `json:"customer_id"`
	Status       string `json:"status"`
	Instructions struct {
		Currency string `json:"currency"`
		CLABE    string `json:"clabe"`
		IBAN     string `json:"iban"`
		Account  string `json:"bank_account_number"`
		Routing  string `json:"bank_routing_number"`
		Number   string `json:"account_number"`
		SortCode string `json:"sort_code"`
	} `json:"source_deposit_instructions"`
}

// CreateVirtualAccount makes an account number whose deposits become stablecoins at
// an address.
func (c *Client) CreateVirtualAccount(
	ctx context.Context, key, customerID string, q fiat.VirtualAccountRequest,
) (fiat.VirtualAccount, error) {
	at, err := path("customers", customerID, "virtual_accounts")
	if err != nil {
		return fiat.VirtualAccount{}, err
	}
	body := virtualBody{Source: currencyBody{string(q.Source)}}
	body.Destination.Rail, body.Destination.Currency, body.Destination.Address = q.Chain, string(q.Currency), q.Address
	var a virtualAnswer
	if err := c.post(ctx, at, key, body, &a); err != nil {
		return fiat.VirtualAccount{}, err
	}
	return a.account(customerID, q.Source)
}

func (a virtualAnswer) account(customerID string, source money.Currency) (fiat.VirtualAccount, error) {
	i := a.Instructions
	if i.Currency != string(source) {
		return fiat.VirtualAccount{}, fmt.Errorf("another currency than asked for: %w", fiat.ErrAnswer)
	}
	v := fiat.VirtualAccount{
		ID: a.ID, CLABE: i.CLABE, IBAN: i.IBAN, AccountNumber: first(i.Account, i.Number),
		RoutingNumber: first(i.Routing, i.SortCode), Active: a.Status == "activated",
	}
	if v.CLABE+v.IBAN+v.AccountNumber == "" {
		return fiat.VirtualAccount{}, fmt.Errorf("an account without a number: %w", fiat.ErrAnswer)
	}
	return v, firstOf(told(a.ID), same("customer", a.CustomerID, customerID))
}
