package policy

import "math/big"

// Charges are the parts of a cost that are not paid to anybody who was meant: fees, and rent for accounts. Each is in
// USD, rounded up as Value counts it; "" where there is none, or no price tells it.
type Charges struct {
	FeeUSD, DataUSD, RentUSD string
	Rent                     *big.Int // in the coin's smallest unit
}

// ChargesOf tells the charges of a signing. They are told also where the whole cost is not.
func ChargesOf(x Signing, prices Prices) Charges {
	all := Charges{Rent: new(big.Int)}
	worth := func(amounts ...*big.Int) string {
		s := sum{prices: prices, micro: new(big.Int)}
		for _, n := range amounts {
			s.add(n, x.Network.Native)
		}
		return s.cost().String()
	}
	if x.MaxFee != nil {
		all.FeeUSD = worth(x.MaxFee)
	}
	if x.DataFee != nil {
		all.DataUSD = worth(x.DataFee)
	}
	var rents []*big.Int
	for _, e := range x.Effects {
		if n, ok := new(big.Int).SetString(e.Amount, 10); ok && e.Rent {
			rents = append(rents, n)
			all.Rent.Add(all.Rent, n)
		}
	}
	if len(rents) > 0 {
		all.RentUSD = worth(rents...)
	}
	return all
}
