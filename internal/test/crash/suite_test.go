package crash_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
)

// The server, the signer and the chain die between every two steps of the story.
// The client tries again under its key, as clients do, and at the end the journal,
// the API and the chain tell one story. Signer and chain know no database: on the
// second engine the server alone dies. The ordinary run has one of the engines and some of the steps, the nightly run
// all.
func TestSigning_K04_CrashPoints(t *testing.T) {
	t.Parallel()
	for _, engine := range testenv.Sample(t, []string{"sqlite", "postgres"}, 1) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, engine)
			for _, d := range testenv.Sample(t, deaths(engine), 8) {
				w.walk(t, d.walk, d.part, d.point)
			}
			abandoned(w)
			abandonedOnSolana(w)
			killedOnSolana(w)
			w.settle()
		})
	}
}

// death is a point at which a process ends itself, within a part of the story.
type death struct {
	walk        walk
	part, point string
}

func deaths(engine string) (all []death) {
	for _, k := range walks {
		for _, part := range slices.Sorted(maps.Keys(k.points)) {
			if engine == "postgres" && part != apptest.Server {
				continue
			}
			for _, point := range k.points[part] {
				all = append(all, death{k, part, point})
			}
		}
	}
	return all
}

func newWorld(t *testing.T, engine string) *world {
	t.Helper()
	p := apptest.NewProcesses(t, engine)
	w := &world{
		Processes: p, t: t, api: p.Client(), payee: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
		ends: map[string]string{}, bodies: map[string]string{}, answers: map[string]string{},
	}
	w.owner = p.Fund(w.api, "owner@example.com")
	w.outside = w.newOutsider()
	w.fundOnSolana()
	return w
}

// walk dies once and comes through. What the server does after its answer may
// reach the point a little later.
func (w *world) walk(t *testing.T, k walk, part, point string) {
	t.Helper()
	armed, since := false, time.Now()
	k.run(w, func() {
		w.Arm(part, point)
		armed = true
	})
	if !armed {
		t.Fatalf("%s does not arm", k.name)
	}
	w.until(k.name, func() error {
		if err := w.dead(part, point); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		return nil
	})
	if took := time.Since(since); took > 5*time.Second {
		t.Logf("%s, %s of the %s: %v", k.name, point, part, took.Round(time.Second))
	}
}
