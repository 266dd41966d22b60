package dashboard_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/webtest"
	"github.com/railkit/railkit/platform/auth"
)

// look is how somebody sees the pages.
type look struct {
	theme string
	width int64
}

// looks are all in the nightly run, and two otherwise, in which each theme and each width is once: a colour does not
// depend on the width, nor the layout on the theme.
func looks() []look {
	if testenv.Nightly() {
		return []look{{"light", 1280}, {"dark", 1280}, {"light", 390}, {"dark", 390}}
	}
	return []look{{"light", 1280}, {"dark", 390}}
}

func (p *person) looks(l look) {
	p.T.Helper()
	p.Do(chromedp.EmulateViewport(l.width, 900))
	webtest.Call(p.Tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.theme}},
	})
}

// axe finds what keeps people from using a page: https://github.com/dequelabs/axe-core.
func (p *person) axe(script string) []string {
	p.T.Helper()
	if p.Eval("typeof axe") == "undefined" {
		p.Eval("(() => {" + script + "; return 1; })()")
	}
	raw := p.Eval(`axe.run(document, { resultTypes: ["violations"] }).then((r) => JSON.stringify(
		r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ") + " " + n.failureSummary))))`)
	var found []string
	if err := json.Unmarshal([]byte(raw), &found); err != nil {
		p.T.Fatalf("axe said %s", raw)
	}
	return found
}

// No page keeps anybody out, scrolls sideways on a phone, or asks another origin for anything.
func TestDashboard_Access(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(packages(t), "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	w, s, ada := used(t, func(text string) string { return text })
	for n, l := range looks() {
		if n > 0 { // a member has 100 calls a minute
			ada = w.joins(t, fmt.Sprintf("ada%d@example.com", n), auth.RoleAdmin)
		}
		ada.looks(l)
		for _, page := range s.pages() {
			ada.follow(page[1])
			ada.settles()
			ada.Picture(fmt.Sprintf("dashboard-%s-%s-%d", page[0], l.theme, l.width))
			for _, found := range ada.axe(string(script)) {
				t.Errorf("%s (%s, %d): %s", page[1], l.theme, l.width, found)
			}
			if got := ada.Eval("document.documentElement.scrollWidth <= innerWidth"); got != "true" {
				t.Errorf("%s scrolls sideways at %d", page[1], l.width)
			}
		}
	}
	if got := ada.Eval(`JSON.stringify(performance.getEntriesByType("resource").map((r) => r.name)
		.filter((n) => !n.startsWith(location.origin + "/")))`); got != "[]" {
		t.Errorf("other origins were asked: %s", got)
	}
}

// follow goes to a page within the site, as a click on a link does.
func (p *person) follow(path string) {
	p.T.Helper()
	raw, _ := json.Marshal(path)
	p.Eval(`((to) => {
		const a = document.createElement("a");
		a.href = to;
		document.body.append(a);
		a.click();
		a.remove();
		return 1;
	})(` + string(raw) + ")")
}
