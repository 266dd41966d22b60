package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/agent/life"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

var auditTests = map[string]func(*testing.T, *bench){
	"AuditChain":      testAuditChain,
	"AuditGapless":    testAuditGapless,
	"AuditParallel":   testAuditParallel,
	"AuditAppendOnly": testAuditAppendOnly,
	"AuditProbe":      testAuditProbe,
	"AuditTampering":  testAuditTampering,
	"AuditRewritten":  testAuditRewritten,
	"AuditOutside":    testAuditOutside,
	"AuditList":       testAuditList,
}

// chained writes n entries to a workspace.
func (b *bench) chained(t *testing.T, ws string, n int) {
	t.Helper()
	for i := range n {
		OK(t, b.entry(t, ws, fmt.Sprintf("test.%d", i)))
	}
}

func (b *bench) entry(t *testing.T, ws, action string) error {
	t.Helper()
	return b.entryOf(t, Called(ws), action)
}

func (b *bench) entryOf(t *testing.T, c *command.Command, action string) error {
	t.Helper()
	_, err := b.Commit(t.Context(), c, func(context.Context, signing.Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Audit: command.Audit{
			Action: action, Resource: "it", Before: map[string]any{"name": "Old", "limit": 5},
			After: map[string]any{"name": "New", "limit": nil},
		}}, nil
	})
	return err
}

func (b *bench) verify(t *testing.T, ws string, told ...audit.Head) audit.Report {
	t.Helper()
	r, err := audit.Verify(t.Context(), b, ws, told, func(int) {})
	OK(t, err)
	return r
}

// sound wants an unbroken chain of n entries.
func (b *bench) sound(t *testing.T, ws string, n int64) audit.Head {
	t.Helper()
	r := b.verify(t, ws)
	if len(r.Faults) > 0 || r.Head.Seq != n || r.Rows != n+r.Outside {
		t.Errorf("%s: %+v, want %d entries without faults", ws, r, n)
	}
	return r.Head
}

func testAuditChain(t *testing.T, b *bench) {
	Equal(t, "of nobody", b.sound(t, Ours, 0), audit.Head{WorkspaceID: Ours})
	b.chained(t, Ours, 3)
	b.chained(t, Theirs, 1)
	head := b.sound(t, Ours, 3)
	b.sound(t, Theirs, 1)
	stored, err := b.AuditHead(t.Context(), Ours)
	OK(t, err)
	Equal(t, "head", stored, head)
	entries, err := b.AuditAfter(t.Context(), Ours, audit.Place{Seq: 1}, 10)
	OK(t, err)
	Equal(t, "entries", len(entries), 3)
	Equal(t, "before", entries[0].Before, `{"limit":5,"name":"Old"}`)
	Equal(t, "after", entries[0].After, `{"limit":null,"name":"New"}`)
	Equal(t, "first", entries[0].Previous, "")
	for _, e := range entries[1:] {
		Equal(t, "previous of "+e.Action, e.Previous, entries[e.Seq-2].Hash)
	}
	ids, err := b.AuditWorkspaces(t.Context())
	OK(t, err)
	Equal(t, "workspaces", ids, []string{Ours, Theirs})
}

// What fails leaves no gap.
func testAuditGapless(t *testing.T, b *bench) {
	broken := errors.New("broken")
	for i := range 10 {
		err := b.try(t, func(context.Context, signing.Tx) error {
			if i%2 == 0 {
				return broken
			}
			return nil
		})
		Equal(t, fmt.Sprint("commit ", i), err, map[bool]error{true: broken}[i%2 == 0])
	}
	b.sound(t, Ours, 5)
}

