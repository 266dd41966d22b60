package keystore

import (
	"container/list"
	"sync"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// secretSize is a secp256k1 scalar or an ed25519 seed.
const secretSize = 32

// keyID names a derived key. Nothing in it is secret.
type keyID struct{ wallet, curve, path string }

// cache keeps derived keys in slots of locked memory, so that a signature does
// not cost a derivation. The key used longest ago gives its slot to a new one.
type cache struct {
	mu    sync.Mutex
	slots []byte
	index map[keyID]*list.Element
	order *list.List // of *cached, the last used first
}

type cached struct {
	id     keyID
	secret []byte // a slot
	public publicKey
}

// publicKey is one that was computed from its private key. Nobody may change it.
type publicKey struct {
	bytes []byte
	point *secp256k1.PublicKey // on secp256k1: reading it out of bytes takes a square root
}

func publicKeyOf(curve string, bytes []byte) publicKey {
	p := publicKey{bytes: bytes}
	if curve == Secp256k1 {
		p.point, _ = secp256k1.ParsePubKey(bytes) // nil: nothing verifies under it
	}
	return p
}

func newCache(slots []byte) *cache {
	return &cache{slots: slots, index: map[keyID]*list.Element{}, order: list.New()}
}

// get copies the key out: its slot may be given away a moment later.
func (c *cache) get(id keyID, to *[secretSize]byte) (public publicKey, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.index[id]
	if !ok {
		return publicKey{}, false
	}
	c.order.MoveToFront(e)
	found := e.Value.(*cached)
	copy(to[:], found.secret)
	return found.public, true
}

func (c *cache) put(id keyID, secret []byte, public publicKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.index[id]; ok {
		return // derived twice at once
	}
	slot := c.slot()
	copy(slot, secret)
	c.index[id] = c.order.PushFront(&cached{id, slot, public})
}

// slot is an unused one, or that of the key used longest ago.
func (c *cache) slot() []byte {
	if len(c.slots) >= secretSize {
		slot := c.slots[:secretSize:secretSize]
		c.slots = c.slots[secretSize:]
		return slot
	}
	oldest := c.order.Remove(c.order.Back()).(*cached)
	delete(c.index, oldest.id)
	return oldest.secret
}

func (c *cache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index, c.order, c.slots = nil, nil, nil
}
