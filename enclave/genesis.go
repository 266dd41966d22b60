// Package enclave is the signer: the only process with keys. It listens on one
// socket, reaches nothing, and executes nothing that its State does not allow.
package enclave

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/wire"
)

// Genesis is what init sealed. It is never written again: what the operator adds later (Amend) is an entry of the
// journal. None of it ever comes from a message or from the server's configuration.
type Genesis struct {
	Version              int               `json:"version"`
	Environment          chain.Environment `json:"environment"`
	RPID                 string            `json:"rpId"`
	Origins              []string          `json:"origins"`
	Networks             []chain.Network   `json:"networks"`
	PriceKey             string            `json:"priceKey"` // P-256, compressed hex: whose price sheets count
	RecoveryDelaySeconds int64             `json:"recoveryDelaySeconds"`
	IdentityKey          []byte            `json:"identityKey"` // P-256 scalar
	KEK                  []byte            `json:"kek"`         // seals seeds
	JournalKey           []byte            `json:"journalKey"`
	CreatedAtMs          int64             `json:"createdAtMs"`

	hash string // of the bytes that were sealed; a later version may write them otherwise
}

const genesisFile = "genesis.age"

// sandboxDelay and productionDelay are how long a recovery waits, so that who
// still has a passkey can stop it.
const (
	sandboxDelay    = 5
	productionDelay = 72 * 60 * 60
)

// NewGenesis makes the constants of a new enclave, with fresh keys.
func NewGenesis(env chain.Environment, rpID string, origins []string, priceKey string, nowMs int64) (Genesis, error) {
	g := Genesis{
		Version: 1, Environment: env, RPID: rpID, Origins: origins, PriceKey: priceKey,
		Networks: chain.Networks(env), RecoveryDelaySeconds: productionDelay, CreatedAtMs: nowMs,
	}
	if env == chain.Sandbox {
		g.RecoveryDelaySeconds = sandboxDelay
	}
	if err := g.check(); err != nil {
		return Genesis{}, err
	}
	identity, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Genesis{}, fmt.Errorf("making the identity key: %w", err)
	}
	if g.IdentityKey, err = identity.Bytes(); err != nil {
		return Genesis{}, fmt.Errorf("making the identity key: %w", err)
	}
	g.KEK, g.JournalKey = make([]byte, 32), make([]byte, 32)
	for _, key := range [][]byte{g.KEK, g.JournalKey} {
		if _, err := rand.Read(key); err != nil {
			return Genesis{}, fmt.Errorf("making a key: %w", err)
		}
	}
	return g, nil
}

// check holds the rules of the constants.
func (g Genesis) check() error {
	if g.Environment != chain.Sandbox && g.Environment != chain.Production {
		return errors.New("environment is neither sandbox nor production")
	}
	if len(g.Origins) == 0 || g.RPID == "" {
		return errors.New("an RP id and at least one origin are needed")
	}
	for _, o := range g.Origins {
		if err := decide.CheckOrigin(o, g.Environment); err != nil {
			return err
		}
	}
	if err := decide.CheckClusters(g.Networks); err != nil {
		return err
	}
	if g.RecoveryDelaySeconds <= 0 {
		return errors.New("a recovery has to wait")
	}
	if _, err := wire.ParseP256(g.PriceKey); err != nil {
		return fmt.Errorf("price key: %w", err)
	}
	return nil
}

// Save seals the constants into dir, which must not hold any yet.
func (g *Genesis) Save(dir string, sealer keystore.Sealer) error {
	plain, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("encoding the genesis: %w", err)
	}
	g.hash = hashOf(plain)
	sealed, err := sealer.Seal(plain)
	if err != nil {
		return fmt.Errorf("sealing the genesis: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, genesisFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("writing the genesis: %w", err)
	}
	if _, err := f.Write(sealed); err != nil {
		return errors.Join(fmt.Errorf("writing the genesis: %w", err), f.Close())
	}
	return errors.Join(f.Sync(), f.Close())
}

// LoadGenesis opens the constants of dir.
func LoadGenesis(dir string, sealer keystore.Sealer) (Genesis, error) {
	sealed, err := os.ReadFile(filepath.Join(dir, genesisFile))
	if err != nil {
		return Genesis{}, fmt.Errorf("reading the genesis (was `railkit-enclave init` run?): %w", err)
	}
	plain, err := sealer.Open(sealed)
	if err != nil {
		return Genesis{}, fmt.Errorf("unsealing the genesis: %w", err)
	}
	var g Genesis
	if err := json.Unmarshal(plain, &g); err != nil {
		return Genesis{}, fmt.Errorf("reading the genesis: %w", err)
	}
	g.hash = hashOf(plain)
	g.chargeForData()
	if g.Version != 1 {
		return Genesis{}, fmt.Errorf("genesis version %d is newer than this enclave", g.Version)
	}
	return g, g.check()
}

// chargeForData marks the networks that charge for data in constants that were sealed
// before networks said so. Without it a signer from before would take the data fee of
// base for nothing, for as long as its folder lives.
func (g *Genesis) chargeForData() {
	for i, n := range g.Networks {
		listed, _ := chain.ByChainID(g.Environment, n.ChainID)
		g.Networks[i].DataFee = n.DataFee || listed.DataFee
	}
}

// Hash binds the journal to these constants. It is empty until they are sealed.
func (g Genesis) Hash() string { return g.hash }

func hashOf(sealed []byte) string {
	sum := sha256.Sum256(append([]byte("railkit genesis\n"), sealed...))
	return hex.EncodeToString(sum[:])
}

// wipe forgets the keys once they are where they are used.
func (g *Genesis) wipe() {
	for _, key := range [][]byte{g.IdentityKey, g.KEK, g.JournalKey} {
		clear(key)
	}
}

// identity is the key that signs every statement.
func (g Genesis) identity() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), g.IdentityKey)
	if err != nil {
		return nil, fmt.Errorf("identity key: %w", err)
	}
	return key, nil
}
