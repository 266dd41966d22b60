package invite

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What is served is what is in the tree, under headers that keep everything else out.
func TestPayout_InvitePageIsServedAsItIs(t *testing.T) {
	names, err := filepath.Glob("page/*")
	if err != nil || len(names) < 5 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		at := Path + "/" + filepath.Base(name)
		switch filepath.Base(name) {
		case "index.html":
			at = Path
		case "freeze.html":
			at = Path + "/freeze"
		}
		w := httptest.NewRecorder()
		Static().ServeHTTP(w, httptest.NewRequest("GET", at, nil))
		if w.Code != 200 || w.Body.String() != string(want) || w.Header().Get("Content-Type") == "" {
			t.Errorf("%s: %d %q", at, w.Code, w.Header().Get("Content-Type"))
		}
		for name, want := range headers {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q", at, name, got)
			}
		}
	}
	for _, path := range []string{
		"/", Path + "/", Path + "/index.html", Path + "/missing", Path + "/page/main.js", Path + "/../invite.go",
	} {
		w := httptest.NewRecorder()
		Static().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code == 200 {
			t.Errorf("%s is served", path)
		}
	}
	if policy := headers["Permissions-Policy"]; !strings.Contains(policy, "publickey-credentials-get=()") ||
		!strings.Contains(policy, "publickey-credentials-create=()") {
		t.Error("the page may ask for passkeys")
	}
}

// The page's own tests run in Node.
func TestPayout_InvitePageModules(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("the page's tests need node: apt-get install nodejs, or .ci/install nodejs")
	}
	for _, pattern := range []string{"test/*.js", "page/*.js"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			if _, err := os.ReadFile(name); err != nil { // so that Go knows what this test rests on
				t.Fatal(err)
			}
		}
	}
	out, err := exec.Command(node, "--test", "test/check.test.js").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "# fail 0") && !strings.Contains(string(out), "ℹ fail 0") {
		t.Errorf("node --test: %v\n%s", err, out)
	}
}
