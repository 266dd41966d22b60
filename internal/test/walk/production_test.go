package walk_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/ready"
	"github.com/railkit/railkit/platform/workspace"
)

// Production serves what the sandbox serves, but for what is under /v1/sandbox/,
// and knows no key of the sandbox.
func TestPlatform_Access_Production(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	w := newTenants(t, a)
	live := w.make("production", workspace.KYBApproved, allModules...)
	good := w.key(live, auth.Integrator, func(k *auth.Key) { k.Environment = "production" })
	sandboxKey := w.key(w.own, auth.Integrator, nil)
	now := newHands()
	server := httptest.NewServer(productionHandler(a, now))
	t.Cleanup(server.Close)
	call := func(op edge.Operation, key string) apptest.Answer {
		return apptest.Call(t, op.Method, server.URL+path(op, live), "{}", "Authorization", "ApiKey "+key)
	}

	served := api.Operations("production")
	for _, op := range api.Operations("sandbox") {
		sandboxOnly := strings.HasPrefix(op.Path, "/v1/sandbox/")
		if got := slices.ContainsFunc(served, func(o edge.Operation) bool {
			return o.ID == op.ID
		}); got == sandboxOnly {
			t.Errorf("%s is served in production: %v", op.ID, got)
		}
		a := call(op, good)
		if gone := a.Field("error") == "route_not_found"; gone != sandboxOnly {
			t.Errorf("%s in production: %d %s", op.ID, a.Status, a.Body)
		}
		if sandboxOnly || !slices.Contains(op.Callers, auth.ByKey) {
			continue
		}
		if got, err := cellOf(call(op, sandboxKey)); got != "404k" {
			t.Errorf("%s in production with a key of the sandbox: %s, %v", op.ID, got, err)
		}
		now.move(time.Minute)
	}
	if len(served) == 0 {
		t.Error("production serves nothing")
	}
}

func productionHandler(a *apptest.App, now clock.Clock) http.Handler {
	keys, strangers := edge.DefaultLimiters(now)
	return api.New(api.Deps{
		Edge: edge.Config{
			Clock: now, Log: slog.New(slog.DiscardHandler), Auth: &auth.Authenticator{
				Store: a.Store, Clock: now, Environment: "production",
			},
			Workspaces: workspace.New(a.Store.Workspaces(), now), Once: idempotency.New(a.Store, now),
			Keys: keys, Strangers: strangers,
		},
		Environment: "production", Signing: a.Signing, Ready: ready.New(slog.New(slog.DiscardHandler)),
	})
}
