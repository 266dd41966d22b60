package evm

import (
	"errors"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"
)

// What can be wrong with a key or a signature.
var (
	ErrSecret    = errors.New("not a secp256k1 secret key")
	ErrSignature = errors.New("not a valid signature")
	ErrSigner    = errors.New("signature of another account")
)

// Signature is over secp256k1. S is in the lower half, because the other half
// would give the same transaction a second id.
type Signature struct {
	R, S [32]byte
	V    byte // 0 or 1: the parity of the nonce point
}

// Bytes are r, s and v.
func (sig Signature) Bytes() []byte {
	return append(append(append(make([]byte, 0, 65), sig.R[:]...), sig.S[:]...), sig.V)
}

// signatureOf reads r, s and v.
func signatureOf(raw []byte) (Signature, error) {
	if len(raw) != 65 {
		return Signature{}, ErrSignature
	}
	sig := Signature{R: [32]byte(raw), S: [32]byte(raw[32:]), V: raw[64]}
	return sig, sig.check()
}

// check bounds the parts: 0 < R < n, 0 < S <= n/2, V 0 or 1.
func (sig Signature) check() error {
	var r, s secp256k1.ModNScalar
	over := r.SetBytes(&sig.R) | s.SetBytes(&sig.S)
	if over != 0 || r.IsZero() || s.IsZero() || s.IsOverHalfOrder() || sig.V > 1 {
		return ErrSignature
	}
	return nil
}

// Sign signs a digest with a nonce of RFC 6979, so that no random source can
// give the key away. The secret is 32 bytes and the caller's to wipe; the copy
// made here is wiped.
func Sign(secret []byte, digest [32]byte) (Signature, error) {
	var scalar secp256k1.ModNScalar
	defer scalar.Zero()
	if len(secret) != 32 || scalar.SetByteSlice(secret) || scalar.IsZero() {
		return Signature{}, ErrSecret
	}
	key := secp256k1.NewPrivateKey(&scalar)
	defer key.Zero()
	compact := ecdsa.SignCompact(key, digest[:], false)
	sig := Signature{R: [32]byte(compact[1:33]), S: [32]byte(compact[33:]), V: compact[0] - 27}
	return sig, sig.check()
}

// SignTx signs a transaction for an account, and gives it out only after it was
// read back: the bytes must hold this very transaction, signed by this account.
// A fault in the machine between the two must not leave it.
func SignTx(tx Tx, secret []byte, from Address) ([]byte, error) {
	if err := tx.Validate(); err != nil {
		return nil, err
	}
	digest := tx.Digest()
	sig, err := Sign(secret, digest)
	if err != nil {
		return nil, err
	}
	signed := tx.Assemble(sig)
	read, readSig, err := DecodeSigned(signed)
	if err != nil {
		return nil, err
	}
	if err := Verify(from, read.Digest(), readSig); err != nil {
		return nil, err
	}
	if read.Digest() != digest {
		return nil, ErrSignature
	}
	return signed, nil
}

// RecoverAddress tells whose signature it is.
func RecoverAddress(digest [32]byte, sig Signature) (Address, error) {
	if err := sig.check(); err != nil {
		return Address{}, err
	}
	compact := make([]byte, 0, 65)
	compact = append(compact, 27+sig.V)
	compact = append(append(compact, sig.R[:]...), sig.S[:]...)
	key, _, err := ecdsa.RecoverCompact(compact, digest[:])
	if err != nil {
		return Address{}, ErrSignature
	}
	return addressOf(key), nil
}

// Verify refuses a signature that is not the account's over the digest.
func Verify(from Address, digest [32]byte, sig Signature) error {
	got, err := RecoverAddress(digest, sig)
	if err != nil {
		return err
	}
	if got != from {
		return ErrSigner
	}
	return nil
}

// Recover tells who signed a transaction.
func Recover(signed []byte) (Address, error) {
	tx, sig, err := DecodeSigned(signed)
	if err != nil {
		return Address{}, err
	}
	return RecoverAddress(tx.Digest(), sig)
}

// Keccak256 hashes the parts one after the other.
func Keccak256(parts ...[]byte) [32]byte {
	h := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		h.Write(p)
	}
	var sum [32]byte
	h.Sum(sum[:0])
	return sum
}
