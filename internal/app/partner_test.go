package app

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/config"
)

// Production tells the sandbox's partner by what each of its answers says, and
// judges nobody who does not answer.
func TestPlatform_ProductionRefusesTheSandboxPartner(t *testing.T) {
	answers := func(h func(http.ResponseWriter)) string {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { h(w) }))
		t.Cleanup(web.Close)
		return web.URL
	}
	sandboxed := answers(func(w http.ResponseWriter) { w.Header().Set(control.Header, control.Name) })
	elsewhere := answers(func(w http.ResponseWriter) {
		w.Header().Set("Location", sandboxed)
		w.WriteHeader(http.StatusFound)
	})
	real := answers(func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) })
	for _, c := range []struct {
		url, environment string
		refused          bool
	}{
		{sandboxed, "production", true}, {sandboxed + "/", "production", true}, {sandboxed, "sandbox", false},
		{real, "production", false}, {elsewhere, "production", false}, {"http://127.0.0.1:1", "production", false},
		{"", "production", false},
	} {
		a := App{config: Config{Server: config.Server{Environment: c.environment, PartnerURL: c.url}}}
		if err := a.refuseSandboxPartner(t.Context()); (err != nil) != c.refused {
			t.Errorf("%s in %s: %v", c.url, c.environment, err)
		}
	}
}
