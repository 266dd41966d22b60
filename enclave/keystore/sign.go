package keystore

import (
	"bytes"
	"crypto/ed25519"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// PublicKey gives the public key at a path of a wallet: 33 bytes compressed on
// secp256k1, 32 bytes on ed25519.
func (k *Keys) PublicKey(wallet, curve, path string) ([]byte, error) {
	var secret [secretSize]byte
	defer clear(secret[:])
	public, err := k.secret(wallet, curve, path, &secret)
	if err != nil {
		return nil, err
	}
	return bytes.Clone(public), nil
}

// Sign signs what a curve's keys sign: on secp256k1 a digest of 32 bytes, with r, s and v in 65 bytes; on ed25519 any
// message, with 64 bytes.
func (k *Keys) Sign(wallet, curve, path string, payload []byte) ([]byte, error) {
	if curve == Ed25519 {
		return k.SignEd25519(wallet, path, payload)
	}
	if curve != Secp256k1 || len(payload) != 32 {
		return nil, ErrCurve
	}
	sig, err := k.SignSecp256k1(wallet, path, [32]byte(payload))
	if err != nil {
		return nil, err
	}
	return append(append(append(make([]byte, 0, 65), sig.R[:]...), sig.S[:]...), sig.V), nil
}

// Signature is one on secp256k1, with the key that was recovered from it.
type Signature struct {
	R, S      [32]byte
	V         byte   // 0 or 1
	PublicKey []byte // compressed
}

// SignSecp256k1 signs a digest: deterministic (RFC 6979), low s, v 0 or 1. A
// wrong signature can give the key away, so it is checked before it is returned.
func (k *Keys) SignSecp256k1(wallet, path string, digest [32]byte) (Signature, error) {
	var secret [secretSize]byte
	defer clear(secret[:])
	public, err := k.secret(wallet, Secp256k1, path, &secret)
	if err != nil {
		return Signature{}, err
	}
	private := secp256k1.PrivKeyFromBytes(secret[:])
	defer private.Zero()
	compact := ecdsa.SignCompact(private, digest[:], false)
	if k.tamper != nil {
		k.tamper(compact)
	}
	recovered := recoverSecp256k1(compact, digest)
	if !bytes.Equal(recovered, public) {
		return Signature{}, ErrFaulty
	}
	return Signature{[32]byte(compact[1:33]), [32]byte(compact[33:]), compact[0] - recoveryBase, recovered}, nil
}

// recoveryBase is what the compact form adds to v.
const recoveryBase = 27

// recoverSecp256k1 gives the key of a compact signature, nil where it is of none:
// the equation is that of verification, solved for the key, so what leads to our
// key verifies under it, and with the right v.
func recoverSecp256k1(compact []byte, digest [32]byte) []byte {
	if v := compact[0] - recoveryBase; v > 1 {
		return nil
	}
	var r, s secp256k1.ModNScalar
	if r.SetByteSlice(compact[1:33]) || s.SetByteSlice(compact[33:]) || s.IsOverHalfOrder() {
		return nil
	}
	recovered, _, err := ecdsa.RecoverCompact(compact, digest[:])
	if err != nil {
		return nil
	}
	return recovered.SerializeCompressed()
}

// SignEd25519 signs a message, and checks the signature before returning it.
func (k *Keys) SignEd25519(wallet, path string, message []byte) ([]byte, error) {
	var secret [secretSize]byte
	defer clear(secret[:])
	public, err := k.secret(wallet, Ed25519, path, &secret)
	if err != nil {
		return nil, err
	}
	private := append(append(make([]byte, 0, ed25519.PrivateKeySize), secret[:]...), public...)
	defer clear(private)
	signature := ed25519.Sign(private, message)
	if k.tamper != nil {
		k.tamper(signature)
	}
	if !ed25519.Verify(public, message, signature) {
		return nil, ErrFaulty
	}
	return signature, nil
}
