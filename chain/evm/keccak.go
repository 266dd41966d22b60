package evm

import "golang.org/x/crypto/sha3"

// Keccak256 hashes the parts one after the other.
func Keccak256(parts ...[]byte) [32]byte {
	h := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		h.Write(p)
	}
	var sum [32]byte
	h.Sum(sum[:0])
	return sum
}
