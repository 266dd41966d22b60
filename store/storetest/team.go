package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
)

var teamTests = map[string]func(*testing.T, *bench){
	"Invitation":        testInvitation,
	"InvitationReplace": testInvitationReplace,
	"InvitationAccept":  testInvitationAccept,
	"InvitationsUnsent": testInvitationsUnsent,
	"Members":           testMembers,
	"LastAdmin":         testLastAdmin,
	"RemoveMember":      testRemoveMember,

	"RemovedMembersInvitation": testRemovedMembersInvitation,
	"RemovedDuringALogin":      testRemovedDuringALogin,
}

func (b *bench) team() team.Store { return b.Store.Team() }

// staff runs fn in a commit of the team's.
func (b *bench) staff(ctx context.Context, fn func(context.Context, team.Tx) error) error {
	_, err := b.team().Commit(ctx, called(ours), func(ctx context.Context, tx team.Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Audit: command.Audit{Action: "test.staff"}}, fn(ctx, tx)
	})
	return err
}

// login runs fn in a commit of the logins'.
func (b *bench) login(ctx context.Context, fn func(context.Context, session.Tx) error) error {
	_, err := b.Store.Sessions().Commit(ctx, called(ours), func(ctx context.Context, tx session.Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Audit: command.Audit{Action: "test.login"}}, fn(ctx, tx)
	})
	return err
}

func (b *bench) workspaces(t *testing.T) {
	t.Helper()
	for _, id := range []string{ours, theirs} {
		ok(t, b.EnsureWorkspace(t.Context(), sandboxWorkspace(id)))
	}
}

func invitation(id, email string) team.Invitation {
	return team.Invitation{
		WorkspaceID: ours, ID: id, Email: email, Role: auth.RoleViewer, State: team.Pending, Mail: team.Queued,
		CreatedAt: start, ExpiresAt: start.Add(team.Life),
	}
}

func (b *bench) invite(t *testing.T, i team.Invitation) {
	t.Helper()
	ok(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error { return tx.InsertInvitation(ctx, i, "hash of "+i.ID) }))
}

func (b *bench) state(t *testing.T, id string) team.Invitation {
	t.Helper()
	i, err := b.team().Invitation(t.Context(), ours, id)
	ok(t, err)
	return i
}

func member(ws, id string, role auth.Role) team.Member {
	return team.Member{WorkspaceID: ws, ID: id, Email: id + "@Example.com", Role: role, CreatedAt: start, UpdatedAt: start}
}

func (b *bench) join(t *testing.T, members ...team.Member) {
	t.Helper()
	ok(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		for _, m := range members {
			if fresh, err := tx.InsertMember(ctx, m); err != nil || !fresh {
				t.Errorf("inserting %s: %v %v", m.ID, fresh, err)
			}
		}
		return nil
	}))
}

func testInvitation(t *testing.T, b *bench) {
	b.workspaces(t)
	want := invitation("i-1", "Ada@Example.com")
	b.invite(t, want)
	equal(t, "invitation", b.state(t, "i-1"), want)
	byToken, err := b.Store.Sessions().InvitationByToken(t.Context(), "hash of i-1")
	ok(t, err)
	equal(t, "by its token", byToken, want)
	_, err = b.team().Invitation(t.Context(), theirs, "i-1")
	missing(t, "Invitation", err)
	_, err = b.Store.Sessions().InvitationByToken(t.Context(), "hash of nothing")
	missing(t, "Invitation", err)
}

// Whatever the case, and however many at once: the e-mail has one that is pending.
func testInvitationReplace(t *testing.T, b *bench) {
	b.workspaces(t)
	b.invite(t, invitation("i-1", "ada@example.com"))
	b.invite(t, invitation("i-2", "ADA@example.com"))
	equal(t, "the first", b.state(t, "i-1").State, team.Replaced)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			i := invitation(uuid.NewString(), "Ada@example.com")
			if err := b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error { return tx.InsertInvitation(ctx, i, i.ID) }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	equal(t, "pending", b.count(t, "invitations WHERE state = 'pending'"), 1)
	equal(t, "in all", b.count(t, "invitations"), 10)
}

