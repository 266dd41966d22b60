package audit

import (
	"context"
	"testing"
)

// growing is a record to which one entry more is written after each look at the entries.
type growing struct{ entries []Entry }

func (g *growing) AuditWorkspaces(context.Context) ([]string, error) { return []string{"ws-1"}, nil }

func (g *growing) AuditHead(context.Context, string) (Head, error) {
	if len(g.entries) == 0 {
		return Head{}, nil
	}
	last := g.entries[len(g.entries)-1]
	return Head{"ws-1", last.Seq, last.Hash}, nil
}

const enough = 5

func (g *growing) AuditAfter(_ context.Context, _ string, p Place, most int) ([]Entry, error) {
	var found []Entry
	for _, e := range g.entries {
		if e.Seq > p.Seq && len(found) < most {
			found = append(found, e)
		}
	}
	if len(g.entries) < enough {
		head, _ := g.AuditHead(context.Background(), "")
		g.entries = append(g.entries, entry.Follow(head.Seq+1, head.Hash))
	}
	return found, nil
}

// Whoever writes while the chain is read, also its first entry, raises no alarm.
func TestVerifyBesideAWriter(t *testing.T) {
	r, err := Verify(t.Context(), &growing{}, "ws-1", nil, func(int) {})
	if err != nil || len(r.Faults) > 0 || r.Head.Seq == 0 {
		t.Errorf("%+v %v", r, err)
	}
}
