package chain

import (
	"encoding/hex"
	"errors"
	"strings"
)

// ErrHex is text that is not hex.
var ErrHex = errors.New("not hex of whole bytes")

// ParseHex reads bytes with or without 0x in front; both forms are in use.
func ParseHex(text string) ([]byte, error) {
	b, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return nil, ErrHex
	}
	return b, nil
}

// Hex writes bytes with 0x in front.
func Hex(b []byte) string { return "0x" + hex.EncodeToString(b) }
