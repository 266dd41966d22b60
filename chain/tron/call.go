package tron

import (
	"math/big"

	"github.com/railkit/railkit/chain/evm"
)

// selector is what a call of a contract begins with.
type selector [4]byte

// function is one of a token of TRC-20 that is understood. Its words are addresses and, last, an amount.
type function struct {
	words int
	read  func(r *reading, words []word)
}

var functions = map[selector]function{
	selectorOf("transfer(address,uint256)"): {2, func(r *reading, w []word) {
		r.moves(r.from, w[0].address(), w[1].number())
	}},
	selectorOf("transferFrom(address,address,uint256)"): {3, func(r *reading, w []word) {
		r.moves(w[0].address().String(), w[1].address(), w[2].number())
	}},
	selectorOf("approve(address,uint256)"): {2, func(r *reading, w []word) {
		r.approves(w[0].address(), w[1].number())
	}},
}

func selectorOf(signature string) selector {
	hash := evm.Keccak256([]byte(signature))
	return selector(hash[:4])
}

// word is an argument of a call: 32 bytes, an address at the end of them without its 0x41, or a number.
type word [32]byte

func (w word) address() Address { return Address(w[len(w)-len(Address{}):]) }

func (w word) isAddress() bool { return [12]byte(w[:12]) == [12]byte{} }

func (w word) number() *big.Int { return new(big.Int).SetBytes(w[:]) }

// wordsOf reads the arguments of a function in their one form. Contracts cut an address out of a word whatever stands
// before it, such as the 0x41 that some wallets write there; what is understood here has zeros.
func (f function) wordsOf(data []byte) ([]word, bool) {
	if len(data) != f.words*len(word{}) {
		return nil, false
	}
	words := make([]word, f.words)
	for i := range words {
		words[i] = word(data[i*len(word{}):])
		if i < f.words-1 && !words[i].isAddress() {
			return nil, false
		}
	}
	return words, true
}

// transferCall moves an amount of a token. The amount is not negative and has at most 256 bits.
func transferCall(to Address, amount *big.Int) []byte {
	s := selectorOf("transfer(address,uint256)")
	data := append(s[:], make([]byte, 2*len(word{}))...)
	copy(data[len(s)+12:], to[:])
	amount.FillBytes(data[len(s)+len(word{}):])
	return data
}
