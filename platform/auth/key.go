package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

const (
	keyHead   = "rk_client_key_v1_"
	keySecret = 32 // random bytes, 43 characters in base64url
	shown     = 20 // characters of a key that are no secret
)

// GenerateKey makes the text of a new API key. The server shows the text once; the store holds only its Hash.
func GenerateKey() (string, error) {
	secret := make([]byte, keySecret)
	if _, err := rand.Read(secret); err != nil {
		return "", fmt.Errorf("generating an API key: %w", err)
	}
	return keyHead + base64.RawURLEncoding.EncodeToString(secret), nil
}

// WellFormed reports whether text has the form of an API key.
func WellFormed(text string) bool {
	tail, ok := strings.CutPrefix(text, keyHead)
	if !ok {
		return false
	}
	secret, err := base64.RawURLEncoding.Strict().DecodeString(tail)
	return err == nil && len(secret) == keySecret
}

// SecretLength is how many characters a Secret has.
const SecretLength = 43

// Secret makes the text of 32 random bytes in base64url, for a link's token, a challenge or a refresh token.
func Secret() string {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(secret[:])
}

// Hash is the hex SHA-256 of a key, token or challenge. The database stores and finds them by it. Each has 256 random
// bits, so a slow hash would add nothing.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Prefix is the beginning of a key. Lists show it, so that an owner can tell keys apart.
func Prefix(text string) string { return text[:min(shown, len(text))] }

// LastFour is the end of a key. Lists show it next to the Prefix.
func LastFour(text string) string { return text[max(0, len(text)-4):] }
