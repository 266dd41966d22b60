package dashboard

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The site is served as it is under every path of a page, the API below /v1, and nothing else at all. Whoever puts
// another site in its place is found out.
func TestDashboard_Served(t *testing.T) {
	api := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	whole := httptest.NewServer(Handler(api))
	defer whole.Close()
	if err := Served(t.Context(), whole.URL); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]int{
		"/": 200, "/orders/1": 200, "/invitation": 200, "/v1/orders": 418, "/main.js": 404, "/style.css": 404,
		"/dist/index.html": 404, "/widget": 200, "/openapi.json": 404,
	} {
		w := httptest.NewRecorder()
		Handler(api).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != want || want == 200 && !strings.Contains(w.Body.String(), `<div id="page"`) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	for what, change := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"another file": func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/index.html" {
				return false
			}
			for name, value := range headers {
				w.Header().Set(name, value)
			}
			_, _ = w.Write([]byte("<script src=//evil.example></script>"))
			return true
		},
		"status 302": func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "https://evil.example/", http.StatusFound)
			return true
		},
		"without the header": func(w http.ResponseWriter, _ *http.Request) bool {
			_, _ = w.Write(nil)
			return true
		},
	} {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !change(w, r) {
				Handler(api).ServeHTTP(w, r)
			}
		}))
		if err := Served(t.Context(), other.URL); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		other.Close()
	}
}
