package demo

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The README shows what the demo prints: all of its steps, in their order.
func TestReadmeShowsEveryStep(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rest := string(raw)
	for i, step := range (&story{}).steps() {
		line := fmt.Sprintf("\n%3d  %s ", i+1, step.what)
		_, after, found := strings.Cut(rest, line)
		if !found {
			t.Fatalf("the README does not show step %d next: %q", i+1, step.what)
		}
		rest = after
	}
}
