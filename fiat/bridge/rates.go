package bridge

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

type rateAnswer struct {
	Midmarket decimal `json:"midmarket_rate"`
	Sell      decimal `json:"sell_rate"`
	UpdatedAt string  `json:"updated_at"`
}

// ahead is how far the partner's clock may be before ours.
const ahead = time.Minute

// Rate tells what the desk gives. Bridge quotes currencies against the dollar and
// takes a USDC for one, so a pair of others goes through it.
func (c *Client) Rate(ctx context.Context, from, to money.Currency) (fiat.Rate, error) {
	dollar := fiat.Rate{Midmarket: one, Sell: one, At: c.clock.Now()}
	in, out := dollar, dollar
	var err error
	if pegged(from) != money.USD {
		if in, err = c.pair(ctx, pegged(from), money.USD); err != nil {
			return fiat.Rate{}, err
		}
	}
	if pegged(to) != money.USD {
		if out, err = c.pair(ctx, money.USD, pegged(to)); err != nil {
			return fiat.Rate{}, err
		}
	}
	r := fiat.Rate{
		From: from, To: to, Midmarket: in.Midmarket.Times(out.Midmarket), Sell: in.Sell.Times(out.Sell), At: in.At,
	}
	if out.At.Before(r.At) {
		r.At = out.At
	}
	return r, nil
}

// one is what a dollar is in dollars.
var one = func() money.Rate {
	r, _ := money.ParseRate("1")
	return r
}()

// pegged is what a currency counts as at the desk.
func pegged(c money.Currency) money.Currency {
	if c == money.USDC {
		return money.USD
	}
	return c
}

func (c *Client) pair(ctx context.Context, from, to money.Currency) (fiat.Rate, error) {
	var a rateAnswer
	if err := c.get(ctx, "/exchange_rates", url.Values{"from": {string(from)}, "to": {string(to)}}, &a); err != nil {
		return fiat.Rate{}, err
	}
	return a.rate(c.clock.Now())
}

// rate refuses what cannot be: a desk that gives more than the market.
func (a rateAnswer) rate(now time.Time) (fiat.Rate, error) {
	mid, err1 := a.Midmarket.rate()
	sell, err2 := a.Sell.rate()
	at, err3 := instant(a.UpdatedAt)
	if err := firstOf(err1, err2, err3); err != nil {
		return fiat.Rate{}, err
	}
	if mid.IsZero() || sell.IsZero() || sell.Cmp(mid) > 0 || at.After(now.Add(ahead)) {
		return fiat.Rate{}, fmt.Errorf("a rate that cannot be: %w", fiat.ErrAnswer)
	}
	if at.IsZero() || at.After(now) {
		at = now
	}
	return fiat.Rate{Midmarket: mid, Sell: sell, At: at}, nil
}
