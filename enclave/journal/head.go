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
// is found. It has two slots, written in turn and a page apart: a torn write
// leaves the other. A slot is seq, chain hash and an HMAC over both.
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
	next    int64 // slot to write
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

// read gives the slots that are whole, and has the older one written next.
func (h *headFile) read() ([]Position, error) {
	var found []Position
	for slot := range int64(2) {
		b := make([]byte, slotSize)
		n, err := h.f.ReadAt(b, slot*slotSpace)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("reading journal.head: %w", err)
		}
		p, ok := h.decode(b[:n])
		if !ok {
			h.next = slot
			continue
		}
		if len(found) == 0 || p.Seq >= found[0].Seq {
			h.next = 1 - slot
		}
		found = append(found, p)
	}
	return found, nil
}

func (h *headFile) write(d Disk, p Position) error {
	if err := d.writeAll(h.f, h.encode(p), h.next*slotSpace); err != nil {
		return fmt.Errorf("writing journal.head: %w", err)
	}
	h.next = 1 - h.next
	return nil
}

func (h *headFile) encode(p Position) []byte {
	b := binary.BigEndian.AppendUint64(nil, p.Seq)
	b = append(b, p.Head[:]...)
	return append(b, h.mac(b)...)
}

func (h *headFile) decode(b []byte) (Position, bool) {
	if len(b) != slotSize || !hmac.Equal(b[40:], h.mac(b[:40])) {
		return Position{}, false
	}
	return Position{binary.BigEndian.Uint64(b), [32]byte(b[8:40])}, true
}

func (h *headFile) mac(b []byte) []byte {
	m := hmac.New(sha256.New, h.key)
	m.Write(bound("head", h.binding))
	m.Write(b)
	return m.Sum(nil)
}
