package router

import (
	"math/big"

	"github.com/railkit/railkit/chain/evm"
)

// call writes calldata: the function's selector and whole words.
func call(signature string, words ...[]byte) []byte {
	id := evm.Keccak256([]byte(signature))
	data := append([]byte(nil), id[:4]...)
	for _, w := range words {
		data = append(data, w...)
	}
	return data
}

func word(n *big.Int) []byte { return n.FillBytes(make([]byte, 32)) }

func number(n uint64) []byte { return word(new(big.Int).SetUint64(n)) }

func addressWord(a evm.Address) []byte { return append(make([]byte, 12, 32), a[:]...) }

// byteString is bytes of any length behind their length, filled up with zeros to whole words.
func byteString(b []byte) []byte {
	out := append(number(uint64(len(b))), b...)
	return append(out, make([]byte, (32-len(b)%32)%32)...)
}
