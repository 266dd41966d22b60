package platformtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/store/storetest"
)

var kybTests = map[string]func(*testing.T, *bench){
	"KYBDraft":       testKYBDraft,
	"KYBSubmissions": testKYBSubmissions,
	"KYBCases":       testKYBCases,
	"KYBDocuments":   testKYBDocuments,
	"KYBMails":       testKYBMails,
}

// check runs fn in a transaction of a workspace's form.
func (b *bench) check(ctx context.Context, fn func(context.Context, kyb.Tx) error) error {
	return record.Do(ctx, b.KYB(), storetest.Ours, fn)
}

// Of many who read one version and write the next, one writes.
func testKYBDraft(t *testing.T, b *bench) {
	none, err := b.KYB().Draft(t.Context(), storetest.Ours)
	storetest.OK(t, err)
	storetest.Equal(t, "no draft", none, kyb.Draft{WorkspaceID: storetest.Ours})
	first := kyb.Draft{
		WorkspaceID: storetest.Ours, Version: 1, Sections: map[string]int64{"business": 1}, Sealed: "s",
		UpdatedAt: storetest.Start,
	}
	put := func(ctx context.Context, d kyb.Draft) error {
		return b.check(ctx, func(ctx context.Context, tx kyb.Tx) error { return tx.PutDraft(ctx, d) })
	}
	storetest.OK(t, put(t.Context(), first))
	if err := put(t.Context(), first); !errors.Is(err, record.ErrStale) {
		t.Errorf("the first version twice: %v", err)
	}
	var written atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			next := first
			next.Version, next.Sealed = 2, fmt.Sprint(i)
			switch err := put(t.Context(), next); {
			case err == nil:
				written.Add(1)
			case !errors.Is(err, record.ErrStale):
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, err := b.KYB().Draft(t.Context(), storetest.Ours)
	storetest.OK(t, err)
	if written.Load() != 1 || got.Version != 2 || got.Sections["business"] != 1 {
		t.Errorf("%d of 8 wrote: %+v", written.Load(), got)
	}
}

func submission(ws, id string, number int64, state kyb.State) kyb.Submission {
	return kyb.Submission{
		WorkspaceID: ws, ID: id, Number: number, Version: 7, State: state, Sealed: "sealed " + id,
		CheckAt: storetest.Start, CreatedAt: storetest.Start.Add(time.Duration(number) * time.Second),
	}
}

func (b *bench) submit(t *testing.T, all ...kyb.Submission) {
	t.Helper()
	for _, s := range all {
		storetest.OK(t, b.check(t.Context(), func(ctx context.Context, tx kyb.Tx) error {
			return tx.InsertSubmission(ctx, s)
		}))
	}
}

func testKYBSubmissions(t *testing.T, b *bench) {
	if _, err := b.KYB().LastSubmission(t.Context(), storetest.Ours); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("none: %v", err)
	}
	first := submission(storetest.Ours, "b", 1, kyb.MoreInformation)
	second := submission(storetest.Ours, "a", 2, kyb.Submitted)
	b.submit(t, first, second, submission(storetest.Theirs, "a", 1, kyb.Submitted))
	last, err := b.KYB().LastSubmission(t.Context(), storetest.Ours)
	storetest.OK(t, err)
	storetest.Equal(t, "the last", last, second)
	got, err := b.KYB().Submission(t.Context(), storetest.Ours, "b")
	storetest.OK(t, err)
	storetest.Equal(t, "the first", got, first)
	if err := b.check(t.Context(), func(ctx context.Context, tx kyb.Tx) error {
		return tx.InsertSubmission(ctx, submission(storetest.Ours, "c", 2, kyb.Submitted))
	}); err == nil {
		t.Error("two submissions have one number")
	}

	last.State, last.Reason, last.CheckAt, last.DecidedAt = kyb.Rejected, "r", time.Time{}, storetest.Start
	move := func(from kyb.State) error {
		return b.check(t.Context(), func(ctx context.Context, tx kyb.Tx) error {
			return tx.MoveSubmission(ctx, last, from)
		})
	}
	if err := move(kyb.InReview); !errors.Is(err, record.ErrStale) {
		t.Errorf("from a state that it is not in: %v", err)
	}
	storetest.OK(t, move(kyb.Submitted))
	got, err = b.KYB().LastSubmission(t.Context(), storetest.Ours)
	storetest.OK(t, err)
	storetest.Equal(t, "decided", got, last)

	late, err := b.KYB().Unchecked(t.Context(), storetest.Start.Add(time.Microsecond), 10)
	storetest.OK(t, err)
	storetest.Equal(t, "unchecked", storetest.IDs(late, func(s kyb.Submission) string {
		return s.WorkspaceID + s.ID
	}), []string{storetest.Theirs + "a", storetest.Ours + "b"})
	if late, err := b.KYB().Unchecked(t.Context(), storetest.Start, 10); err != nil || len(late) != 0 {
		t.Errorf("in time: %v, %v", late, err)
	}
}

