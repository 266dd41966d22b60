package ceremony

import (
	stdfs "io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func get(t *testing.T, path string) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	Static(Pin{IdentityKey: "02ab", RPID: "localhost", Environment: "sandbox"}).ServeHTTP(w,
		httptest.NewRequest(http.MethodGet, path, nil))
	return w.Result()
}

// What is served is what is in the tree, under headers that keep everything else out.
func TestSigning_H09_PageIsServedAsItIs(t *testing.T) {
	for name, content := range files() {
		file := "page/" + name
		if strings.Contains(name, "/") {
			file = "../../" + name
		}
		want, err := os.ReadFile(file)
		if err != nil || string(want) != string(content) {
			t.Errorf("%s is not the file of the tree: %v", name, err)
		}
		w := httptest.NewRecorder()
		Static(Pin{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+name, nil))
		if w.Code != 200 || w.Body.String() != string(want) || w.Header().Get("Content-Type") == "" {
			t.Errorf("%s: %d %q", name, w.Code, w.Header().Get("Content-Type"))
		}
	}
	for _, path := range []string{
		"/", "/main.js", "/chain/tron/page/tron.js", "/pin.json", "/missing", "/page/main.js", "/package.json",
		"/chain/package.json", "/../go.mod",
	} {
		r := get(t, path)
		for name, want := range headers {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		if missing := path == "/missing" || path == "/page/main.js" || path == "/../go.mod" ||
			path == "/chain/package.json" || path == "/package.json"; missing != (r.StatusCode != 200) {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
}

func TestPin(t *testing.T) {
	w := httptest.NewRecorder()
	Static(Pin{"02ab", "example.com", "production"}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/pin.json", nil))
	if got := w.Body.String(); got != `{"identityKey":"02ab","rpId":"example.com","environment":"production"}` {
		t.Error(got)
	}
}

// Some who serve the page from elsewhere cannot set headers, so that the page
// says the same by itself, as far as a page can.
func TestSigning_H09_PageCarriesItsPolicy(t *testing.T) {
	text := string(files()[index])
	want := strings.Replace(policy, "frame-ancestors 'none'; ", "", 1)
	if !strings.Contains(text, `http-equiv="Content-Security-Policy" content="`+want+`"`) {
		t.Error("the policy in index.html is not that of the headers")
	}
}

// The sources keep to what the policy asks for, and to what can be audited.
func TestSigning_A10_PageSources(t *testing.T) {
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new ` +
		`Function|DOMParser|srcdoc|https?://[^/ ]+\.|import\(|style=|\son[a-z]+="`)
	lines := 0
	for name, content := range files() {
		text := strings.Replace(string(content), `"http://www.w3.org/2000/svg"`, "", 1)
		if found := forbidden.FindString(text); found != "" {
			t.Errorf("%s has %q", name, found)
		}
		if strings.HasSuffix(name, ".js") {
			lines += strings.Count(text, "\n")
		}
	}
	// 2,400, what it takes to read the transactions of Solana, their costs and those of Tron, and the ways to decline
	// and to go back
	if lines > 2950 {
		t.Errorf("the page has %d lines of script: too many to audit", lines)
	}
}

func TestHash(t *testing.T) {
	tree := func(at time.Time, change func(fstest.MapFS)) map[string][]byte {
		fs := fstest.MapFS{}
		for name, content := range files() {
			fs[name] = &fstest.MapFile{Data: content, ModTime: at, Mode: 0o444}
		}
		change(fs)
		return read(map[string]stdfs.FS{"": fs})
	}
	same := func(fstest.MapFS) {}
	if got := hashOf(tree(time.Unix(1, 0), same)); got != Hash() || got != hashOf(tree(time.Now(), same)) {
		t.Error("the same files at another time have another hash")
	}
	seen := map[string]string{Hash(): "unchanged"}
	for what, change := range map[string]func(fstest.MapFS){
		"a byte more": func(fs fstest.MapFS) {
			fs["main.js"].Data = append([]byte(" "), fs["main.js"].Data...)
		},
		"a file less":   func(fs fstest.MapFS) { delete(fs, "text.js") },
		"an empty file": func(fs fstest.MapFS) { fs["new.js"] = &fstest.MapFile{} },
		"another name": func(fs fstest.MapFS) {
			fs["Main.js"] = fs["main.js"]
			delete(fs, "main.js")
		},
		"contents swapped": func(fs fstest.MapFS) {
			fs["main.js"], fs["text.js"] = fs["text.js"], fs["main.js"]
		},
	} {
		h := hashOf(tree(time.Unix(1, 0), change))
		if !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(h) || seen[h] != "" {
			t.Errorf("%s: %s, as of %s", what, h, seen[h])
		}
		seen[h] = what
	}
}
