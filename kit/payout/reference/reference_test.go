package reference

import (
	"context"
	"errors"
	"math/rand/v2"
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

func random(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// Two who draw the same reference end with two.
func TestReferenceIsDrawnAgain(t *testing.T) {
	d := &directory{owners: map[string]string{}}
	at := time.Date(2026, 11, 21, 23, 59, 0, 0, time.FixedZone("", -3600)) // the 22nd in UTC
	drawFor := func(orderID string) string {
		t.Helper()
		reference, err := draw(t.Context(), d, OffRamp, "ws", orderID, at, random(1))
		if err != nil {
			t.Fatal(err)
		}
		return reference
	}
	first, second := drawFor("o1"), drawFor("o2")
	if first == second || d.tries != 3 || d.owners[first] != "o1" || d.owners[second] != "o2" {
		t.Errorf("%s and %s after %d tries", first, second, d.tries)
	}
	for _, reference := range []string{first, second} {
		if !regexp.MustCompile(`^OFR-20261122-[0-9A-HJKMNP-TV-Z]{4}$`).MatchString(reference) {
			t.Errorf("the form of %s", reference)
		}
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
