package evm

import (
	"math/big"
	"sync"

	"github.com/railkit/railkit/chain"
)

// function is a function that is understood. read tells what it does; it says
// false where it does not understand what is asked of it.
type function struct {
	args []abiType
	is   func(r *reading, to Address) bool // nil: any contract has it
	read func(r *reading, c call, a []abiValue) bool
	coin bool // what it does may be all told by the coin that the call carries
}

// reader is a function as the tables have it: its signature is its key there.
type reader = func(r *reading, c call, a []abiValue) bool

// functions are all that are understood. A contract that is no listed token may
// do anything under these names as well: see chain.Effect.
var functions = sync.OnceValue(allFunctions)

// table is functions by their signature, of one contract, of the contracts that are something, or of any.
type table struct {
	at    Address
	is    func(r *reading, to Address) bool
	calls map[string]reader
	coin  bool
}

var tables = []table{
	{calls: tokenCalls}, {calls: signedCalls}, {calls: nftCalls}, {at: permit2, calls: permit2Calls},
	{at: exactProxy, calls: exactProxyCalls}, {at: uptoProxy, calls: uptoProxyCalls}, {calls: forwardCalls},
	{at: multicall3, calls: multicall3Calls}, {at: entryPoint6, calls: ops6Calls}, {at: entryPoint7, calls: ops7Calls},
	{is: atMarket(chain.MarketV2, chain.MarketV2AVAX), calls: v2Calls}, {is: atMarket(chain.MarketV2),
		calls: v2ETHCalls},
	{is: atMarket(chain.MarketV2AVAX), calls: v2AVAXCalls}, {is: atWrapped, calls: wrapCalls},
	{is: atPool, calls: poolCalls}, {is: atGateway, calls: gatewayCalls},
	{is: atGateway, calls: depositCalls, coin: true},
}

func allFunctions() map[selector]function {
	all := map[selector]function{}
	for _, t := range tables {
		is := t.is
		if t.at != (Address{}) {
			is = func(_ *reading, to Address) bool { return to == t.at }
		}
		for signature, read := range t.calls {
			all[selectorOf(signature)] = function{parseSignature(signature), is, read, t.coin}
		}
	}
	return all
}

func selectorOf(signature string) selector {
	hash := Keccak256([]byte(signature))
	return selector(hash[:4])
}

// tokenCalls are ERC-20's. Two of them are ERC-721's too, with a token's number
// in the place of the amount; what is listed is no such token.
var tokenCalls = map[string]reader{
	"transfer(address,uint256)": func(r *reading, c call, a []abiValue) bool {
		r.fungible(c, transferred(c.from, a[0].address()), c.to, a[1].number())
		return true
	},
	"transferFrom(address,address,uint256)": func(r *reading, c call, a []abiValue) bool {
		r.either(c, transferred(a[0].address(), a[1].address()), a[2])
		return true
	},
	"approve(address,uint256)": func(r *reading, c call, a []abiValue) bool {
		r.either(c, approved(c.from, a[0].address()), a[1])
		return true
	},
	"increaseAllowance(address,uint256)": func(r *reading, c call, a []abiValue) bool {
		r.fungible(c, approved(c.from, a[0].address()), c.to, a[1].number())
		return true
	},
}

// either is an amount of a token, or the number of an NFT.
func (r *reading) either(c call, e chain.Effect, n abiValue) {
	if _, listed := r.net.TokenByAddress(c.to.String()); !listed {
		e.TokenID = n.number().String()
	}
	r.fungible(c, e, c.to, n.number())
}

func transferred(from, to Address) chain.Effect {
	return chain.Effect{Kind: chain.Transfer, From: from.String(), To: to.String()}
}

func approved(owner, spender Address) chain.Effect {
	return chain.Effect{Kind: chain.Approve, From: owner.String(), Spender: spender.String()}
}

// signedCalls bring an owner's signature along: EIP-2612's permit and that of
// DAI, and EIP-3009, each also with the signature as bytes. Whose tokens move is
// in the arguments.
var signedCalls = map[string]reader{
	"permit(address,address,uint256,uint256,uint8,bytes32,bytes32)":                                    permitCall,
	"permit(address,address,uint256,uint256,bytes)":                                                    permitCall,
	"permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)":                               daiPermitCall,
	"transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)": handedInCall,
	"transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)":                 handedInCall,
	"receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)":  receivedCall,
	"receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)":                  receivedCall,
}

func permitCall(r *reading, c call, a []abiValue) bool {
	r.fungible(c, approved(a[0].address(), a[1].address()), c.to, a[2].number())
	return true
}

func daiPermitCall(r *reading, c call, a []abiValue) bool {
	amount := maxUint256
	if a[4].isZero() {
		amount = a[4].number()
	}
	r.fungible(c, approved(a[0].address(), a[1].address()), c.to, amount)
	return true
}

func handedInCall(r *reading, c call, a []abiValue) bool {
	r.fungible(c, handedIn(a[0].address(), a[1].address()), c.to, a[2].number())
	return true
}

// handedIn is a transfer under a signature of its owner that anybody may bring.
func handedIn(from, to Address) chain.Effect {
	e := transferred(from, to)
	e.HandedIn = true
	return e
}

// receivedCall is the receiver's to make: he takes what somebody gave him.
func receivedCall(r *reading, c call, a []abiValue) bool {
	r.fungible(c, transferred(a[0].address(), a[1].address()), c.to, a[2].number())
	return true
}

// nftCalls are those of ERC-721 and ERC-1155 that no ERC-20 token has.
var nftCalls = map[string]reader{
	"safeTransferFrom(address,address,uint256)":                        transferOne,
	"safeTransferFrom(address,address,uint256,bytes)":                  transferOne,
	"safeTransferFrom(address,address,uint256,uint256,bytes)":          transferSome,
	"safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)": transferMany,
	"setApprovalForAll(address,bool)":                                  approveAll,
}

func transferOne(r *reading, c call, a []abiValue) bool {
	r.nft(c, transferred(a[0].address(), a[1].address()), a[2].number(), big.NewInt(1))
	return true
}

func transferSome(r *reading, c call, a []abiValue) bool {
	r.nft(c, transferred(a[0].address(), a[1].address()), a[2].number(), a[3].number())
	return true
}

func transferMany(r *reading, c call, a []abiValue) bool {
	ids, amounts := a[2].items, a[3].items
	if len(ids) != len(amounts) {
		return false
	}
	for i := range ids {
		r.nft(c, transferred(a[0].address(), a[1].address()), ids[i].number(), amounts[i].number())
	}
	return true
}

// approveAll has no number of a token: it is about all of them.
func approveAll(r *reading, c call, a []abiValue) bool {
	e, amount := approved(c.from, a[0].address()), a[1].number()
	if !a[1].isZero() {
		e.Kind, amount = chain.ApproveAll, maxUint256
	}
	e.Asset, e.Contract, e.Selector = c.to.String(), c.to.String(), c.selector()
	r.add(e, amount, chain.Token{})
	return true
}
