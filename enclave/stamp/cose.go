package stamp

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"math/big"
	"slices"
)

// Labels and values of COSE keys: RFC 9052 section 7, RFC 9053, RFC 8230.
const (
	labelKeyType   int64 = 1
	labelAlgorithm int64 = 3
	labelCurve     int64 = -1 // EC2 and OKP
	labelX         int64 = -2
	labelY         int64 = -3
	labelModulus   int64 = -1 // RSA
	labelExponent  int64 = -2

	keyTypeOKP int64 = 1
	keyTypeEC2 int64 = 2
	keyTypeRSA int64 = 3

	algES256 int64 = -7
	algEdDSA int64 = -8
	algRS256 int64 = -257

	curveP256    int64 = 1
	curveEd25519 int64 = 6
)

// publicKey verifies with the one algorithm that its COSE key names. Nothing in
// a message can choose another.
type publicKey interface {
	algorithm() int64
	verify(message, signature []byte) bool
}

// coseKey is a decoded COSE key; WebAuthn allows it no optional members.
type coseKey map[int64]any

func parseKey(raw []byte) (publicKey, error) {
	var k coseKey
	if decoding.Unmarshal(raw, &k) != nil {
		return nil, refuse("public key is not a COSE key")
	}
	// One key has one spelling, so that clients can compare keys as text.
	if again, err := encoding.Marshal(k); err != nil || !bytes.Equal(again, raw) {
		return nil, refuse("public key is not canonical CBOR, as COSE keys are")
	}
	switch {
	case k[labelKeyType] == keyTypeEC2 && k[labelAlgorithm] == algES256:
		return k.es256()
	case k[labelKeyType] == keyTypeOKP && k[labelAlgorithm] == algEdDSA:
		return k.eddsa()
	case k[labelKeyType] == keyTypeRSA && k[labelAlgorithm] == algRS256:
		return k.rs256()
	}
	return nil, refuse("public key algorithm is not accepted")
}

// bytesOf is nil where the member is missing or of another type.
func (k coseKey) bytesOf(label int64) []byte {
	b, _ := k[label].([]byte)
	return b
}

type es256Key struct{ *ecdsa.PublicKey }

func (k coseKey) es256() (publicKey, error) {
	x, y := k.bytesOf(labelX), k.bytesOf(labelY)
	// A compressed key has a boolean for y and fails here.
	if len(k) != 5 || k[labelCurve] != curveP256 || len(x) != 32 || len(y) != 32 {
		return nil, refuse("public key is not an uncompressed P-256 key")
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
	if err != nil {
		return nil, refuse("public key is not a point of P-256")
	}
	return es256Key{key}, nil
}

func (es256Key) algorithm() int64 { return algES256 }

// verify takes strict DER only. The twin with n-s verifies too: authenticators
// emit it, and no identity rests on a signature's bytes.
func (k es256Key) verify(message, signature []byte) bool {
	sum := sha256.Sum256(message)
	return ecdsa.VerifyASN1(k.PublicKey, sum[:], signature)
}

type ed25519Key ed25519.PublicKey

func (k coseKey) eddsa() (publicKey, error) {
	x := k.bytesOf(labelX)
	if len(k) != 4 || k[labelCurve] != curveEd25519 || len(x) != ed25519.PublicKeySize {
		return nil, refuse("public key is not an Ed25519 key")
	}
	if !soundEd25519(x) {
		return nil, refuse("public key is not a sound point of Ed25519")
	}
	return ed25519Key(x), nil
}

func (ed25519Key) algorithm() int64 { return algEdDSA }

func (k ed25519Key) verify(message, signature []byte) bool {
	return ed25519.Verify(ed25519.PublicKey(k), message, signature)
}

type rs256Key struct{ *rsa.PublicKey }

func (k coseKey) rs256() (publicKey, error) {
	n, e := k.bytesOf(labelModulus), k.bytesOf(labelExponent)
	if len(k) != 4 || !bytes.Equal(e, []byte{1, 0, 1}) {
		return nil, refuse("public key is not an RSA key with exponent 65537")
	}
	modulus := new(big.Int).SetBytes(n)
	bits := modulus.BitLen()
	if bits < 2048 || bits > 4096 || n[0] == 0 || modulus.Bit(0) == 0 {
		return nil, refuse("RSA modulus is not an odd number of 2048 to 4096 bits")
	}
	return rs256Key{&rsa.PublicKey{N: modulus, E: 65537}}, nil
}

func (rs256Key) algorithm() int64 { return algRS256 }

func (k rs256Key) verify(message, signature []byte) bool {
	sum := sha256.Sum256(message)
	return rsa.VerifyPKCS1v15(k.PublicKey, crypto.SHA256, sum[:], signature) == nil
}
