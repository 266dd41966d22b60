package audit

import (
	"context"
	"math"
	"slices"
)

// Records reads chains.
type Records interface {
	// AuditWorkspaces lists whoever has entries or a head.
	AuditWorkspaces(ctx context.Context) ([]string, error)
	// AuditHead is zero where there is none.
	AuditHead(ctx context.Context, workspaceID string) (Head, error)
	// AuditAfter lists entries in order of place and id, those after the place.
	AuditAfter(ctx context.Context, workspaceID string, p Place, most int) ([]Entry, error)
}

// Place is where a list of entries goes on.
type Place struct {
	Seq int64
	ID  string
}

// Report is the result of verifying a chain.
type Report struct {
	Head    Head  // the last entry; zero: there is none
	Rows    int64 // that were read
	Outside int64 // that were written before there were chains, and which nothing proves
	Faults  []Fault
	More    int // faults beyond those
}

// Fault is one thing that is wrong with a chain.
type Fault struct {
	Seq  int64
	What string
}

const (
	batch      = 1000 // entries in memory
	mostFaults = 20
)

// Verify reads the chain of a workspace, also while it is written to. told are heads that were printed before: the
// chain must still contain each of them. seen is called for each batch of rows.
func Verify(ctx context.Context, r Records, workspaceID string, told []Head, seen func(rows int)) (Report, error) {
	c := &checker{report: Report{Head: Head{WorkspaceID: workspaceID}}, told: map[int64][]string{}}
	for _, h := range told {
		c.told[h.Seq] = append(c.told[h.Seq], h.Hash)
	}
	place := Place{Seq: math.MinInt64}
	for known := false; ; known = true {
		rows, err := c.read(ctx, r, &place, seen)
		if err != nil {
			return Report{}, err
		}
		head, err := r.AuditHead(ctx, workspaceID)
		if err != nil {
			return Report{}, err
		}
		// An entry commits together with its head. So if the head read before is beyond the last entry that can be
		// read, entries are missing.
		if head.Seq <= c.report.Head.Seq || known && rows == 0 {
			c.end(head)
			return c.report, nil
		}
	}
}

// read takes all entries that there are after the place.
func (c *checker) read(ctx context.Context, r Records, place *Place, seen func(int)) (rows int, err error) {
	for {
		entries, err := r.AuditAfter(ctx, c.report.Head.WorkspaceID, *place, batch)
		if err != nil || len(entries) == 0 {
			return rows, err
		}
		for _, e := range entries {
			c.add(e)
		}
		last := entries[len(entries)-1]
		*place = Place{last.Seq, last.ID}
		rows += len(entries)
		seen(len(entries))
	}
}

// Told picks a workspace's heads.
func Told(heads []Head, workspaceID string) []Head {
	return slices.DeleteFunc(slices.Clone(heads), func(h Head) bool { return h.WorkspaceID != workspaceID })
}
