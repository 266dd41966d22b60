package evm

import (
	"math/big"

	"github.com/railkit/railkit/chain"
)

// Calls that make other calls. Each inner call is told with its own sender: the
// contract that makes it, whose tokens it moves.
//
// Only of a canonical address is it known that the contract does what its
// functions say and no more. Any other contract may do anything with the call, so
// its call is an unknown one by itself, and what it says it does is told beside:
// who allows the one function of the one contract still sees where money goes.

// Contracts that are at one address on every chain.
var (
	multicall3  = mustParse("0xcA11bde05977b3631167028862bE2a173976CA11")
	entryPoint6 = mustParse("0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789")
	entryPoint7 = mustParse("0x0000000071727De22E5E9d8BAf0edAc6f37da032")
)

// forwardCalls are of contracts that anybody deploys: Safe, accounts of ERC-4337,
// and multicall as routers have it. Safe's MultiSend is none of them: it works
// behind a delegate call only.
var forwardCalls = map[string]reader{
	"execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)": safeCall,
	"execute(address,uint256,bytes)":            executeCall,
	"executeBatch(address[],bytes[])":           executeBatch6,
	"executeBatch(address[],uint256[],bytes[])": executeBatchOfValues,
	"executeBatch((address,uint256,bytes)[])":   executeBatch7,
	"multicall(bytes[])": func(r *reading, c call, a []abiValue) bool {
		return r.multicall(c, a[0].items)
	},
	"multicall(uint256,bytes[])": func(r *reading, c call, a []abiValue) bool {
		if atMarket(chain.MarketV3)(r, c.to) {
			return r.v3Swap(c, a[0].number(), a[1].items)
		}
		return r.multicall(c, a[1].items)
	},
}

// forward tells of a call that the called contract makes.
func (r *reading) forward(c call, to Address, value *big.Int, data []byte) {
	if !r.over {
		r.call(call{from: c.to, to: to, value: value, data: data, depth: c.depth + 1})
	}
}

// outer tells of the call by itself. It refuses what is nested too deep.
func (r *reading) outer(c call) bool {
	if c.depth >= maxDepth {
		return false
	}
	r.unknown(c)
	return true
}

// safeCall is a Safe's transaction. One that is a delegate call lends the Safe to
// the code that it calls, and one with a gas price pays out of the Safe to whoever
// sends it: what that costs nobody can tell.
func safeCall(r *reading, c call, a []abiValue) bool {
	if !a[3].isZero() || !a[6].isZero() || !r.outer(c) {
		return false
	}
	r.forward(c, a[0].address(), a[1].number(), a[2].raw)
	return true
}

func executeCall(r *reading, c call, a []abiValue) bool {
	if !r.outer(c) {
		return false
	}
	r.forward(c, a[0].address(), a[1].number(), a[2].raw)
	return true
}

func executeBatch6(r *reading, c call, a []abiValue) bool {
	targets, datas := a[0].items, a[1].items
	if len(targets) != len(datas) || !r.outer(c) {
		return false
	}
	for i, to := range targets {
		r.forward(c, to.address(), new(big.Int), datas[i].raw)
	}
	return true
}

// executeBatchOfValues takes no values for zeros, as the field does.
func executeBatchOfValues(r *reading, c call, a []abiValue) bool {
	targets, values, datas := a[0].items, a[1].items, a[2].items
	if len(targets) != len(datas) || len(values) != 0 && len(values) != len(targets) || !r.outer(c) {
		return false
	}
	for i, to := range targets {
		value := new(big.Int)
		if len(values) > 0 {
			value = values[i].number()
		}
		r.forward(c, to.address(), value, datas[i].raw)
	}
	return true
}

func executeBatch7(r *reading, c call, a []abiValue) bool {
	if !r.outer(c) {
		return false
	}
	for _, inner := range a[0].items {
		r.forward(c, inner.items[0].address(), inner.items[1].number(), inner.items[2].raw)
	}
	return true
}

// multicall is a contract's delegate calls to itself: the sender stays who he is.
func (r *reading) multicall(c call, datas []abiValue) bool {
	if !r.outer(c) {
		return false
	}
	for _, d := range datas {
		if r.over || len(d.raw) == 0 {
			return r.over
		}
		r.calldata(call{from: c.from, to: c.to, value: new(big.Int), data: d.raw, depth: c.depth + 1})
	}
	return true
}

// multicall3Calls are of the contract of that name, whose code is known: there is
// no unknown call around what it does. What it moves is its own, and of those who
// have approved it.
var multicall3Calls = map[string]reader{
	"aggregate((address,bytes)[])": func(r *reading, c call, a []abiValue) bool {
		return r.aggregate(c, a[0].items, -1, 1)
	},
	"tryAggregate(bool,(address,bytes)[])": func(r *reading, c call, a []abiValue) bool {
		return r.aggregate(c, a[1].items, -1, 1)
	},
	"blockAndAggregate((address,bytes)[])": func(r *reading, c call, a []abiValue) bool {
		return r.aggregate(c, a[0].items, -1, 1)
	},
	"tryBlockAndAggregate(bool,(address,bytes)[])": func(r *reading, c call, a []abiValue) bool {
		return r.aggregate(c, a[1].items, -1, 1)
	},
	"aggregate3((address,bool,bytes)[])": func(r *reading, c call, a []abiValue) bool {
		return r.aggregate(c, a[0].items, -1, 2)
	},
	"aggregate3Value((address,bool,uint256,bytes)[])": func(r *reading, c call, a []abiValue) bool {
		return r.aggregate(c, a[0].items, 2, 3)
	},
}

// aggregate reads tuples that begin with the target; value and data tell where
// the others are.
func (r *reading) aggregate(c call, calls []abiValue, value, data int) bool {
	if c.depth >= maxDepth {
		return false
	}
	if value >= 0 { // the contract refuses coin that the calls do not pass on
		r.takesCoin(c)
	}
	for _, inner := range calls {
		amount := new(big.Int)
		if value >= 0 {
			amount = inner.items[value].number()
		}
		r.forward(c, inner.items[0].address(), amount, inner.items[data].raw)
	}
	return true
}

// The entry points pay for what they do out of the accounts' deposits, and ask
// factories and paymasters that the operations name. So their call is an unknown
// one too, and what is told beside is the calls of the accounts.
var (
	ops6Calls = map[string]reader{
		"handleOps((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address)": func(
			r *reading, c call, a []abiValue,
		) bool {
			return r.operations(c, a[0].items, 9)
		},
	}
	ops7Calls = map[string]reader{
		"handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)": func(
			r *reading, c call, a []abiValue,
		) bool {
			return r.operations(c, a[0].items, 7)
		},
	}
)

// operations are user operations: sender, nonce, factory with its calldata, the
// call of the sender, and somewhere the paymaster with its data.
func (r *reading) operations(c call, ops []abiValue, paymaster int) bool {
	if !r.outer(c) {
		return false
	}
	for _, op := range ops {
		account := op.items[0].address()
		if !r.assistant(c, op.items[2].raw) || !r.assistant(c, op.items[paymaster].raw) {
			return false
		}
		r.forward(c, account, new(big.Int), op.items[3].raw)
	}
	return true
}

// assistant is a contract that is named together with what it is told, and does
// with it what it likes.
func (r *reading) assistant(c call, addressAndData []byte) bool {
	if len(addressAndData) == 0 {
		return true
	}
	if len(addressAndData) < len(Address{}) {
		return false
	}
	r.opaque(call{from: c.to, to: Address(addressAndData[:len(Address{})])})
	return true
}
