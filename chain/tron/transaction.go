package tron

import (
	"encoding/hex"

	"github.com/railkit/railkit/chain/evm"
)

// Signed is a transaction with the signature of its owner: r, s and the parity 0 or 1.
type Signed struct {
	Raw
	Signature [signatureSize]byte
}

// parityBase is what stands before the parity in a signature, as wallets of Tron write it.
const parityBase = 27

// Encode writes what is broadcast.
func (t Signed) Encode() ([]byte, error) {
	raw, err := t.Raw.Encode()
	if err != nil {
		return nil, err
	}
	signature := t.Signature
	signature[signatureSize-1] += parityBase
	return appendField(appendField(nil, 1, raw), 2, signature[:]), nil
}

// DecodeSigned reads the one encoding of a transaction with one signature. Whose signature it is Verify tells.
func DecodeSigned(raw []byte) (t Signed, err error) {
	r := reader{rest: raw}
	data := r.bytes("raw_data", 1)
	t.Signature = [signatureSize]byte(r.sized("signature", 2, signatureSize))
	if err := r.end("transaction", names{2: "a second signature", 5: "ret"}); err != nil {
		return Signed{}, err
	}
	parity := &t.Signature[signatureSize-1]
	if *parity -= parityBase; *parity > 1 {
		return Signed{}, refuse("signature", "does not end with 27 or 28")
	}
	t.Raw, err = Decode(data)
	return t, err
}

// Verify refuses a signature that is not the owner's.
func (t Signed) Verify() error {
	digest := t.Digest()
	return Verify(t.Owner, digest[:], t.Signature[:])
}

// Verify refuses a signature (r, s and the parity 0 or 1) that is not by the key of an address over a digest.
func Verify(a Address, digest, signature []byte) error {
	if err := (evm.Family{}).Verify(evm.Address(a).String(), digest, signature); err != nil {
		return ErrSignature
	}
	return nil
}

// ID is how the network names the transaction.
func (t Raw) ID() string {
	digest := t.Digest()
	return hex.EncodeToString(digest[:])
}
