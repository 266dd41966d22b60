package wire

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync/atomic"
)

// proofDomain keeps a signature over a statement from meaning anything else.
const proofDomain = "railkit proof v1\n"

// priceDomain keeps a signature over a price sheet from meaning anything else.
const priceDomain = "railkit prices v1\n"

// ErrProof is a proof that is not by the pinned key over its payload.
var ErrProof = errors.New("proof is not by the pinned enclave key")

// SignStatement states s under the identity key. The signature is deterministic
// (RFC 6979), so the same statement has the same proof whenever it is made.
func SignStatement(key *ecdsa.PrivateKey, s Statement) (Proof, error) {
	payload, err := json.Marshal(s)
	if err != nil {
		return Proof{}, fmt.Errorf("encoding a statement: %w", err)
	}
	signature, err := sign(key, proofDomain+string(payload))
	if err != nil {
		return Proof{}, fmt.Errorf("signing a statement: %w", err)
	}
	return Proof{
		Payload:   string(payload),
		Signature: signature,
		PublicKey: CompressP256(&key.PublicKey),
	}, nil
}

// Open checks a proof against the pinned key (compressed SEC1 hex) and gives
// its statement.
func (p Proof) Open(pinned string) (Statement, error) {
	good, err := verify(pinned, proofDomain+p.Payload, p.Signature)
	if err != nil {
		return Statement{}, err
	}
	if !good || !strings.EqualFold(p.PublicKey, pinned) {
		return Statement{}, ErrProof
	}
	var st Statement
	d := json.NewDecoder(strings.NewReader(p.Payload))
	d.DisallowUnknownFields()
	if err := d.Decode(&st); err != nil {
		return Statement{}, fmt.Errorf("reading a statement: %w", err)
	}
	return st, nil
}

// SignSheet signs a price sheet under the price key.
func SignSheet(key *ecdsa.PrivateKey, s Sheet) (SignedSheet, error) {
	payload, err := json.Marshal(s)
	if err != nil {
		return SignedSheet{}, fmt.Errorf("encoding a price sheet: %w", err)
	}
	signature, err := sign(key, priceDomain+string(payload))
	if err != nil {
		return SignedSheet{}, fmt.Errorf("signing a price sheet: %w", err)
	}
	return SignedSheet{Payload: string(payload), Signature: signature}, nil
}

// Verify reports whether the sheet is by the price key (compressed SEC1 hex).
func (s SignedSheet) Verify(pinned string) bool {
	good, err := verify(pinned, priceDomain+s.Payload, s.Signature)
	return err == nil && good
}

// VerifyP256 checks a signature, base64url of r||s over SHA-256 of the message,
// by a key in the form of ParseP256.
func VerifyP256(compressed, message, signature string) bool {
	good, err := verify(compressed, message, signature)
	return err == nil && good
}

// ParseP256 reads a compressed SEC1 key in hex.
func ParseP256(compressed string) (*ecdsa.PublicKey, error) {
	raw, err := hex.DecodeString(compressed)
	if err != nil || len(raw) != 33 {
		return nil, errors.New("not a compressed P-256 key in hex")
	}
	x, y := elliptic.UnmarshalCompressed(elliptic.P256(), raw)
	if x == nil {
		return nil, errors.New("not a point of P-256")
	}
	point := make([]byte, 65) // 0x04 || X || Y
	point[0] = 4
	x.FillBytes(point[1:33])
	y.FillBytes(point[33:])
	return ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
}

// CompressP256 writes a key the way ParseP256 reads it.
func CompressP256(key *ecdsa.PublicKey) string {
	raw, err := key.Bytes() // 0x04 || X || Y
	if err != nil {
		return ""
	}
	prefix := byte(2 + raw[64]&1)
	return hex.EncodeToString(append([]byte{prefix}, raw[1:33]...))
}

// sign gives base64url of r||s over the text, which begins with its domain.
func sign(key *ecdsa.PrivateKey, text string) (string, error) {
	digest := sha256.Sum256([]byte(text))
	der, err := key.Sign(nil, digest[:], crypto.SHA256)
	if err != nil {
		return "", err
	}
	var sig struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &sig); err != nil {
		return "", err
	}
	raw := make([]byte, 64)
	sig.R.FillBytes(raw[:32])
	sig.S.FillBytes(raw[32:])
	return base64.RawURLEncoding.EncodeToString(raw), nil
}

// lastKey is the key that was parsed last: nearly all proofs of a process are by one signer. To find the point of a
// compressed key takes an eighth of what a verification takes.
var lastKey atomic.Pointer[namedKey]

type namedKey struct {
	compressed string
	key        *ecdsa.PublicKey
}

func parsedKey(compressed string) (*ecdsa.PublicKey, error) {
	if last := lastKey.Load(); last != nil && last.compressed == compressed {
		return last.key, nil
	}
	key, err := ParseP256(compressed)
	if err == nil {
		lastKey.Store(&namedKey{compressed, key})
	}
	return key, err
}

// verify checks what sign gave. An error means that the pinned key is none.
func verify(pinned, text, signature string) (bool, error) {
	key, err := parsedKey(pinned)
	if err != nil {
		return false, err
	}
	sig, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || len(sig) != 64 {
		return false, nil
	}
	digest := sha256.Sum256([]byte(text))
	return ecdsa.Verify(key, digest[:], new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])), nil
}
