package edge_test

import (
	"testing"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
)

// A cursor that is taken names one place, and is refused as the field cursor else.
func FuzzCursor(f *testing.F) {
	f.Add(edge.EncodeCursor(clock.System{}.Now(), "01a1fcb6-9325-7031-b611-3af04fd31a29"))
	f.Add("OTIyMzM3MjAzNjg1NDc3NTgwNyB4")
	f.Add("LTEg")
	f.Add("=")
	f.Fuzz(func(t *testing.T, text string) {
		at, id, given, err := edge.Paging{Cursor: text}.After()
		if err != nil {
			if refusal, ok := fault.As(err); !ok || refusal.Kind != fault.Invalid || given {
				t.Errorf("refused with %v, %v", given, err)
			}
			return
		}
		if given != (text != "") {
			t.Errorf("given %v for %q", given, text)
		}
		if !given {
			return
		}
		again, sameID, _, err := edge.Paging{Cursor: edge.EncodeCursor(at, id)}.After()
		if err != nil || !again.Equal(at) || sameID != id {
			t.Errorf("%v %q became %v %q, %v", at, id, again, sameID, err)
		}
	})
}
