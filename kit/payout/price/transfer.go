package price

import (
	"math/big"

	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/money"
)

// Transfer is the price of a payment that a bank transfer pays for, from one bank account to the other: Amount less
// Fees, at Rate, is Net. Amount and Fees are in the currency of the bank transfer.
//
// Say that 3,000.00 MXN come. The deposit's fee is 33.00 MXN, and 2,967.00 MXN give 161.11 USDC. The payout's fees are
// 1.21 USDC, which are 22.29 MXN, and the bank gets 159.90 USD. Fees are then 55.29 MXN, and Rate is 159.90 / 2,944.71.
type Transfer struct {
	Amount, Fees money.Amount
	Rate         money.Rate
	Net          money.Amount
}

// OfTransfer is the price in one step of a bank transfer, of which a fee was taken, and of the payout of what it
// became.
func OfTransfer(amount, fee money.Amount, payout order.Terms) (Transfer, error) {
	taken, err := payout.Fee()
	if err != nil {
		return Transfer{}, err
	}
	converted, err := amount.Sub(fee)
	if err != nil {
		return Transfer{}, err
	}
	if payout.Gross.Minor <= 0 || converted.Minor <= 0 {
		return Transfer{}, ErrNothing
	}
	n := new(big.Int).Mul(big.NewInt(taken.Minor), big.NewInt(converted.Minor))
	n, rest := n.DivMod(n, big.NewInt(payout.Gross.Minor), new(big.Int))
	if rest.Sign() > 0 { // fees are rounded up
		n.Add(n, big.NewInt(1))
	}
	if !n.IsInt64() {
		return Transfer{}, money.ErrRange
	}
	fees, err := fee.Add(money.Of(n.Int64(), amount.Currency))
	if err != nil {
		return Transfer{}, err
	}
	left, err := amount.Sub(fees)
	if err != nil {
		return Transfer{}, err
	}
	rate, err := money.RateOf(left, payout.Net)
	return Transfer{Amount: amount, Fees: fees, Rate: rate, Net: payout.Net}, err
}
