package crash_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/api/ceremony"
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	mutations "github.com/railkit/railkit/internal/test/walk"
)

// The server dies around the commit of every operation that changes something. A
// caller who tries again under the key has it done once: what was not committed
// is done then, and what was is answered with the bytes that nobody got. Every
// operation commits in the same way: the second engine has each at one of the two. The ordinary run has one of the
// engines and some of the operations, the nightly run all.
func TestPlatform_I4_I5_Crashes(t *testing.T) {
	t.Parallel()
	for _, engine := range testenv.Sample(t, []string{"sqlite", "postgres"}, 1) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, engine)
			w.OpenStore() // some requests need what an operator makes
			m := &mutations.World{
				T: t, App: w.App, WorkspaceID: w.Keys.WorkspaceID, Key: w.Keys.BenchKey, Operator: w.Keys.InternalKey,
			}
			for i, op := range testenv.Sample(t, changing(), 6) {
				if engine == "sqlite" || i%2 == 0 {
					w.around(t, m, op, "before-commit")
				}
				if engine == "sqlite" || i%2 == 1 {
					w.around(t, m, op, "after-commit")
				}
			}
			w.told()
		})
	}
}

func changing() []edge.Operation {
	return slices.DeleteFunc(append(api.Operations("sandbox"), ceremony.Operations()...), func(op edge.Operation) bool {
		return !op.Changes
	})
}

// around has the server die at a point of an operation, and the caller try again.
func (w *world) around(t *testing.T, m *mutations.World, op edge.Operation, point string) {
	t.Helper()
	since, key := time.Now(), uuid.NewString()
	r := mutations.Mutations[op.ID](m)
	w.Arm(apptest.Server, op.ID+"."+point)
	a := w.answer(op.ID, func() (apptest.Answer, error) { return w.sendRequest(r, key) })
	if err := w.dead(apptest.Server, op.ID+"."+point); err != nil {
		t.Errorf("%s: %v", op.ID, err)
	}
	replayed := a.Header.Get("Idempotent-Replayed") == "true"
	keyed := !op.Public && !op.Natural
	lost := point == "after-commit" && mutations.Single[op.ID] != "" && a.Field("error") == mutations.Single[op.ID]
	if a.Status/100 != 2 && !lost || keyed && replayed != (point == "after-commit") {
		t.Errorf("%s after a death %s: replayed %v, %d %.300s", op.ID, point, replayed, a.Status, a.Body)
	}
	again := w.answer(op.ID, func() (apptest.Answer, error) { return w.sendRequest(r, key) })
	single := mutations.Single[op.ID] != ""
	if again.Status != a.Status && !single || keyed && again.Body != a.Body {
		t.Errorf("%s once more: %d %.300s\nat first: %d %.300s", op.ID, again.Status, again.Body, a.Status, a.Body)
	}
	if took := time.Since(since); took > 5*time.Second {
		t.Logf("%s, %s: %v", op.ID, point, took.Round(time.Second))
	}
}

// sendRequest makes the call once, which may meet a process that is just dying.
func (w *world) sendRequest(r mutations.Request, key string) (apptest.Answer, error) {
	if r.Page {
		return do(r.Method, w.Origin+r.Path, r.Body, "Origin", w.Origin)
	}
	headers := append([]string{"Idempotency-Key", key}, r.Headers...)
	if r.Agent != nil {
		headers = append(headers, r.Agent.Sign(r.Method, r.Path, r.Body)...)
	}
	if r.Authorization != "" {
		headers = append(headers, "Authorization", r.Authorization)
	}
	a, err := do(r.Method, w.BaseURL+r.Path, r.Body, headers...)
	if err != nil {
		return a, fmt.Errorf("calling: %w", err)
	}
	return a, nil
}
