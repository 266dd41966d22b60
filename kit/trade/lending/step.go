package lending

import (
	"context"
	"math/big"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm/aave"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/trade/allowance"
	"github.com/railkit/railkit/rest"
)

// Step is what one transaction does.
type Step string

// The steps.
const (
	Revoke        = Step(allowance.Revoke)
	Approve       = Step(allowance.Approve)
	Supply   Step = "supply"
	Withdraw Step = "withdraw"
)

// order is a supply or a withdrawal that somebody asks for.
type order struct {
	pool
	user   string
	asset  chain.Token // no address: the network's own coin
	amount *big.Int
	step   Step // Supply or Withdraw
}

// next is the step that the user's allowances ask for, and its call.
func (o order) next(ctx context.Context) (Step, chain.Call, error) {
	r, err := o.reserve(ctx, o.reserved(o.asset))
	if err != nil {
		return "", chain.Call{}, err
	}
	if err := o.covered(ctx, r); err != nil {
		return "", chain.Call{}, err
	}
	if token, spender := o.spends(r); token != "" {
		need := allowance.Need{Token: token, Owner: o.user, Spender: spender, Amount: o.amount}
		if step, call, err := need.Next(ctx, o.node); err != nil || step != allowance.None {
			return Step(step), call, err
		}
	}
	call, err := o.call()
	return o.step, call, err
}

// covered refuses what the user does not have, and what the pool does not take. He is told so before he signs an
// allowance for it.
func (o order) covered(ctx context.Context, r reserve) error {
	if o.step == Supply && !r.takesSupplies() {
		return ErrClosed
	}
	if o.step == Supply && o.asset.Address == "" { // the node says whether the coins suffice, with the fee
		return nil
	}
	token := r.AToken
	if o.step == Supply {
		token = o.asset.Address
	}
	has, err := o.balance(ctx, token, o.user)
	switch {
	case err != nil || has.Cmp(o.amount) >= 0:
		return err
	case o.step == Supply:
		return plan.Insufficient(o.asset, o.amount, has)
	}
	return ErrNotSupplied
}

// spends is the token of which the step needs an allowance, and who takes it. A supply of the coin and a withdrawal of
// a token need none.
func (o order) spends(r reserve) (token, spender string) {
	coin := o.asset.Address == ""
	switch {
	case o.step == Supply && !coin:
		return o.asset.Address, o.Pool
	case o.step == Withdraw && coin:
		return r.AToken, o.Gateway
	}
	return "", ""
}

func (o order) call() (chain.Call, error) {
	coin := o.asset.Address == ""
	switch {
	case o.step == Supply && coin:
		return aave.SupplyCoin(o.LendingPool, o.amount, o.user)
	case o.step == Supply:
		return aave.Supply(o.LendingPool, o.asset.Address, o.amount, o.user)
	case coin:
		return aave.WithdrawCoin(o.LendingPool, o.amount, o.user)
	}
	return aave.Withdraw(o.LendingPool, o.asset.Address, o.amount, o.user)
}

// exact refuses a number with more than 15 digits: a browser's numbers hold no more exactly.
func exact(n rest.Number) error {
	if digits := strings.TrimLeft(strings.ReplaceAll(string(n), ".", ""), "0"); len(digits) > 15 {
		return fault.Field("amount", "must have at most 15 digits")
	}
	return nil
}

// says is what a step does, for people.
func (o order) says(s Step) string {
	amount := chain.FormatUnits(o.amount, o.asset.Decimals) + " " + o.asset.Symbol
	switch s {
	case Revoke:
		return "This transaction takes an allowance of another amount back; call again once it is mined"
	case Approve:
		return "This transaction lets the pool take " + amount + " and no more; call again once it is mined"
	case Supply:
		return "This transaction supplies " + amount
	}
	return "This transaction withdraws " + amount
}
