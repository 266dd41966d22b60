package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// sandbox marks the key that the sandbox makes itself. Production refuses it: it
// lies beside the data that it seals.
const sandbox = "sandbox:"

const keySize = 32

var (
	errKey     = errors.New("the vault's key is not 32 bytes in base64, one key in a line (openssl rand -base64 32)")
	errSandbox = errors.New("the vault's key is one that a sandbox made: make another (openssl rand -base64 32)")
)

// NewSandboxKey makes the file of a sandbox's key.
func NewSandboxKey() (file []byte, err error) {
	secret := make([]byte, keySize)
	if _, err := rand.Read(secret); err != nil {
		return nil, fmt.Errorf("making a key of the vault: %w", err)
	}
	return []byte(sandbox + base64.StdEncoding.EncodeToString(secret) + "\n"), nil
}

// Parse reads a file of keys, one in a line. A new key goes before the others:
// the first seals, and each opens what it has sealed. The last, which is the
// oldest, makes fingerprints, so that they stay the same. Errors tell nothing of
// what is in the file.
func Parse(file []byte, production bool) (*Vault, error) {
	v := &Vault{}
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text, own := strings.CutPrefix(line, sandbox)
		if own && production {
			return nil, errSandbox
		}
		secret, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || len(secret) != keySize {
			return nil, errKey
		}
		k, err := newKey(secret)
		if err != nil {
			return nil, err
		}
		v.keys = append(v.keys, k)
	}
	if len(v.keys) == 0 {
		return nil, errKey
	}
	return v, nil
}

func newKey(secret []byte) (key, error) {
	parts, err := hkdf.Key(sha256.New, secret, nil, "railkit vault", 2*keySize)
	if err != nil {
		return key{}, fmt.Errorf("deriving the keys of the vault: %w", err)
	}
	block, err := aes.NewCipher(parts[:keySize])
	if err != nil {
		return key{}, fmt.Errorf("making the vault's cipher: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return key{}, fmt.Errorf("making the vault's cipher: %w", err)
	}
	id := sha256.Sum256(parts)
	return key{id: base64.RawURLEncoding.EncodeToString(id[:6]), aead: aead, mac: parts[keySize:]}, nil
}
