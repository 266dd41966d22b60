package evm

import (
	"errors"
	"math/big"
)

// selector is the first four bytes of a call: which function it is.
type selector [4]byte

// The functions of a token that are understood.
var (
	transferCall          = selector{0xa9, 0x05, 0x9c, 0xbb} // transfer(address,uint256)
	transferFromCall      = selector{0x23, 0xb8, 0x72, 0xdd} // transferFrom(address,address,uint256)
	approveCall           = selector{0x09, 0x5e, 0xa7, 0xb3} // approve(address,uint256)
	increaseAllowanceCall = selector{0x39, 0x50, 0x93, 0x51} // increaseAllowance(address,uint256)
	balanceOfCall         = selector{0x70, 0xa0, 0x82, 0x31} // balanceOf(address)
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

// arguments reads a call's words. It is strict where contracts are not: a
// contract ignores bytes above an address and after the last argument, and a
// reader that ignored them as well could be shown one call and sign another.
type arguments struct {
	rest []byte
	bad  bool
}

func (a *arguments) word() []byte {
	if len(a.rest) < 32 {
		a.bad = true
		return make([]byte, 32)
	}
	w := a.rest[:32]
	a.rest = a.rest[32:]
	return w
}

func (a *arguments) address() Address {
	w := a.word()
	for _, c := range w[:12] {
		a.bad = a.bad || c != 0
	}
	return Address(w[12:])
}

func (a *arguments) amount() *big.Int { return new(big.Int).SetBytes(a.word()) }

// ok says that the arguments were all there, clean, and nothing else.
func (a *arguments) ok() bool { return !a.bad && len(a.rest) == 0 }
