package decide

import (
	"testing"

	"pgregory.net/rapid"
)

// The window against a model that remembers everything.
func TestSigning_S09_Window(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, seen, highest := window{}, map[uint32]bool{}, uint32(0)
		for range rapid.IntRange(1, 200).Draw(t, "stamps") {
			n := rapid.Uint32Range(1, 300).Draw(t, "counter")
			want := !seen[n] && (n > highest || highest-n < windowSize)
			if got := w.accepts(n); got != want {
				t.Fatalf("accepts(%d) = %v after %v", n, got, seen)
			}
			if want {
				w, seen[n], highest = w.with(n), true, max(highest, n)
			}
			if w.accepts(0) {
				t.Fatal("a counter that counted accepts 0")
			}
		}
	})
	if !(window{}).accepts(0) || !(window{}).with(0).accepts(0) {
		t.Error("a passkey that never counts is refused")
	}
	if (window{}).with(1<<32 - 1).accepts(1<<32 - 1) {
		t.Error("the last counter is accepted twice")
	}
}
