package edge_test

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// No other spelling of a path reaches an operation, is redirected, or is answered
// outside the envelope, which repeats the path as it was sent.
func TestPlatform_H14_PathTricks(t *testing.T) {
	f := newFixture(t)
	for _, path := range []string{
		"//v1/signing/things", "/v1//signing/things", "/v1/signing//things", "/v1/signing/things/",
		"/v1/signing/things//",
		"/./v1/signing/things", "/v1/./signing/things", "/v1/signing/things/.", "/x/../v1/signing/things",
		"/v1/x/../signing/things", "/v1/signing/things/..",
		"/%2e/v1/signing/things", "/v1/%2e%2e/v1/signing/things", "/v1/signing/things/%2e%2e",
		"/v1/signing/things/t1/%2e%2e", "/v1/..%2fv1/signing/things",
		"/V1/signing/things", "/v1/Signing/things", "/v1/signing/things;x=1", "/v1/signing;x/things",
		"/v1/signing/things%00", "/v1/signing/things%20", "/v1/signing/things%0a",
		"/v1/signing\\things", "/v1/signing%5cthings", "/v1%2fsigning%2fthings", "/v1/signing%2fthings",
		"/v1/signing/things%2ft1", "/v1/signing/things%252ft1",
		"/v1/signing/things%3fshape=round", "/v1/signing/things%23", "/v1/signing/things.json", "/v1/signing/things.",
		"/v1/signing/thing%EF%BD%93", "/v1/signing/%ff",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		u, err := url.ParseRequestURI(path)
		if err != nil {
			t.Fatal(err)
		}
		r.URL, r.RequestURI = u, path
		r.Header.Set("Authorization", "ApiKey "+f.key)
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		e := envelopeOf(t, w)
		if w.Code != 404 || w.Header().Get("Location") != "" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if want := strings.ReplaceAll(path, "\\", "%5C"); e["path"] != want {
			t.Errorf("%s: the envelope has the path %v", path, e["path"])
		}
	}
	for path, id := range map[string]string{
		"/v1/signing/things/t%31": "t1", "/v1/%73igning/things/t1": "t1",
	} { // the same path in RFC 3986
		if w := f.send("GET", path, ""); w.Code != 200 ||
			envelopeOf(t, w)["path"] != path || !strings.Contains(w.Body.String(), id) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := f.send("GET", "/v1/signing/things/..%2ft1", ""); w.Code != 404 || envelopeOf(t, w)["error"] != "not_found" {
		t.Errorf("an id with a slash: %d %s", w.Code, w.Body)
	}
}
