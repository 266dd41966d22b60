package gallery

import (
	"encoding/json"
	"io/fs"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
)

// What is served is what is in the tree, under headers that keep everything else out, and nothing else is.
func TestWidget_GalleryIsServedAsItIs(t *testing.T) {
	files := 0
	err := fs.WalkDir(embedded, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		at := Path + strings.TrimPrefix(name, "page")
		if at == Path+"/index.html" {
			at = Path
		}
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", at, nil)
		Static().ServeHTTP(w, r)
		want, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		text := string(want)
		if path.Ext(name) == ".json" {
			text = strings.ReplaceAll(strings.ReplaceAll(text, "https://HERE", "https://"+r.Host), "HERE", r.Host)
			if !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s is no JSON", at)
			}
		}
		if w.Code != 200 || w.Body.String() != text || w.Header().Get("Content-Type") == "" {
			t.Errorf("%s: %d %q", at, w.Code, w.Header().Get("Content-Type"))
		}
		for name, want := range headers {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q", at, name, got)
			}
		}
		return nil
	})
	if err != nil || files < 15 {
		t.Fatal(files, err)
	}
	for _, at := range []string{
		"/", Path + "/", Path + "/index.html", Path + "/missing", Path + "/examples/", Path + "/../gallery.go",
	} {
		w := httptest.NewRecorder()
		Static().ServeHTTP(w, httptest.NewRequest("GET", at, nil))
		if w.Code == 200 {
			t.Errorf("%s is served", at)
		}
	}
}

// An example names the server that was asked, by http on this machine only, and no text that a caller makes up.
func TestWidget_GalleryExamplesAreOfThisServer(t *testing.T) {
	for host, want := range map[string]string{
		"localhost:8080": `"http://localhost:8080/widget/tip"`, "127.0.0.1": `"http://127.0.0.1/widget/tip"`,
		"sandbox.example": `"https://sandbox.example/widget/tip"`, "LOCALHOST": "", `x","y":"`: "", "a@b": "",
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", Path+"/examples/tip.json", nil)
		r.Host = host
		Static().ServeHTTP(w, r)
		if (w.Code == 200) != (want != "") || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", host, w.Code, w.Body)
		}
	}
}
