package gallery_test

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
)

func TestMain(m *testing.M) { os.Exit(webtest.Unpainted(m.Run)) }

// states are what each widget of the gallery comes to, and words that it shows then.
var states = map[string][2]string{
	"tip":       {"ready", "Send a tip"},
	"solana":    {"ready", "Send a tip in SOL"},
	"invoice":   {"ready", "Pay 25.50 USDC"},
	"allowance": {"ready", "In millionths of a USDC: 5000000 is 5 USDC."},
	"crossing":  {"ready", "From Fuji, to arrive on Base."},
	"flow":      {"ready", "Choose a seat"},
	"form":      {"ready", "Outside, if it is warm"},
	"lookalike": {"refused", "is not USDC on Base Sepolia"},
	"script":    {"refused", "icon must"},
	"turned":    {"refused", "title must have only characters that can be seen"},
	"denied":    {"refused", "The directory warns of prizes.example"},
	"stranger":  {"unlisted", "Nobody in the directory of this page vouches for corner.example"},
	"key":       {"refused", "This page holds a key"},
}

// gallery opens the page of a sandbox, and waits until each of its widgets has come to something.
func gallery(t *testing.T, width int64) *webtest.Tab {
	t.Helper()
	a := apptest.Rig(t)
	b := webtest.Open(t)
	webtest.Call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `window.violations = [];
			addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective + " " + e.blockedURI));`,
	})
	b.Do(chromedp.EmulateViewport(width, 900))
	b.Go(a.BaseURL + "/")
	b.Go(b.Eval(`document.querySelector('a[href="/widget"]').href`))
	for id, want := range states {
		apptest.Eventually(t, id+" is "+want[0], func() bool {
			return b.Eval("document.getElementById('"+id+"')?.dataset.state") == want[0]
		})
		webtest.Contains(t, text(b, id), want[1])
	}
	t.Cleanup(func() {
		if got := b.Eval("violations.join()"); got != "" {
			t.Errorf("the page's policy stops %s", got)
		}
	})
	return b
}

func text(b *webtest.Tab, id string) string {
	b.T.Helper()
	return strings.Join(strings.Fields(b.Eval("document.getElementById('"+id+"').shadowRoot.textContent")), " ")
}

// Each widget of the gallery pays or is refused as the page says, in the light and in the dark, on a desk and on a
// phone, and nothing scrolls sideways.
func TestWidget_Gallery(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		b := gallery(t, width)
		name := map[int64]string{1280: "gallery-1280", 390: "gallery-390"}[width]
		b.Picture(name + "-light")
		light := b.Eval("getComputedStyle(document.getElementById('tip').shadowRoot.querySelector('.card')).backgroundColor")
		if b.Eval("document.documentElement.scrollWidth <= innerWidth") != "true" {
			t.Errorf("at %d the page scrolls sideways", width)
		}
		b.Do(chromedp.Click(chromedp.CSS(`label:has([value="dark"])`)))
		b.Picture(name + "-dark")
		dark := b.Eval("getComputedStyle(document.getElementById('tip').shadowRoot.querySelector('.card')).backgroundColor")
		b.Do(chromedp.Click(chromedp.CSS(`label:has([value=""])`)))
		webtest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
		})
		system := b.Eval("getComputedStyle(document.getElementById('tip').shadowRoot.querySelector('.card')).backgroundColor")
		if light == dark || system != dark {
			t.Errorf("light %s, dark %s, the system's dark %s", light, dark, system)
		}
	}
}

// What leads to another network is handed to the page, and a flow goes where its answers lead.
func TestWidget_GalleryHandsOver(t *testing.T) {
	t.Parallel()
	b := gallery(t, 390)
	act := func(id, state, script string) {
		t.Helper()
		b.Eval("(() => { const w = document.getElementById('" + id + "').shadowRoot; " + script + " })()")
		apptest.Eventually(t, id+" is "+state, func() bool {
			return b.Eval("document.getElementById('"+id+"').dataset.state") == state
		})
	}
	act("crossing", "review", `w.querySelector("input").value = "1.5"; w.querySelector("button").click();`)
	webtest.Contains(t, text(b, "crossing"), "Send 1.50 AVAX", "Arrives on", "Base Sepolia, chain id 84532")
	act("crossing", "done", `w.querySelector(".buttons button").click();`)
	webtest.Contains(t, b.Text(), `The page got: button 0 of /widget/examples/crossing.json, {"amount":"1.5"}.`)

	act("flow", "ready", `w.querySelector("button").click();`)
	webtest.Contains(t, text(b, "flow"), "Where would you like to sit?", "On the balcony", "8 USDC")
	act("flow", "ready", `w.querySelector("form button").click();`)
	webtest.Contains(t, text(b, "flow"), "Where would you like to sit?: enter it, please.")
	act("flow", "ready", `w.querySelectorAll("input")[1].click(); w.querySelector("form button").click();`)
	act("flow", "review", `w.querySelector("form button").click();`)
	webtest.Contains(t, text(b, "flow"), "Send 8 USDC", "There is no wallet for Base Sepolia in this browser")
	b.Picture("gallery-review")
	act("flow", "ready", `w.querySelector(".buttons button").click();`)
	webtest.Contains(t, text(b, "flow"), "Pay for the balcony")

	act("form", "ready", `w.querySelector("input").value = "ana"; w.querySelector("button").click();`)
	webtest.Contains(t, text(b, "form"), "When: enter it, please.", "Your mail address: must be a mail address.")
	act("form", "done", `w.querySelector("select").value = "1"; w.querySelector("input").value = "ana@example.com";
		w.querySelector("button").click();`)
	webtest.Contains(t, text(b, "form"), "The gallery has heard you, and keeps nothing of it.")
}
