package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/railkit/railkit/clock"
)

// domain begins what is hashed, so that no hash of another thing is one of these.
const domain = "railkit audit 1"

// Follow makes the entry the one after the link with the hash before; the first
// of a chain follows no hash.
func (e Entry) Follow(seq int64, before string) Entry {
	e.Seq, e.Previous = seq, before
	e.Hash = e.Sum()
	return e
}

// Sum is the hash that the entry should have: SHA-256 of the domain and all that
// the entry holds, each as text with its length in eight bytes before it. The
// length keeps two fields from being read as one.
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
