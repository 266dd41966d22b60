package router

import (
	"math/big"

	"github.com/railkit/railkit/chain/evm"
)

// ThisRouter is the receiver by which SwapRouter02 keeps what is bought for the next call of the same multicall.
var ThisRouter = evm.Address{19: 2}

// The functions of SwapRouter02 that are written.
const (
	multicall        = "multicall(uint256,bytes[])"
	exactInputSingle = "exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))"
	exactInput       = "exactInput((bytes,address,uint256,uint256))"
	unwrap           = "unwrapWETH9(uint256,address)"
)

// v3 puts the swap within a multicall, which alone has a deadline.
func (s Swap) v3() []byte {
	receiver := s.Receiver
	if s.NativeOut {
		receiver = ThisRouter
	}
	calls := [][]byte{s.exactIn(receiver)}
	if s.NativeOut {
		calls = append(calls, call(unwrap, word(s.MinOut), addressWord(s.Receiver)))
	}
	var heads, tails []byte
	for _, c := range calls {
		heads = append(heads, number(uint64(32*len(calls)+len(tails)))...)
		tails = append(tails, byteString(c)...)
	}
	return call(multicall, number(s.Deadline), number(64), number(uint64(len(calls))), heads, tails)
}

func (s Swap) exactIn(receiver evm.Address) []byte {
	if len(s.Path) == 2 {
		noPriceLimit := word(new(big.Int))
		return call(exactInputSingle, addressWord(s.Path[0]), addressWord(s.Path[1]), number(uint64(s.Fees[0])),
			addressWord(receiver), word(s.In), word(s.MinOut), noPriceLimit)
	}
	return call(exactInput, number(32), number(128), addressWord(receiver), word(s.In), word(s.MinOut),
		byteString(packedPath(s.Path, s.Fees)))
}

// packedPath is v3's form of a path: token, fee in three bytes, token and so on.
func packedPath(path []evm.Address, fees []int) []byte {
	packed := append([]byte(nil), path[0][:]...)
	for i, fee := range fees {
		packed = append(packed, byte(fee>>16), byte(fee>>8), byte(fee))
		packed = append(packed, path[i+1][:]...)
	}
	return packed
}