// Whoever commits, in whatever order: each workspace has one chain without gaps.
func testAuditParallel(t *testing.T, b *bench) {
	const callers, each = 16, 12
	workspaces := []string{Ours, Theirs, "ws-3"}
	var mu sync.Mutex
	want := map[string]int64{}
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range each {
				ws := workspaces[rand.N(len(workspaces))]
				err := b.someCommit(t, ws)
				for errors.Is(err, fault.ErrUnavailable) { // told to come back
					err = b.someCommit(t, ws)
				}
				if err != nil && !errors.Is(err, errUndone) {
					t.Errorf("committing: %v", err)
				}
				if err == nil {
					mu.Lock()
					want[ws]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for _, ws := range workspaces {
		b.sound(t, ws, want[ws])
	}
}

var errUndone = errors.New("undone")

// someCommit is a caller's, with a key or without, a job's, or one that fails.
func (b *bench) someCommit(t *testing.T, ws string) error {
	t.Helper()
	nothing := func(context.Context, signing.Tx) error { return nil }
	var err error
	switch rand.N(4) {
	case 0:
		_, err = b.commit(t, Called(ws), nothing)
	case 1:
		_, err = b.commit(t, keyed(t, ws, newKey(), "body"), nothing)
	case 2:
		err = b.Work(t.Context(), ws, func(context.Context, signing.Tx) (command.Audit, error) {
			return command.Audit{Action: "test.job"}, nil
		})
	default:
		_, err = b.commit(t, Called(ws), func(context.Context, signing.Tx) error { return errUndone })
	}
	return err
}

func testAuditAppendOnly(t *testing.T, b *bench) {
	b.chained(t, Ours, 2)
	for _, statement := range []string{
		"UPDATE audit SET action = 'other'", "UPDATE audit SET seq = 7 WHERE seq = 2", "DELETE FROM audit",
		"DELETE FROM audit WHERE seq = 1", "DELETE FROM audit_heads",
	} {
		if _, err := b.Store.Writer().ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s: done", statement)
		}
	}
	b.sound(t, Ours, 2)
}

func testAuditProbe(t *testing.T, b *bench) {
	OK(t, b.ProbeAudit(t.Context()))
	Equal(t, "rows", b.Count(t, "audit"), 0)
	Equal(t, "heads", b.Count(t, "audit_heads"), 0)
	b.withoutGuard(t)
	err := b.ProbeAudit(t.Context())
	if err == nil || !strings.Contains(err.Error(), "changing a row: the database allows it") {
		t.Errorf("without triggers: %v", err)
	}
	b.alter(t, "ALTER TABLE audit_heads RENAME TO elsewhere")
	err = b.ProbeAudit(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the audit record is not as it must be") {
		t.Errorf("without heads: %v", err)
	}
}

// alter is what somebody with a shell on the database does.
func (b *bench) alter(t *testing.T, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := b.Store.Writer().ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// withoutGuard drops what stands in an attacker's way.
func (b *bench) withoutGuard(t *testing.T) {
	t.Helper()
	for _, drop := range []string{
		"DROP TRIGGER audit_keeps_rows", "DROP TRIGGER audit_loses_none", "DROP TRIGGER audit_heads_lose_none",
		"DROP FUNCTION audit_refuse CASCADE",
	} {
		_, _ = b.Store.Writer().ExecContext(t.Context(), drop) // what the other engine has is not there
	}
}

// testAuditList selects, and goes through pages while entries are added.
func testAuditList(t *testing.T, b *bench) {
	b.chained(t, Ours, 5)
	b.chained(t, Theirs, 1)
	b.Clock.set(Start.Add(time.Hour))
	OK(t, b.entry(t, Ours, "other%"))
	requested := Called(Ours)
	requested.RequestID = "request-2"
	OK(t, b.entryOf(t, requested, "Test.0"))
	OK(t, record.Do(t.Context(), b.Signing().Others().Agents, Ours, func(ctx context.Context, tx life.Tx) error {
		return errors.Join(
			tx.NoteAgentSubject(ctx, Ours, "agent-1", "it"), tx.NoteAgentSubject(ctx, Ours, "agent-1", "it"),
			tx.NoteAgentSubject(ctx, Theirs, "agent-2", "it"))
	}))
	for name, c := range map[string]struct {
		filter audit.Filter
		want   []int64
	}{
		"all":            {audit.Filter{}, []int64{7, 6, 5, 4, 3, 2, 1}},
		"action":         {audit.Filter{Action: "test.2"}, []int64{3}},
		"prefix":         {audit.Filter{Action: "test.*"}, []int64{5, 4, 3, 2, 1}},
		"no pattern":     {audit.Filter{Action: "other%*"}, []int64{6}},
		"every action":   {audit.Filter{Action: "*", Limit: 2}, []int64{7, 6}},
		"actor":          {audit.Filter{Actor: audit.APIKey, ActorID: "key-1", Limit: 1}, []int64{7}},
		"another kind":   {audit.Filter{Actor: audit.System}, []int64{}},
		"another actor":  {audit.Filter{ActorID: "key-2"}, []int64{}},
		"resource":       {audit.Filter{Resource: "it", Limit: 1}, []int64{7}},
		"no resource":    {audit.Filter{Resource: "other"}, []int64{}},
		"a request":      {audit.Filter{RequestID: "request-2"}, []int64{7}},
		"an earlier one": {audit.Filter{RequestID: "request-1", Limit: 2}, []int64{6, 5}},
		"no request":     {audit.Filter{RequestID: "request"}, []int64{}},
		"an agent":       {audit.Filter{AgentID: "agent-1", To: Start.Add(time.Hour)}, []int64{5, 4, 3, 2, 1}},
		"another's":      {audit.Filter{AgentID: "agent-2"}, []int64{}},
		"some actions":   {audit.Filter{AgentID: "agent-1", Actions: []string{"test.3", "test.1", "x"}}, []int64{4, 2}},
		"from":           {audit.Filter{From: Start.Add(time.Hour)}, []int64{7, 6}},
		"to":             {audit.Filter{To: Start.Add(time.Hour)}, []int64{5, 4, 3, 2, 1}},
		"offset":         {audit.Filter{Limit: 2, Offset: 4}, []int64{3, 2}},
		"after":          {audit.Filter{Limit: 2, Offset: 4, After: &audit.Place{Seq: 6, ID: ""}}, []int64{5, 4}},
		"of one as well": {audit.Filter{After: &audit.Place{Seq: 2, ID: "~"}}, []int64{2, 1}},
		"of the end":     {audit.Filter{After: &audit.Place{Seq: 1, ID: ""}}, []int64{}},
	} {
		c.filter.WorkspaceID = Ours
		c.filter.Limit = cmp.Or(c.filter.Limit, 10)
		entries, _, err := b.AuditEntries(t.Context(), c.filter)
		OK(t, err)
		got := []int64{}
		for _, e := range entries {
			got = append(got, e.Seq)
		}
		Equal(t, name, got, c.want)
	}
	_, total, err := b.AuditEntries(t.Context(), audit.Filter{WorkspaceID: Ours, Action: "test.*", Limit: 1})
	OK(t, err)
	Equal(t, "total", total, 5)
	none, total, err := b.AuditEntries(t.Context(), audit.Filter{WorkspaceID: "ws-3", Limit: 1})
	empty(t, "of nobody", none, err)
	Equal(t, "total of nobody", total, 0)
}
