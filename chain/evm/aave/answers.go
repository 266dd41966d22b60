package aave

import (
	"errors"
	"math/big"

	"github.com/railkit/railkit/chain/evm"
)

// ErrAnswer is an answer that no such pool gives.
var ErrAnswer = errors.New("the answer is not that of a lending pool")

// Reserve is what a pool says of a token that it lends.
type Reserve struct {
	Active, Frozen, Paused bool
	Borrowing              bool     // it is lent out
	Collateral             bool     // what is supplied can cover a debt
	Isolated               bool     // as collateral it covers debts of some tokens only
	SupplyRate             *big.Int // a year, with 27 decimals, without compounding
	BorrowRate             *big.Int
	AToken, DebtToken      string
}

// Where the parts of getReserveData's answer are, in words.
const (
	reserveWords     = 15
	configurationAt  = 0
	supplyRateAt     = 2
	borrowRateAt     = 4
	aTokenAt         = 8
	debtTokenAt      = 10
	ltvBits          = 16
	activeBit        = 56
	frozenBit        = 57
	borrowingBit     = 58
	pausedBit        = 60
	debtCeilingAtBit = 212
	debtCeilingBits  = 40
)

// ParseReserve reads the answer to ReserveData. ErrAnswer also where the pool does not lend the token at all.
func ParseReserve(answer []byte) (Reserve, error) {
	w, err := words(answer, reserveWords)
	if err != nil {
		return Reserve{}, err
	}
	bits := w[configurationAt]
	r := Reserve{
		Active: bits.Bit(activeBit) == 1, Frozen: bits.Bit(frozenBit) == 1, Paused: bits.Bit(pausedBit) == 1,
		Borrowing: bits.Bit(borrowingBit) == 1, Collateral: part(bits, 0, ltvBits).Sign() > 0,
		Isolated:   part(bits, debtCeilingAtBit, debtCeilingBits).Sign() > 0,
		SupplyRate: w[supplyRateAt], BorrowRate: w[borrowRateAt],
	}
	if r.AToken, err = address(w[aTokenAt]); err != nil {
		return Reserve{}, err
	}
	r.DebtToken, err = address(w[debtTokenAt])
	return r, err
}

// Account is what a pool says of a user, over all tokens. Dollars have eight decimals.
type Account struct {
	Collateral, Debt, AvailableBorrows *big.Int
	// HealthFactor has 18 decimals; below one the collateral may be sold. nil: nothing is owed.
	HealthFactor *big.Int
}

// ParseAccount reads the answer to AccountData.
func ParseAccount(answer []byte) (Account, error) {
	w, err := words(answer, 6)
	if err != nil {
		return Account{}, err
	}
	a := Account{Collateral: w[0], Debt: w[1], AvailableBorrows: w[2], HealthFactor: w[5]}
	if a.Debt.Sign() == 0 {
		a.HealthFactor = nil
	}
	return a, nil
}

// ParseNumber reads the answer to Price and BalanceOf.
func ParseNumber(answer []byte) (*big.Int, error) {
	w, err := words(answer, 1)
	if err != nil {
		return nil, err
	}
	return w[0], nil
}

// words reads at least n: a later version of a contract may answer more.
func words(answer []byte, n int) ([]*big.Int, error) {
	if len(answer) < 32*n || len(answer)%32 != 0 {
		return nil, ErrAnswer
	}
	all := make([]*big.Int, n)
	for i := range all {
		all[i] = new(big.Int).SetBytes(answer[32*i : 32*i+32])
	}
	return all, nil
}

func part(n *big.Int, from, bits uint) *big.Int {
	mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1))
	return mask.And(mask, new(big.Int).Rsh(n, from))
}

func address(word *big.Int) (string, error) {
	if word.Sign() == 0 || word.BitLen() > 160 {
		return "", ErrAnswer
	}
	return evm.Address(word.FillBytes(make([]byte, 20))).String(), nil
}
