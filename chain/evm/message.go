package evm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/railkit/railkit/chain"
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

// maxMessage bounds a text or bytes: more is shown to nobody.
const maxMessage = 64 << 10

// IsTransaction says no: keys sign hashes, of which none is that of a transaction by chance.
func (Family) IsTransaction([]byte) bool { return false }

// ReadMessage reads a message of EIP-191 or EIP-712, or a digest.
//
// Text for people moves nothing and belongs to no network. Other bytes, 32 of them above all, may be the hash of
// anything that a contract then does: they have an unknown effect.
func (Family) ReadMessage(all []chain.Network, from, kind, payload string) (chain.Message, error) {
	signer, err := ParseAddress(from)
	if err != nil {
		return chain.Message{}, err
	}
	switch kind {
	case chain.MessageText:
		return readBytes(signer, []byte(payload))
	case chain.MessageHex:
		raw, err := prefixedHex(payload)
		if err != nil {
			return chain.Message{}, err
		}
		return readBytes(signer, raw)
	case chain.MessageTypedData:
		return readTypedData(all, signer, payload)
	case chain.MessageRawDigest:
		raw, err := prefixedHex(payload)
		if err != nil || len(raw) != 32 {
			return chain.Message{}, errors.New("payload is not 0x-prefixed hex of 32 bytes")
		}
		return chain.Message{Payload: raw, Raw: true}, nil
	}
	return chain.Message{}, errors.New("type is not EIP191_TEXT, EIP191_HEX, EIP712 or RAW_DIGEST")
}

func prefixedHex(text string) ([]byte, error) {
	raw, err := chain.ParseHex(text)
	if err != nil || !strings.HasPrefix(text, "0x") {
		return nil, errors.New("payload is not 0x-prefixed hex")
	}
	return raw, nil
}

func readBytes(signer Address, raw []byte) (chain.Message, error) {
	if len(raw) > maxMessage {
		return chain.Message{}, errors.New("payload is too large")
	}
	digest := MessageDigest(raw)
	m := chain.Message{Payload: digest[:], Text: string(raw)}
	if !IsText(raw) {
		m.Effects = []chain.Effect{UnknownMessage(signer, Address{})}
	}
	if !IsText(raw) || strings.HasPrefix(m.Text, "0x") { // hex that is text must not look like the bytes
		m.Text = chain.Hex(raw)
	}
	return m, nil
}

func readTypedData(all []chain.Network, signer Address, payload string) (chain.Message, error) {
	d, err := ParseTypedData([]byte(payload))
	if err != nil {
		return chain.Message{}, fmt.Errorf("payload is %w", err)
	}
	network, ok := chain.WithChainID(all, d.ChainID)
	if !ok {
		return chain.Message{}, chain.UnlistedError{Network: chain.Network{Kind: chain.EVM, ChainID: d.ChainID}}
	}
	m := chain.Message{
		Payload: d.Digest[:], Network: network, Effects: d.Effects(signer, network),
		Domain: d.Domain, Primary: d.Primary, Fields: d.Fields,
	}
	if second, ok := d.End(); ok {
		m.Ends = second
	}
	if nonces := d.Nonces(); nonces != nil {
		m.Consent = &chain.Consent{Type: d.Primary, Contract: d.Contract.String(), Nonces: nonces, Effects: m.Effects}
	}
	return m, nil
}

// EncodeSignature writes r, s and v with v as 27 or 28, as wallets and contracts have it.
func (Family) EncodeSignature(signature []byte) string {
	sig, err := signatureOf(signature)
	if err != nil {
		return ""
	}
	sig.V += 27
	return chain.Hex(sig.Bytes())
}
