package evm

import "math/big"

// Permit2Address is where Permit2 is on every chain.
func Permit2Address() Address { return permit2 }

// InvalidateUnordered is the call of Permit2 that uses up the nonce of a signed
// transfer, so that nobody can hand the signature in. Such nonces are bits: number
// 513 is bit 1 of word 2.
func InvalidateUnordered(nonce *big.Int) []byte {
	word := new(big.Int).Rsh(nonce, 8)
	bit := uint(new(big.Int).And(nonce, big.NewInt(255)).Uint64())
	return callOf("invalidateUnorderedNonces(uint256,uint256)", word, new(big.Int).Lsh(big.NewInt(1), bit))
}

// InvalidateOrdered is the call of Permit2 that uses up the nonces of signed
// allowances of a token for a spender, up to and with the one given.
func InvalidateOrdered(token, spender Address, nonce *big.Int) []byte {
	next := new(big.Int).Add(nonce, big.NewInt(1))
	return callOf("invalidateNonces(address,address,uint48)", new(big.Int).SetBytes(token[:]),
		new(big.Int).SetBytes(spender[:]), next)
}

// callOf writes calldata of numbers below 2^256.
func callOf(signature string, words ...*big.Int) []byte {
	hash := Keccak256([]byte(signature))
	data := append([]byte{}, hash[:4]...)
	for _, w := range words {
		data = append(data, w.FillBytes(make([]byte, 32))...)
	}
	return data
}
