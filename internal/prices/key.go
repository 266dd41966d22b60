package prices

import (
	"crypto/ecdsa"

	"github.com/railkit/railkit/internal/keyfile"
)

// KeyName is how errors call the key.
const KeyName = "the price key"

// ReadKey reads a price key. Who can read it sets prices.
func ReadKey(path string) (*ecdsa.PrivateKey, error) { return keyfile.Read(path, KeyName) }

// NewKey writes a new price key to a new file, and gives its public half, which is what the enclave is sealed with.
func NewKey(path string) (public string, err error) { return keyfile.New(path, KeyName) }
