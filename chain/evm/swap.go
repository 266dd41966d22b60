package evm

import (
	"bytes"
	"math/big"
	"slices"

	"github.com/railkit/railkit/chain"
)

// Swaps, at the routers that the network lists and nowhere else. Each is told as two effects: the tokens sold leave for
// the router, and at least so much of another token comes back. With 10 USDC for at least 0.0033 WETH:
//
//	transfer  10 USDC      from the wallet to the router
//	receive   0.0033 WETH  from the router to the wallet, until 12:20
//
// Where the receiver is not the wallet, the second one is a transfer to him, which rules judge as any other: the host
// that names him would get what the wallet pays for.
//
// Four things make a swap opaque, so that no rule allows it: a minimum of nothing (the host could sell the tokens to
// itself for a cent), a route of more than two steps or through a token that is not listed, an amount that is only
// known
// on chain, and a swap that another contract is asked to make, since what comes back is then that contract's.

// swap is one trade as a call asks for it.
type swap struct {
	in    *big.Int  // nil: the value of the call
	least *big.Int  // what has to come back
	path  []Address // from the token sold to the token bought
	toETH bool      // the bought token, the wrapped coin, is paid out as the coin itself
	to    Address
	until *big.Int // seconds since 1970
}

// The functions of V2 routers that sell an exact amount. Those for tokens that keep a fee are left unread: what comes
// back is not what the call says.
var (
	v2Calls = map[string]reader{
		"swapExactTokensForTokens(uint256,uint256,address[],address,uint256)": sellTokens(false),
	}
	v2ETHCalls = map[string]reader{
		"swapExactETHForTokens(uint256,address[],address,uint256)":         sellCoin,
		"swapExactTokensForETH(uint256,uint256,address[],address,uint256)": sellTokens(true),
	}
	v2AVAXCalls = map[string]reader{
		"swapExactAVAXForTokens(uint256,address[],address,uint256)":         sellCoin,
		"swapExactTokensForAVAX(uint256,uint256,address[],address,uint256)": sellTokens(true),
	}
)

func sellTokens(toETH bool) reader {
	return func(r *reading, c call, a []abiValue) bool {
		return r.swap(c, swap{
			in: a[0].number(), least: a[1].number(), path: pathOf(a[2]), toETH: toETH, to: a[3].address(),
			until: a[4].number(),
		})
	}
}

func sellCoin(r *reading, c call, a []abiValue) bool {
	return r.swap(c, swap{least: a[0].number(), path: pathOf(a[1]), to: a[2].address(), until: a[3].number()})
}

func pathOf(v abiValue) (path []Address) {
	for _, token := range v.items {
		path = append(path, token.address())
	}
	return path
}

// atMarket is the place of functions that only routers of some kinds have.
func atMarket(kinds ...chain.MarketKind) func(*reading, Address) bool {
	return func(r *reading, to Address) bool {
		m, ok := chain.MarketAt(r.net, to.String())
		return ok && slices.Contains(kinds, m.Kind)
	}
}

// atWrapped is the place of the functions that turn the network's coin into its token and back.
func atWrapped(r *reading, to Address) bool {
	t, ok := r.net.Wrapped()
	return ok && isAt(t, to)
}

func isAt(t chain.Token, a Address) bool {
	at, err := ParseAddress(t.Address)
	return err == nil && at == a
}

// lastSecond is the highest deadline that is read: in the year 36812. Higher ones are numbers that mean "never".
const lastSecond = 1 << 40

func (r *reading) swap(c call, s swap) bool {
	fromETH := s.in == nil
	if fromETH {
		s.in = c.value
	}
	ends := s.until.IsInt64() && s.until.Int64() < lastSecond
	switch {
	case c.depth > 0 || !ends || s.in.Sign() == 0 || s.least.Sign() == 0 || !r.listedRoute(s.path):
		return false
	case fromETH && !atWrapped(r, s.path[0]) || !fromETH && c.value.Sign() > 0:
		return false
	case s.toETH && !atWrapped(r, s.path[len(s.path)-1]):
		return false
	}
	if fromETH {
		r.takesCoin(c)
	} else {
		r.fungible(c, taken(c), s.path[0], s.in)
	}
	r.bought(c, s)
	return true
}

// listedRoute passes a route of one or two steps whose token in between is listed: a host could send a trade through a
// pool of its own, where the minimum is all that comes back.
func (r *reading) listedRoute(path []Address) bool {
	if len(path) == 3 {
		_, listed := r.net.TokenByAddress(path[1].String())
		return listed && path[0] != path[1] && path[1] != path[2] && path[0] != path[2]
	}
	return len(path) == 2 && path[0] != path[1]
}

// taken is what a call takes from its sender for the contract.
func taken(c call) chain.Effect {
	e := transferred(c.from, c.to)
	e.ByCall = true
	return e
}

