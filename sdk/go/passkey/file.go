package passkey

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// saved is the file's form.
type saved struct {
	Warning string      `json:"warning"`
	Origin  string      `json:"origin"`
	Keys    []savedPair `json:"passkeys"`
}

type savedPair struct {
	ID         []byte `json:"id"`
	PrivateKey []byte `json:"privateKey"` // PKCS #8
	RPID       string `json:"rpId"`
	User       User   `json:"user"`
	SignCount  uint32 `json:"signCount"`
}

const warning = "private keys of a software passkey, in clear; for tests only"

// Save writes the passkeys, unencrypted, to a file that only its owner can
// read. A loaded authenticator goes on counting from there: save again after
// stamping, or the next stamps carry counts that the enclave has seen.
func (a *Authenticator) Save(path string) error {
	content, err := a.export()
	if err != nil {
		return err
	}
	return writePrivate(path, content)
}

func (a *Authenticator) export() ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	file := saved{Warning: warning, Origin: a.origin}
	for _, key := range a.keys {
		private, err := x509.MarshalPKCS8PrivateKey(key.private)
		if err != nil {
			return nil, fmt.Errorf("writing a passkey: %w", err)
		}
		file.Keys = append(file.Keys, savedPair{key.id, private, key.rpID, key.user, key.signCount})
	}
	return json.MarshalIndent(file, "", "  ")
}

// writePrivate replaces path at once, so that a crash leaves the old file or
// the new one. os.CreateTemp makes files with mode 0600.
func writePrivate(path string, content []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".passkey-*")
	if err != nil {
		return fmt.Errorf("saving passkeys: %w", err)
	}
	_, writeErr := temp.Write(content)
	if err := errors.Join(writeErr, temp.Sync(), temp.Close()); err != nil {
		return errors.Join(fmt.Errorf("saving passkeys: %w", err), os.Remove(temp.Name()))
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return errors.Join(fmt.Errorf("saving passkeys: %w", err), os.Remove(temp.Name()))
	}
	return nil
}

// Load reads what Save wrote. It refuses a file that others can read or write.
func Load(path string) (*Authenticator, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("loading passkeys: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, errors.New("loading passkeys: the file is open to others; its mode must be 0600")
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("loading passkeys: %w", err)
	}
	var file saved
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, errors.New("loading passkeys: the file is not one of this package")
	}
	return file.authenticator()
}

func (f saved) authenticator() (*Authenticator, error) {
	a := New(f.Origin)
	for _, pair := range f.Keys {
		parsed, err := x509.ParsePKCS8PrivateKey(pair.PrivateKey)
		private, isEC := parsed.(*ecdsa.PrivateKey)
		if err != nil || !isEC || private.Curve != elliptic.P256() || len(pair.ID) == 0 {
			return nil, errors.New("loading passkeys: the file holds a damaged passkey")
		}
		a.keys = append(a.keys, &held{pair.ID, private, pair.RPID, pair.User, pair.SignCount})
	}
	return a, nil
}
