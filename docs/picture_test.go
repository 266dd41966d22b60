package docs

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// demoStep is a line of a step in demo.md: number, title in 37 columns, result.
var demoStep = regexp.MustCompile(`^( {0,2}\d+)  (.{37}) (.*)$`)

const (
	demoLine    = 18 // pixels from line to line
	demoColumns = 80
)

// demoPicture draws the first block of demo.md, the steps of a run, for the README: titles light, results green. The
// colours have enough contrast for a page that is light or dark.
func demoPicture(t *testing.T) string {
	t.Helper()
	_, rest, _ := strings.Cut(read(t, "demo.md"), "```\n")
	block, _, found := strings.Cut(rest, "\n```")
	lines := strings.Split(block, "\n")
	if !found || len(lines) < 20 {
		t.Fatalf("demo.md begins with a block of %d lines, which are no run's steps", len(lines))
	}
	var b strings.Builder
	height := demoLine*(len(lines)+1) + 12
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="what">`+"\n",
		demoColumns*9, height)
	fmt.Fprintf(&b, "<title id=\"what\">The %d steps of make demo, each with its result</title>\n", len(lines))
	b.WriteString(`<rect width="100%" height="100%" rx="8" fill="#10151c"/>` + "\n" +
		`<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6e9ee">` + "\n")
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	for i, line := range lines {
		m := demoStep.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("demo.md: no step of a run: %q", line)
		}
		y := demoLine*(i+1) + 8
		fmt.Fprintf(&b, `<text y="%d"><tspan x="14" fill="#8b96a5">%s</tspan><tspan x="48">%s</tspan>`+
			`<tspan x="400" fill="#7fd6a1">%s</tspan></text>`+"\n", y, strings.TrimSpace(m[1]),
			escape.Replace(strings.TrimSpace(m[2])), escape.Replace(m[3]))
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}
