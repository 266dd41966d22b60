// Package vault encrypts small secrets, such as bank account numbers, before they are stored in the database. A
// ciphertext is bound to its place (workspace, row, field): copied over another row it does not decrypt, so that a
// person who can write to the database cannot redirect a payment by copying.
package vault

import (
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
)

// Place is the place of a secret in the database. It is not stored in the ciphertext, and has to be the same for
// decrypting.
type Place struct {
	WorkspaceID string
	Kind        string // of the row: its table
	ID          string // of the row
	Field       string
}

// ErrSealed is the error of a ciphertext that does not decrypt: its key is missing, it belongs to another place, or it
// was changed.
var ErrSealed = errors.New("vault: the sealed text does not open here")

// Vault seals and opens.
type Vault struct {
	keys []key // the first seals, all open, the last makes fingerprints
}

type key struct {
	id   string
	aead cipher.AEAD // with a random nonce for each text
	mac  []byte
}

const version = "v1"

// Seal seals a secret for a place.
func (v *Vault) Seal(at Place, secret []byte) string {
	k := v.keys[0]
	return version + "." + k.id + "." + base64.RawURLEncoding.EncodeToString(k.aead.Seal(nil, nil, secret, at.bytes()))
}

// Open opens what was sealed for the place, by any key that is there.
func (v *Vault) Open(at Place, sealed string) ([]byte, error) {
	form, rest, _ := strings.Cut(sealed, ".")
	id, text, _ := strings.Cut(rest, ".")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || form != version {
		return nil, ErrSealed
	}
	for _, k := range v.keys {
		if k.id != id {
			continue
		}
		secret, err := k.aead.Open(nil, nil, raw, at.bytes())
		if err != nil {
			return nil, ErrSealed
		}
		return secret, nil
	}
	return nil, ErrSealed
}

// Fingerprint is equal for equal secrets of a kind and workspace, and reveals nothing without the key.
func (v *Vault) Fingerprint(workspaceID, kind, secret string) string {
	mac := hmac.New(sha256.New, v.keys[len(v.keys)-1].mac)
	mac.Write(joined(workspaceID, kind, secret))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (p Place) bytes() []byte { return joined(p.WorkspaceID, p.Kind, p.ID, p.Field) }

// joined writes each text with its length, so that different lists give different bytes.
func joined(texts ...string) (all []byte) {
	for _, text := range texts {
		all = binary.BigEndian.AppendUint32(all, uint32(len(text)))
		all = append(all, text...)
	}
	return all
}
