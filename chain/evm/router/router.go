// Package router writes the calls of exchanges' routers: a swap of an exact amount for at least another, by a deadline,
// for a receiver. It is pure. The signer reads these very calls; whatever else a router can do is not written here.
package router

import (
	"errors"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

// Swap is an exact amount of the first token of a path, sold for at least MinOut of the last one.
type Swap struct {
	Kind     chain.MarketKind
	Router   evm.Address
	Path     []evm.Address // of tokens; the network's own coin is the wrapped coin's token here
	Fees     []int         // v3: of the pool between each two tokens of the path
	In       *big.Int
	MinOut   *big.Int
	Receiver evm.Address // of what is bought
	Deadline uint64      // the router refuses the call after this second since 1970

	NativeIn  bool // In is sent with the call as the network's own coin: the path starts with the wrapped coin
	NativeOut bool // the receiver gets the network's own coin: the path ends with the wrapped coin
}

// Errors of a swap that has no call.
var (
	ErrKind   = errors.New("the router is of no kind that is known")
	ErrPath   = errors.New("a path has two tokens or more, no token twice in a row, and on v3 a fee between each two")
	ErrAmount = errors.New("an amount is missing, zero, negative or over 256 bits")
	// ErrReceiver also stops the addresses 1 and 2, which SwapRouter02 reads as its caller and as itself.
	ErrReceiver = errors.New("the receiver is no account")
	ErrNative   = errors.New("a swap has the network's own coin on one side at most")
)

// Call is where the swap's call goes, the value that is sent with it, and its data.
func (s Swap) Call() (to evm.Address, value *big.Int, data []byte, err error) {
	if err := s.check(); err != nil {
		return evm.Address{}, nil, nil, err
	}
	value = new(big.Int)
	if s.NativeIn {
		value.Set(s.In)
	}
	if s.Kind == chain.MarketV3 {
		return s.Router, value, s.v3(), nil
	}
	return s.Router, value, s.v2(), nil
}

func (s Swap) check() error {
	if !s.Kind.V2() && s.Kind != chain.MarketV3 {
		return ErrKind
	}
	if !amount(s.In) || !amount(s.MinOut) {
		return ErrAmount
	}
	if new(big.Int).SetBytes(s.Receiver[:]).Cmp(big.NewInt(0xff)) <= 0 || s.Receiver == s.Router {
		return ErrReceiver
	}
	if s.NativeIn && s.NativeOut {
		return ErrNative
	}
	return s.checkPath()
}

func (s Swap) checkPath() error {
	if len(s.Path) < 2 || s.Kind == chain.MarketV3 && len(s.Fees) != len(s.Path)-1 {
		return ErrPath
	}
	for i := range s.Path[1:] {
		if s.Path[i] == s.Path[i+1] {
			return ErrPath
		}
	}
	for _, fee := range s.Fees {
		if fee < 1 || fee >= 1_000_000 {
			return ErrPath
		}
	}
	return nil
}

func amount(n *big.Int) bool { return n != nil && n.Sign() > 0 && n.BitLen() <= 256 }

// v2Functions are those of V2Router02 by which side has the network's own coin; Avalanche's routers name it AVAX.
var v2Functions = map[chain.MarketKind]struct{ tokens, in, out string }{
	chain.MarketV2: {
		tokens: "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)",
		in:     "swapExactETHForTokens(uint256,address[],address,uint256)",
		out:    "swapExactTokensForETH(uint256,uint256,address[],address,uint256)",
	},
	chain.MarketV2AVAX: {
		tokens: "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)",
		in:     "swapExactAVAXForTokens(uint256,address[],address,uint256)",
		out:    "swapExactTokensForAVAX(uint256,uint256,address[],address,uint256)",
	},
}

func (s Swap) v2() []byte {
	names := v2Functions[s.Kind]
	head := [][]byte{word(s.In), word(s.MinOut)}
	name := names.tokens
	switch {
	case s.NativeIn:
		name, head = names.in, head[1:]
	case s.NativeOut:
		name = names.out
	}
	path := number(uint64(len(s.Path)))
	for _, token := range s.Path {
		path = append(path, addressWord(token)...)
	}
	offset := number(uint64(32 * (len(head) + 3)))
	return call(name, append(head, offset, addressWord(s.Receiver), number(s.Deadline), path)...)
}
