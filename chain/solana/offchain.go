package solana

import (
	"bytes"
	"errors"
	"unicode/utf8"
)

// offchainDomain begins each message that is no transaction. Read as a version, its first byte is 127, which no
// transaction will have.
const offchainDomain = "\xffsolana offchain"

// ErrText refuses text that an off-chain message cannot hold.
var ErrText = errors.New("is empty, or not UTF-8")

// ErrTransaction refuses bytes that a network could take as a message of a transaction.
var ErrTransaction = errors.New("could be the message of a transaction")

// OffchainText is what a key signs of a text: version 1 of the off-chain format, with the signer named.
//
//	ff 736f6c616e61206f6666636861696e | 01 | 01 | 32 bytes of the signer | text
func OffchainText(signer Address, text string) ([]byte, error) {
	if text == "" || !utf8.ValidString(text) {
		return nil, ErrText
	}
	b := append([]byte(offchainDomain), 1, 1)
	return append(append(b, signer[:]...), text...), nil
}

// CheckPayload refuses bytes that are not of this package's making and could be taken for the message of a
// transaction, by whoever reads less strictly than DecodeMessage: of a version that is not known today, with lengths
// in more bytes than they need, with bytes behind the end.
func CheckPayload(payload []byte) error {
	if len(payload) == 0 {
		return ErrText
	}
	if bytes.HasPrefix(payload, []byte(offchainDomain)) {
		return nil
	}
	if payload[0] >= versioned || looksLegacy(payload) {
		return ErrTransaction
	}
	return nil
}

// looksLegacy reports whether bytes begin as a legacy message does: a header with somebody who pays, and as many keys
// as it speaks of. Text does not: its first character, as a number of signers, would be 32 or more, of which 12 fit.
func looksLegacy(b []byte) bool {
	const header = 3
	if len(b) <= header {
		return false
	}
	signers, readOnlySigners := b[0], b[1]
	if signers == 0 || signers > maxSigners || readOnlySigners >= signers {
		return false
	}
	keys, at := 0, header
	for shift := 0; at < len(b) && shift < 21; shift += 7 {
		keys |= int(b[at]&0x7f) << shift
		if at++; b[at-1] < 0x80 {
			break
		}
	}
	return keys >= int(signers) && len(b)-at >= (keys+1)*len(Address{})
}
