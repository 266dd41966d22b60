package evm

import (
	"math/big"

	"github.com/railkit/railkit/chain"
)

// nativeAsset is how an effect names the chain's own coin.
const nativeAsset = "native"

// Effects tells what a transaction does, as far as its bytes say it. Whatever
// they leave open is an UnknownCall, which has no amount because nobody knows
// one. A transaction that neither moves value nor calls anything is a transfer
// of zero, so that its recipient is still seen.
func Effects(from Address, to *Address, value *big.Int, data []byte, net chain.Network) []chain.Effect {
	var all []chain.Effect
	value = orZero(value)
	if value.Sign() > 0 || to != nil && len(data) == 0 {
		all = append(all, nativeTransfer(from, to, value, net))
	}
	switch {
	case to == nil:
		all = append(all, chain.Effect{Kind: chain.Deploy, From: from.String()})
	case len(data) > 0:
		all = append(all, call(from, *to, data, net))
	}
	return all
}

// Effects tells what the transaction does when from signs it.
func (tx Tx) Effects(from Address, net chain.Network) []chain.Effect {
	return Effects(from, tx.To, tx.Value, tx.Data, net)
}

func nativeTransfer(from Address, to *Address, value *big.Int, net chain.Network) chain.Effect {
	e := chain.Effect{Kind: chain.Transfer, Asset: nativeAsset, From: from.String()}
	if to != nil {
		e.To = to.String()
	}
	return withAmount(e, value, net.Native)
}

// call reads calldata by its selector alone. That the contract is the token it
// seems to be only the network's list can say.
func call(from, contract Address, data []byte, net chain.Network) chain.Effect {
	if len(data) < len(selector{}) {
		return unknownCall(from, contract, data)
	}
	args := arguments{rest: data[len(selector{}):]}
	e := chain.Effect{Asset: contract.String(), Contract: contract.String(), From: from.String()}
	switch selector(data[:len(selector{})]) {
	case transferCall:
		e.Kind, e.To = chain.Transfer, args.address().String()
	case transferFromCall:
		e.Kind, e.From, e.To = chain.Transfer, args.address().String(), args.address().String()
	case approveCall, increaseAllowanceCall:
		e.Kind, e.Spender = chain.Approve, args.address().String()
	default:
		return unknownCall(from, contract, data)
	}
	amount := args.amount()
	if !args.ok() {
		return unknownCall(from, contract, data)
	}
	token, _ := net.TokenByAddress(contract.String())
	return withAmount(e, amount, token)
}

func unknownCall(from, contract Address, data []byte) chain.Effect {
	return chain.Effect{
		Kind:     chain.UnknownCall,
		From:     from.String(),
		Contract: contract.String(),
		Selector: Hex(data[:min(len(data), len(selector{}))]),
	}
}

// withAmount names the asset only where the network lists it.
func withAmount(e chain.Effect, amount *big.Int, t chain.Token) chain.Effect {
	e.Amount = amount.String()
	if t.Symbol != "" {
		e.Symbol, e.Decimals = t.Symbol, t.Decimals
		e.Display = FormatUnits(amount, t.Decimals) + " " + t.Symbol
	}
	return e
}
