package stamp

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
)

// flags are the bits of authenticator data; bits 1 and 5 are reserved and ignored.
type flags byte

const (
	flagUserPresent    flags = 1 << 0
	flagUserVerified   flags = 1 << 2
	flagBackupEligible flags = 1 << 3
	flagBackedUp       flags = 1 << 4
	flagAttested       flags = 1 << 6
	flagExtensions     flags = 1 << 7
)

// authenticatorData is what the authenticator itself states and signs:
// WebAuthn level 3, section 6.1.
type authenticatorData struct {
	rpIDHash  [sha256.Size]byte
	flags     flags
	signCount uint32
	attested  *attestedCredential // nil: none
}

// attestedCredential is a new credential: WebAuthn level 3, section 6.5.1.
type attestedCredential struct {
	aaguid    [16]byte
	id        []byte
	publicKey []byte // COSE key, the very bytes
}

func (d authenticatorData) has(f flags) bool { return d.flags&f != 0 }

func parseAuthenticatorData(raw []byte) (authenticatorData, error) {
	const fixed = sha256.Size + 1 + 4
	if len(raw) < fixed {
		return authenticatorData{}, refuse("authenticator data is too short")
	}
	d := authenticatorData{flags: flags(raw[32]), signCount: binary.BigEndian.Uint32(raw[33:])}
	copy(d.rpIDHash[:], raw)
	rest, err := d.readAttested(raw[fixed:])
	if err != nil {
		return authenticatorData{}, err
	}
	if rest, err = d.skipExtensions(rest); err != nil {
		return authenticatorData{}, err
	}
	if len(rest) > 0 {
		return authenticatorData{}, refuse("authenticator data has trailing bytes")
	}
	return d, nil
}

func (d *authenticatorData) readAttested(raw []byte) (rest []byte, err error) {
	if !d.has(flagAttested) {
		return raw, nil
	}
	if len(raw) < 18 {
		return nil, refuse("attested credential data is too short")
	}
	c := attestedCredential{aaguid: [16]byte(raw)}
	size := int(binary.BigEndian.Uint16(raw[16:]))
	raw = raw[18:]
	if size == 0 || size > maxCredentialID || size > len(raw) {
		return nil, refuse("credential id has a wrong length")
	}
	c.id, raw = bytes.Clone(raw[:size]), raw[size:]
	key, rest, err := splitMap[int64](raw)
	if err != nil {
		return nil, refuse("public key is not a CBOR map")
	}
	c.publicKey = bytes.Clone(key)
	d.attested = &c
	return rest, nil
}

// skipExtensions steps over extension outputs. None is asked for and none
// matters, but they must be one map, so that nothing hides behind it.
func (d *authenticatorData) skipExtensions(raw []byte) (rest []byte, err error) {
	if !d.has(flagExtensions) {
		return raw, nil
	}
	if _, rest, err = splitMap[string](raw); err != nil {
		return nil, refuse("extensions are not a CBOR map")
	}
	return rest, nil
}

// check holds what every ceremony requires.
func (d authenticatorData) check(rpID string) error {
	want := sha256.Sum256([]byte(rpID))
	switch {
	case rpID == "" || subtle.ConstantTimeCompare(d.rpIDHash[:], want[:]) != 1:
		return refuse("made for another relying party")
	case !d.has(flagUserPresent):
		return refuse("user was not present")
	case !d.has(flagUserVerified):
		return refuse("user was not verified")
	case d.has(flagBackedUp) && !d.has(flagBackupEligible):
		return refuse("backed up but not eligible for backup")
	}
	return nil
}

func formatAAGUID(id [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
