package evm

import (
	"math/big"

	"github.com/railkit/railkit/chain"
)

// nativeAsset is how an effect names the chain's own coin.
const nativeAsset = "native"

// maxUint256 is the amount of an allowance that has no end.
var maxUint256 = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))

// Bounds of what anybody looks at. What is nested deeper is an unknown call, and
// what does more is one unknown call as a whole.
const (
	maxDepth   = 4
	maxEffects = 64
)

// Effects tells what a transaction does, as far as its bytes say it. Whatever
// they leave open is an UnknownCall, which has no amount because nobody knows
// one. A transaction that neither moves value nor calls anything is a transfer
// of zero, so that its recipient is still seen.
func Effects(from Address, to *Address, value *big.Int, data []byte, net chain.Network) []chain.Effect {
	r := newReading(net)
	if to == nil {
		if value = orZero(value); value.Sign() > 0 {
			r.add(chain.Effect{Kind: chain.Transfer, Asset: nativeAsset, From: from.String()}, value, net.Native)
		}
		return append(r.effects, chain.Effect{Kind: chain.Deploy, From: from.String()})
	}
	c := call{from: from, to: *to, value: orZero(value), data: data}
	r.call(c)
	if r.over {
		r = newReading(net)
		r.native(c)
		r.opaque(c)
	}
	return r.effects
}

// Effects tells what the transaction does when from signs it.
func (tx Tx) Effects(from Address, net chain.Network) []chain.Effect {
	return Effects(from, tx.To, tx.Value, tx.Data, net)
}

// call is one message call: that of the transaction, or one which a contract
// makes because of it.
type call struct {
	from, to Address
	value    *big.Int
	data     []byte
	depth    int
}

// reading gathers effects.
type reading struct {
	net     chain.Network
	known   map[selector]function // nobody below may name functions: they name those below
	effects []chain.Effect
	over    bool // there are more than maxEffects
}

func newReading(net chain.Network) *reading { return &reading{net: net, known: functions()} }

func (r *reading) call(c call) {
	if c.value.Sign() > 0 || len(c.data) == 0 {
		r.native(c)
	}
	if len(c.data) > 0 {
		r.calldata(c)
	}
}

func (r *reading) native(c call) {
	if c.value.Sign() > 0 || len(c.data) == 0 {
		r.add(chain.Effect{Kind: chain.Transfer, Asset: nativeAsset, From: c.from.String(), To: c.to.String()},
			c.value, r.net.Native)
	}
}

// calldata reads a call by its selector. A function that is understood, called in
// a way that is not, is opaque: its selector alone must not let it pass, since
// whoever allowed it has relied on what else is shown of it.
func (r *reading) calldata(c call) {
	f, ok := r.function(c)
	if !ok {
		r.unknown(c)
		return
	}
	before := len(r.effects)
	args, ok := decodeABI(f.args, c.data[len(selector{}):])
	if !ok || !f.read(r, c, args) || len(r.effects) == before && !f.coin && !r.over {
		r.effects = r.effects[:before]
		r.opaque(c)
	}
}

// takesCoin marks the coin that a call carries, which was told right before, as what the call takes.
func (r *reading) takesCoin(c call) {
	if last := len(r.effects) - 1; last >= 0 && orZero(c.value).Sign() > 0 {
		r.effects[last].ByCall = true
	}
}

// unknown is a call that can be allowed by its selector, and only so.
func (r *reading) unknown(c call) {
	r.takesCoin(c)
	r.add(chain.Effect{
		Kind: chain.UnknownCall, From: c.from.String(), Contract: c.to.String(), Selector: c.selector(),
	}, nil, chain.Token{})
}

// opaque is a call that nothing can allow.
func (r *reading) opaque(c call) {
	r.takesCoin(c)
	r.add(chain.Effect{Kind: chain.UnknownCall, From: c.from.String(), Contract: c.to.String()}, nil, chain.Token{})
}

// add takes in an effect over an amount, and names the asset only where the
// network lists it.
func (r *reading) add(e chain.Effect, amount *big.Int, t chain.Token) {
	if len(r.effects) >= maxEffects {
		r.over = true
		return
	}
	if amount != nil {
		e.Amount = amount.String()
	}
	if t.Symbol != "" {
		e.Symbol, e.Decimals = t.Symbol, t.Decimals
		e.Display = chain.FormatUnits(amount, t.Decimals) + " " + t.Symbol
	}
	r.effects = append(r.effects, e)
}

// function finds what is called. Some functions have their meaning in contracts
// of a known address only.
func (r *reading) function(c call) (function, bool) {
	if len(c.data) < len(selector{}) {
		return function{}, false
	}
	f, ok := r.known[selector(c.data[:len(selector{})])]
	return f, ok && (f.is == nil || f.is(r, c.to))
}

// selector is empty of a message.
func (c call) selector() string {
	if len(c.data) == 0 {
		return ""
	}
	return chain.Hex(c.data[:min(len(c.data), len(selector{}))])
}

// fungible is an effect over an amount of a token.
func (r *reading) fungible(c call, e chain.Effect, asset Address, amount *big.Int) {
	e.Asset, e.Contract = asset.String(), c.to.String()
	token, listed := r.net.TokenByAddress(e.Asset)
	if !listed || c.to != asset && !r.moves(c.to) {
		token, e.Selector = chain.Token{}, c.selector()
	}
	r.add(e, amount, token)
}

// moves tells the contracts whose transfers of a token are as certain as the token's own.
func (r *reading) moves(a Address) bool {
	return isProxy(a) || atPool(r, a) || atMarket(chain.MarketV2, chain.MarketV2AVAX, chain.MarketV3)(r, a)
}

// nft is an effect over a token with a number of its own. None is listed.
func (r *reading) nft(c call, e chain.Effect, id, amount *big.Int) {
	e.Asset, e.Contract, e.Selector, e.TokenID = c.to.String(), c.to.String(), c.selector(), id.String()
	r.add(e, amount, chain.Token{})
}
