// Package allowance lets a contract take an exact amount of a token, and no more: the call that it is for uses it up.
// That takes transactions of its own before that call, one step at a time:
//
//	revoke   an allowance of another amount is set to zero (Tether's token takes no change of one that is not)
//	approve  the contract may take the amount
package allowance

import (
	"context"
	"errors"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/kit/signing/nodes"
)

// Step is what a transaction does to an allowance.
type Step string

// The steps. None: the contract may take exactly the amount.
const (
	None    Step = ""
	Revoke  Step = "revoke"
	Approve Step = "approve"
)

// Need is what a contract has to be let take.
type Need struct {
	Token, Owner, Spender string
	Amount                *big.Int // above zero
}

// Next is the step that the owner's allowance of now asks for, and its call.
func (x Need) Next(ctx context.Context, n nodes.Node) (Step, chain.Call, error) {
	owner, noOwner := evm.ParseAddress(x.Owner)
	spender, noSpender := evm.ParseAddress(x.Spender)
	if err := errors.Join(noOwner, noSpender); err != nil {
		return None, chain.Call{}, err
	}
	answer, err := nodes.Call(ctx, n, node.ContractCall{To: x.Token, Data: evm.EncodeAllowance(owner, spender)})
	if err != nil || len(answer) != 32 {
		return None, chain.Call{}, nodes.ErrNode.Because(err)
	}
	step, amount := x.step(new(big.Int).SetBytes(answer))
	if step == None {
		return None, chain.Call{}, nil
	}
	data, err := evm.EncodeApprove(spender, amount)
	return step, chain.Call{To: x.Token, Value: new(big.Int), Data: data}, err
}

// step is what an allowance asks for, and the amount that it is set to.
func (x Need) step(allowed *big.Int) (Step, *big.Int) {
	switch {
	case allowed.Cmp(x.Amount) == 0:
		return None, nil
	case allowed.Sign() == 0:
		return Approve, x.Amount
	}
	return Revoke, new(big.Int)
}
