package edge_test

import (
	"sync"
	"testing"
)

// The rules of operations are made for their first callers, who may come at once, also to operations that share a type.
func TestFirstCallersAtOnce(t *testing.T) {
	f := newFixture(t)
	var callers sync.WaitGroup
	for range 4 {
		for _, c := range []struct{ method, target, body, message string }{
			{"POST", "/v1/signing/things", `{"name":""}`, "name must not be empty"},
			{"POST", "/v1/signing/things", `{"name":"n","place":{"city":"B","country":"DE"}}`,
				"place.city must have at least 2 characters"},
			{"GET", "/v1/signing/things/t1?shape=oval", "", "shape must be one of round, square"},
			{"GET", "/v1/signing/things?page=x", "", "page must be an integer"},
			{"DELETE", "/v1/signing/things/t1?shape=oval", "", "shape must be one of round, square"},
		} {
			callers.Go(func() {
				w := f.send(c.method, c.target, c.body)
				got := envelopeOf(t, w)["message"]
				if w.Code != 400 || got != "Validation failed: "+c.message {
					t.Errorf("%s %s: %d %v, want %q", c.method, c.target, w.Code, got, c.message)
				}
			})
		}
	}
	callers.Wait()
}
