// Package charges holds what the enclave shows of fee and rent against the transaction, and against each other. The
// dollars are the enclave's, which alone knows the price of a coin: what is compared is whether they can be of one.
package charges

import (
	"errors"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// What is wrong with what is shown.
var (
	errRent    = errors.New("the enclave shows another rent than the transaction has")
	errNumber  = errors.New("the enclave shows charges that are no number")
	errNoFee   = errors.New("the enclave shows what all of it costs, and not how much of that is the fee")
	errOneOnly = errors.New("the enclave shows the dollars of one of fee and rent")
	errPrices  = errors.New("the enclave shows fee and rent at different prices of one coin")
	errTooMuch = errors.New("the enclave shows dollars of fee and rent that are more than all of it costs")
	errPaid    = errors.New("the enclave shows the fee at another price than what is paid")
)

// Transaction is what the body and its bytes have, in the coin's smallest unit.
type Transaction struct {
	Rents []*big.Int // of the accounts that are opened
	Paid  *big.Int   // in the coin; nil where something else is paid
	// Parts says that the dollars of the fee have to be there where those of the whole are. Enclaves from before there
	// were any serve EVM networks only.
	Parts bool
}

// usdPlaces are the decimals of the enclave's dollars. It rounds each part of a cost up to a millionth.
const usdPlaces = 6

// dollars are those of a cost and its parts, in millionths; nil where none are shown.
type dollars struct{ fee, data, rent, cost *big.Int }

func read(shown *wire.Preview) (d dollars, err error) {
	for _, part := range []struct {
		text string
		to   **big.Int
	}{{shown.FeeUSD, &d.fee}, {shown.DataUSD, &d.data}, {shown.RentUSD, &d.rent}, {shown.CostUSD, &d.cost}} {
		if part.text == "" {
			continue
		}
		if *part.to, err = chain.ParseUnits(part.text, usdPlaces); err != nil {
			return d, errNumber
		}
	}
	return d, nil
}

// Check refuses another rent than the transaction has, and dollars that are missing, of different prices, or more than
// those of the whole.
func Check(shown *wire.Preview, t Transaction) error {
	rent, text := new(big.Int), ""
	for _, r := range t.Rents {
		rent.Add(rent, r)
	}
	if rent.Sign() > 0 {
		text = rent.String()
	}
	if shown.MaxRent != text {
		return errRent
	}
	d, err := read(shown)
	switch {
	case err != nil:
		return err
	case t.Parts && d.cost != nil && d.fee == nil:
		return errNoFee
	case (d.rent != nil) != (d.fee != nil && rent.Sign() > 0):
		return errOneOnly
	case d.fee == nil:
		return nil
	}
	lamports, ok := new(big.Int).SetString(shown.MaxTotalFee, 10)
	if !ok {
		return errNumber
	}
	fee := share{lamports, d.fee, 1}
	if !samePrice(fee, share{rent, orNothing(d.rent), int64(len(t.Rents))}) {
		return errPrices
	}
	return d.rest(fee, t.Paid)
}

// rest holds the parts against the whole. What is left over is paid; in the coin it is at the price of the fee. Gas and
// data are counted together in the whole, so that their own dollars may be a millionth more.
func (d dollars) rest(fee share, paid *big.Int) error {
	if d.cost == nil {
		return nil
	}
	rest, rounded := new(big.Int).Sub(d.cost, d.fee), int64(1)
	rest.Sub(rest, orNothing(d.data)).Sub(rest, orNothing(d.rent))
	if d.data != nil {
		rest.Add(rest, big.NewInt(1))
		rounded = 2
	}
	switch {
	case rest.Sign() < 0:
		return errTooMuch
	case paid != nil && !samePrice(fee, share{paid, rest, rounded}):
		return errPaid
	}
	return nil
}

func orNothing(n *big.Int) *big.Int {
	if n == nil {
		return new(big.Int)
	}
	return n
}

// share is an amount of a coin and its dollars, which were rounded up so many times.
type share struct {
	amount, micro *big.Int
	rounded       int64
}

// samePrice tells whether two shares can be at one price: 10,000 lamports for 0.0015 USD, say, and 2,100,000 for 0.315.
func samePrice(a, b share) bool {
	for _, s := range []share{a, b} {
		if s.amount.Sign() == 0 {
			return s.micro.Cmp(big.NewInt(s.rounded)) <= 0
		}
	}
	return a.below(b) && b.below(a)
}

// below tells whether the lowest price that a share can be at is no more than the highest that the other can be at.
func (s share) below(other share) bool {
	least := new(big.Int).Sub(s.micro, big.NewInt(s.rounded))
	return least.Mul(least, other.amount).Cmp(new(big.Int).Mul(other.micro, s.amount)) < 0
}
