// Package keystore holds the wallets' seeds and signs with the keys derived
// from them. A seed leaves it only sealed; a private key never.
//
// Seeds and keys are handled in pages that are locked and, where the kernel has
// memfd_secret, not even readable by root. What Go's crypto copies while it
// computes, it copies to ordinary memory: the process must not be dumpable
// (package harden), and its machine should have no swap.
package keystore

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
)

// The curves, as the wire names them.
const (
	Secp256k1 = "CURVE_SECP256K1"
	Ed25519   = "CURVE_ED25519"
)

// What the keystore refuses. None of them holds a secret or a caller's value.
var (
	ErrSealed  = errors.New("keystore: a sealed seed does not open, it was changed or is of another wallet")
	ErrWallet  = errors.New("keystore: no such wallet")
	ErrTaken   = errors.New("keystore: the wallet is already loaded with another seed")
	ErrCurve   = errors.New("keystore: unknown curve")
	ErrPath    = errors.New("keystore: not a derivation path of the form m/44'/60'/0'/0/0")
	ErrWords   = errors.New("keystore: a mnemonic has 12 or 24 words")
	ErrChild   = errors.New("keystore: this path has no key, take the next index")
	ErrFaulty  = errors.New("keystore: the signature made does not verify and is withheld")
	ErrClosed  = errors.New("keystore: closed")
	ErrBadKEK  = errors.New("keystore: the key-encryption key must have 32 bytes")
	ErrUnnamed = errors.New("keystore: environment, organization and wallet must have names")
)

// Bounds of what is held in locked memory. Together they stay far under the
// usual limit of 8 MiB.
const (
	cachedKeys   = 4096 // derived keys; the least used makes room
	scratchAreas = 4    // derivations at once
)

// Keys is the set of loaded wallets. Its methods may be called from any goroutine.
type Keys struct {
	environment string
	kek         cipher.AEAD
	memory      *memory
	cache       *cache
	scratch     chan *scratch // closed by Close

	mu      sync.RWMutex
	wallets map[string]wallet
	closing sync.Once

	tamper func(signature []byte) // tests only: a fault between signing and checking
}

type wallet struct {
	organization string
	sealed       []byte
}

// New makes an empty keystore. The caller wipes kek.
func New(kek []byte, environment string) (*Keys, error) {
	if len(kek) != 32 {
		return nil, ErrBadKEK
	}
	if environment == "" {
		return nil, ErrUnnamed
	}
	block, err := aes.NewCipher(kek)
	if err != nil {
		return nil, fmt.Errorf("making the seed cipher: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("making the seed cipher: %w", err)
	}
	m, err := newMemory(cachedKeys*secretSize + scratchAreas*scratchSize)
	if err != nil {
		return nil, fmt.Errorf("locking memory for keys: %w", err)
	}
	k := &Keys{environment: environment, kek: aead, memory: m, wallets: map[string]wallet{}}
	k.cache = newCache(m.take(cachedKeys * secretSize))
	k.scratch = make(chan *scratch, scratchAreas)
	for range scratchAreas {
		k.scratch <- newScratch(m.take(scratchSize))
	}
	return k, nil
}

// Hardening names what protects the key pages elsewhere and is missing here.
func (k *Keys) Hardening() []string { return k.memory.missing }

// Memory says where keys are held: memfd_secret, mlock or unlocked.
func (k *Keys) Memory() string { return k.memory.kind }

// Create makes a wallet's seed, of a mnemonic of 12 or 24 words, and gives it
// sealed. It is not loaded: the caller first writes it where it lasts.
func (k *Keys) Create(organization, wallet string, words int) ([]byte, error) {
	size := map[int]int{12: 16, 24: 32}[words]
	if size == 0 {
		return nil, ErrWords
	}
	if organization == "" || wallet == "" {
		return nil, ErrUnnamed
	}
	s, ok := <-k.scratch
	if !ok {
		return nil, ErrClosed
	}
	defer k.giveBack(s)
	entropy := s.entropy[:size]
	// A system without randomness ends the process here: Read never returns an error.
	_, _ = rand.Read(entropy)
	return k.seal(seedOf(k.environment, organization, wallet), entropy), nil
}

// Load takes a wallet in, after checking that its seed opens. The same wallet
// with the same seed may be loaded again.
func (k *Keys) Load(organization, id string, sealed []byte) error {
	s, ok := <-k.scratch
	if !ok {
		return ErrClosed
	}
	defer k.giveBack(s)
	if _, err := k.open(s, seedOf(k.environment, organization, id), sealed); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if w, loaded := k.wallets[id]; loaded && (w.organization != organization || string(w.sealed) != string(sealed)) {
		return ErrTaken
	}
	k.wallets[id] = wallet{organization, append([]byte(nil), sealed...)}
	return nil
}

// Sealed gives the sealed seed of a loaded wallet.
func (k *Keys) Sealed(organization, id string) (sealed []byte, loaded bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	w, ok := k.wallets[id]
	if !ok || w.organization != organization {
		return nil, false
	}
	return append([]byte(nil), w.sealed...), true
}

// Close wipes every key. What is under way ends first.
func (k *Keys) Close() error {
	var err error
	k.closing.Do(func() {
		for range scratchAreas {
			<-k.scratch
		}
		close(k.scratch)
		k.cache.close()
		err = k.memory.release()
	})
	return err
}

func (k *Keys) giveBack(s *scratch) {
	s.wipe()
	k.scratch <- s
}

// secret copies a derived key into to and returns its public key, which the
// caller must not change. The key is derived if it is not cached.
func (k *Keys) secret(wallet, curve, path string, to *[secretSize]byte) (publicKey, error) {
	id := keyID{wallet, curve, path}
	if public, ok := k.cache.get(id, to); ok {
		return public, nil
	}
	steps, err := ParsePath(curve, path)
	if err != nil {
		return publicKey{}, err
	}
	k.mu.RLock()
	w, ok := k.wallets[wallet]
	k.mu.RUnlock()
	if !ok {
		return publicKey{}, ErrWallet
	}
	s, ok := <-k.scratch
	if !ok {
		return publicKey{}, ErrClosed
	}
	defer k.giveBack(s)
	entropy, err := k.open(s, seedOf(k.environment, w.organization, wallet), w.sealed)
	if err != nil {
		return publicKey{}, err
	}
	derived, err := s.derive(entropy, curve, steps)
	if err != nil {
		return publicKey{}, err
	}
	public := publicKeyOf(curve, derived)
	copy(to[:], s.key)
	k.cache.put(id, s.key, public)
	return public, nil
}