// One of many accepts, before the end and not at it.
func testInvitationAccept(t *testing.T, b *bench) {
	b.workspaces(t)
	b.invite(t, invitation("i-1", "ada@example.com"))
	accept := func(id string, now time.Time) (open bool) {
		ok(t, b.login(context.Background(), func(ctx context.Context, tx session.Tx) (err error) {
			open, err = tx.AcceptInvitation(ctx, ours, id, now)
			return err
		}))
		return open
	}
	if accept("i-1", start.Add(team.Life)) || accept("i-2", start) {
		t.Error("accepted at its end, or what is not there")
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	won := 0
	for range 8 {
		wg.Go(func() {
			if accept("i-1", start.Add(team.Life-time.Microsecond)) {
				mu.Lock()
				won++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	equal(t, "accepted", won, 1)
	ended := b.state(t, "i-1")
	equal(t, "state", ended.State, team.Accepted)
	equal(t, "end", ended.EndedAt, start.Add(team.Life-time.Microsecond))
	ok(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		pending, err := tx.EndInvitation(ctx, ours, "i-1", team.Revoked, start)
		equal(t, "revoked afterwards", pending, false)
		return err
	}))
}

func testInvitationsUnsent(t *testing.T, b *bench) {
	b.workspaces(t)
	for _, id := range []string{"queued", "sent", "failed", "revoked"} {
		b.invite(t, invitation(id, id+"@example.com"))
	}
	old := invitation("old", "old@example.com")
	old.ExpiresAt = start.Add(time.Minute)
	b.invite(t, old)
	ok(t, b.team().Mailed(t.Context(), ours, "sent", team.Sent))
	ok(t, b.team().Mailed(t.Context(), ours, "failed", team.Failed))
	ok(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		_, err := tx.EndInvitation(ctx, ours, "revoked", team.Revoked, start)
		return err
	}))
	unsent := func(now, before time.Time) []string {
		all, err := b.team().Unsent(t.Context(), now, before)
		ok(t, err)
		return ids(all, func(i team.Invitation) string { return i.ID })
	}
	equal(t, "unsent", unsent(start, start.Add(1)), []string{})
	equal(t, "unsent", unsent(start, start.Add(time.Microsecond)), []string{"old", "queued"})
	equal(t, "once one is over", unsent(start.Add(time.Minute), start.Add(time.Microsecond)), []string{"queued"})
	equal(t, "audit rows", b.count(t, "audit WHERE action = 'invitation.mail' AND actor = 'system'"), 2)
}

func testMembers(t *testing.T, b *bench) {
	b.workspaces(t)
	first, second := member(ours, "m-1", auth.RoleAdmin), member(ours, "m-2", auth.RoleViewer)
	second.CreatedAt = start.Add(time.Second)
	b.join(t, first, second, member(theirs, "m-1", auth.RoleAdmin))
	rows, total, err := b.team().Members(t.Context(), ours, page.Page{Limit: 1})
	ok(t, err)
	equal(t, "newest", rows, []team.Member{second})
	equal(t, "in all", total, 2)
	rows, _, err = b.team().Members(t.Context(), ours, page.Page{Limit: 9, After: &page.Cursor{CreatedAt: second.CreatedAt, ID: "m-2"}})
	ok(t, err)
	equal(t, "the rest", rows, []team.Member{first})
	ok(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		again := member(ours, "m-3", auth.RoleAdmin)
		again.Email = "M-1@example.COM"
		fresh, err := tx.InsertMember(ctx, again)
		equal(t, "an e-mail in another case", fresh, false)
		return err
	}))
	ok(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		has, err := tx.HasMember(ctx, ours, "m-1@EXAMPLE.com")
		equal(t, "has", has, true)
		missing(t, "Member", tx.SetRole(ctx, ours, "m-9", auth.RoleAdmin, start))
		return all(err, tx.SetRole(ctx, ours, "m-2", auth.RoleManager, start.Add(time.Hour)))
	}))
	m, err := b.Store.Member(t.Context(), ours, "m-2")
	ok(t, err)
	second.Role, second.UpdatedAt = auth.RoleManager, start.Add(time.Hour)
	equal(t, "with another role", m, second)
}

// Of many who demote one another, one stays: each counts what the others have left.
func testLastAdmin(t *testing.T, b *bench) {
	b.workspaces(t)
	names := []string{"m-1", "m-2", "m-3", "m-4", "m-5", "m-6"}
	for _, id := range names {
		b.join(t, member(ours, id, auth.RoleAdmin))
	}
	var wg sync.WaitGroup
	for _, id := range names {
		wg.Go(func() {
			err := b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
				if n, err := tx.LockAdmins(ctx, ours); err != nil || n <= 1 {
					return all(err, team.ErrLastAdmin)
				}
				return tx.SetRole(ctx, ours, id, auth.RoleViewer, start)
			})
			if err != nil && !errors.Is(err, team.ErrLastAdmin) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	equal(t, "admins", b.count(t, "members WHERE role = 'admin'"), 1)
}

// With a member goes all that logs it in, and nothing of anybody else.
func testRemoveMember(t *testing.T, b *bench) {
	b.workspaces(t)
	b.join(t, member(ours, "m-1", auth.RoleAdmin), member(ours, "m-2", auth.RoleAdmin))
	for _, id := range []string{"m-1", "m-2"} {
		b.addLogin(t, id)
	}
	ok(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error { return tx.RemoveMember(ctx, ours, "m-1", start) }))
	for _, table := range []string{"members", "sessions", "refresh_directory", "login_passkeys", "login_passkey_directory"} {
		equal(t, table, b.count(t, table), 1)
	}
	err := b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error { return tx.RemoveMember(ctx, ours, "m-1", start) })
	missing(t, "Member", err)
}
