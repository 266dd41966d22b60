package widget_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/kit/widget/action"
)

// odd are texts that a reader of metadata may take otherwise than another one.
var odd = []string{
	"\u202e", "\u200b", "\u00a0", "\u2028", "\ufe0f", "\ue000", "\u0430", "\x00", "\x7f",
	`\u202e`, `\ud800`, `\n`, `\t`, `\\`, `"`, "{", "}", "[", "]", ",", ":", " ", "\n",
	"null", "true", "1", "-", ".", "e9", "0x", "%", "%2f", "..", "//", "/", "@", "#", "?",
	"javascript:", "data:", "http://127.0.0.1/", "HTTPS://", "https://a@b/", "fuji", "base", "flow", "transfer",
	`"x":1,`, `"title":"again",`, `"Title":"again",`, `"value":{},`, `"token":null,`, `"amount":0,`, `"fixed":true,`,
}

// mutated is metadata with a few changes: something odd put in, a piece taken out, or a piece said twice.
func mutated(r *rand.Rand, text string) string {
	for range 1 + r.IntN(3) {
		at := r.IntN(len(text))
		end := min(len(text), at+r.IntN(12))
		switch r.IntN(4) {
		case 0:
			text = text[:at] + text[end:]
		case 1:
			text = text[:end] + text[at:end] + text[end:]
		default:
			text = text[:at] + odd[r.IntN(len(odd))] + text[at:]
		}
	}
	return strings.ToValidUTF8(text, "?")
}

// What the server refuses, the widget refuses too, over thousands of changes of good metadata. Where the widget alone
// refuses, it is for one of the reasons that are listed here.
func TestWidget_JudgesAsTheServer(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("testdata/whole.json")
	if err != nil {
		t.Fatal(err)
	}
	r, rules := rand.New(rand.NewPCG(19, 9)), action.RulesOf(chain.Sandbox)
	var texts []string
	for range 6_000 {
		texts = append(texts, mutated(r, string(whole)))
	}
	judged, good := judge(t, texts), 0
	for i, text := range texts {
		_, err := rules.Read([]byte(text))
		switch {
		case err == nil && judged[i] == "":
			good++
		case err != nil && judged[i] == "":
			t.Errorf("the server refuses, and the widget shows it: %v\n%s", err, text)
		case err == nil && !stricter(text):
			t.Errorf("the widget refuses %s, and the server does not:\n%s", judged[i], text)
		}
	}
	if good < 100 || good > len(texts)/2 {
		t.Errorf("%d of %d are good: the changes find nothing", good, len(texts))
	}
}

// stricter are metadata of which the widget alone refuses some: null where nothing would be, and an escape in a URL
// that is none.
func stricter(text string) bool { return strings.Contains(text, "null") || strings.Contains(text, "%") }

// judge gives for each text the member that the widget refuses; "" is none.
func judge(t *testing.T, texts []string) (fields []string) {
	t.Helper()
	raw, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "texts.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("node", "test/judge.js", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &fields); err != nil || len(fields) != len(texts) {
		t.Fatal(len(fields), err)
	}
	return fields
}