func (r *reading) bought(c call, s swap) {
	e := chain.Effect{Kind: chain.Receive, From: c.to.String(), To: s.to.String(), Ends: s.until.Int64()}
	if s.to != c.from {
		e.Kind = chain.Transfer
	}
	if len(s.path) == 3 {
		via, _ := r.net.TokenByAddress(s.path[1].String())
		e.Via = via.Symbol
	}
	if s.toETH {
		e.Asset, e.Contract = nativeAsset, c.to.String()
		r.add(e, s.least, r.net.Native)
		return
	}
	r.fungible(c, e, s.path[len(s.path)-1], s.least)
}

// wrapCalls turn the coin into its token and back, one for one.
var wrapCalls = map[string]reader{
	"deposit()": func(r *reading, c call, _ []abiValue) bool {
		r.takesCoin(c)
		return c.depth == 0 && c.value.Sign() > 0 && r.wrap(c, c.to.String(), c.value)
	},
	"withdraw(uint256)": func(r *reading, c call, a []abiValue) bool {
		if c.depth > 0 || c.value.Sign() > 0 || a[0].isZero() {
			return false
		}
		r.fungible(c, taken(c), c.to, a[0].number())
		return r.wrap(c, nativeAsset, a[0].number())
	},
}

func (r *reading) wrap(c call, gets string, amount *big.Int) bool {
	t := r.net.Native
	if gets != nativeAsset {
		t, _ = r.net.Wrapped()
	}
	r.add(chain.Effect{
		Kind: chain.Receive, Asset: gets, From: c.to.String(), To: c.from.String(), Contract: c.to.String(),
	}, amount, t)
	return true
}

// The two steps that are read of a call to SwapRouter02: a trade, and the payment of the coin that it brought.
var (
	exactInputSingle = selectorOf("exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))")
	exactInput       = selectorOf("exactInput((bytes,address,uint256,uint256))")
	unwrapWETH9      = selectorOf("unwrapWETH9(uint256,address)")

	exactInputSingleArgs = parseSignature("((address,address,uint24,address,uint256,uint256,uint160))")
	exactInputArgs       = parseSignature("((bytes,address,uint256,uint256))")
	unwrapWETH9Args      = parseSignature("(uint256,address)")
)

// What SwapRouter02 takes for the sender, and for itself, in the place of a receiver.
var (
	routersSender = Address{19: 1}
	routerItself  = Address{19: 2}
)

// v3Swap reads multicall(deadline, [trade]) and multicall(deadline, [trade, unwrapWETH9]).
func (r *reading) v3Swap(c call, until *big.Int, steps []abiValue) bool {
	if len(steps) == 0 || len(steps) > 2 {
		return false
	}
	s, ok := v3Trade(steps[0].raw)
	if !ok {
		return false
	}
	s.until = until
	if len(steps) == 2 {
		if s.to != routerItself || !s.unwrap(steps[1].raw) {
			return false
		}
	}
	if s.to == routersSender {
		s.to = c.from
	}
	if s.to == routerItself { // whoever comes next would take it
		return false
	}
	if c.value.Sign() > 0 {
		if s.in.Cmp(c.value) != 0 {
			return false
		}
		s.in = nil
	}
	return r.swap(c, s)
}

// unwrap takes in the step that pays the coin out.
func (s *swap) unwrap(step []byte) bool {
	if !bytes.HasPrefix(step, unwrapWETH9[:]) {
		return false
	}
	a, ok := decodeABI(unwrapWETH9Args, step[4:])
	if !ok {
		return false
	}
	s.least, s.to, s.toETH = a[0].number(), a[1].address(), true
	return true
}

// v3Trade reads a trade of one step, or of several in one path. One with a limit of the price may sell less than it
// says: what is left of a coin would stay with the router.
func v3Trade(step []byte) (swap, bool) {
	switch {
	case bytes.HasPrefix(step, exactInputSingle[:]):
		a, ok := decodeABI(exactInputSingleArgs, step[4:])
		if !ok || !a[0].items[6].isZero() {
			return swap{}, false
		}
		p := a[0].items
		return swap{
			path: []Address{p[0].address(), p[1].address()}, to: p[3].address(), in: p[4].number(),
			least: p[5].number(),
		}, true
	case bytes.HasPrefix(step, exactInput[:]):
		a, ok := decodeABI(exactInputArgs, step[4:])
		if !ok {
			return swap{}, false
		}
		p := a[0].items
		path, ok := v3Path(p[0].raw)
		return swap{path: path, to: p[1].address(), in: p[2].number(), least: p[3].number()}, ok
	}
	return swap{}, false
}

// v3Path reads token, fee, token, fee, token: 20 and 3 bytes in turn.
func v3Path(raw []byte) (path []Address, ok bool) {
	const token, fee = 20, 3
	for len(raw) >= token {
		path = append(path, Address(raw[:token]))
		if raw = raw[token:]; len(raw) == 0 {
			return path, true
		}
		if len(raw) < fee {
			return nil, false
		}
		raw = raw[fee:]
	}
	return nil, false
}
