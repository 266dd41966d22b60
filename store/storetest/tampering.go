package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/railkit/railkit/platform/audit"
)

const ourRow = " WHERE workspace_id = '" + Ours + "' AND seq = "

// columns are changed to a text; each must show.
var columns = []string{
	"id", "actor", "actor_id", "operation", "action", "resource", "request_id", "remote_ip", "detail", "before",
	"after", "previous_hash", "hash",
}

type tampering struct {
	name       string
	statements []string
	seq        int64
	want       string
}

func tamperings() []tampering {
	all := []tampering{
		{"time", []string{"UPDATE audit SET at = at + 1" + ourRow + "4"}, 4, "changed"},
		{
			"another workspace", []string{"UPDATE audit SET workspace_id = '" + Theirs + "'" + ourRow + "4"}, 4,
			"is missing",
		},
		{"removed first", []string{"DELETE FROM audit" + ourRow + "1"}, 1, "is missing"},
		{"removed in the middle", []string{"DELETE FROM audit" + ourRow + "4"}, 4, "is missing"},
		{
			"removed several", []string{"DELETE FROM audit" + ourRow + "3 OR seq = 4 OR seq = 5"}, 3,
			"missing, and all up to 5",
		},
		{"removed last", []string{"DELETE FROM audit" + ourRow + "6"}, 6, "is missing"},
		{"removed all", []string{"DELETE FROM audit"}, 1, "missing, and all up to 6"},
		{"swapped", []string{
			"UPDATE audit SET seq = 100" + ourRow + "2", "UPDATE audit SET seq = 2" + ourRow + "5",
			"UPDATE audit SET seq = 5" + ourRow + "100",
		}, 2, "changed or moved"},
		{"moved out of the chain", []string{"UPDATE audit SET seq = 0" + ourRow + "4"}, 0, "lost its place"},
		{"moved below the chain", []string{"UPDATE audit SET seq = -1" + ourRow + "4"}, -1, "lost its place"},
		{"duplicate", []string{copyRow("4", "seq", "'dup'")}, 4, "another row of the same place"},
		{"inserted at the end", []string{copyRow("6", "7", "'end'")}, 7, "changed or moved"},
		{"head back", []string{
			"UPDATE audit_heads SET seq = 5" + ourHead,
			"UPDATE audit_heads SET hash = (SELECT hash FROM audit" + ourRow + "5)" + ourHead,
		}, 6, "after the chain's head"},
		{"head further", []string{"UPDATE audit_heads SET seq = 7" + ourHead}, 7, "is missing"},
		{"head's hash", []string{"UPDATE audit_heads SET hash = ''" + ourHead}, 6, "another hash"},
		{"no head", []string{"DELETE FROM audit_heads" + ourHead}, 6, "head is missing"},
	}
	for _, c := range columns {
		all = append(all, tampering{c, []string{"UPDATE audit SET " + c + " = 'other'" + ourRow + "4"}, 4, "changed"})
	}
	return all
}

const ourHead = " WHERE workspace_id = '" + Ours + "'"

// copyRow inserts what a row says once more, as another.
func copyRow(seq, as, id string) string {
	return "INSERT INTO audit (workspace_id, id, at, actor, actor_id, operation, action, resource, request_id, remote_ip, detail, before, after, seq, previous_hash, hash)" +
		" SELECT workspace_id, " + id + ", at, actor, actor_id, operation, action, resource, request_id, remote_ip, detail, before, after, " + as +
		", previous_hash, hash FROM audit" + ourRow + seq
}

// testAuditTampering does each thing to the same six rows, and puts them back.
func testAuditTampering(t *testing.T, b *bench) {
	b.chained(t, Ours, 6)
	b.chained(t, Theirs, 2)
	b.withoutGuard(t)
	b.alter(t, "CREATE TABLE kept AS SELECT * FROM audit", "CREATE TABLE kept_heads AS SELECT * FROM audit_heads")
	for _, c := range tamperings() {
		b.alter(t, c.statements...)
		r := b.verify(t, Ours)
		if len(r.Faults) == 0 || r.Faults[0].Seq != c.seq || !strings.Contains(r.Faults[0].What, c.want) {
			t.Errorf("%s: %+v, want %q at %d", c.name, r.Faults, c.want, c.seq)
		}
		b.alter(
			t, "DELETE FROM audit", "DELETE FROM audit_heads", "INSERT INTO audit SELECT * FROM kept",
			"INSERT INTO audit_heads SELECT * FROM kept_heads",
		)
	}
	b.sound(t, Ours, 6)
	b.sound(t, Theirs, 2)
}

// Who can write the database can write a chain anew. Only what was printed
// before tells.
func testAuditRewritten(t *testing.T, b *bench) {
	b.chained(t, Ours, 6)
	printed := b.sound(t, Ours, 6)
	b.chained(t, Ours, 3)
	b.sound(t, Ours, 9)
	for _, told := range [][]audit.Head{nil, {printed}, {printed, b.sound(t, Ours, 9)}} {
		Equal(t, "faults", len(b.verify(t, Ours, told...).Faults), 0)
	}
	b.withoutGuard(t)
	b.rewrite(t, 4)
	b.sound(t, Ours, 9)
	r := b.verify(t, Ours, printed)
	if len(r.Faults) != 1 || r.Faults[0].Seq != 6 || !strings.Contains(r.Faults[0].What, "written anew") {
		t.Errorf("rewritten: %+v", r.Faults)
	}
	b.alter(t, "DELETE FROM audit", "DELETE FROM audit_heads")
	b.sound(t, Ours, 0)
	r = b.verify(t, Ours, printed)
	if len(r.Faults) != 1 || r.Faults[0].Seq != 6 || !strings.Contains(r.Faults[0].What, "not there any more") {
		t.Errorf("emptied: %+v", r.Faults)
	}
}

// rewrite changes a row and hashes all from there on again.
func (b *bench) rewrite(t *testing.T, from int64) {
	t.Helper()
	entries, err := b.AuditAfter(t.Context(), Ours, audit.Place{}, 100)
	OK(t, err)
	before := entries[from-2].Hash
	for _, e := range entries[from-1:] {
		e.Resource = "forged"
		e = e.Follow(e.Seq, before)
		before = e.Hash
		b.alter(t, fmt.Sprintf("UPDATE audit SET resource = 'forged', previous_hash = '%s', hash = '%s' WHERE id = '%s'", e.Previous, e.Hash, e.ID),
			fmt.Sprintf("UPDATE audit_heads SET hash = '%s'", e.Hash))
	}
}

// What was written before there were chains is counted and not vouched for.
func testAuditOutside(t *testing.T, b *bench) {
	b.chained(t, Ours, 2)
	b.alter(t, strings.Replace(copyRow("2", "0", "'old'"), "previous_hash, hash FROM", "'', '' FROM", 1))
	r := b.verify(t, Ours)
	Equal(t, "outside", r.Outside, 1)
	b.sound(t, Ours, 2)
}
