package skilltest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store/storetest"
)

var skillTests = map[string]func(*testing.T, *bench){
	"Skills":        testSkills,
	"PublicSkills":  testPublicSkills,
	"SkillPages":    testSkillPages,
	"BazaarPages":   testBazaar,
	"SkillChecks":   testSkillChecks,
	"SkillClaim":    testSkillClaim,
	"SkillsOfOwner": testSkillsOfOwner,
}

// aSkill is one with every field set.
func aSkill(ws, id string) skill.Skill {
	return skill.Skill{
		WorkspaceID: ws, ID: id, Environment: "sandbox", Name: "Weather", Description: "Of tomorrow",
		URL: "https://weather.example.com/", Method: "PUT", Auth: skill.Bearer, Sealed: "v1.k.x", Public: true,
		Subtype: skill.MCP, CostUSDC: 1000, PayTo: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", Network: "base",
		Input: `{"type":"object"}`, Output: `{"type":"string"}`, Health: skill.Health{
			Status: skill.Healthy, Failures: 1, HTTPStatus: 402, Latency: 84 * time.Millisecond, Reason: "http_status",
			CheckedAt: storetest.Start, DueAt: storetest.Start.Add(time.Minute),
		},
		CreatedAt: storetest.Start, UpdatedAt: storetest.Start,
	}
}

