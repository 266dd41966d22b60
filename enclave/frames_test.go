package enclave

import (
	"slices"
	"testing"
)

// However the bytes of a connection are cut, the same frames are in them.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 'x', 0, 0, 0, 0, 0, 0, 0, 3, 2, 1}, uint(7), int64(16))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 1, 0, 'x'}, uint(3), int64(2<<20))
	f.Add([]byte{0, 0}, uint(1), int64(0))
	f.Fuzz(func(t *testing.T, raw []byte, cut uint, limit int64) {
		whole, fits := framesOf(limit, raw)
		at := int(cut % uint(len(raw)+1))
		parts, fit := framesOf(limit, raw[:at], raw[at:])
		if fits != fit || !slices.Equal(whole, parts) {
			t.Errorf("%v %v in one piece, %v %v cut at %d", whole, fits, parts, fit, at)
		}
		for i, h := range whole {
			if limit > 0 && int64(h.length()) > limit && (fits || i < len(whole)-1) {
				t.Errorf("a frame of %d passed the limit of %d", h.length(), limit)
			}
		}
	})
}

func framesOf(limit int64, pieces ...[]byte) (seen []header, fits bool) {
	f := frames{limit: limit}
	for _, p := range pieces {
		if !f.follow(p, func(h header) { seen = append(seen, h) }) {
			return seen, false
		}
	}
	return seen, true
}
