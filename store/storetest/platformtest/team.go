package platformtest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/store/storetest"
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
	"AdminEmails":              testAdminEmails,
}

func (b *bench) team() team.Store { return b.Store.Team() }

// staff runs fn in a commit of the team's.
func (b *bench) staff(ctx context.Context, fn func(context.Context, team.Tx) error) error {
	_, err := b.team().Commit(ctx, storetest.Called(storetest.Ours), func(
		ctx context.Context, tx team.Tx,
	) (command.Reply, error) {
		return command.Reply{Status: 200, Audit: command.Audit{Action: "test.staff"}}, fn(ctx, tx)
	})
	return err
}

// login runs fn in a commit of the logins'.
func (b *bench) login(ctx context.Context, fn func(context.Context, session.Tx) error) error {
	_, err := b.Store.Sessions().Commit(ctx, storetest.Called(storetest.Ours), func(
		ctx context.Context, tx session.Tx,
	) (command.Reply, error) {
		return command.Reply{Status: 200, Audit: command.Audit{Action: "test.login"}}, fn(ctx, tx)
	})
	return err
}

func (b *bench) workspaces(t *testing.T) {
	t.Helper()
	for _, id := range []string{storetest.Ours, storetest.Theirs} {
		storetest.OK(t, b.EnsureWorkspace(t.Context(), sandboxWorkspace(id)))
	}
}

func invitation(id, email string) team.Invitation {
	return team.Invitation{
		WorkspaceID: storetest.Ours, ID: id, Email: email, Role: auth.RoleViewer, State: team.Pending,
		Mail: mail.Queued, Language: mail.Spanish,
		CreatedAt: storetest.Start, ExpiresAt: storetest.Start.Add(team.Life),
	}
}

func (b *bench) invite(t *testing.T, i team.Invitation) {
	t.Helper()
	storetest.OK(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		return tx.InsertInvitation(ctx, i, "hash of "+i.ID)
	}))
}

func (b *bench) state(t *testing.T, id string) team.Invitation {
	t.Helper()
	i, err := b.team().Invitation(t.Context(), storetest.Ours, id)
	storetest.OK(t, err)
	return i
}

func member(ws, id string, role auth.Role) team.Member {
	return team.Member{
		WorkspaceID: ws, ID: id, Email: id + "@Example.com", Role: role, Language: mail.English, Muted: []string{},
		CreatedAt: storetest.Start,
		UpdatedAt: storetest.Start,
	}
}

