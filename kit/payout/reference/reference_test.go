package reference

import (
	"context"
	"errors"
	"regexp"
	"testing"
	"time"
)

// directory is who has which reference.
type directory struct {
	owners map[string]string
	tries  int
}

func (d *directory) ClaimReference(_ context.Context, reference, _, orderID string) (bool, error) {
	d.tries++
	if d.owners[reference] != "" && d.owners[reference] != orderID {
		return false, nil
	}
	d.owners[reference] = orderID
	return true, nil
}

// A name follows from the id, and from nothing else: whoever is named again gets it again. Who comes second to one gets
// the next that follows from its own id.
func TestReferenceFollowsFromTheID(t *testing.T) {
	at := time.Date(2026, 11, 21, 23, 59, 0, 0, time.FixedZone("", -3600)) // the 22nd in UTC
	named := func(d *directory, id string) string {
		t.Helper()
		reference, err := New(t.Context(), d, OffRamp, "ws", id, at)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`^OFR-20261122-[0-9A-HJKMNP-TV-Z]{4}$`).MatchString(reference) {
			t.Errorf("the form of %s", reference)
		}
		return reference
	}
	first := &directory{owners: map[string]string{}}
	mine, other := named(first, "o1"), named(first, "o2")
	restored := &directory{owners: map[string]string{}}
	again := named(restored, "o2") == other && named(restored, "o1") == mine && named(restored, "o1") == mine
	if !again || mine == other {
		t.Errorf("%s and %s, then %v", mine, other, restored.owners)
	}
	taken := &directory{owners: map[string]string{mine: "o3"}}
	if next := named(taken, "o1"); next == mine || next != named(taken, "o1") || taken.owners[next] != "o1" {
		t.Errorf("%s is another's, and %s was taken", mine, next)
	}
}

// full has no reference left.
type full struct{}

func (full) ClaimReference(context.Context, string, string, string) (bool, error) { return false, nil }

func TestReferencesRunOut(t *testing.T) {
	if _, err := New(t.Context(), full{}, Refund, "ws", "o1", time.Now()); !errors.Is(err, errNoReference) {
		t.Errorf("got %v", err)
	}
}
