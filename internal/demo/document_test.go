package demo

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// docs/demo.md, of which the README's picture is made, shows what the demo prints: all of its steps, in their order.
func TestDocumentShowsEveryStep(t *testing.T) {
	raw, err := os.ReadFile("../../docs/demo.md")
	if err != nil {
		t.Fatal(err)
	}
	rest := string(raw)
	for i, step := range (&story{}).steps() {
		line := fmt.Sprintf("\n%3d  %s ", i+1, step.what)
		_, after, found := strings.Cut(rest, line)
		if !found {
			t.Fatalf("docs/demo.md does not show step %d next: %q", i+1, step.what)
		}
		rest = after
	}
}
