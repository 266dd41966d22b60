package fiat

import "strings"

// OnChain is the one spelling of an address of a chain, or of a transaction's id there: what is written in hexadecimal
// in lower case, and everything else as it is. In base58, as on Solana, two texts that differ in case are two
// addresses; it has no 0, so that nothing in it begins with 0x.
func OnChain(written string) string {
	lower := strings.ToLower(written)
	if strings.HasPrefix(lower, "0x") || len(lower) == hashDigits && strings.Trim(lower, "0123456789abcdef") == "" {
		return lower
	}
	return written
}

// hashDigits are those of a hash that is written without 0x.
const hashDigits = 64

// SameOnChain tells whether two texts are the same address, or the same transaction's id.
func SameOnChain(a, b string) bool { return OnChain(a) == OnChain(b) }
