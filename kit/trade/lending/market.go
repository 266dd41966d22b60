package lending

import (
	"cmp"
	"context"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/aave"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/rest"
)

// Markets are the reserves of a pool, and what an address has of them where one is named.
func (s *Service) Markets(ctx context.Context, of Of) (v rest.LendingMarkets, err error) {
	p, user, err := s.perhapsAt(of)
	if err != nil {
		return v, err
	}
	ctx, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	var account *aave.Account
	if user != "" {
		a, err := p.account(ctx, user)
		if err != nil {
			return v, err
		}
		account, v.UserState = &a, accountView(a)
	}
	all, err := p.reserves(ctx)
	if err != nil {
		return v, err
	}
	v.SupplyReserves, v.AllMarketsData = []rest.LendingReserve{}, []rest.LendingReserve{}
	views, err := each(all, func(r reserve) (rest.LendingReserve, error) { return p.market(ctx, r, user, account) })
	for i, r := range all {
		v.AllMarketsData = append(v.AllMarketsData, views[i])
		if r.takesSupplies() {
			v.SupplyReserves = append(v.SupplyReserves, views[i])
		}
	}
	return v, err
}

// perhapsAt is at for calls that may name no address.
func (s *Service) perhapsAt(of Of) (pool, string, error) {
	if of.UserAddress == "" {
		p, err := s.pool(of.ChainID)
		return p, "", err
	}
	return s.at(of)
}

func (p pool) market(ctx context.Context, r reserve, user string, of *aave.Account) (rest.LendingReserve, error) {
	v := r.view()
	if of == nil {
		return v, nil
	}
	h, err := p.held(ctx, r, user)
	if err != nil {
		return v, err
	}
	v.UserBalance, v.UserBalanceUSD = r.units(h.supplied), dollars(r.worth(h.supplied))
	v.SuppliableAmount, v.SuppliableAmountUSD = r.units(h.wallet), dollars(r.worth(h.wallet))
	most := h.borrowable(of)
	v.BorrowableAmount, v.BorrowableAmountUSD = r.units(most), dollars(r.worth(most))
	return v, nil
}

// borrowable is what an address's collateral and the pool's money allow.
func (h held) borrowable(a *aave.Account) *big.Int {
	most := new(big.Int)
	if !h.Borrowing || !h.takesSupplies() || h.price.Sign() == 0 {
		return most
	}
	most.Mul(a.AvailableBorrows, power(h.token.Decimals)).Div(most, h.price)
	if most.Cmp(h.lendable) > 0 {
		most.Set(h.lendable)
	}
	return most
}

func (r reserve) takesSupplies() bool { return r.Active && !r.Frozen && !r.Paused }

func (r reserve) view() rest.LendingReserve {
	return rest.LendingReserve{
		Symbol: r.token.Symbol, Name: cmp.Or(r.token.DomainName, r.token.Symbol), TokenAddress: r.token.Address,
		Decimals: r.token.Decimals, SupplyAPY: part(r.SupplyRate), SupplyAPYFormatted: percent(r.SupplyRate),
		BorrowAPY: part(r.BorrowRate), BorrowAPYFormatted: percent(r.BorrowRate), USDExchangeRate: dollars(r.price),
		CanBeCollateral: r.Collateral, CanBeBorrowed: r.Borrowing && r.takesSupplies(), IsInIsolationMode: r.Isolated,
	}
}

func accountView(a aave.Account) *rest.LendingAccount {
	return &rest.LendingAccount{
		TotalCollateralUSD: dollars(a.Collateral), TotalDebtUSD: dollars(a.Debt),
		AvailableBorrowsUSD: dollars(a.AvailableBorrows), HealthFactor: health(a),
	}
}

const rateDecimals = 27

// part is a rate as a part of one; percent is the same for people.
func part(rate *big.Int) string {
	return chain.FormatUnits(new(big.Int).Div(rate, power(rateDecimals-6)), 6)
}

func percent(rate *big.Int) string {
	return new(big.Rat).SetFrac(rate, power(rateDecimals-2)).FloatString(2) + "%"
}
