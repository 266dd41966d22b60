package sandbox

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/fiat/sandbox/onchain"
)

// readSeed reads the seed of a folder, or makes it.
func readSeed(folder string) (onchain.Seed, error) {
	text, err := keep(filepath.Join(folder, "seed"), func() ([]byte, error) {
		entropy := make([]byte, 32)
		_, _ = rand.Read(entropy) // it never fails
		return []byte(hex.EncodeToString(entropy)), nil
	})
	if err != nil {
		return nil, err
	}
	entropy, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(entropy) != 32 {
		return nil, errors.New("the partner's seed is not 32 bytes in hex")
	}
	return entropy, nil
}

// readKeys reads all keys of the folder, and makes those that are not there.
func (s *Server) readKeys() (err error) {
	if s.seed, err = readSeed(s.config.Folder); err != nil {
		return err
	}
	if s.signer, err = webhookKey(s.config.Folder); err != nil {
		return err
	}
	for name, key := range map[string]*string{control.APIKeyFile: &s.key, control.KeyFile: &s.control} {
		text, err := keep(filepath.Join(s.config.Folder, name), func() ([]byte, error) {
			return []byte("sk-test-" + rand.Text() + "\n"), nil
		})
		if *key = strings.TrimSpace(string(text)); err != nil || len(*key) < 16 {
			return errors.Join(err, errors.New("a key of the partner's folder is none"))
		}
	}
	return nil
}

// webhookKey reads the key that signs notices, or makes it, and writes its
// public half beside it.
func webhookKey(folder string) (*rsa.PrivateKey, error) {
	raw, err := keep(filepath.Join(folder, "webhook.key.pem"), func() ([]byte, error) {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			return nil, err
		}
		return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}), nil
	})
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, errors.New("the partner's webhook key is not PEM")
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the partner's webhook key is none")
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("encoding the webhook key: %w", err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	_, err = keep(filepath.Join(folder, control.PublicKeyFile), func() ([]byte, error) { return public, nil })
	return key, err
}

// keep reads a file, or makes it, whole or not at all.
func keep(path string, produce func() ([]byte, error)) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return raw, err
	}
	if raw, err = produce(); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return nil, err
	}
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	return raw, err
}
