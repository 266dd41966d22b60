package decide

import "encoding/binary"

// Past is what is kept in memory of a body that was decided: where the event
// stands in the journal, which is read again when somebody asks for it.
type Past struct {
	Seq       uint64
	Cancelled bool
	Held      bool // not decided for good: it waits for votes, or for time
}

// outcomeBook is what became of each body, so that none is executed twice.
type outcomeBook map[digest]Past

// Outcome is what became of a body, if anything.
func (b outcomeBook) Outcome(fingerprint string) (Past, bool) {
	p, ok := digestOf(fingerprint)
	if !ok {
		return Past{}, false
	}
	past, ok := b[p]
	return past, ok
}

const outcomeSize = len(digest{}) + 8 + 1

// save packs an outcome into 41 bytes: 32 of the fingerprint, 8 of the entry's number, 1 of flags.
func (b outcomeBook) save() []byte {
	out := make([]byte, 0, outcomeSize*len(b))
	for p, past := range b {
		out = binary.BigEndian.AppendUint64(append(out, p[:]...), past.Seq)
		out = append(out, past.flags())
	}
	return out
}

func restoreOutcomes(in []byte) outcomeBook {
	b := make(outcomeBook, len(in)/outcomeSize)
	for ; len(in) >= outcomeSize; in = in[outcomeSize:] {
		b[digest(in)] = pastOf(in[len(digest{}):])
	}
	return b
}

// flags packs how a body was decided.
func (p Past) flags() (b byte) {
	if p.Cancelled {
		b |= 1
	}
	if p.Held {
		b |= 2
	}
	return b
}

func pastOf(b []byte) Past {
	flags := b[outcomeSize-len(digest{})-1]
	return Past{Seq: binary.BigEndian.Uint64(b), Cancelled: flags&1 != 0, Held: flags&2 != 0}
}
