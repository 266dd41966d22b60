package solana

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
)

// Signature is one on ed25519. A slot of zeros is of a key that has not signed.
type Signature [signatureSize]byte

// String is the signature in base58.
func (s Signature) String() string { return chain.Base58(s[:]) }

// ParseSignature reads base58 of exactly 64 bytes.
func ParseSignature(text string) (Signature, error) {
	b, err := chain.ParseBase58(text, signatureSize)
	if err != nil {
		return Signature{}, err
	}
	return Signature(b), nil
}

// Transaction is a message with a slot for each of its signers.
type Transaction struct {
	Message
	Signatures []Signature
}

// Unsigned is a transaction that nobody has signed.
func Unsigned(m Message) Transaction {
	return Transaction{m, make([]Signature, m.Header.Signers)}
}

// ParseTransaction reads a transaction as callers hand one in: hex, with 0x before it or without. Base64 and base58,
// which nodes take too, are refused: a text could be read as two of the three.
func ParseTransaction(text string) (Transaction, error) {
	raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return Transaction{}, refuse("transaction", "is not hex")
	}
	return DecodeTransaction(raw)
}

// DecodeTransaction reads the one encoding of a transaction. Whose signatures they are Verify tells.
func DecodeTransaction(raw []byte) (Transaction, error) {
	if len(raw) > maxSizeV1 {
		return Transaction{}, refuse("transaction", "%d bytes, more than %d", len(raw), maxSizeV1)
	}
	r := reader{rest: raw}
	var tx Transaction
	if len(raw) > 0 && raw[0] >= versioned {
		tx = r.signaturesLast()
	} else {
		tx = r.signaturesFirst()
	}
	if err := r.end("transaction"); err != nil {
		return Transaction{}, err
	}
	return tx, tx.check()
}

// signaturesLast reads v1. A shortvec that begins like it would be of 128 signatures or more, which nothing holds.
func (r *reader) signaturesLast() (tx Transaction) {
	if r.rest[0] != versioned|1 {
		r.fail(refuse("version", "a transaction whose message is first is of version 1, not %d", r.rest[0]&^versioned))
		return tx
	}
	tx.Message = r.message()
	tx.Signatures = r.signatures(int(tx.Header.Signers))
	return tx
}

func (r *reader) signaturesFirst() (tx Transaction) {
	tx.Signatures = r.signatures(r.list("signatures", signatureSize))
	if len(r.rest) > 0 && r.rest[0] == versioned|1 {
		r.fail(refuse("signatures", "stand before a message of version 1"))
	}
	tx.Message = r.message()
	return tx
}

func (r *reader) signatures(n int) []Signature {
	all := make([]Signature, 0, min(n, len(r.rest)/signatureSize))
	for i := range n {
		if s := r.take(at("signatures", i, ""), signatureSize); s != nil {
			all = append(all, Signature(s))
		}
	}
	return all
}

func (tx Transaction) check() error {
	if n := len(tx.Signatures); n != int(tx.Header.Signers) {
		return refuse("signatures", "%d slots for %d signers", n, tx.Header.Signers)
	}
	return tx.Check()
}

// Encode writes the transaction with its slots as they are.
func (tx Transaction) Encode() ([]byte, error) {
	if err := tx.check(); err != nil {
		return nil, err
	}
	var slots []byte
	for _, s := range tx.Signatures {
		slots = append(slots, s[:]...)
	}
	if tx.Version == V1 {
		return append(tx.encode(), slots...), nil
	}
	return slices.Concat(appendShortVec(nil, len(tx.Signatures)), slots, tx.encode()), nil
}

// Attach fills the slot of a signer, which has to be zeroed, with his signature over the message. The other slots stay
// as they are: those of other people may be filled before or after.
func (tx Transaction) Attach(signer Address, s Signature) (Transaction, error) {
	place := slices.Index(tx.Signers(), signer)
	switch {
	case place < 0 || place >= len(tx.Signatures):
		return Transaction{}, ErrNoSigner
	case tx.Signatures[place] != Signature{}:
		return Transaction{}, ErrSigned
	}
	if err := Verify(signer, tx.encode(), s); err != nil {
		return Transaction{}, err
	}
	tx.Signatures = slices.Clone(tx.Signatures)
	tx.Signatures[place] = s
	return tx, nil
}

// Missing are the signers whose slots are zeroed.
func (tx Transaction) Missing() []Address {
	var all []Address
	for i, s := range tx.Signatures {
		if s == (Signature{}) {
			all = append(all, tx.Keys[i])
		}
	}
	return all
}

// Verify holds each signature that is there against its key.
func (tx Transaction) Verify() error {
	message := tx.encode()
	for i, s := range tx.Signatures {
		if s == (Signature{}) {
			continue
		}
		if err := Verify(tx.Keys[i], message, s); err != nil {
			return refuse(at("signatures", i, ""), "%s", err)
		}
	}
	return nil
}

// ID is how the network names a transaction: its first signature, which is of who pays, in base58. There is none before
// he has signed.
func (tx Transaction) ID() string {
	if len(tx.Signatures) == 0 || tx.Signatures[0] == (Signature{}) {
		return ""
	}
	return tx.Signatures[0].String()
}

// Verify refuses a signature over a payload that is not by the key of an address.
func Verify(a Address, payload []byte, s Signature) error {
	if bytes.Equal(s[:], make([]byte, signatureSize)) || !ed25519.Verify(a[:], payload, s[:]) {
		return ErrSignature
	}
	return nil
}
