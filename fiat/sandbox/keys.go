package sandbox

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha512"
	"crypto/x509"
	"encoding/binary"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/fiat/sandbox/control"
)

// The branches of the partner's keys below its seed. Only hardened children are
// made: nobody needs addresses without their keys.
const (
	treasuryBranch = iota
	addressBranch
	walletBranch
)

const hardened = 1 << 31

// seed is the root of the keys, as BIP-32 has it.
type seed struct{ key, code []byte }

func newSeed(entropy []byte) seed {
	sum := hmac512([]byte("Bitcoin seed"), entropy)
	return seed{sum[:32], sum[32:]}
}

func hmac512(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha512.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

var errChild = errors.New("no key at this index")

func (s seed) child(index uint32) (seed, error) {
	sum := hmac512(s.code, []byte{0}, s.key, binary.BigEndian.AppendUint32(nil, index|hardened))
	var tweak, parent secp256k1.ModNScalar
	if tweak.SetByteSlice(sum[:32]) || parent.SetByteSlice(s.key) {
		return seed{}, errChild
	}
	if tweak.Add(&parent).IsZero() {
		return seed{}, errChild
	}
	key := tweak.Bytes()
	return seed{key[:], sum[32:]}, nil
}

// account is the key and address at m/44'/60'/branch'/index'.
func (s seed) account(branch, index uint32) (secret []byte, a evm.Address, err error) {
	at := s
	for _, step := range []uint32{44, 60, branch, index} {
		if at, err = at.child(step); err != nil {
			return nil, a, err
		}
	}
	a, err = evm.AddressOf(secp256k1.PrivKeyFromBytes(at.key).PubKey().SerializeCompressed())
	return at.key, a, err
}

// readSeed reads the seed of a folder, or makes it.
func readSeed(folder string) (seed, error) {
	text, err := keep(filepath.Join(folder, "seed"), func() ([]byte, error) {
		entropy := make([]byte, 32)
		_, _ = rand.Read(entropy) // it never fails
		return []byte(hex.EncodeToString(entropy)), nil
	})
	if err != nil {
		return seed{}, err
	}
	entropy, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(entropy) != 32 {
		return seed{}, errors.New("the partner's seed is not 32 bytes in hex")
	}
	return newSeed(entropy), nil
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
