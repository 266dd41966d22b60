// Package price is what a payout and a deposit cost, to the smallest unit. It is pure: who
// asks brings the rate. Read price.go (payouts), deposit.go (deposits of fiat money, and their limits), transfer.go
// (both in one step).
//
// Fees are rounded up, what the bank gets is rounded down, and what is left in
// between is the residue, so that gross = fees + converted + residue always.
package price

import (
	"errors"
	"math/big"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

// Fees are what is taken of the gross, in basis points.
type Fees struct{ Network, Platform int64 }

// Stock are the fees where none are configured.
var Stock = Fees{Network: 50, Platform: 25}

// mostFees is where fees end and theft begins: half of the gross.
const mostFees = 5_000

// What can be wrong.
var (
	ErrFees    = errors.New("price: fees below zero or above half of the amount")
	ErrNothing = errors.New("price: nothing is left after the fees")
)

// Check refuses fees that cannot be meant.
func (f Fees) Check() error {
	if f.Network < 0 ||
		f.Platform < 0 || f.Network > mostFees || f.Platform > mostFees || f.Network+f.Platform > mostFees {
		return ErrFees
	}
	return nil
}

// Points are all fees together, in basis points.
func (f Fees) Points() int64 { return f.Network + f.Platform }

// Of takes the fees of a gross amount, each rounded up by itself.
func (f Fees) Of(gross money.Amount) (network, platform, rest money.Amount, err error) {
	var errs [4]error
	network, errs[0] = gross.Share(f.Network)
	platform, errs[1] = gross.Share(f.Platform)
	rest, errs[2] = gross.Sub(network)
	rest, errs[3] = rest.Sub(platform)
	return network, platform, rest, errors.Join(errs[:]...)
}

// OfGross says what a bank gets where the source is fixed.
func (f Fees) OfGross(gross money.Amount, sell money.Rate, to money.Currency) (order.Terms, error) {
	network, platform, rest, err := f.Of(gross)
	if err != nil {
		return order.Terms{}, err
	}
	if rest.Minor <= 0 {
		return order.Terms{}, ErrNothing
	}
	net, err := sell.Convert(rest, to)
	if err != nil {
		return order.Terms{}, err
	}
	if net.Minor <= 0 {
		return order.Terms{}, ErrNothing
	}
	return order.Terms{Gross: gross, Network: network, Platform: platform, Rate: sell, Net: net}, nil
}

// ForNet says what it takes where the bank is to get a fixed amount: the
// smallest gross that is enough, of which exactly that amount is delivered.
func (f Fees) ForNet(net money.Amount, sell money.Rate, from money.Currency) (order.Terms, error) {
	if net.Minor <= 0 {
		return order.Terms{}, ErrNothing
	}
	need, err := sell.Cost(net, from)
	if err != nil {
		return order.Terms{}, err
	}
	gross, err := f.least(need)
	for err == nil {
		var network, platform, rest money.Amount
		if network, platform, rest, err = f.Of(gross); err == nil && rest.Minor >= need.Minor {
			return order.Terms{Gross: gross, Network: network, Platform: platform, Rate: sell, Net: net}, nil
		}
		gross, err = join(gross, err)
	}
	return order.Terms{}, err
}

// least is the gross below which the rest cannot be enough. Because both fees
// are rounded up, it may take a few units more; and one unit more may leave one
// less, so that there is no shorter way than to try them in their order.
func (f Fees) least(need money.Amount) (money.Amount, error) {
	n := new(big.Int).Mul(big.NewInt(need.Minor), big.NewInt(10_000))
	q, m := n.DivMod(n, big.NewInt(10_000-f.Network-f.Platform), new(big.Int))
	if m.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	if !q.IsInt64() {
		return money.Amount{}, money.ErrRange
	}
	return money.Of(q.Int64(), need.Currency), nil
}

func join(gross money.Amount, err error) (money.Amount, error) {
	if err != nil {
		return gross, err
	}
	return gross.Add(money.Of(1, gross.Currency))
}

// Explained is where a gross amount goes, in the source's currency. Its parts
// are the gross again.
type Explained struct {
	Gross, Network, Platform, Converted, Residue money.Amount
	Rate                                         money.Rate
	Net                                          money.Amount // what Converted gives at Rate
}

// Explain splits what an order is paid at.
func Explain(t order.Terms) (Explained, error) {
	fee, err := t.Fee()
	if err != nil {
		return Explained{}, err
	}
	rest, err := t.Gross.Sub(fee)
	if err != nil {
		return Explained{}, err
	}
	converted, err := t.Rate.Cost(t.Net, t.Gross.Currency)
	if err != nil {
		return Explained{}, err
	}
	residue, err := rest.Sub(converted)
	return Explained{
		Gross: t.Gross, Network: t.Network, Platform: t.Platform, Converted: converted, Residue: residue, Rate: t.Rate,
		Net: t.Net,
	}, err
}
