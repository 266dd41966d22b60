package router

import (
	"math/big"

	"github.com/railkit/railkit/chain/evm"
)

// The calls that ask an exchange for its pools and prices. What they answer is read by the functions further down.

// PairCall asks a v2 factory for the pool of two tokens. The zero address is none.
func PairCall(a, b evm.Address) []byte {
	return call("getPair(address,address)", addressWord(a), addressWord(b))
}

// ReservesCall asks a v2 pool for what it has of its two tokens, of the lower address first.
func ReservesCall() []byte { return call("getReserves()") }

// QuoteCall asks v3's QuoterV2 what an amount of the path's first token buys of the last. There is a fee between each
// two tokens.
func QuoteCall(path []evm.Address, fees []int, in *big.Int) []byte {
	if len(path) == 2 {
		noPriceLimit := word(new(big.Int))
		return call("quoteExactInputSingle((address,address,uint256,uint24,uint160))", addressWord(path[0]),
			addressWord(path[1]), word(in), number(uint64(fees[0])), noPriceLimit)
	}
	return call("quoteExactInput(bytes,uint256)", number(64), word(in), byteString(packedPath(path, fees)))
}

// ReadPair reads a factory's answer; false where there is no pool.
func ReadPair(answer []byte) (evm.Address, bool) {
	if len(answer) != 32 || [12]byte(answer) != [12]byte{} {
		return evm.Address{}, false
	}
	pair := evm.Address(answer[12:])
	return pair, pair != evm.Address{}
}

// ReadReserves reads a pool's answer; false where it is none, or one of both is empty.
func ReadReserves(answer []byte) (lower, higher *big.Int, ok bool) {
	if len(answer) != 96 {
		return nil, nil, false
	}
	lower, higher = new(big.Int).SetBytes(answer[:32]), new(big.Int).SetBytes(answer[32:64])
	ok = lower.Sign() > 0 && higher.Sign() > 0 && lower.BitLen() <= ReserveBits && higher.BitLen() <= ReserveBits
	return lower, higher, ok
}

// ReserveBits is how large a reserve of a v2 pool may be.
const ReserveBits = 112

// ReadQuote reads the quoter's answer, which begins with the amount and ends with the gas that the pools took: as the
// fourth word, whether one pool was asked or several.
func ReadQuote(answer []byte) (out *big.Int, gas uint64, ok bool) {
	if len(answer) < 128 {
		return nil, 0, false
	}
	used := new(big.Int).SetBytes(answer[96:128])
	return new(big.Int).SetBytes(answer[:32]), used.Uint64(), used.BitLen() <= 32
}