func (b *bench) join(t *testing.T, members ...team.Member) {
	t.Helper()
	storetest.OK(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
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
	storetest.Equal(t, "invitation", b.state(t, "i-1"), want)
	byToken, err := b.Store.Sessions().InvitationByToken(t.Context(), "hash of i-1")
	storetest.OK(t, err)
	storetest.Equal(t, "by its token", byToken, want)
	_, err = b.team().Invitation(t.Context(), storetest.Theirs, "i-1")
	storetest.Missing(t, "Invitation", err)
	_, err = b.Store.Sessions().InvitationByToken(t.Context(), "hash of nothing")
	storetest.Missing(t, "Invitation", err)
}

// Whatever the case, and however many at once: the e-mail has one that is pending.
func testInvitationReplace(t *testing.T, b *bench) {
	b.workspaces(t)
	b.invite(t, invitation("i-1", "ada@example.com"))
	b.invite(t, invitation("i-2", "ADA@example.com"))
	storetest.Equal(t, "the first", b.state(t, "i-1").State, team.Replaced)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			i := invitation(uuid.NewString(), "Ada@example.com")
			if err := b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
				return tx.InsertInvitation(ctx, i, i.ID)
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	storetest.Equal(t, "pending", b.Count(t, "invitations WHERE state = 'pending'"), 1)
	storetest.Equal(t, "in all", b.Count(t, "invitations"), 10)
}

// One of many accepts, before the end and not at it.
func testInvitationAccept(t *testing.T, b *bench) {
	b.workspaces(t)
	b.invite(t, invitation("i-1", "ada@example.com"))
	accept := func(id string, now time.Time) (open bool) {
		storetest.OK(t, b.login(context.Background(), func(ctx context.Context, tx session.Tx) (err error) {
			open, err = tx.AcceptInvitation(ctx, storetest.Ours, id, now)
			return err
		}))
		return open
	}
	if accept("i-1", storetest.Start.Add(team.Life)) || accept("i-2", storetest.Start) {
		t.Error("accepted at its end, or what is not there")
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	won := 0
	for range 8 {
		wg.Go(func() {
			if accept("i-1", storetest.Start.Add(team.Life-time.Microsecond)) {
				mu.Lock()
				won++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	storetest.Equal(t, "accepted", won, 1)
	ended := b.state(t, "i-1")
	storetest.Equal(t, "state", ended.State, team.Accepted)
	storetest.Equal(t, "end", ended.EndedAt, storetest.Start.Add(team.Life-time.Microsecond))
	storetest.OK(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		pending, err := tx.EndInvitation(ctx, storetest.Ours, "i-1", team.Revoked, storetest.Start)
		storetest.Equal(t, "revoked afterwards", pending, false)
		return err
	}))
}

func testInvitationsUnsent(t *testing.T, b *bench) {
	b.workspaces(t)
	for _, id := range []string{"queued", "sent", "failed", "revoked"} {
		b.invite(t, invitation(id, id+"@example.com"))
	}
	old := invitation("old", "old@example.com")
	old.ExpiresAt = storetest.Start.Add(time.Minute)
	b.invite(t, old)
	storetest.OK(t, b.team().Mailed(t.Context(), storetest.Ours, "sent", mail.Sent))
	storetest.OK(t, b.team().Mailed(t.Context(), storetest.Ours, "failed", mail.Failed))
	storetest.OK(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		_, err := tx.EndInvitation(ctx, storetest.Ours, "revoked", team.Revoked, storetest.Start)
		return err
	}))
	unsent := func(now, before time.Time) []string {
		all, err := b.team().Unsent(t.Context(), now, before)
		storetest.OK(t, err)
		return storetest.IDs(all, func(i team.Invitation) string { return i.ID })
	}
	storetest.Equal(t, "unsent", unsent(storetest.Start, storetest.Start.Add(1)), []string{})
	storetest.Equal(
		t, "unsent", unsent(storetest.Start, storetest.Start.Add(time.Microsecond)), []string{"old", "queued"},
	)
	storetest.Equal(
		t, "once one is over", unsent(storetest.Start.Add(time.Minute), storetest.Start.Add(time.Microsecond)),
		[]string{"queued"},
	)
	storetest.Equal(t, "audit rows", b.Count(t, "audit WHERE action = 'invitation.mail' AND actor = 'system'"), 2)
}

func testMembers(t *testing.T, b *bench) {
	b.workspaces(t)
	first, second := member(storetest.Ours, "m-1", auth.RoleAdmin), member(storetest.Ours, "m-2", auth.RoleViewer)
	second.CreatedAt = storetest.Start.Add(time.Second)
	b.join(t, first, second, member(storetest.Theirs, "m-1", auth.RoleAdmin))
	rows, total, err := b.team().Members(t.Context(), storetest.Ours, page.Page{Limit: 1})
	storetest.OK(t, err)
	storetest.Equal(t, "newest", rows, []team.Member{second})
	storetest.Equal(t, "in all", total, 2)
	rows, _, err = b.team().Members(
		t.Context(), storetest.Ours, page.Page{Limit: 9, After: &page.Cursor{CreatedAt: second.CreatedAt, ID: "m-2"}},
	)
	storetest.OK(t, err)
	storetest.Equal(t, "the rest", rows, []team.Member{first})
	storetest.OK(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		again := member(storetest.Ours, "m-3", auth.RoleAdmin)
		again.Email = "M-1@example.COM"
		fresh, err := tx.InsertMember(ctx, again)
		storetest.Equal(t, "an e-mail in another case", fresh, false)
		return err
	}))
	storetest.OK(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		has, err := tx.HasMember(ctx, storetest.Ours, "m-1@EXAMPLE.com")
		storetest.Equal(t, "has", has, true)
		storetest.Missing(t, "Member", tx.SetRole(ctx, storetest.Ours, "m-9", auth.RoleAdmin, storetest.Start))
		return errors.Join(
			err, tx.SetRole(ctx, storetest.Ours, "m-2", auth.RoleManager, storetest.Start.Add(time.Hour)),
		)
	}))
	m, err := b.Store.Member(t.Context(), storetest.Ours, "m-2")
	storetest.OK(t, err)
	second.Role, second.UpdatedAt = auth.RoleManager, storetest.Start.Add(time.Hour)
	storetest.Equal(t, "with another role", m, second)
}

