package solana

import (
	"slices"
)

// Version is the form of a message.
type Version int8

// The forms.
const (
	Legacy Version = -1
	V0     Version = 0
	V1     Version = 1
)

// Name is the version in a sentence.
func (v Version) Name() string {
	switch v {
	case Legacy:
		return "legacy"
	case V0:
		return "v0"
	case V1:
		return "v1"
	}
	return "unknown"
}

// Bounds that the network keeps.
const (
	maxSize         = 1232 // of a legacy or v0 transaction, with its signatures
	maxSizeV1       = 4096
	maxKeys         = 256 // with those of lookup tables: an index is one byte
	maxKeysV1       = 64
	maxInstructions = 64 // SIMD-0160
	maxSigners      = 12 // of v1 (SIMD-0385); of the others more do not fit
	signatureSize   = 64
	versioned       = 0x80 // of the first byte of a message that says its version
)

// Message is what the keys of a transaction sign.
type Message struct {
	Version      Version
	Header       Header
	Config       Config // v1 only
	Blockhash    [32]byte
	Keys         []Address
	Instructions []Compiled
	Lookups      []Lookup // v0 only
}

// Header says how Keys are split. With 3 signers of which 1 is read-only, and 2 read-only ones that do not sign, 7 keys
// are:
//
//	0, 1  sign and are written to; 0 pays the fee
//	2     signs
//	3, 4  are written to
//	5, 6  are read
type Header struct{ Signers, ReadOnlySigners, ReadOnly uint8 }

// Compiled is an instruction as a message has it: its program and accounts are places in the list of keys, which those
// of the lookup tables continue.
type Compiled struct {
	Program  uint8
	Accounts []uint8
	Data     []byte
}

// Lookup adds keys from a table that lies on the chain: first the Written ones of all tables, then the Read ones. What
// they are the bytes do not tell.
type Lookup struct {
	Table         Address
	Written, Read []uint8
}

// Config is what a v1 message says of its execution, in place of instructions of the Compute Budget program. A value
// that is not there is 0, but for the heap, which is then 32 KiB.
type Config struct {
	PriorityFee *uint64 // lamports for all of it
	Units       *uint32 // of compute
	LoadedBytes *uint32 // of all accounts; without it, nothing may be loaded, and the transaction fails
	HeapBytes   *uint32
}

// DecodeMessage reads the one encoding of a message.
func DecodeMessage(raw []byte) (Message, error) {
	r := reader{rest: raw}
	m := r.message()
	if err := r.end("message"); err != nil {
		return Message{}, err
	}
	return m, m.Check()
}

// message reads one without judging it.
func (r *reader) message() Message {
	if len(r.rest) > 0 && r.rest[0] < versioned {
		return r.messageV0(Legacy)
	}
	switch first := r.byte("version"); first &^ versioned {
	case 0:
		return r.messageV0(V0)
	case 1:
		return r.messageV1()
	default:
		r.fail(refuse("version", "%d is not known; legacy, 0 and 1 are", first&^versioned))
	}
	return Message{}
}

// Encode writes a message that passes Check.
func (m Message) Encode() ([]byte, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	return m.encode(), nil
}

func (m Message) encode() []byte {
	if m.Version == V1 {
		return m.encodeV1()
	}
	return m.encodeV0()
}

// Signers are the keys that sign, who pays first.
func (m Message) Signers() []Address {
	return m.Keys[:min(int(m.Header.Signers), len(m.Keys))]
}

// signs and written tell what the header says of the key at a place, also of one from a lookup table.
func (m Message) signs(i int) bool { return i < int(m.Header.Signers) }

// Written reports whether the message lets an instruction write to the key at a place.
func (m Message) Written(i int) bool { return m.written(i) }

func (m Message) written(i int) bool {
	switch h := m.Header; {
	case i < int(h.Signers):
		return i < int(h.Signers)-int(h.ReadOnlySigners)
	case i < len(m.Keys):
		return i < len(m.Keys)-int(h.ReadOnly)
	}
	return i < len(m.Keys)+m.lookedUp(func(l Lookup) []uint8 { return l.Written })
}

func (m Message) lookedUp(part func(Lookup) []uint8) int {
	n := 0
	for _, l := range m.Lookups {
		n += len(part(l))
	}
	return n
}

// places is how many keys an instruction can name.
func (m Message) places() int {
	return len(m.Keys) + m.lookedUp(func(l Lookup) []uint8 { return slices.Concat(l.Written, l.Read) })
}
