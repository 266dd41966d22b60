package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/railkit/railkit/clock"
)

// domain is the prefix of the hashed bytes, so that no hash made for another purpose equals the hash of an entry.
const domain = "railkit audit 1"

// Follow links the entry to the hash of the entry before it. For the first entry of a chain, before is empty.
func (e Entry) Follow(seq int64, before string) Entry {
	e.Seq, e.Previous = seq, before
	e.Hash = e.Sum()
	return e
}

// Sum is the hash that the entry should have: SHA-256 of the domain and all fields of the entry, each as text after
// its length in eight bytes. With the lengths, two entries whose fields differ never give the same bytes: "ab", "c" is
// not "a", "bc".
func (e Entry) Sum() string {
	var text []byte
	for _, field := range [...]string{
		domain, e.Previous, strconv.FormatInt(e.Seq, 10), e.WorkspaceID, e.ID, strconv.FormatInt(micros(e), 10),
		string(e.Actor), e.ActorID, e.Operation, e.Action, e.Resource, e.RequestID, e.RemoteIP,
		e.Detail, e.Before, e.After,
	} {
		text = binary.BigEndian.AppendUint64(text, uint64(len(field)))
		text = append(text, field...)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func micros(e Entry) int64 {
	if e.At.IsZero() {
		return 0
	}
	return clock.Micros(e.At)
}
