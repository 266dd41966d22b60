package workspace

import (
	"context"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
)

type memory struct {
	Store      // for what these tests do not ask
	workspaces map[string]Workspace
	keys       map[string]auth.Key
}

func newMemory() *memory { return &memory{nil, map[string]Workspace{}, map[string]auth.Key{}} }

func (m *memory) EnsureWorkspace(_ context.Context, w Workspace) error {
	if _, have := m.workspaces[w.ID]; !have {
		m.workspaces[w.ID] = w
	}
	return nil
}

func (m *memory) EnsureKey(_ context.Context, k auth.Key) error {
	if _, have := m.keys[k.Hash]; !have {
		m.keys[k.Hash] = k
	}
	return nil
}

func (m *memory) Workspace(_ context.Context, id string) (Workspace, error) {
	w, ok := m.workspaces[id]
	if !ok {
		return Workspace{}, fault.Missing("Workspace")
	}
	return w, nil
}

func TestEnsureTwiceChangesNothing(t *testing.T) {
	m := newMemory()
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	s := New(m, clock.Func(func() time.Time { return now }))
	text, err := auth.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	spec := KeySpec{
		Name: "sandbox", Text: text, Scopes: []auth.Scope{auth.Integrator}, Limits: auth.Limits{Standard: 500},
	}
	for range 2 {
		if err := s.Ensure(t.Context(), Workspace{ID: "w", Environment: "sandbox"}, spec); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Hour)
	}
	k := m.keys[auth.Hash(text)]
	if len(m.keys) != 1 || len(m.workspaces) != 1 || !m.workspaces["w"].CreatedAt.Equal(k.CreatedAt) ||
		k.CreatedAt.Hour() != 5 {
		t.Errorf("%+v %+v", m.workspaces, m.keys)
	}
	if k.WorkspaceID != "w" || k.Environment != "sandbox" || k.Prefix != text[:20] || k.LastFour != text[56:] ||
		k.Limits.Standard != 500 || k.ID == "" {
		t.Errorf("%+v", k)
	}
}

func TestEnsureRefusesBadKeys(t *testing.T) {
	s := New(newMemory(), clock.System{})
	for _, text := range []string{"", "rk_client_key_v1_short"} {
		if err := s.Ensure(t.Context(), Workspace{ID: "w"}, KeySpec{Text: text}); err == nil {
			t.Errorf("accepted a text of %d characters", len(text))
		}
	}
}

func TestAddKey(t *testing.T) {
	m := newMemory()
	s := New(m, clock.System{})
	if _, err := s.AddKey(t.Context(), "w", KeySpec{}); err == nil {
		t.Error("a key for no workspace")
	}
	if err := s.Ensure(t.Context(), Workspace{ID: "w", Environment: "production"}); err != nil {
		t.Fatal(err)
	}
	text, err := s.AddKey(t.Context(), "w", KeySpec{Name: "n", Scopes: []auth.Scope{auth.IntegratorRead}})
	if err != nil {
		t.Fatal(err)
	}
	if k := m.keys[auth.Hash(text)]; k.Environment != "production" || k.Name != "n" {
		t.Errorf("%+v", k)
	}
}
