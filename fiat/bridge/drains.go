package bridge

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// A list is read page by page, so many at once and never without end.
const (
	pageSize = 100
	maxPages = 200
	// maxActivities is more pages than what one account has in a week: 5,000 deposits a day, of three activities each,
	// are 150 pages a day.
	maxActivities = 1000
)

// page is one of a list, newest first.
type page[T any] struct {
	Data []T `json:"data"`
}

// each asks for page after page until take has enough.
func each[T any](
	ctx context.Context, c *Client, at string, id func(T) string, take func(T) (enough bool, err error),
) error {
	return eachOf(ctx, c, at, maxPages, id, take)
}

// eachOf is each, for lists of another length. An item without an id is no place to go on from.
func eachOf[T any](
	ctx context.Context, c *Client, at string, most int, id func(T) string, take func(T) (enough bool, err error),
) error {
	seen := map[string]bool{}
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	for range most {
		var p page[T]
		last := ""
		if err := c.get(ctx, at, query, &p); err != nil {
			return err
		}
		for _, item := range p.Data {
			if name := id(item); name != "" {
				if seen[name] {
					return fmt.Errorf("a list that repeats itself: %w", fiat.ErrAnswer)
				}
				seen[name], last = true, name
			}
			if enough, err := take(item); enough || err != nil {
				return err
			}
		}
		if len(p.Data) < pageSize {
			return nil
		}
		if last == "" {
			return fmt.Errorf("a page without ids: %w", fiat.ErrAnswer)
		}
		query.Set("starting_after", last)
	}
	return fiat.ErrLong
}

type drainAnswer struct {
	ID          string  `json:"id"`
	CustomerID  string  `json:"customer_id"`
	AddressID   string  `json:"liquidation_address_id"`
	Amount      decimal `json:"amount"`
	Currency    string  `json:"currency"`
	State       string  `json:"state"`
	DepositHash string  `json:"deposit_tx_hash"`
	CreatedAt   string  `json:"created_at"`
}

// Drains lists what arrived at an address since an instant, newest first. A drain
// in a currency that is unknown here has no amount.
func (c *Client) Drains(ctx context.Context, customerID, addressID string, since time.Time) ([]fiat.Drain, error) {
	at, err := path("customers", customerID, "liquidation_addresses", addressID, "drains")
	if err != nil {
		return nil, err
	}
	var all []fiat.Drain
	err = each(ctx, c, at, func(a drainAnswer) string { return a.ID }, func(a drainAnswer) (bool, error) {
		d, err := a.drain(customerID, addressID)
		if err != nil || before(d.At, since) {
			return true, err
		}
		all = append(all, d)
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// before tells whether a list has come to what nobody asked for. What has no time
// may be new.
func before(at, since time.Time) bool { return !at.IsZero() && at.Before(since) }

func (a drainAnswer) drain(customerID, addressID string) (fiat.Drain, error) {
	if err := firstOf(told(a.ID), same("customer", a.CustomerID, customerID),
		same("address", a.AddressID, addressID)); err != nil {
		return fiat.Drain{}, err
	}
	if a.State == "" || a.Currency == "" {
		return fiat.Drain{}, fmt.Errorf("a drain without a state or a currency: %w", fiat.ErrAnswer)
	}
	currency := money.Currency(a.Currency)
	amount := money.Of(0, currency)
	at, err := instant(a.CreatedAt)
	if err == nil && currency.Known() {
		amount, err = a.Amount.amount(currency)
	}
	return fiat.Drain{
		ID: a.ID, AddressID: addressID, Amount: amount, State: a.State, DepositHash: a.DepositHash, At: at,
	}, err
}
