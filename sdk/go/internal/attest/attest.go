// Package attest reads which passkey an attestation object is of: the little of CBOR that WebAuthn has it in.
package attest

import (
	"encoding/binary"
	"errors"
)

// ErrMalformed is what is no attestation object.
var ErrMalformed = errors.New("railkit: the attestation object is malformed")

// Read gives a passkey's id, and its public key as a COSE key.
func Read(object []byte) (id, key []byte, err error) {
	data, err := authenticatorData(object)
	if err != nil {
		return nil, nil, err
	}
	// Layout of WebAuthn 6.1: 32 hash, 1 flags, 4 counter, 16 AAGUID, 2 length, id, COSE key.
	const fixed = 32 + 1 + 4 + 16 + 2
	if len(data) < fixed || data[32]&0x40 == 0 {
		return nil, nil, ErrMalformed
	}
	size := int(binary.BigEndian.Uint16(data[fixed-2:]))
	if data = data[fixed:]; len(data) < size {
		return nil, nil, ErrMalformed
	}
	id, key = data[:size], data[size:]
	end, err := skipCBOR(key, 0)
	if err != nil {
		return nil, nil, err
	}
	return id, key[:end], nil
}

// authenticatorData finds the member "authData" of the CBOR map.
func authenticatorData(object []byte) ([]byte, error) {
	major, pairs, at, err := headCBOR(object)
	if err != nil || major != 5 {
		return nil, ErrMalformed
	}
	for range pairs {
		value, err := skipCBOR(object[at:], 0)
		if err != nil {
			return nil, err
		}
		key := object[at : at+value]
		at += value
		size, err := skipCBOR(object[at:], 0)
		if err != nil {
			return nil, err
		}
		if string(key) == "\x68authData" { // text of 8 bytes
			return bytesCBOR(object[at : at+size])
		}
		at += size
	}
	return nil, ErrMalformed
}

func bytesCBOR(item []byte) ([]byte, error) {
	major, _, start, err := headCBOR(item)
	if err != nil || major != 2 {
		return nil, ErrMalformed
	}
	return item[start:], nil
}

// headCBOR reads the first bytes of an item: its major type, its length or
// value, and where its content starts. Indefinite lengths do not occur in
// CTAP2's canonical form.
func headCBOR(raw []byte) (major byte, n uint64, start int, err error) {
	if len(raw) == 0 {
		return 0, 0, 0, ErrMalformed
	}
	major, info := raw[0]>>5, raw[0]&0x1f
	if info < 24 {
		return major, uint64(info), 1, nil
	}
	if info > 27 {
		return 0, 0, 0, ErrMalformed
	}
	size := 1 << (info - 24)
	if len(raw) < 1+size {
		return 0, 0, 0, ErrMalformed
	}
	for _, b := range raw[1 : 1+size] {
		n = n<<8 | uint64(b)
	}
	return major, n, 1 + size, nil
}

// skipCBOR says how long the first item is.
func skipCBOR(raw []byte, depth int) (int, error) {
	major, n, at, err := headCBOR(raw)
	if err != nil || depth > 8 {
		return 0, ErrMalformed
	}
	items := uint64(0)
	switch major {
	case 2, 3:
		if n > uint64(len(raw)-at) {
			return 0, ErrMalformed
		}
		return at + int(n), nil
	case 4, 6:
		items = n
		if major == 6 {
			items = 1
		}
	case 5:
		items = 2 * n
	}
	if items > uint64(len(raw)) {
		return 0, ErrMalformed
	}
	for range items {
		size, err := skipCBOR(raw[at:], depth+1)
		if err != nil {
			return 0, err
		}
		at += size
	}
	return at, nil
}
