package platformtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store/storetest"
)

var workspaceTests = map[string]func(*testing.T, *bench){
	"WorkspaceList": testWorkspaceList,
	"WorkspaceHeld": testWorkspaceHeld,
	"KeyList":       testKeyList,
	"RevokeKey":     testRevokeKey,
	"TouchKeys":     testTouchKeys,
}

// tenants writes workspaces, each a second after the one before.
func (b *bench) tenants(t *testing.T, environment string, names ...string) {
	t.Helper()
	for i, name := range names {
		storetest.OK(t, b.EnsureWorkspace(t.Context(), workspace.Workspace{
			ID: environment + " " + name, Name: name, Email: name + "@Example.com", Environment: environment,
			CreatedAt: storetest.Start.Add(time.Duration(i) * time.Second),
		}))
	}
}

// key writes a key.
func (b *bench) key(t *testing.T, ws, id string, change func(*auth.Key)) auth.Key {
	t.Helper()
	k := auth.Key{
		WorkspaceID: ws, ID: id, Hash: ws + id, Scopes: []auth.Scope{auth.Integrator}, CreatedAt: storetest.Start,
	}
	if change != nil {
		change(&k)
	}
	storetest.OK(t, b.EnsureKey(t.Context(), k))
	return k
}

// manage runs fn in a commit of workspaces.
func (b *bench) manage(t *testing.T, fn func(context.Context, workspace.Tx) error) error {
	t.Helper()
	_, err := b.Store.Workspaces().Commit(t.Context(), storetest.Called(storetest.Ours), func(
		ctx context.Context, tx workspace.Tx,
	) (command.Reply, error) {
		return command.Reply{Status: 200, Audit: command.Audit{Action: "test.manage"}}, fn(ctx, tx)
	})
	return err
}

func testWorkspaceList(t *testing.T, b *bench) {
	b.tenants(t, "sandbox", "Ada", "Äpfel", "100%")
	b.tenants(t, "production", "Bank")
	for _, c := range []struct {
		filter workspace.Filter
		total  int
		names  []string
	}{
		{workspace.Filter{}, 3, []string{"100%", "Äpfel", "Ada"}},
		{workspace.Filter{Page: page.Page{Limit: 2, Offset: 2}}, 3, []string{"Ada"}},
		{workspace.Filter{Page: page.Page{
			Limit: 2, After: &page.Cursor{CreatedAt: storetest.Start.Add(time.Second), ID: "sandbox Äpfel"},
		}}, 3, []string{"Ada"}},
		{workspace.Filter{Search: "ÄPF"}, 1, []string{"Äpfel"}},
		{workspace.Filter{Search: "%"}, 1, []string{"100%"}},
		{workspace.Filter{Search: "@example"}, 3, []string{"100%", "Äpfel", "Ada"}},
		{workspace.Filter{Email: "ADA@example.COM"}, 1, []string{"Ada"}},
		{workspace.Filter{Email: "ada"}, 0, []string{}},
		{workspace.Filter{Search: "Bank"}, 0, []string{}},
	} {
		c.filter.Environment = "sandbox"
		if c.filter.Page.Limit == 0 {
			c.filter.Page.Limit = 10
		}
		rows, total, err := b.Workspaces().Workspaces(t.Context(), c.filter)
		storetest.OK(t, err)
		storetest.Equal(t, fmt.Sprintf("names of %+v", c.filter), storetest.IDs(rows, func(
			w workspace.Workspace,
		) string {
			return w.Name
		}), c.names)
		storetest.Equal(t, fmt.Sprintf("total of %+v", c.filter), total, c.total)
	}
}

