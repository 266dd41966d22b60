package lending

import (
	"context"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/aave"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/rest"
)

// Decimals of what pools answer.
const (
	dollarDecimals = 8
	healthDecimals = 18
)

// held is what an address has to do with a reserve.
type held struct {
	reserve
	supplied, owed *big.Int
	wallet         *big.Int // of the token itself
	lendable       *big.Int // what the pool has of it
}

func (p pool) held(ctx context.Context, r reserve, user string) (h held, err error) {
	h.reserve = r
	asked := []struct {
		amount       **big.Int
		token, owner string
	}{
		{&h.supplied, r.AToken, user}, {&h.owed, r.DebtToken, user}, {&h.wallet, r.token.Address, user},
		{&h.lendable, r.token.Address, r.AToken},
	}
	answers, err := each(asked, func(a struct {
		amount       **big.Int
		token, owner string
	}) (*big.Int, error) {
		return p.balance(ctx, a.token, a.owner)
	})
	for i, a := range asked {
		*a.amount = answers[i]
	}
	return h, err
}

// positions are what an address has of every reserve.
func (p pool) positions(ctx context.Context, user string) ([]held, error) {
	all, err := p.reserves(ctx)
	if err != nil {
		return nil, err
	}
	return each(all, func(r reserve) (held, error) { return p.held(ctx, r, user) })
}

func (p pool) account(ctx context.Context, user string) (aave.Account, error) {
	data, err := aave.AccountData(user)
	answer, err := p.ask(ctx, p.Pool, data, err)
	if err != nil {
		return aave.Account{}, err
	}
	a, err := aave.ParseAccount(answer)
	if err != nil {
		return a, nodes.ErrNode.Because(err)
	}
	return a, nil
}

// Positions are what an address has supplied and owes.
func (s *Service) Positions(ctx context.Context, of Of) (rest.LendingPositions, error) {
	p, user, err := s.at(of)
	if err != nil {
		return rest.LendingPositions{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	all, err := p.positions(ctx, user)
	if err != nil {
		return rest.LendingPositions{}, err
	}
	account, err := p.account(ctx, user)
	if err != nil {
		return rest.LendingPositions{}, err
	}
	v := rest.LendingPositions{
		HealthFactor: health(account), Supplies: []rest.LendingPosition{}, Borrows: []rest.LendingPosition{},
	}
	supplied, owed := new(big.Int), new(big.Int)
	for _, h := range all {
		v.Supplies = h.position(v.Supplies, h.supplied, supplied)
		v.Borrows = h.position(v.Borrows, h.owed, owed)
	}
	v.TotalSuppliedUSD, v.TotalBorrowedUSD = dollars(supplied), dollars(owed)
	return v, nil
}

// position adds an amount that is one, also to the total in dollars.
func (r reserve) position(to []rest.LendingPosition, amount, total *big.Int) []rest.LendingPosition {
	if amount.Sign() == 0 {
		return to
	}
	worth := r.worth(amount)
	total.Add(total, worth)
	return append(to, rest.LendingPosition{
		Symbol: r.token.Symbol, TokenAddress: r.token.Address, Amount: r.units(amount), AmountUSD: dollars(worth),
	})
}

// worth is the value of an amount by the pool's oracle.
func (r reserve) worth(amount *big.Int) *big.Int {
	worth := new(big.Int).Mul(amount, r.price)
	return worth.Div(worth, power(r.token.Decimals))
}

func (r reserve) units(amount *big.Int) string { return chain.FormatUnits(amount, r.token.Decimals) }

func dollars(n *big.Int) string { return chain.FormatUnits(n, dollarDecimals) }

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// health is nil where nothing is owed.
func health(a aave.Account) *string {
	if a.HealthFactor == nil {
		return nil
	}
	text := chain.FormatUnits(a.HealthFactor, healthDecimals)
	return &text
}

// AvaxSupply is what an address has supplied of AVAX.
func (s *Service) AvaxSupply(ctx context.Context, of Of) (rest.AvaxSupply, error) {
	p, user, err := s.atAvax(of)
	if err != nil {
		return rest.AvaxSupply{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	r, err := p.reserve(ctx, p.reserved(p.network.Native))
	if err != nil {
		return rest.AvaxSupply{}, err
	}
	supplied, err := p.balance(ctx, r.AToken, user)
	if err != nil {
		return rest.AvaxSupply{}, err
	}
	return rest.AvaxSupply{AvaxSupply: r.units(supplied)}, nil
}

// atAvax is at for calls that are about AVAX alone.
func (s *Service) atAvax(of Of) (pool, string, error) {
	p, user, err := s.at(of)
	if err == nil && p.network.Native.Symbol != "AVAX" {
		err = fault.Field("chainId", "must be of a network whose coin is AVAX; supply takes the others'")
	}
	return p, user, err
}
