package platformtest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store/storetest"
)

var ada = team.Member{
	WorkspaceID: storetest.Ours, ID: "ada", Email: "Ada@example.com", Role: auth.RoleViewer, CreatedAt: storetest.Start,
	UpdatedAt: storetest.Start,
}

func (b *bench) joinAda(t *testing.T) {
	t.Helper()
	storetest.OK(t, b.EnsureWorkspace(
		t.Context(),
		workspace.Workspace{ID: storetest.Ours, Name: "Ours", Environment: "sandbox", CreatedAt: storetest.Start},
	))
	storetest.OK(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		_, err := tx.InsertMember(ctx, ada)
		if err == nil {
			_, err = tx.InsertLoginPasskey(ctx, adasPasskey("first"))
		}
		return err
	}))
}

func adasPasskey(id string) session.Passkey {
	return session.Passkey{
		WorkspaceID: storetest.Ours, ID: id, MemberID: ada.ID, Credential: webauthn.Credential{ID: []byte(id)},
		CreatedAt: storetest.Start, LastUsedAt: storetest.Start,
	}
}

// Who is removed does not come back by an invitation that was made while this
// member accepted another one. Another person's stays.
func testRemovedMembersInvitation(t *testing.T, b *bench) {
	b.joinAda(t)
	storetest.OK(t, b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
		for _, email := range []string{"ADA@example.com", "bob@example.com"} {
			i := team.Invitation{
				WorkspaceID: storetest.Ours, ID: email, Email: email, State: team.Pending, Mail: mail.Sent,
				CreatedAt: storetest.Start, ExpiresAt: storetest.Start.Add(time.Hour),
			}
			if err := tx.InsertInvitation(ctx, i, email); err != nil {
				return err
			}
		}
		return tx.RemoveMember(ctx, storetest.Ours, ada.ID, storetest.Start)
	}))
	for email, want := range map[string]team.State{"ADA@example.com": team.Revoked, "bob@example.com": team.Pending} {
		i, err := b.Store.Team().Invitation(t.Context(), storetest.Ours, email)
		if err != nil || i.State != want {
			t.Errorf("%s: %s, %v", email, i.State, err)
		}
	}
}

// A removal that waits for a login, or for a new passkey, removes what they left.
func testRemovedDuringALogin(t *testing.T, b *bench) {
	b.joinAda(t)
	p, err := b.Store.Sessions().Passkeys(t.Context(), storetest.Ours, ada.ID)
	if err != nil || len(p) != 1 {
		t.Fatal(p, err)
	}
	removed := make(chan error, 1)
	storetest.OK(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		if n, err := tx.LockLoginPasskeys(ctx, storetest.Ours, ada.ID); n != 1 || err != nil {
			return fmt.Errorf("%d passkeys: %w", n, err)
		}
		go func() {
			removed <- b.staff(t.Context(), func(ctx context.Context, tx team.Tx) error {
				return tx.RemoveMember(ctx, storetest.Ours, ada.ID, storetest.Start)
			})
		}()
		for i := range 5 {
			if _, err := tx.InsertLoginPasskey(ctx, adasPasskey(fmt.Sprint("more", i))); err != nil {
				return err
			}
			s := session.Session{
				WorkspaceID: storetest.Ours, ID: fmt.Sprint(i), MemberID: ada.ID, TokenHash: fmt.Sprint(i),
				CreatedAt: storetest.Start, RotatedAt: storetest.Start, ExpiresAt: storetest.Start.Add(time.Hour),
			}
			if err := tx.InsertSession(ctx, s); err != nil {
				return err
			}
		}
		return nil
	}))
	storetest.OK(t, <-removed)
	if _, err := b.Member(t.Context(), storetest.Ours, ada.ID); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("the member: %v", err)
	}
}