// Of writers that hold one workspace, each sees what the one before has left.
func testWorkspaceHeld(t *testing.T, b *bench) {
	storetest.OK(t, b.EnsureWorkspace(
		t.Context(),
		workspace.Workspace{ID: storetest.Ours, Name: "0", Environment: "sandbox", CreatedAt: storetest.Start},
	))
	const writers = 8
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			err := b.manage(t, func(ctx context.Context, tx workspace.Tx) error {
				w, err := tx.HoldWorkspace(ctx, storetest.Ours)
				if err != nil {
					return err
				}
				w.Name += "x"
				return tx.UpdateWorkspace(ctx, w)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	want := workspace.Workspace{
		ID: storetest.Ours, Name: "0xxxxxxxx", Email: "a@b.example", Environment: "sandbox",
		KYBStatus: workspace.KYBRejected, KYBReason: "none",
		Modules: []auth.Module{auth.Widget}, CreatedAt: storetest.Start, UpdatedAt: storetest.Start.Add(time.Hour),
	}
	storetest.OK(t, b.manage(t, func(ctx context.Context, tx workspace.Tx) error {
		w, err := tx.HoldWorkspace(ctx, storetest.Ours)
		storetest.Equal(t, "name", w.Name, want.Name)
		return errors.Join(err, tx.UpdateWorkspace(ctx, want))
	}))
	got, err := b.Workspace(t.Context(), storetest.Ours)
	storetest.OK(t, err)
	storetest.Equal(t, "workspace", got, want)
	storetest.Missing(t, "Workspace", b.manage(t, func(ctx context.Context, tx workspace.Tx) error {
		_, err := tx.HoldWorkspace(ctx, storetest.Theirs)
		return err
	}))
}

func testKeyList(t *testing.T, b *bench) {
	b.tenants(t, "sandbox", "a", "b")
	const mine = "sandbox a"
	for i := range 5 {
		b.key(t, mine, fmt.Sprintf("key-%d", i), func(k *auth.Key) {
			k.CreatedAt = storetest.Start.Add(time.Duration(i) * time.Second)
		})
	}
	b.key(t, "sandbox b", "key-9", nil)
	for _, c := range []struct {
		at   page.Page
		want []string
	}{
		{page.Page{Limit: 2}, []string{"key-4", "key-3"}},
		{page.Page{Limit: 2, Offset: 4}, []string{"key-0"}},
		{
			page.Page{Limit: 9, After: &page.Cursor{CreatedAt: storetest.Start.Add(2 * time.Second), ID: "key-2"}},
			[]string{"key-1", "key-0"},
		},
		{page.Page{Limit: 9, Offset: 9}, []string{}},
	} {
		rows, total, err := b.Keys(t.Context(), workspace.KeyFilter{WorkspaceID: mine, Page: c.at})
		storetest.OK(t, err)
		storetest.Equal(t, "keys", storetest.IDs(rows, func(k auth.Key) string { return k.ID }), c.want)
		storetest.Equal(t, "total", total, 5)
	}
	_, err := b.Key(t.Context(), mine, "key-9")
	storetest.Missing(t, "API key", err)
	got, err := b.Key(t.Context(), "sandbox b", "key-9")
	storetest.OK(t, err)
	storetest.Equal(t, "hash", got.Hash, "sandbox bkey-9")
}

func testRevokeKey(t *testing.T, b *bench) {
	b.tenants(t, "sandbox", "a")
	const mine = "sandbox a"
	b.key(t, mine, "expired", func(k *auth.Key) { k.ExpiresAt = storetest.Start })
	b.key(t, mine, "later", func(k *auth.Key) { k.ExpiresAt = storetest.Start.Add(time.Hour) })
	revoked := b.key(t, mine, "good", nil)
	count := func() (n int) {
		t.Helper()
		storetest.OK(t, b.manage(t, func(ctx context.Context, tx workspace.Tx) (err error) {
			n, err = tx.ActiveKeys(ctx, mine)
			return err
		}))
		return n
	}
	storetest.Equal(t, "active", count(), 2)
	for _, at := range []time.Time{
		storetest.Start.Add(time.Minute), storetest.Start.Add(time.Hour),
	} { // the second time changes nothing
		k := revoked
		k.RevokedAt = at
		storetest.OK(t, b.manage(t, func(ctx context.Context, tx workspace.Tx) error { return tx.RevokeKey(ctx, k) }))
	}
	got, _, err := b.KeyByHash(t.Context(), revoked.Hash)
	storetest.OK(t, err)
	storetest.Equal(t, "revoked at", got.RevokedAt, storetest.Start.Add(time.Minute))
	storetest.Equal(t, "active", count(), 1)
	storetest.Missing(t, "API key", b.manage(t, func(ctx context.Context, tx workspace.Tx) error {
		_, err := tx.Key(ctx, "another", "good")
		return err
	}))
}

func testTouchKeys(t *testing.T, b *bench) {
	b.tenants(t, "sandbox", "a")
	k := b.key(t, "sandbox a", "key-1", nil)
	for _, at := range []time.Duration{2, 1} { // never backwards
		storetest.OK(t, b.Store.Workspaces().TouchKeys(t.Context(), []workspace.Use{
			{WorkspaceID: "unknown", KeyID: "key-1", At: storetest.Start},
			{WorkspaceID: k.WorkspaceID, KeyID: k.ID, At: storetest.Start.Add(at * time.Minute)},
		}))
	}
	got, err := b.Key(t.Context(), k.WorkspaceID, k.ID)
	storetest.OK(t, err)
	storetest.Equal(t, "last used", got.LastUsedAt, storetest.Start.Add(2*time.Minute))
}
