package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

type transferBody struct {
	Reference   string   `json:"client_reference_id"`
	CustomerID  string   `json:"on_behalf_of"`
	Amount      string   `json:"amount,omitzero"`
	Fee         string   `json:"developer_fee,omitzero"`
	Source      endpoint `json:"source"`
	Destination endpoint `json:"destination"`
}

type endpoint struct {
	Rail      string `json:"payment_rail"`
	Currency  string `json:"currency"`
	WalletID  string `json:"bridge_wallet_id,omitzero"`
	AccountID string `json:"external_account_id,omitzero"`
	ToAddress string `json:"to_address,omitzero"`
	Amount    string `json:"amount,omitzero"`
}

// CreateTransfer moves money out of a wallet. An answer that is about anything else
// than what was asked for is an unknown outcome.
func (c *Client) CreateTransfer(ctx context.Context, key string, q fiat.TransferRequest) (fiat.Transfer, error) {
	var a transferAnswer
	if err := c.post(ctx, "/transfers", key, transferOf(q), &a); err != nil {
		return fiat.Transfer{}, err
	}
	t, err := a.transfer()
	if err != nil {
		return fiat.Transfer{}, err
	}
	if err := t.Check(q); err != nil {
		return fiat.Transfer{}, err
	}
	return t, nil
}

func transferOf(q fiat.TransferRequest) transferBody {
	b := transferBody{
		Reference: q.Reference, CustomerID: q.CustomerID, Amount: written(q.Gross), Fee: written(q.Fee),
		Source: endpoint{Rail: "bridge_wallet", Currency: string(q.Source), WalletID: q.WalletID},
		Destination: endpoint{
			Rail: string(q.Rail), Currency: string(q.Destination), AccountID: q.AccountID, Amount: written(q.Net),
		},
	}
	if q.ToAddress != "" {
		b.Destination.Rail, b.Destination.ToAddress = q.ToChain, q.ToAddress
	}
	return b
}

// written is an amount as it is sent; one that was not given is left out.
func written(a money.Amount) string {
	if a.Currency == "" {
		return ""
	}
	return a.String()
}

// Transfer tells how far one is.
func (c *Client) Transfer(ctx context.Context, id string) (fiat.Transfer, error) {
	at, err := path("transfers", id)
	if err != nil {
		return fiat.Transfer{}, err
	}
	var a transferAnswer
	if err := c.get(ctx, at, nil, &a); err != nil {
		return fiat.Transfer{}, err
	}
	if err := same("transfer", a.ID, id); err != nil {
		return fiat.Transfer{}, err
	}
	return a.transfer()
}

// TransferOf looks through a customer's transfers since an instant for a reference of
// ours, newest first. ErrNotFound means that there is none: a list that is not found says nothing
// of that, and one under our reference that is another customer's is no answer.
func (c *Client) TransferOf(ctx context.Context, customerID, reference string, since time.Time) (fiat.Transfer, error) {
	at, err := path("customers", customerID, "transfers")
	if err != nil || reference == "" {
		return fiat.Transfer{}, fiat.ErrNotFound
	}
	var found *transferAnswer
	err = each(ctx, c, at, func(a transferAnswer) string { return a.ID }, func(a transferAnswer) (bool, error) {
		at, err := instant(a.CreatedAt)
		if err != nil || before(at, since) {
			return true, err
		}
		if a.Reference == reference {
			found = &a
		}
		return found != nil, nil
	})
	switch {
	case errors.Is(err, fiat.ErrNotFound):
		return fiat.Transfer{}, fmt.Errorf("a customer's transfers are not found: %w", fiat.ErrAnswer)
	case err != nil:
		return fiat.Transfer{}, err
	case found == nil:
		return fiat.Transfer{}, fiat.ErrNotFound
	}
	if err := same("customer", found.CustomerID, customerID); err != nil {
		return fiat.Transfer{}, err
	}
	return found.transfer()
}

// Transfers lists those that were made for a customer since an instant, newest first.
func (c *Client) Transfers(ctx context.Context, customerID string, since time.Time) ([]fiat.Transfer, error) {
	at, err := path("customers", customerID, "transfers")
	if err != nil {
		return nil, err
	}
	var all []fiat.Transfer
	err = each(ctx, c, at, func(a transferAnswer) string { return a.ID }, func(a transferAnswer) (bool, error) {
		t, err := a.transfer()
		if err == nil {
			err = same("customer", a.CustomerID, customerID)
		}
		if err != nil || before(t.CreatedAt, since) {
			return true, err
		}
		all = append(all, t)
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}
