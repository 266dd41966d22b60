package audit

import (
	"context"
	"math"
	"slices"
)

// Records reads chains.
type Records interface {
	// AuditWorkspaces lists the workspaces that have entries or a head.
	AuditWorkspaces(ctx context.Context) ([]string, error)
	// AuditHead finds the head of a workspace's chain. It is zero if the workspace has none.
	AuditHead(ctx context.Context, workspaceID string) (Head, error)
	// AuditAfter lists at most so many entries after the place, in order of place and id.
	AuditAfter(ctx context.Context, workspaceID string, p Place, most int) ([]Entry, error)
}

// Place is the position of an entry in a list. The next page begins after it.
type Place struct {
	Seq int64
	ID  string
}

// Report is the result of verifying a chain.
type Report struct {
	Head    Head  // of the last entry read; zero: the chain has none
	Rows    int64 // how many entries were read
	Outside int64 // entries from before the chains were introduced: no hash proves them
	Faults  []Fault
	More    int // how many faults are not in Faults
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

// Verify checks the chain of a workspace; servers may add entries meanwhile. told are heads that were printed earlier:
// the chain must still contain each of them. Verify calls seen after each batch of rows.
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

// read checks all entries after the place, and moves the place to the last of them.
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

// Told selects the heads of one workspace.
func Told(heads []Head, workspaceID string) []Head {
	return slices.DeleteFunc(slices.Clone(heads), func(h Head) bool { return h.WorkspaceID != workspaceID })
}
