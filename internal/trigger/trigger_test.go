package trigger_test

import (
	"context"
	"errors"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/internal/trigger"
	"github.com/railkit/railkit/platform/event"
)

// Each flow leads to an event of its type about what it made itself, and again when it is run again.
func TestFlows(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithPartner(t))
	at := trigger.Sandbox{Client: a.Client(), CeremonyOrigin: a.Origin}
	seen := map[string]bool{}
	for _, f := range trigger.Flows {
		known := false
		for _, d := range event.Catalogue {
			known = known || string(d.Type) == f.Type
		}
		if !known || f.Does == "" {
			t.Errorf("%s: is no type of the catalogue, or does not say what it does", f.Type)
		}
		ctx, cancel := context.WithTimeout(t.Context(), testwait.Bound)
		e, err := trigger.Run(ctx, at, f.Type)
		cancel()
		if err != nil || e.Type != f.Type || seen[e.ID] {
			t.Fatalf("%s: %+v, %v", f.Type, e, err)
		}
		seen[e.ID] = true
	}
	e, err := trigger.Run(t.Context(), at, trigger.Flows[1].Type)
	if err != nil || seen[e.ID] {
		t.Errorf("again: %+v, %v", e, err)
	}
	if _, err := trigger.Run(t.Context(), at, "order.expired"); !errors.Is(err, trigger.ErrUnknown) {
		t.Error(err)
	}
	at.CeremonyOrigin = ""
	if _, err := trigger.Run(t.Context(), at, "wallet.created"); !errors.Is(err, trigger.ErrOrigin) {
		t.Error(err)
	}
}
