package tron

import (
	"math/big"

	"github.com/railkit/railkit/chain"
)

// nativeAsset is how an effect names TRX.
const nativeAsset = "native"

// reading gathers what a call does.
type reading struct {
	network  chain.Network
	from     string
	contract string
	selector string // of a call of a contract that is no listed token
	effects  []chain.Effect
}

// effectsOf tells what an owner's transfer of TRX does, or his call of a contract. What is understood of a call is
// transfer, transferFrom and approve of TRC-20. Whatever the bytes leave open is an UnknownCall: with the selector
// where the function is another one, and without any, so that nothing can allow it, where the arguments are not
// written as encoders write them.
func effectsOf(n chain.Network, from string, c chain.Call) []chain.Effect {
	r := &reading{network: n, from: from, contract: c.To}
	value := orZero(c.Value)
	if value.Sign() > 0 || len(c.Data) == 0 {
		r.coin(value, c.To)
	}
	if len(c.Data) > 0 {
		r.call(c.Data)
	}
	return r.effects
}

func (r *reading) coin(amount *big.Int, to string) {
	r.add(chain.Effect{Kind: chain.Transfer, Asset: nativeAsset, From: r.from, To: to}, amount, r.network.Native)
}

func (r *reading) call(data []byte) {
	name := chain.Hex(data[:min(len(data), len(selector{}))])
	if len(data) < len(selector{}) {
		r.unknown(name)
		return
	}
	f, ok := functions[selector(data)]
	if !ok {
		r.unknown(name)
		return
	}
	words, ok := f.wordsOf(data[len(selector{}):])
	if !ok {
		r.unknown("")
		return
	}
	r.selector = name
	f.read(r, words)
}

// unknown is a call that can be allowed by its selector, or by nothing. TRX goes along with it.
func (r *reading) unknown(name string) {
	for i := range r.effects {
		r.effects[i].ByCall = true
	}
	r.effects = append(r.effects,
		chain.Effect{Kind: chain.UnknownCall, From: r.from, Contract: r.contract, Selector: name})
}

func (r *reading) moves(from string, to Address, amount *big.Int) {
	r.token(chain.Effect{Kind: chain.Transfer, From: from, To: to.String()}, amount, from != r.from)
}

func (r *reading) approves(spender Address, amount *big.Int) {
	r.token(chain.Effect{Kind: chain.Approve, From: r.from, Spender: spender.String()}, amount, true)
}

// token is an effect over an amount of a token, which is certain of a listed one alone. Of another contract it may be
// the number of an NFT, where the call is the same.
func (r *reading) token(e chain.Effect, amount *big.Int, orNumber bool) {
	e.Asset, e.Contract = r.contract, r.contract
	t, listed := r.network.TokenByAddress(r.contract)
	if !listed {
		e.Selector = r.selector
		if orNumber {
			e.TokenID = amount.String()
		}
	}
	r.add(e, amount, t)
}

func (r *reading) add(e chain.Effect, amount *big.Int, t chain.Token) {
	e.Amount = amount.String()
	if t.Symbol != "" {
		e.Symbol, e.Decimals = t.Symbol, t.Decimals
		e.Display = chain.FormatUnits(amount, t.Decimals) + " " + t.Symbol
	}
	r.effects = append(r.effects, e)
}

func orZero(n *big.Int) *big.Int {
	if n == nil {
		return new(big.Int)
	}
	return n
}
