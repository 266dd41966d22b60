package app

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/fx"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/kit/payout/quote"
	"github.com/railkit/railkit/money"
)

// What quotes are made of where nothing else is said.
const (
	quoteLife  = 10 * time.Minute
	rateOldest = 2 * time.Minute
	rateKept   = 30 * time.Second // until it is asked for again
	payoutMost = 1_000_000        // whole units
	rateBand   = 500              // basis points
)

// least is what a deposit has to be in order to be paid out.
var least = money.Of(1_000_000, money.USDC)

// feed is the partner's rates.
func (c Config) feed(partner fx.Source) *fx.Feed {
	if partner == nil {
		partner = noDesk{}
	}
	return fx.New(fx.Config{
		Source: partner, Clock: c.Clock, Log: c.Log, Keep: rateKept, Oldest: durationOr(c.RateOldest, rateOldest),
	})
}

// noDesk is where there is no partner.
type noDesk struct{}

func (noDesk) Rate(context.Context, money.Currency, money.Currency) (fiat.Rate, error) {
	return fiat.Rate{}, errors.Join(fiat.ErrUnavailable, errors.New("no partner is configured"))
}

// fees are what is taken of each payout. The settings were looked at before.
func (c Config) fees() price.Fees {
	return price.Fees{
		Network:  numberOr(c.PayoutNetworkFee, price.Stock.Network),
		Platform: numberOr(c.PayoutPlatformFee, price.Stock.Platform),
	}
}

// deposits are what deposits of fiat money may be, and what is taken of them.
func (c Config) deposits() price.Deposits {
	return price.DepositsOf(price.Fees{
		Network:  numberOr(c.DepositNetworkFee, price.StockOnRamp.Network),
		Platform: numberOr(c.DepositPlatformFee, price.StockOnRamp.Platform),
	}, c.DepositLeast, c.DepositMost)
}

func (c Config) quoting() quote.Settings {
	return quote.Settings{
		Life: durationOr(c.QuoteLife, quoteLife),
		Most: money.Of(numberOr(c.PayoutMost, payoutMost)*least.Minor, least.Currency),
	}
}

func durationOr(text string, stock time.Duration) time.Duration {
	if d, err := time.ParseDuration(text); err == nil {
		return d
	}
	return stock
}

func numberOr(text string, stock int64) int64 {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return stock
}