// The list has the last submission of each workspace of the environment.
func testKYBCases(t *testing.T, b *bench) {
	b.tenants(t, "sandbox", "Ada", "Bob", "Cyd")
	b.tenants(t, "production", "Dan")
	b.submit(t, submission("sandbox Ada", "1", 1, kyb.MoreInformation), submission("sandbox Ada", "2", 3, kyb.InReview),
		submission("sandbox Bob", "3", 2, kyb.Approved), submission("production Dan", "4", 4, kyb.InReview))
	for _, c := range []struct {
		states []kyb.State
		page   page.Page
		total  int
		names  []string
	}{
		{nil, page.Page{Limit: 10}, 2, []string{"Ada", "Bob"}},
		{nil, page.Page{Limit: 10, After: &page.Cursor{CreatedAt: storetest.Start.Add(3 * time.Second), ID: "2"}}, 2,
			[]string{"Bob"}},
		{[]kyb.State{kyb.InReview, kyb.Submitted}, page.Page{Limit: 10}, 1, []string{"Ada"}},
		{[]kyb.State{kyb.MoreInformation}, page.Page{Limit: 10}, 0, []string{}},
	} {
		f := kyb.Filter{Environment: "sandbox", States: c.states, Page: c.page}
		rows, total, err := b.KYB().Cases(t.Context(), f)
		storetest.OK(t, err)
		storetest.Equal(t, "names", storetest.IDs(rows, func(c kyb.Case) string { return c.WorkspaceName }), c.names)
		storetest.Equal(t, "total", total, c.total)
	}
}

func testKYBDocuments(t *testing.T, b *bench) {
	a := kyb.Document{
		WorkspaceID: storetest.Ours, ID: "a", Kind: "formation", MediaType: "application/pdf", Size: 3, Sealed: "l",
		Content: "c", CreatedAt: storetest.Start,
	}
	theirs := a
	theirs.WorkspaceID, theirs.Content = storetest.Theirs, "theirs"
	storetest.OK(t, b.check(t.Context(), func(ctx context.Context, tx kyb.Tx) error {
		return errors.Join(tx.InsertDocument(ctx, a), tx.InsertDocument(ctx, theirs))
	}))
	got, err := b.KYB().Document(t.Context(), storetest.Ours, "a")
	storetest.OK(t, err)
	storetest.Equal(t, "a document", got, a)
	all, err := b.KYB().Documents(t.Context(), storetest.Ours)
	storetest.OK(t, err)
	listed := a
	listed.Content = ""
	storetest.Equal(t, "the list", all, []kyb.Document{listed})
	storetest.OK(t, b.check(t.Context(), func(ctx context.Context, tx kyb.Tx) error {
		return tx.DeleteDocument(ctx, storetest.Ours, "a")
	}))
	if _, err := b.KYB().Document(t.Context(), storetest.Ours, "a"); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	if _, err := b.KYB().Document(t.Context(), storetest.Theirs, "a"); err != nil {
		t.Errorf("another workspace's: %v", err)
	}
}

// A decision is mailed to those who are admins when it is made, once each, as long as they are members.
func testKYBMails(t *testing.T, b *bench) {
	b.workspaces(t)
	member := func(id string, role auth.Role) {
		t.Helper()
		storetest.OK(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
			_, err := tx.InsertMember(ctx, team.Member{
				WorkspaceID: storetest.Ours, ID: id, Email: id + "@example.com", Role: role, CreatedAt: storetest.Start,
			})
			return err
		}))
	}
	member("ada", auth.RoleAdmin)
	member("bob", auth.RoleAdmin)
	member("cyd", auth.RoleManager)
	storetest.OK(t, b.check(t.Context(), func(ctx context.Context, tx kyb.Tx) error {
		return tx.InsertMails(ctx, storetest.Ours, "d1", kyb.Rejected, "why", storetest.Start)
	}))
	member("dan", auth.RoleAdmin) // came later
	waiting, err := b.KYB().Mails(t.Context(), storetest.Ours, "d1")
	storetest.OK(t, err)
	name := func(m kyb.Mail) string { return m.Email + " " + string(m.State) + " " + m.Reason }
	storetest.Equal(t, "mails", storetest.IDs(waiting, name),
		[]string{"ada@example.com rejected why", "bob@example.com rejected why"})
	unsent := func(since, before time.Time) []string {
		all, err := b.KYB().Unmailed(t.Context(), since, before, 10)
		storetest.OK(t, err)
		return storetest.IDs(all, func(m kyb.Mail) string { return m.WorkspaceID + " " + m.DecisionID })
	}
	long, soon := storetest.Start.Add(-time.Hour), storetest.Start.Add(time.Second)
	storetest.Equal(t, "unsent", unsent(long, soon), []string{storetest.Ours + " d1"})
	storetest.Equal(t, "too young", unsent(long, storetest.Start), []string{})
	storetest.Equal(t, "too old", unsent(storetest.Start, soon), []string{})
	storetest.OK(t, b.KYB().Mailed(t.Context(), waiting[0], false))
	storetest.OK(t, b.KYB().Mailed(t.Context(), waiting[0], true)) // says nothing new
	waiting, err = b.KYB().Mails(t.Context(), storetest.Ours, "d1")
	storetest.OK(t, err)
	storetest.Equal(t, "one left", storetest.IDs(waiting, name), []string{"bob@example.com rejected why"})
	storetest.OK(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		return tx.RemoveMember(ctx, storetest.Ours, "bob", storetest.Start)
	}))
	storetest.Equal(t, "to nobody", unsent(long, soon), []string{})
}
