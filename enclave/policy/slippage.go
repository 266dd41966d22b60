package policy

import (
	"cmp"
	"errors"
	"math/big"
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// Slippage is by how much less the least that a swap brings back is worth than what it sells, in signed prices. Of 10
// USDC that are sold for at least 0.004 WETH, where one ETH is 2000 USD, 2 of 10 USD may be lost: 2000 Bps. The host's
// own quote has no part in it: one that lies makes the stamped minimum small, and the gap large.
type Slippage struct {
	Swap    bool   // false: the signing is no swap
	Bps     int64  // hundredths of a percent of what is sold, rounded up; 0 where nothing is lost
	Unknown string // why it cannot be told; then Bps says nothing
}

// percentPlaces are the decimal places of a limit on slippage, and mostPercent is the highest one: Bps are exact for
// each of them.
const (
	percentPlaces = 2
	mostPercent   = 50
)

// UsualSlippage is the gap, in hundredths of a percent, above which a preview warns.
const UsualSlippage = 300

var errPercent = errors.New("rules.maxSlippagePercent is not a plain decimal from 0 to 50 with at most 2 places")

// parsePercent reads percents into hundredths of one: "0.5" is 50.
func parsePercent(text string) (bps int64, err error) {
	n, err := chain.ParseUnits(text, percentPlaces)
	if err != nil || n.Cmp(big.NewInt(mostPercent*100)) > 0 {
		return 0, errPercent
	}
	return n.Int64(), nil
}

func percent(text string) error {
	if text == "" {
		return nil
	}
	_, err := parsePercent(text)
	return err
}

// FormatPercent writes hundredths of a percent as a limit is written: 50 is "0.5".
func FormatPercent(bps int64) string { return chain.FormatUnits(big.NewInt(bps), percentPlaces) }

// Shown is what a preview says of it, nil where there is no swap.
func (s Slippage) Shown() *wire.Slippage {
	switch {
	case !s.Swap:
		return nil
	case s.Unknown != "":
		return &wire.Slippage{Unknown: s.Unknown}
	}
	return &wire.Slippage{Percent: FormatPercent(s.Bps)}
}

// slippage compares what a swap sells with what it brings back to the wallet itself. What it brings to somebody else is
// lost to the wallet.
func slippage(x Signing, prices Prices) Slippage {
	if !slices.ContainsFunc(x.Effects, func(e chain.Effect) bool { return e.Ends != 0 }) {
		return Slippage{}
	}
	sold, back := new(big.Rat), new(big.Rat)
	for _, e := range x.Effects {
		side := sold
		switch {
		case e.Kind == chain.Receive:
			side = back
		case e.Ends != 0: // what somebody else gets for it
			continue
		}
		worth, unknown := x.worth(e, prices)
		if unknown != "" {
			return Slippage{Swap: true, Unknown: unknown}
		}
		side.Add(side, worth)
	}
	if sold.Sign() == 0 {
		return Slippage{Swap: true, Unknown: "nothing is sold"}
	}
	gap := new(big.Rat).Sub(sold, back)
	gap.Quo(gap.Mul(gap, big.NewRat(10_000, 1)), sold)
	return Slippage{Swap: true, Bps: max(0, ceil(gap.Num(), gap.Denom()).Int64())}
}

// worth is what an effect moves, in USD.
func (x Signing) worth(e chain.Effect, prices Prices) (usd *big.Rat, unknown string) {
	t, ok := x.listed(e)
	if !ok {
		return nil, "unlisted token " + e.Asset
	}
	amount, ok := new(big.Int).SetString(e.Amount, 10)
	if !ok || amount.Sign() < 0 {
		return nil, "amount of " + t.Symbol
	}
	return prices.worth(amount, t)
}

// worth is an amount of a listed asset in USD. Nothing is worth nothing, also where there is no price.
func (prices Prices) worth(amount *big.Int, t chain.Token) (usd *big.Rat, unknown string) {
	if amount.Sign() == 0 {
		return new(big.Rat), ""
	}
	p, ok := prices(cmp.Or(t.Wraps, t.Symbol))
	if !ok || p.USD == nil || p.USD.Sign() <= 0 || t.Decimals < 0 {
		return nil, "no price of " + t.Symbol
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Decimals)), nil)
	whole := new(big.Rat).SetFrac(amount, unit)
	return whole.Mul(whole, p.USD), ""
}

// slippage judges a swap by its gap. A policy without the rule says nothing of it.
func (k check) slippage(s Slippage) *wire.Denial {
	if k.MaxSlippagePercent == "" || !s.Swap {
		return nil
	}
	if s.Unknown != "" {
		return &wire.Denial{
			Rule: UnknownPrice, Field: "minimum", Observed: s.Unknown,
			Limit: MaxSlippagePercent + " " + k.MaxSlippagePercent,
		}
	}
	if most, err := parsePercent(k.MaxSlippagePercent); err != nil || s.Bps > most {
		return &wire.Denial{
			Rule: MaxSlippagePercent, Field: "minimum", Observed: FormatPercent(s.Bps) + " %",
			Limit: k.MaxSlippagePercent + " %",
		}
	}
	return nil
}
