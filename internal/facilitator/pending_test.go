package facilitator

import (
	"testing"
	"time"
)

// A settlement that begins between a look at the list and a look into the journal is the one that is followed: the
// journal's copy of it would never end.
func TestAgents_FindsWhatBeginsMeanwhile(t *testing.T) {
	t.Parallel()
	j, err := openJournal(t.Context(), t.TempDir(), "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.close(); err != nil {
			t.Error(err)
		}
	})
	var list pending
	begun := &settlement{id: "eip155:84532 1", at: time.Now(), done: make(chan struct{})}
	first := true
	got, err := j.known(t.Context(), begun.id, func(id string) *settlement {
		found := list.underWay(id)
		if first {
			first = false
			if err := list.begin(t.Context(), j, begun); err != nil {
				t.Error(err)
			}
		}
		return found
	})
	if err != nil || got != begun {
		t.Errorf("%+v, %v, want the one that began", got, err)
	}
}
