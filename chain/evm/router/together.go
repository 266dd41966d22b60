package router

import (
	"math/big"

	"github.com/railkit/railkit/chain/evm"
)

// Multicall is Multicall3, which is at one address on every network and makes many calls in one.
var Multicall, _ = evm.ParseAddress("0xcA11bde05977b3631167028862bE2a173976CA11")

// Question is a call whose answer is wanted.
type Question struct {
	To   evm.Address
	Data []byte
}

// Together is the call of Multicall that asks all, and goes on where one is refused.
func Together(all []Question) []byte {
	var heads, tails []byte
	goOn := number(1)
	for _, q := range all {
		heads = append(heads, number(uint64(32*len(all)+len(tails)))...)
		tails = append(tails, addressWord(q.To)...)
		tails = append(tails, goOn...)
		tails = append(tails, number(96)...)
		tails = append(tails, byteString(q.Data)...)
	}
	return call("aggregate3((address,bool,bytes)[])", number(32), number(uint64(len(all))), heads, tails)
}

// ReadTogether reads the answers of so many questions; nil is the answer of one that was refused. False: the answer is
// not of this form.
func ReadTogether(answer []byte, questions int) ([][]byte, bool) {
	list, ok := behind(answer, 0) // a list is behind an offset
	if n, found := numberAt(list, 0); !ok || !found || n != questions {
		return nil, false
	}
	list = list[32:]
	all := make([][]byte, questions)
	for i := range all {
		result, ok := behind(list, 32*i)
		succeeded, found := numberAt(result, 0)
		if !ok || !found {
			return nil, false
		}
		data, ok := behind(result, 32)
		length, found := numberAt(data, 0)
		if !ok || !found || length > len(data)-32 {
			return nil, false
		}
		if succeeded == 1 {
			all[i] = data[32 : 32+length]
		}
	}
	return all, true
}

// behind is what an offset at a place in data leads to.
func behind(data []byte, at int) ([]byte, bool) {
	offset, ok := numberAt(data, at)
	if !ok || offset > len(data) {
		return nil, false
	}
	return data[offset:], true
}

// numberAt reads a word that counts bytes or items.
func numberAt(data []byte, at int) (int, bool) {
	if at+32 > len(data) {
		return 0, false
	}
	n := new(big.Int).SetBytes(data[at : at+32])
	return int(n.Int64()), n.BitLen() < 31
}