// Of many who demote one another, one stays: each counts what the others have left.
func testLastAdmin(t *testing.T, b *bench) {
	b.workspaces(t)
	names := []string{"m-1", "m-2", "m-3", "m-4", "m-5", "m-6"}
	for _, id := range names {
		b.join(t, member(storetest.Ours, id, auth.RoleAdmin))
	}
	var wg sync.WaitGroup
	for _, id := range names {
		wg.Go(func() {
			err := b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
				if n, err := tx.LockAdmins(ctx, storetest.Ours); err != nil || n <= 1 {
					return errors.Join(err, team.ErrLastAdmin)
				}
				return tx.SetRole(ctx, storetest.Ours, id, auth.RoleViewer, storetest.Start)
			})
			if err != nil && !errors.Is(err, team.ErrLastAdmin) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	storetest.Equal(t, "admins", b.Count(t, "members WHERE role = 'admin'"), 1)
}

// With a member goes all that logs it in, and nothing of anybody else.
func testRemoveMember(t *testing.T, b *bench) {
	b.workspaces(t)
	b.join(t, member(storetest.Ours, "m-1", auth.RoleAdmin), member(storetest.Ours, "m-2", auth.RoleAdmin))
	for _, id := range []string{"m-1", "m-2"} {
		b.addLogin(t, id)
	}
	madeBy := func(id string) func(*auth.Key) { return func(k *auth.Key) { k.CreatedBy = id } }
	first := b.key(t, storetest.Ours, "k-1", madeBy("m-1"))
	b.key(t, storetest.Ours, "k-2", madeBy("m-2"))
	b.key(t, storetest.Theirs, "k-3", madeBy("m-1"))
	b.key(t, storetest.Ours, "k-4", func(k *auth.Key) { k.CreatedBy, k.RevokedAt = "m-1", storetest.Start })
	b.key(t, storetest.Ours, "k-5", func(k *auth.Key) { k.CreatedBy, k.ExpiresAt = "m-1", storetest.Start })
	storetest.OK(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		keys, err := tx.KeysMadeBy(ctx, storetest.Ours, "m-1")
		storetest.Equal(t, "keys that work", keys, []auth.Key{first})
		return errors.Join(err, tx.RemoveMember(ctx, storetest.Ours, "m-1", storetest.Start))
	}))
	for _, table := range []string{
		"members", "sessions", "refresh_directory", "login_passkeys", "login_passkey_directory",
	} {
		storetest.Equal(t, table, b.Count(t, table), 1)
	}
	err := b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		return tx.RemoveMember(ctx, storetest.Ours, "m-1", storetest.Start)
	})
	storetest.Missing(t, "Member", err)
}

// The signing kit mails the admins of a workspace.
func testAdminEmails(t *testing.T, b *bench) {
	b.workspaces(t)
	b.join(
		t, member(storetest.Ours, "m-2", auth.RoleAdmin), member(storetest.Ours, "m-1", auth.RoleAdmin),
		member(storetest.Ours, "m-3", auth.RoleViewer), member(storetest.Theirs, "m-4", auth.RoleAdmin),
	)
	got, err := b.Signing().AdminEmails(t.Context(), storetest.Ours)
	storetest.OK(t, err)
	storetest.Equal(
		t, "admins", got, []string{member(storetest.Ours, "m-1", "").Email, member(storetest.Ours, "m-2", "").Email},
	)
}
