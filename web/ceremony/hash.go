package ceremony

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
)

// Hash names the page: every byte of every file counts, and nothing else does.
// It is SHA-256 over the files in the order of their names, each as length and
// name, length and content; a length is eight bytes, big end first.
func Hash() string { return hashOf(files()) }

func hashOf(all map[string][]byte) string {
	var framed []byte
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, part := range [][]byte{[]byte(name), all[name]} {
			framed = binary.BigEndian.AppendUint64(framed, uint64(len(part)))
			framed = append(framed, part...)
		}
	}
	sum := sha256.Sum256(framed)
	return "sha256:" + hex.EncodeToString(sum[:])
}
