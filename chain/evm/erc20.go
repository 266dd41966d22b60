package evm

import (
	"errors"
	"math/big"
)

// The functions that are written here, too.
var (
	transferCall  = selector{0xa9, 0x05, 0x9c, 0xbb} // transfer(address,uint256)
	balanceOfCall = selector{0x70, 0xa0, 0x82, 0x31} // balanceOf(address)
)

// ErrCallAmount is an amount that a call cannot carry.
var ErrCallAmount = errors.New("amount is negative or over 256 bits")

// EncodeTransfer is the calldata that moves a token.
func EncodeTransfer(to Address, amount *big.Int) ([]byte, error) {
	if amount == nil || amount.Sign() < 0 || amount.BitLen() > 256 {
		return nil, ErrCallAmount
	}
	data := appendAddress(transferCall[:], to)
	return append(data, amount.FillBytes(make([]byte, 32))...), nil
}

// EncodeBalanceOf is the calldata that asks a token for a balance.
func EncodeBalanceOf(owner Address) []byte { return appendAddress(balanceOfCall[:], owner) }

// appendAddress writes after a copy of dst.
func appendAddress(dst []byte, a Address) []byte {
	out := make([]byte, 0, 4+3*32)
	out = append(out, dst...)
	out = append(out, make([]byte, 12)...)
	return append(out, a[:]...)
}
