package journal

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// journal.head says how far the log surely reached, so that a log that was cut
// is found. It has two slots, a page apart. A slot is seq, chain hash and an HMAC
// over both.
//
// After each batch both slots are written, one after the other, and only then is
// anybody told of an entry of the batch. So each slot names every entry that was
// told of, and damaging one of them hides nothing: with entry 9 told, both say 9,
// and a log that is cut to 8 is refused by whichever slot is left. A crash in the
// middle of a write leaves the other slot whole.
//
// It is never synced after its creation. It is written only when the log is on
// disk, so it can be behind the log after a power failure, but never ahead; and
// a crash of the process alone loses nothing that was written.
const (
	slotSize  = 8 + 32 + 32
	slotSpace = 4096
)

type headFile struct {
	f       *os.File
	key     []byte
	binding string
	slots   [2]slot // as they are on disk
}

// slot is what one slot says.
type slot struct {
	Position
	whole bool // readable and authentic
	alone bool // of a signer before there were two copies: it wrote one slot a batch, in turn
}

func newHeadFile(f *os.File, key [32]byte, binding string) (*headFile, error) {
	own, err := hkdf.Key(sha256.New, key[:], nil, "railkit journal head", 32)
	if err != nil {
		return nil, fmt.Errorf("deriving the head key: %w", err)
	}
	return &headFile{f: f, key: own, binding: binding}, nil
}

func (h *headFile) file() *os.File {
	if h == nil {
		return nil
	}
	return h.f
}

// read gives the slots that are whole.
func (h *headFile) read() ([]Position, error) {
	var found []Position
	for i := range h.slots {
		b := make([]byte, slotSize)
		n, err := h.f.ReadAt(b, int64(i)*slotSpace)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("reading journal.head: %w", err)
		}
		if h.slots[i] = h.decode(b[:n]); h.slots[i].whole {
			found = append(found, h.slots[i].Position)
		}
	}
	return found, nil
}

// write has both slots say p, the one that says less first: should a crash tear
// it, the other one still holds what was told of.
func (h *headFile) write(d Disk, p Position) error {
	first := 0
	if h.slots[0].whole && (!h.slots[1].whole || h.slots[1].Seq < h.slots[0].Seq) {
		first = 1
	}
	for _, i := range []int{first, 1 - first} {
		if h.slots[i] == (slot{Position: p, whole: true}) {
			continue
		}
		h.slots[i] = slot{}
		if err := d.writeAll(h.f, h.encode(p), int64(i)*slotSpace); err != nil {
			return fmt.Errorf("writing journal.head: %w", err)
		}
		h.slots[i] = slot{Position: p, whole: true}
	}
	return nil
}

// settles says whether the slots rule out that entries after end were cut off.
// With a slot of two copies they do. An older signer's slots were written in turn:
// of 8 and 9 the 9 is the last. A single 8 may be what is left of 8 and 9, unless
// the log goes on after 8: then a crash tore the slot of the entries that follow.
func (h *headFile) settles(end Position) bool {
	a, b := h.slots[0], h.slots[1]
	if a.whole && !a.alone || b.whole && !b.alone {
		return true
	}
	if a.whole && b.whole && a.Seq != b.Seq {
		return true
	}
	return (a.whole || b.whole) && max(a.Seq, b.Seq) < end.Seq
}

// upgradesLater says whether the end stands in a slot of an older signer. It is
// left alone until the next batch: rewriting it torn would leave the other one,
// which is older, at the end of nothing.
func (h *headFile) upgradesLater(end Position) bool {
	return h.slots[0] == slot{end, true, true} || h.slots[1] == slot{end, true, true}
}

// The labels of the HMAC: slots that are written twice, and those of older signers.
const (
	twiceLabel = "head twice"
	aloneLabel = "head"
)

func (h *headFile) encode(p Position) []byte {
	b := binary.BigEndian.AppendUint64(nil, p.Seq)
	b = append(b, p.Head[:]...)
	return append(b, h.mac(twiceLabel, b)...)
}

func (h *headFile) decode(b []byte) slot {
	if len(b) != slotSize {
		return slot{}
	}
	alone := hmac.Equal(b[40:], h.mac(aloneLabel, b[:40]))
	if !alone && !hmac.Equal(b[40:], h.mac(twiceLabel, b[:40])) {
		return slot{}
	}
	return slot{Position{binary.BigEndian.Uint64(b), [32]byte(b[8:40])}, true, alone}
}

func (h *headFile) mac(label string, b []byte) []byte {
	m := hmac.New(sha256.New, h.key)
	m.Write(bound(label, h.binding))
	m.Write(b)
	return m.Sum(nil)
}
