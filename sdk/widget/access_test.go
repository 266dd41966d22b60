package widget_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
)

const form = `{"type":"http","label":"Ask for a table","description":"At the square","path":"/site/heard","params":[
	{"name":"when","type":"select","label":"When","description":"We open at six","required":true,
	 "options":[{"label":"At seven","value":"19"},{"label":"At nine","value":"21"}]},
	{"name":"mail","type":"email","label":"Mail address"},{"name":"outside","type":"boolean","label":"Outside"},
	{"name":"where","type":"radio","label":"Where","options":[{"label":"Window","value":1},{"label":"Hall","value":2}]},
	{"name":"note","type":"textarea","label":"A note"}]}`

// form is asked for a table at the site.
func (w *world) form() string {
	return strings.Replace(w.metadata(form), `"actions"`, `"baseUrl":"`+w.site.URL+`","actions"`, 1)
}

// named are role, name and description of each node that Chromium tells a screen reader of, one a line.
func named(v *visitor) string {
	v.T.Helper()
	tree := webtest.Call(v.Tab, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	var lines []string
	for _, n := range tree.Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		line := spoken(n.Role)
		if n.Name != nil {
			line += " " + spoken(n.Name)
		}
		if n.Description != nil && spoken(n.Description) != "" {
			line += " | " + spoken(n.Description)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func spoken(value *accessibility.Value) string {
	var text string
	if json.Unmarshal([]byte(value.Value), &text) != nil {
		return ""
	}
	return text
}

// A screen reader is told what each field is, what is wrong with it, and how far it is.
func TestWidget_ScreenReader(t *testing.T) {
	w := newWorld(t)
	w.lists(w.metadata(invoice))
	w.put("/site/form.json", w.form())
	v := w.visit("/site/form.json")
	v.until("ready")
	webtest.Contains(t, named(v), "region Shop", "heading Shop", "combobox When | We open at six",
		"textbox Mail address optional", "checkbox Outside", "group Where optional", "radio Window", "radio Hall",
		"textbox A note optional", "button Ask for a table", "status")
	v.Picture("10-form")
	v.click("Ask for a table")
	apptest.Eventually(t, "the field says what is wrong", func() bool {
		return strings.Contains(named(v), "combobox When | We open at six When: enter it, please.")
	})
	w.put("/site/good.json", w.metadata(invoice))
	v.open("/site/good.json")
	v.until("ready")
	v.click("Pay the invoice")
	v.until("review")
	webtest.Contains(t, named(v), "heading Send 25.50 USDC", "term", "definition", "button Back",
		"button Pay with Pocket <b>")
	if got := v.Eval(find("h3") + ".matches(':focus')"); got != "true" {
		t.Error("the heading of what would be sent has not the focus")
	}
	v.clean()
}

// Everything is done with a keyboard alone, and what has the focus is seen.
func TestWidget_KeyboardAlone(t *testing.T) {
	w := newWorld(t)
	id, _, _ := w.lists(w.metadata(`{"type":"transfer","label":"Tip","chains":{"source":"base"},"to":"` + ana + `"}`))
	v := w.visit("/v1/action/" + id + "/metadata")
	v.until("ready")
	press := func(keys ...string) {
		t.Helper()
		for _, key := range keys {
			v.Do(chromedp.KeyEvent(key))
		}
	}
	press(kb.Tab, "0.5")
	if got := v.Eval(find("input") + ".value"); got != "0.5" {
		t.Fatalf("the first stop is not the field: %q", got)
	}
	if got := v.Eval("getComputedStyle(" + find("input") + ").outlineStyle"); got != "solid" {
		t.Errorf("the focus is shown by %q", got)
	}
	press(kb.Enter)
	webtest.Contains(t, v.until("review"), "Send 0.50 ETH")
	press(kb.Tab, kb.Enter)
	v.until("done")
	press(kb.Enter) // the focus is on the way back
	v.until("ready")
	if len(w.sent) != 1 {
		t.Errorf("%d were sent", len(w.sent))
	}
	v.clean()
}
