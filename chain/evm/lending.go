package evm

import (
	"math/big"

	"github.com/railkit/railkit/chain"
)

// Lending, at the pools that the network lists and at their gateways, and nowhere else. What is supplied leaves for the
// pool, and what is withdrawn comes back:
//
//	transfer  10 USDC  from the wallet to the pool
//	receive   10 USDC  from the pool to the wallet
//
// Whoever is named as the owner of what is supplied can take it out again. Where that is not the wallet, he is told as
// the one who gets the asset, and so is whoever is named as the receiver of what is withdrawn: rules judge both as any
// other payee. A contract that is known is none, such as the pool itself: nobody could take out again what is its.
//
// Borrowing and paying back are left unread. So is a call that another contract is asked to make: what it supplies or
// withdraws is that contract's.
var (
	poolCalls = map[string]reader{
		"supply(address,uint256,address,uint16)": supplyCall,
		"withdraw(address,uint256,address)":      withdrawCall,
	}
	gatewayCalls = map[string]reader{"withdrawETH(address,uint256,address)": withdrawCoinCall}
	// The coin that the call carries is told with the call.
	depositCalls = map[string]reader{"depositETH(address,address,uint16)": depositCoinCall}
)

// atPool is the place of the functions of a lending pool.
func atPool(r *reading, to Address) bool {
	_, gateway, found := chain.LendingPoolAt(r.net, to.String())
	return found && !gateway
}

// atGateway is the place of the functions through which a lending pool takes and gives back the network's own coin.
func atGateway(r *reading, to Address) bool {
	_, gateway, found := chain.LendingPoolAt(r.net, to.String())
	return found && gateway
}

func supplyCall(r *reading, c call, a []abiValue) bool {
	if c.depth > 0 || c.value.Sign() > 0 {
		return false
	}
	e := taken(c)
	if owner := a[2].address(); owner != c.from {
		e = transferred(c.from, owner)
	}
	r.fungible(c, e, a[0].address(), a[1].number())
	return true
}

func withdrawCall(r *reading, c call, a []abiValue) bool {
	if c.depth > 0 || c.value.Sign() > 0 {
		return false
	}
	e, amount := returned(c, a[2].address(), a[1].number())
	r.fungible(c, e, a[0].address(), amount)
	return true
}

func withdrawCoinCall(r *reading, c call, a []abiValue) bool {
	if c.depth > 0 || c.value.Sign() > 0 || !r.namesPool(c, a[0]) {
		return false
	}
	e, amount := returned(c, a[2].address(), a[1].number())
	e.Asset, e.Contract = nativeAsset, c.to.String()
	r.add(e, amount, r.net.Native)
	return true
}

// depositCoinCall tells beside the coin that leaves for the gateway who else owns it there.
func depositCoinCall(r *reading, c call, a []abiValue) bool {
	owner := a[1].address()
	if c.depth > 0 || c.value.Sign() == 0 || !r.namesPool(c, a[0]) {
		return false
	}
	r.takesCoin(c)
	if owner != c.from {
		e := transferred(c.to, owner)
		e.Asset, e.Contract = nativeAsset, c.to.String()
		r.add(e, c.value, r.net.Native)
	}
	return true
}

// returned is what comes back of a pool. The highest number stands for all there is, which only the chain knows: for
// the wallet itself that is at least nothing, and for anybody else it may be everything.
func returned(c call, to Address, amount *big.Int) (chain.Effect, *big.Int) {
	e := transferred(c.to, to)
	if to != c.from {
		return e, amount
	}
	e.Kind = chain.Receive
	if amount.Cmp(maxUint256) == 0 {
		amount = new(big.Int)
	}
	return e, amount
}

// namesPool reports whether a call to a gateway names the listed pool: some gateways ask the one that is named.
func (r *reading) namesPool(c call, named abiValue) bool {
	p, _, _ := chain.LendingPoolAt(r.net, c.to.String())
	pool, err := ParseAddress(p.Pool)
	return err == nil && named.address() == pool
}