func (b *bench) insert(t *testing.T, all ...skill.Skill) {
	t.Helper()
	write(t, b.Store, func(ctx context.Context, tx skill.Tx) error {
		for _, k := range all {
			if err := tx.InsertSkill(ctx, k); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *bench) update(t *testing.T, k skill.Skill) {
	t.Helper()
	write(t, b.Store, func(ctx context.Context, tx skill.Tx) error { return tx.UpdateSkill(ctx, k) })
}

func testSkills(t *testing.T, b *bench) {
	want := aSkill(storetest.Ours, "s-1")
	b.insert(t, want, aSkill(storetest.Theirs, "s-2"))
	got, err := b.Skill(t.Context(), storetest.Ours, "s-1")
	storetest.OK(t, err)
	storetest.Equal(t, "skill", got, want)
	_, err = b.Skill(t.Context(), storetest.Theirs, "s-1")
	storetest.Missing(t, "Skill", err)

	want = skill.Skill{
		WorkspaceID: storetest.Ours, ID: "s-1", Environment: "sandbox", Name: "Rain", URL: "https://rain.example.com/",
		Method: "GET", Auth: skill.NoAuth, Subtype: skill.HTTP, Health: skill.Health{Status: skill.Unknown},
		CreatedAt: storetest.Start, UpdatedAt: storetest.Start.Add(time.Hour),
		DeletedAt: storetest.Start.Add(time.Hour),
	}
	write(t, b.Store, func(ctx context.Context, tx skill.Tx) error {
		_, err := tx.HoldSkill(ctx, storetest.Theirs, "s-1")
		storetest.Missing(t, "Skill", err)
		held, err := tx.HoldSkill(ctx, storetest.Ours, "s-1")
		storetest.Equal(t, "held", held, got)
		return errors.Join(err, tx.UpdateSkill(ctx, want))
	})
	got, err = b.Skill(t.Context(), storetest.Ours, "s-1")
	storetest.OK(t, err)
	storetest.Equal(t, "changed", got, want)
}

// What is public is found without its workspace, in its environment, until it is private or deleted.
func testPublicSkills(t *testing.T, b *bench) {
	private := aSkill(storetest.Theirs, "s-2")
	private.Public = false
	k := aSkill(storetest.Theirs, "s-1")
	b.insert(t, k, private)
	found := func(want bool) {
		t.Helper()
		got, err := b.PublicSkill(t.Context(), "sandbox", "s-1")
		if !want {
			storetest.Missing(t, "Skill", err)
			return
		}
		storetest.OK(t, err)
		storetest.Equal(t, "public", got, k)
	}
	found(true)
	_, err := b.PublicSkill(t.Context(), "production", "s-1")
	storetest.Missing(t, "Skill", err)
	_, err = b.PublicSkill(t.Context(), "sandbox", "s-2")
	storetest.Missing(t, "Skill", err)
	k.Public = false
	b.update(t, k)
	found(false)
	k.Public = true
	b.update(t, k)
	b.update(t, k)
	found(true)
	k.DeletedAt = storetest.Start
	b.update(t, k)
	found(false)
}

// at puts a skill that many seconds after the first.
func at(i int, k skill.Skill) skill.Skill {
	k.CreatedAt = storetest.Start.Add(time.Duration(i) * time.Second)
	return k
}

func skillID(k skill.Skill) string { return k.ID }

func testSkillPages(t *testing.T, b *bench) {
	own, deleted, private, live := aSkill(storetest.Ours, "a"), aSkill(storetest.Ours, "b"),
		aSkill(storetest.Theirs, "c"), aSkill(storetest.Theirs, "e")
	own.Public, own.Subtype, deleted.DeletedAt, private.Public = false, skill.HTTP, storetest.Start, false
	live.Environment = "production"
	b.insert(t, at(0, own), at(1, deleted), at(2, private), at(3, aSkill(storetest.Theirs, "d")), at(4, live),
		at(5, aSkill(storetest.Ours, "f")))
	for _, c := range []struct {
		f     skill.Filter
		want  []string
		total int
	}{
		{skill.Filter{Page: page.Page{Limit: 9}}, []string{"f", "d", "a"}, 3},
		{skill.Filter{Page: page.Page{Limit: 1, Offset: 1}}, []string{"d"}, 3},
		{skill.Filter{Page: page.Page{
			Limit: 9, After: &page.Cursor{CreatedAt: storetest.Start.Add(3 * time.Second), ID: "d"},
		}}, []string{"a"}, 3},
		{skill.Filter{Subtype: skill.HTTP, Page: page.Page{Limit: 9}}, []string{"a"}, 1},
		{skill.Filter{Subtype: skill.X402, Page: page.Page{Limit: 9}}, []string{}, 0},
	} {
		c.f.WorkspaceID, c.f.Environment = storetest.Ours, "sandbox"
		rows, total, err := b.Skills(t.Context(), c.f)
		storetest.OK(t, err)
		storetest.Equal(t, "page", storetest.IDs(rows, skillID), c.want)
		storetest.Equal(t, "in all", total, c.total)
	}
}

func testBazaar(t *testing.T, b *bench) {
	http, free, ill, unknown, private := aSkill(storetest.Ours, "b"), aSkill(storetest.Ours, "c"),
		aSkill(storetest.Ours, "d"), aSkill(storetest.Ours, "e"), aSkill(storetest.Ours, "f")
	http.Subtype, free.CostUSDC, private.Public = skill.HTTP, 0, false
	ill.Health.Status, unknown.Health.Status = skill.Unhealthy, skill.Unknown
	b.insert(t, at(0, aSkill(storetest.Theirs, "a")), at(1, http), at(2, free), at(3, ill), at(4, unknown),
		at(5, private))
	for _, c := range []struct {
		o     skill.Offers
		want  []string
		total int
	}{
		{skill.Offers{Page: page.Page{Limit: 9}}, []string{"b", "a"}, 2},
		{skill.Offers{Page: page.Page{Limit: 1, Offset: 1}}, []string{"a"}, 2},
		{skill.Offers{Type: "mcp", Page: page.Page{Limit: 9}}, []string{"a"}, 1},
		{skill.Offers{Type: "http", Page: page.Page{Limit: 9}}, []string{"b"}, 1},
	} {
		c.o.Environment = "sandbox"
		rows, total, err := b.Bazaar(t.Context(), c.o)
		storetest.OK(t, err)
		storetest.Equal(t, "page", storetest.IDs(rows, skillID), c.want)
		storetest.Equal(t, "in all", total, c.total)
	}
	rows, total, err := b.Bazaar(t.Context(), skill.Offers{Environment: "production", Page: page.Page{Limit: 9}})
	storetest.OK(t, err)
	storetest.Equal(t, "in the other environment", len(rows)+total, 0)
}

// A check is claimed by its time, and what comes of it is written only while nobody moved that.
func testSkillChecks(t *testing.T, b *bench) {
	k, private := aSkill(storetest.Ours, "s-1"), aSkill(storetest.Ours, "s-2")
	private.Public = false
	b.insert(t, k, private)
	waits := func(before time.Time, want ...string) {
		t.Helper()
		rows, err := b.UncheckedSkills(t.Context(), before, 9)
		storetest.OK(t, err)
		storetest.Equal(t, "unchecked", storetest.IDs(rows, skillID), append([]string{}, want...))
	}
	due := k.Health.DueAt
	waits(due)
	waits(due.Add(time.Microsecond), "s-1")
	next := due.Add(5 * time.Minute)
	claim := func(ctx context.Context, tx skill.Tx) error { return tx.ClaimSkillCheck(ctx, k, next) }
	write(t, b.Store, claim)
	if err := try(t.Context(), b.Store, claim); !errors.Is(err, record.ErrStale) {
		t.Errorf("claimed twice: %v", err)
	}
	waits(due.Add(time.Microsecond))
	k.Health = skill.Health{
		Status: skill.Unhealthy, Failures: 2, Reason: "remote_timeout", CheckedAt: next, DueAt: next,
	}
	checked := func(ctx context.Context, tx skill.Tx) error { return tx.SkillChecked(ctx, k) }
	write(t, b.Store, checked)
	got, err := b.Skill(t.Context(), storetest.Ours, "s-1")
	storetest.OK(t, err)
	storetest.Equal(t, "checked", got, k)
	moved := k
	moved.Health.DueAt = next.Add(time.Second)
	b.update(t, moved)
	if err := try(t.Context(), b.Store, checked); !errors.Is(err, record.ErrStale) {
		t.Errorf("of a skill that was changed since: %v", err)
	}
}

// Of many at once one has the check.
func testSkillClaim(t *testing.T, b *bench) {
	k := aSkill(storetest.Ours, "s-1")
	b.insert(t, k)
	var claimed atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			err := try(t.Context(), b.Store, func(ctx context.Context, tx skill.Tx) error {
				return tx.ClaimSkillCheck(ctx, k, k.Health.DueAt.Add(time.Duration(i+1)*time.Minute))
			})
			switch {
			case err == nil:
				claimed.Add(1)
			case !errors.Is(err, record.ErrStale):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	storetest.Equal(t, "claimed", claimed.Load(), 1)
}

// Who holds a workspace sees the skills of whoever held it before.
func testSkillsOfOwner(t *testing.T, b *bench) {
	storetest.OK(t, b.EnsureWorkspace(t.Context(), workspace.Workspace{
		ID: storetest.Ours, Name: "Ours", Email: "a@example.com", Environment: "sandbox", KYBStatus: "approved",
		CreatedAt: storetest.Start,
	}))
	deleted := aSkill(storetest.Ours, "deleted")
	deleted.DeletedAt = storetest.Start
	b.insert(t, deleted, aSkill(storetest.Theirs, "theirs"))
	seen := make(chan int, 8)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			err := try(t.Context(), b.Store, func(ctx context.Context, tx skill.Tx) error {
				n, err := tx.HoldOwner(ctx, storetest.Ours)
				if err != nil {
					return err
				}
				if err := tx.InsertSkill(ctx, aSkill(storetest.Ours, string(rune('a'+i)))); err != nil {
					return err
				}
				seen <- n
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	close(seen)
	counts := map[int]bool{}
	for n := range seen {
		counts[n] = true
	}
	for n := range 8 {
		if !counts[n] {
			t.Errorf("nobody saw %d skills: %v", n, counts)
		}
	}
}
