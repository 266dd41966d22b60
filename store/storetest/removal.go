package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/platform/workspace"
)

var ada = team.Member{WorkspaceID: ours, ID: "ada", Email: "Ada@example.com", Role: auth.RoleViewer, CreatedAt: start, UpdatedAt: start}

func (b *bench) joinAda(t *testing.T) {
	t.Helper()
	ok(t, b.EnsureWorkspace(t.Context(), workspace.Workspace{ID: ours, Name: "Ours", Environment: "sandbox", CreatedAt: start}))
	ok(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		_, err := tx.InsertMember(ctx, ada)
		if err == nil {
			_, err = tx.InsertLoginPasskey(ctx, adasPasskey("first"))
		}
		return err
	}))
}

func adasPasskey(id string) session.Passkey {
	return session.Passkey{WorkspaceID: ours, ID: id, MemberID: ada.ID, Credential: webauthn.Credential{ID: []byte(id)}, CreatedAt: start, LastUsedAt: start}
}

// Who is removed does not come back by an invitation that was made while this
// member accepted another one. Another person's stays.
func testRemovedMembersInvitation(t *testing.T, b *bench) {
	b.joinAda(t)
	ok(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		for _, email := range []string{"ADA@example.com", "bob@example.com"} {
			i := team.Invitation{WorkspaceID: ours, ID: email, Email: email, State: team.Pending, Mail: team.Sent, CreatedAt: start, ExpiresAt: start.Add(time.Hour)}
			if err := tx.InsertInvitation(ctx, i, email); err != nil {
				return err
			}
		}
		return tx.RemoveMember(ctx, ours, ada.ID, start)
	}))
	for email, want := range map[string]team.State{"ADA@example.com": team.Revoked, "bob@example.com": team.Pending} {
		i, err := b.Store.Team().Invitation(t.Context(), ours, email)
		if err != nil || i.State != want {
			t.Errorf("%s: %s, %v", email, i.State, err)
		}
	}
}

// A removal that waits for a login, or for a new passkey, removes what they left.
func testRemovedDuringALogin(t *testing.T, b *bench) {
	b.joinAda(t)
	p, err := b.Store.Sessions().Passkeys(t.Context(), ours, ada.ID)
	if err != nil || len(p) != 1 {
		t.Fatal(p, err)
	}
	removed := make(chan error, 1)
	ok(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		if n, err := tx.LockLoginPasskeys(ctx, ours, ada.ID); n != 1 || err != nil {
			return fmt.Errorf("%d passkeys: %w", n, err)
		}
		go func() {
			removed <- b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error { return tx.RemoveMember(ctx, ours, ada.ID, start) })
		}()
		for i := range 20 {
			if _, err := tx.InsertLoginPasskey(ctx, adasPasskey(fmt.Sprint("more", i))); err != nil {
				return err
			}
			s := session.Session{WorkspaceID: ours, ID: fmt.Sprint(i), MemberID: ada.ID, TokenHash: fmt.Sprint(i), CreatedAt: start, RotatedAt: start, ExpiresAt: start.Add(time.Hour)}
			if err := tx.InsertSession(ctx, s); err != nil {
				return err
			}
		}
		return nil
	}))
	ok(t, <-removed)
	if _, err := b.Member(t.Context(), ours, ada.ID); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("the member: %v", err)
	}
}
