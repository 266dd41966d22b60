package evm

import (
	"math/big"

	"github.com/railkit/railkit/chain"
)

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
