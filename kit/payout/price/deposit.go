package price

import (
	"errors"
	"fmt"

	"github.com/railkit/railkit/money"
)

// Limits are what one deposit of fiat money may be, and the fees that are taken of it. Min and Max are in its currency.
type Limits struct {
	Min, Max money.Amount
	Fees     Fees
}

// StockOnRamp are the fees of deposits where none are configured.
var StockOnRamp = Fees{Network: 60, Platform: 50}

// stockLimits are the least and the most that a deposit may be where nothing else is configured, in whole units. The
// most is about a million dollars, and in pounds what Faster Payments takes at once.
var stockLimits = map[money.Currency][2]int64{
	money.USD: {5, 1_000_000}, money.EUR: {5, 1_000_000}, money.MXN: {100, 20_000_000}, money.BRL: {25, 5_000_000},
	money.GBP: {5, 1_000_000},
}

// Deposits are the limits of every currency that a deposit may be in.
type Deposits map[money.Currency]Limits

// DepositsOf are the limits with the same fees in each currency. Least and most say by the currency's name, in whole
// units, what is not as usual.
func DepositsOf(fees Fees, least, most map[string]int64) Deposits {
	all := Deposits{}
	for c, usual := range stockLimits {
		all[c] = Limits{Min: whole(least, c, usual[0]), Max: whole(most, c, usual[1]), Fees: fees}
	}
	return all
}

func whole(units map[string]int64, c money.Currency, usual int64) money.Amount {
	n, ok := units[string(c)]
	if !ok {
		n = usual
	}
	for range c.Places() {
		n *= 10
	}
	return money.Of(n, c)
}

// What is wrong with limits, or with a deposit.
var (
	ErrLimits = errors.New("price: the most that a deposit may be is below the least")
	ErrLess   = errors.New("price: less than a deposit may be")
	ErrMore   = errors.New("price: more than a deposit may be")
)

// Check refuses limits that no deposit can keep, and fees that cannot be meant.
func (d Deposits) Check() error {
	for _, c := range money.Fiat {
		l := d[c]
		if l.Min.Minor <= 0 || l.Max.Minor < l.Min.Minor {
			return fmt.Errorf("%w: %s", ErrLimits, c)
		}
		if err := l.Fees.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Check is ErrLess or ErrMore for a deposit that is outside of the limits.
func (l Limits) Check(deposit money.Amount) error {
	switch {
	case deposit.Currency != l.Min.Currency:
		return money.ErrMixed
	case deposit.Minor < l.Min.Minor:
		return ErrLess
	case deposit.Minor > l.Max.Minor:
		return ErrMore
	}
	return nil
}

// Deposit is what a deposit gives: Gross = Network + Platform + Converted, and Net is what Converted is worth at Rate,
// rounded down. Of a target that the smallest unit of the deposit's currency cannot meet exactly, Beyond is what comes
// in addition to it: Net - Beyond is the target.
type Deposit struct {
	Gross, Network, Platform, Converted money.Amount
	Rate                                money.Rate
	Net, Beyond                         money.Amount
}

// OfDeposit says what a deposit gives in a stablecoin.
func (f Fees) OfDeposit(gross money.Amount, sell money.Rate, to money.Currency) (Deposit, error) {
	terms, err := f.OfGross(gross, sell, to)
	if err != nil {
		return Deposit{}, err
	}
	fee, err := terms.Fee()
	if err != nil {
		return Deposit{}, err
	}
	converted, err := gross.Sub(fee)
	return Deposit{
		Gross: gross, Network: terms.Network, Platform: terms.Platform, Converted: converted, Rate: sell,
		Net: terms.Net, Beyond: money.Of(0, to),
	}, err
}

// ForTarget says what has to be deposited so that at least an amount of stablecoin comes of it: the smallest deposit
// that is enough.
func (f Fees) ForTarget(target money.Amount, sell money.Rate, from money.Currency) (Deposit, error) {
	terms, err := f.ForNet(target, sell, from)
	if err != nil {
		return Deposit{}, err
	}
	d, err := f.OfDeposit(terms.Gross, sell, target.Currency)
	if err != nil {
		return Deposit{}, err
	}
	d.Beyond, err = d.Net.Sub(target)
	return d, err
}
