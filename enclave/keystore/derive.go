package keystore

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

func firstByteOfSHA256(b []byte) byte {
	h := sha256.Sum256(b)
	defer clear(h[:])
	return h[0]
}

// derive leaves the private key of the path in s.key and returns the public key.
func (s *scratch) derive(entropy []byte, curve string, path []uint32) ([]byte, error) {
	s.spell(entropy)
	s.stretch("") // wallets have no passphrase
	if err := s.walk(s.seed, curve, path); err != nil {
		return nil, err
	}
	return s.public(curve), nil
}

// walk goes from a seed down the path: BIP-32 on secp256k1, SLIP-10 on ed25519.
func (s *scratch) walk(seed []byte, curve string, path []uint32) error {
	salt, child := "Bitcoin seed", s.childSecp256k1
	if curve == Ed25519 {
		salt, child = "ed25519 seed", s.childEd25519
	}
	s.mac(s.node, []byte(salt), copy(s.message(), seed))
	if curve == Secp256k1 && !validScalar(s.key) {
		return ErrChild
	}
	for _, step := range path {
		if err := child(step); err != nil {
			return err
		}
	}
	return nil
}

// childEd25519 replaces the node by its child.
func (s *scratch) childEd25519(step uint32) error {
	s.mac(s.node, s.chain, s.hardenedMessage(step))
	return nil
}

// childSecp256k1 replaces the node by its child: the old key plus the left half.
func (s *scratch) childSecp256k1(step uint32) error {
	n := s.hardenedMessage(step)
	if step < hardened {
		copy(s.message(), s.public(Secp256k1))
	}
	var parent, tweak secp256k1.ModNScalar
	defer parent.Zero()
	defer tweak.Zero()
	parent.SetByteSlice(s.key)
	s.mac(s.node, s.chain, n)
	if overflow := tweak.SetByteSlice(s.key); overflow {
		return ErrChild
	}
	if parent.Add(&tweak).IsZero() {
		return ErrChild
	}
	parent.PutBytesUnchecked(s.key)
	return nil
}

// hardenedMessage is 0, the key and the step: 37 bytes, as is the other form.
func (s *scratch) hardenedMessage(step uint32) int {
	m := s.message()
	m[0] = 0
	copy(m[1:33], s.key)
	binary.BigEndian.PutUint32(m[33:], step)
	return 37
}

func validScalar(b []byte) bool {
	var n secp256k1.ModNScalar
	defer n.Zero()
	overflow := n.SetByteSlice(b)
	return !overflow && !n.IsZero()
}

// public is the public key of s.key, compressed on secp256k1.
func (s *scratch) public(curve string) []byte {
	if curve == Ed25519 {
		private := ed25519.NewKeyFromSeed(s.key)
		defer clear(private)
		return append([]byte(nil), private[32:]...)
	}
	private := secp256k1.PrivKeyFromBytes(s.key)
	defer private.Zero()
	return private.PubKey().SerializeCompressed()
}
