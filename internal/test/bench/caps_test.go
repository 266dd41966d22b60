package bench

import (
	"context"

	railkit "github.com/railkit/railkit/sdk/go"
)

// caps are rules of every kind that a transfer is held against, and passes.
var caps = railkit.PolicyRules{
	MaxValueUSD: "1000", DailyUSD: "100000000", MonthlyUSD: "1000000000", AllowedDestinations: []string{receiver},
	AllowedChains: []string{"base"}, AllowedTokens: []string{"USDC"},
}

// cap puts a policy on a wallet.
func (c *customers) cap(wallet *railkit.CreatedWallet) error {
	_, err := c.client.Policies.Create(context.Background(), railkit.PolicyRequest{
		Name: "Caps", WalletID: wallet.WalletID, Rules: caps,
	})
	return err
}

// withCaps are the same customers with another wallet each, that has a policy.
func (c *customers) withCaps() ([]customer, error) {
	if c.capped != nil {
		return c.capped, nil
	}
	capped, err := many(len(c.all), func(i int) (o customer, err error) {
		o = c.all[i]
		if o.wallet, err = c.funded(o); err != nil {
			return o, err
		}
		return o, c.cap(o.wallet)
	})
	c.capped = capped
	return capped, err
}

// cappedSigns are signs by wallets with caps.
func (c *customers) cappedSigns(n int) ([]call, error) {
	all, err := c.withCaps()
	if err != nil {
		return nil, err
	}
	return c.confirms(n, func() customer { return all[int(c.next.Add(1))%len(all)] }, false)
}

// capsByNone are the same signatures with caps and without: no floor is in it. A
// cost of at most 15 % is what is aimed at.
func (c *customers) capsByNone() []flow {
	const aim, name = 1 / 1.15, "sign, caps by none"
	return []flow{
		{name, 1, 40, aim, c.cappedSigns, c.signs},
		{name, 8, 96, aim, c.cappedSigns, c.signs},
		{name, 32, 96, aim, c.cappedSigns, c.signs},
	}
}
