package skill_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A public skill is checked at once and every five minutes. After two failures in a row it leaves the bazaar, after one
// check that did not fail it is back.
func TestAgents_SkillHealth(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	hands := clock.Func(func() time.Time { return time.Now().UTC().Add(time.Duration(ahead.Load())) })
	w := newWorld(t, apptest.WithClock(hands), apptest.WithoutSweeper())
	ctx, other := t.Context(), w.elsewhere()
	alice := w.Fund(w.c, "alice@example.com")
	paid := func(path string) *railkit.Skill {
		return w.create(w.c, func(r *railkit.SkillRequest) {
			r.URL, r.IsPublic, r.CostUSDC, r.PayTo, r.Network =
				w.shop.URL+path, true, 1500, alice.Address.Address, "base"
		})
	}
	offered := func() (ids []string) {
		t.Helper()
		b, err := other.Skills.Bazaar(ctx, railkit.BazaarOptions{})
		if err != nil || b.Pagination.Total != len(b.Items) {
			t.Fatalf("%+v, %v", b, err)
		}
		for _, item := range b.Items {
			ids = append(ids, item.Metadata.SkillID)
		}
		return ids
	}
	health := func(id string) railkit.SkillHealth {
		t.Helper()
		h, err := other.Skills.Health(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return *h
	}
	k := paid("/paid")
	apptest.Eventually(t, "the first check", func() bool { return health(k.ID).Status == "healthy" })
	if h := health(k.ID); h.HTTPStatus == nil || *h.HTTPStatus != 402 || h.LastCheckedAt == nil || h.LatencyMS == nil {
		t.Errorf("%+v", h)
	}
	if got := offered(); !slices.Equal(got, []string{k.ID}) {
		t.Errorf("on offer: %v", got)
	}
	check := func() time.Duration {
		t.Helper()
		again, err := w.Agents.Skills.Check(ctx, w.Keys.WorkspaceID, k.ID)
		if err != nil {
			t.Fatal(err)
		}
		return again
	}
	asked := w.asked.Load()
	if again := check(); again <= 0 || again > 5*time.Minute || w.asked.Load() != asked {
		t.Errorf("not due, and asked; again after %s", again)
	}
	for _, step := range []struct {
		broken  bool
		status  string
		offered bool
	}{
		{true, "healthy", true}, {true, "unhealthy", false}, {true, "unhealthy", false}, {false, "healthy", true},
		{true, "healthy", true}, {false, "healthy", true}, {true, "healthy", true},
	} {
		w.broken.Store(step.broken)
		ahead.Add(int64(5 * time.Minute))
		if again := check(); again != 5*time.Minute {
			t.Errorf("again after %s", again)
		}
		h := health(k.ID)
		if h.Status != step.status || (h.Reason == "http_status") != step.broken ||
			slices.Contains(offered(), k.ID) != step.offered {
			t.Errorf("%+v: %+v, on offer: %v", step, h, offered())
		}
	}
	w.broken.Store(false)

	// Elsewhere it is unknown until it is checked there, and nobody is at that place.
	if _, err := w.c.Skills.Update(ctx, k.ID, railkit.SkillUpdate{URL: to("http://127.0.0.1:1/")}); err != nil {
		t.Fatal(err)
	}
	apptest.Eventually(t, "the check of the new place", func() bool {
		return health(k.ID).Reason == "remote_unreachable"
	})
	if h := health(k.ID); h.Status != "unknown" || h.HTTPStatus != nil || slices.Contains(offered(), k.ID) {
		t.Errorf("%+v, on offer: %v", h, offered())
	}

	// A private or deleted one is not asked.
	quiet := paid("/paid")
	apptest.Eventually(t, "the first check", func() bool { return health(quiet.ID).Status == "healthy" })
	if _, err := w.c.Skills.Update(ctx, quiet.ID, railkit.SkillUpdate{IsPublic: to(false)}); err != nil {
		t.Fatal(err)
	}
	ahead.Add(int64(10 * time.Minute))
	asked = w.asked.Load()
	again, err := w.Agents.Skills.Check(ctx, w.Keys.WorkspaceID, quiet.ID)
	if err != nil || again != 0 || w.asked.Load() != asked {
		t.Errorf("a private one: again after %s, %v", again, err)
	}
	if got := offered(); len(got) != 0 {
		t.Errorf("on offer: %v", got)
	}
}

// Where a job was lost, the sweep makes another one; of two servers at once one asks.
func TestAgents_SkillSweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	k := w.create(w.c, func(r *railkit.SkillRequest) { r.IsPublic = true })
	checked := func() bool {
		h, err := w.c.Skills.Health(t.Context(), k.ID)
		return err == nil && h.LastCheckedAt != nil
	}
	apptest.Eventually(t, "the first check", checked)
	const waits = "FROM river_job WHERE kind = 'agent_skill_check' AND state = 'scheduled'"
	apptest.Eventually(t, "the job of the next check", func() bool {
		var n int
		err := w.Store.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) "+waits).Scan(&n)
		return err == nil && n == 1
	})
	w.Edit("DELETE " + waits)
	w.Edit("UPDATE skills SET checked_at = 0, due_at = 1")
	apptest.Eventually(t, "the check of the sweep", checked)

	w.Edit("UPDATE skills SET due_at = 1")
	asked := w.asked.Load()
	done := make(chan error)
	for range 4 {
		go func() {
			_, err := w.Agents.Skills.Check(t.Context(), w.Keys.WorkspaceID, k.ID)
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := w.asked.Load() - asked; n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// The bazaar speaks the discovery format of x402, a page at a time.
func TestAgents_Bazaar(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, other := t.Context(), w.elsewhere()
	alice := w.Fund(w.c, "alice@example.com")
	make := func(change func(*railkit.SkillRequest)) *railkit.Skill {
		return w.create(w.c, func(r *railkit.SkillRequest) {
			r.IsPublic, r.CostUSDC, r.PayTo, r.Network = true, 1500, alice.Address.Address, "base"
			change(r)
		})
	}
	first := make(func(r *railkit.SkillRequest) { r.SchemaInput = map[string]any{"type": "object"} })
	second := make(func(r *railkit.SkillRequest) { r.Subtype = "mcp" })
	make(func(r *railkit.SkillRequest) { r.CostUSDC = 0 })
	make(func(r *railkit.SkillRequest) { r.IsPublic = false })
	page := func(o railkit.BazaarOptions) *railkit.Bazaar {
		t.Helper()
		b, err := other.Skills.Bazaar(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	apptest.Eventually(t, "both checks", func() bool { return page(railkit.BazaarOptions{}).Pagination.Total == 2 })
	b := page(railkit.BazaarOptions{Limit: 1, Offset: 1})
	if len(b.Items) != 1 || b.Pagination.Limit != 1 || b.Pagination.Offset != 1 || b.Pagination.Total != 2 {
		t.Fatalf("%+v", b)
	}
	item := b.Items[0]
	if item.Resource != w.BaseURL+"/v1/action/skills/"+first.ID+"/execute" || item.Type != "http" ||
		item.X402Version != 2 ||
		item.LastUpdated != first.UpdatedAt || item.Metadata.SkillID != first.ID ||
		item.Metadata.SchemaInput["type"] != "object" || len(item.Accepts) != 1 {
		t.Fatalf("%+v", item)
	}
	usdc := apptest.USDC()
	if o := item.Accepts[0]; o.Scheme != "exact" || o.Network != "eip155:84532" || o.Amount != "1500" ||
		o.Asset != usdc.Address || o.PayTo != alice.Address.Address || o.MaxTimeoutSeconds != 60 ||
		o.Extra.Name != "USDC" || o.Extra.Version != "2" {
		t.Errorf("%+v", o)
	}
	if b := page(railkit.BazaarOptions{Type: "mcp"}); len(b.Items) != 1 || b.Items[0].Metadata.SkillID != second.ID ||
		b.Items[0].Type != "mcp" {
		t.Errorf("%+v", b)
	}
	if b := page(railkit.BazaarOptions{Type: "http"}); len(b.Items) != 1 || b.Items[0].Metadata.SkillID != first.ID {
		t.Errorf("%+v", b)
	}
	if b := page(railkit.BazaarOptions{Offset: 2}); b.Items == nil || len(b.Items) != 0 {
		t.Errorf("%+v", b)
	}
	for _, query := range []string{"limit=0", "limit=101", "offset=-1", "type=ftp"} {
		if a := w.Do(w.Keys.BenchKey, "GET", "/v1/action/skills/bazaar?"+query, ""); a.Status != 400 {
			t.Errorf("%s: %d %s", query, a.Status, a.Body)
		}
	}
}
