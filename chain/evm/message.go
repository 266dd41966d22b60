package evm

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// MessageDigest is what EIP-191 has signed of a message (version 0x45). Its first
// byte is that of no transaction, and its second not that of EIP-712.
func MessageDigest(message []byte) [32]byte {
	return Keccak256([]byte("\x19Ethereum Signed Message:\n"), strconv.AppendInt(nil, int64(len(message)), 10), message)
}

// IsText reports whether a message is for people. 32 bytes are none, whatever they
// look like: contracts take them for the hash of what they are asked to do, and
// who has time finds a hash that can be printed.
func IsText(message []byte) bool {
	if len(message) == 32 || !utf8.Valid(message) {
		return false
	}
	for _, c := range string(message) {
		if !unicode.IsPrint(c) && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}
