package journal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// A record is a length (4 bytes, big endian) and a box of that length: nonce,
// ciphertext, tag.
const (
	magic      = "railkit journal 1\n" // begins journal.log
	lengthSize = 4
	tagSize    = 16
	overhead   = 12 + tagSize
	maxBox     = MaxPayload + overhead
)

// sealer makes and opens the records of one journal.
type sealer struct {
	aead    cipher.AEAD
	binding string
}

// newSealer takes a key of its own out of key. The nonces are random: a counter
// would repeat when a torn record is cut off and its number is used again.
func newSealer(key [32]byte, binding string) (sealer, error) {
	own, err := hkdf.Key(sha256.New, key[:], nil, "railkit journal records", 32)
	if err != nil {
		return sealer{}, fmt.Errorf("deriving the record key: %w", err)
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		return sealer{}, fmt.Errorf("making the record cipher: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return sealer{}, fmt.Errorf("making the record cipher: %w", err)
	}
	return sealer{aead, binding}, nil
}

// start is the position before the first entry.
func (s sealer) start() Position {
	return Position{Head: sha256.Sum256(bound(magic, s.binding))}
}

// seal appends to dst the record that follows prev.
func (s sealer) seal(dst []byte, prev Position, payload []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(payload)+overhead))
	return s.aead.Seal(dst, nil, payload, s.context(prev))
}

// open gives the payload of the record that follows prev.
func (s sealer) open(prev Position, record []byte) ([]byte, error) {
	payload, err := s.aead.Open(nil, nil, record[lengthSize:], s.context(prev))
	if err != nil {
		return nil, fmt.Errorf("%w: entry %d does not open, it was changed, moved or is of another journal",
			ErrTampered, prev.Seq+1)
	}
	return payload, nil
}

// context ties a record to its journal, to its number and to all before it.
func (s sealer) context(prev Position) []byte {
	b := bound("record", s.binding)
	b = binary.BigEndian.AppendUint64(b, prev.Seq+1)
	return append(b, prev.Head[:]...)
}

// bound is label and binding, each after its length, so that no two pairs look alike.
func bound(label, binding string) []byte {
	b := make([]byte, 0, 8+len(label)+len(binding)+40)
	for _, s := range []string{label, binding} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	return b
}

// next is the position after record.
func (p Position) next(record []byte) Position {
	h := sha256.New()
	h.Write(p.Head[:])
	h.Write(record)
	n := Position{Seq: p.Seq + 1}
	h.Sum(n.Head[:0])
	return n
}
