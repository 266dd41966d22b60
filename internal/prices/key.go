package prices

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
)

// errKey does not say what the file holds.
var errKey = errors.New("the price key's file does not hold 32 bytes in hex")

// ReadKey reads a price key. Who can read it sets prices, so a file that other
// users may read is refused.
func ReadKey(path string) (*ecdsa.PrivateKey, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the price key: %w", err)
	}
	if info.Mode().Perm()&0o007 != 0 {
		return nil, errors.New("other users may read the price key's file: chmod 600")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the price key: %w", err)
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, errKey
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		return nil, errKey
	}
	return key, nil
}

// NewKey writes a new price key to a new file, and gives its public half, which
// is what the enclave is sealed with.
func NewKey(path string) (public string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	raw, err := key.Bytes()
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("writing the price key: %w", err)
	}
	_, err = f.WriteString(hex.EncodeToString(raw) + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fmt.Errorf("writing the price key: %w", err)
	}
	return wire.CompressP256(&key.PublicKey), nil
}
