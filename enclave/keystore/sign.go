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
	return bytes.Clone(public.bytes), nil
}

// Sign signs what a curve's keys sign: on secp256k1 a digest of 32 bytes, with r, s and v in 65 bytes; on ed25519 any
// message, with 64 bytes. The signature was verified under the public key that comes with it, which is as in PublicKey.
func (k *Keys) Sign(wallet, curve, path string, payload []byte) (signature, public []byte, err error) {
	if curve == Ed25519 {
		return k.signEd25519(wallet, path, payload)
	}
	if curve != Secp256k1 || len(payload) != 32 {
		return nil, nil, ErrCurve
	}
	return k.signSecp256k1(wallet, path, payload)
}

// signSecp256k1 signs a digest: deterministic (RFC 6979), low s, v 0 or 1. A
// wrong signature can give the key away, so it is checked before it is returned.
func (k *Keys) signSecp256k1(wallet, path string, digest []byte) (signature, public []byte, err error) {
	var secret [secretSize]byte
	defer clear(secret[:])
	by, err := k.secret(wallet, Secp256k1, path, &secret)
	if err != nil {
		return nil, nil, err
	}
	private := secp256k1.PrivKeyFromBytes(secret[:])
	defer private.Zero()
	compact := ecdsa.SignCompact(private, digest, false)
	if k.tamper != nil {
		k.tamper(compact)
	}
	if by.point == nil || !verifySecp256k1(compact, digest, by.point) {
		return nil, nil, ErrFaulty
	}
	return append(compact[1:], compact[0]-recoveryBase), bytes.Clone(by.bytes), nil
}

// recoveryBase is what the compact form adds to v.
const recoveryBase = 27

// verifySecp256k1 reports whether a compact signature is by the key over the
// digest, with low s and the right v. It computes the point R that the equation
// of verification leads to: r must be its x, and v the parity of its y. So this
// proves what a recovery of the key would, without its square root.
func verifySecp256k1(compact, digest []byte, by *secp256k1.PublicKey) bool {
	v := compact[0] - recoveryBase // over 1: also of an x over the order, of which r is not the whole
	var e, r, s secp256k1.ModNScalar
	if v > 1 || r.SetByteSlice(compact[1:33]) || s.SetByteSlice(compact[33:]) ||
		r.IsZero() || s.IsZero() || s.IsOverHalfOrder() {
		return false
	}
	e.SetByteSlice(digest)
	w := new(secp256k1.ModNScalar).InverseValNonConst(&s)
	var key, ofDigest, ofKey, point secp256k1.JacobianPoint
	by.AsJacobian(&key)
	secp256k1.ScalarBaseMultNonConst(e.Mul(w), &ofDigest)
	secp256k1.ScalarMultNonConst(r.Mul(w), &key, &ofKey)
	secp256k1.AddNonConst(&ofDigest, &ofKey, &point)
	if point.Z.IsZero() {
		return false
	}
	point.ToAffine()
	return *point.X.Bytes() == [32]byte(compact[1:33]) && byte(point.Y.IsOddBit()) == v
}

// signEd25519 signs a message, and checks the signature before returning it.
func (k *Keys) signEd25519(wallet, path string, message []byte) (signature, public []byte, err error) {
	var secret [secretSize]byte
	defer clear(secret[:])
	by, err := k.secret(wallet, Ed25519, path, &secret)
	if err != nil {
		return nil, nil, err
	}
	private := append(append(make([]byte, 0, ed25519.PrivateKeySize), secret[:]...), by.bytes...)
	defer clear(private)
	signature = ed25519.Sign(private, message)
	if k.tamper != nil {
		k.tamper(signature)
	}
	if !ed25519.Verify(by.bytes, message, signature) {
		return nil, nil, ErrFaulty
	}
	return signature, bytes.Clone(by.bytes), nil
}
