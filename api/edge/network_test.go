package edge_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Over a real connection: a body without a length, and one that is too large.
func TestOverTheNetwork(t *testing.T) {
	f := newFixture(t)
	server := httptest.NewServer(f)
	defer server.Close()
	for size, want := range map[int]int{10: 201, 2 << 20: 413} {
		body := io.MultiReader(
			strings.NewReader(`{"name":"n"`), strings.NewReader(strings.Repeat(" ", size)), strings.NewReader(`}`),
		)
		r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/v1/signing/things", body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "ApiKey "+f.key)
		r.Header.Set("Content-Type", "application/json")
		w, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var e struct{ StatusCode int }
		err = json.NewDecoder(w.Body).Decode(&e)
		w.Body.Close()
		if err != nil || w.StatusCode != want || e.StatusCode != want {
			t.Errorf("%d spaces: %d, %+v, %v", size, w.StatusCode, e, err)
		}
	}
}
