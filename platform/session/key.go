package session

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
)

// Key signs access tokens. Anyone who has it can log in as any member.
type Key struct {
	private ed25519.PrivateKey
	id      string
}

// NewKey makes a key and its file: PKCS#8 in PEM, as openssl genpkey writes it.
func NewKey() (file []byte, err error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a session key: %w", err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, fmt.Errorf("making a session key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), nil
}

// ParseKey reads a key's file. Its errors tell nothing of what is in it.
func ParseKey(file []byte) (Key, error) {
	wrong := errors.New("the session key is not an Ed25519 private key in PEM (openssl genpkey -algorithm ed25519)")
	block, _ := pem.Decode(file)
	if block == nil {
		return Key{}, wrong
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	private, ok := parsed.(ed25519.PrivateKey)
	if err != nil || !ok {
		return Key{}, wrong
	}
	sum := sha256.Sum256(private.Public().(ed25519.PublicKey))
	return Key{private: private, id: base64.RawURLEncoding.EncodeToString(sum[:16])}, nil
}

// Derive makes another secret of the key, for another purpose.
func (k Key) Derive(purpose string) ([]byte, error) {
	secret, err := hkdf.Key(sha256.New, k.private.Seed(), nil, "railkit "+purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("deriving a secret: %w", err)
	}
	return secret, nil
}
