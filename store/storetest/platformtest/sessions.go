package platformtest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/store/storetest"
)

var sessionTests = map[string]func(*testing.T, *bench){
	"LoginPasskey":   testLoginPasskey,
	"LoginChallenge": testLoginChallenge,
	"Session":        testSession,
	"SessionRotate":  testSessionRotate,
	"SessionsDrop":   testSessionsDrop,
}

func sandboxWorkspace(id string) workspace.Workspace {
	return workspace.Workspace{
		ID: id, Name: "Shop", Environment: "sandbox", KYBStatus: "approved", Modules: []auth.Module{auth.Signing},
		CreatedAt: storetest.Start,
	}
}

func (b *bench) sessions() session.Store { return b.Store.Sessions() }

func loginPasskey(memberID string) session.Passkey {
	return session.Passkey{
		WorkspaceID: storetest.Ours, ID: "passkey of " + memberID, MemberID: memberID, Label: "Phone",
		CreatedAt: storetest.Start, LastUsedAt: storetest.Start,
		Credential: webauthn.Credential{
			ID: []byte("credential of " + memberID), PublicKey: []byte{1, 2, 3},
			Authenticator: webauthn.Authenticator{SignCount: 7},
		},
	}
}

func newSession(memberID string) session.Session {
	return session.Session{
		WorkspaceID: storetest.Ours, ID: "session of " + memberID, MemberID: memberID,
		TokenHash: "token of " + memberID,
		CreatedAt: storetest.Start, RotatedAt: storetest.Start, ExpiresAt: storetest.Start.Add(time.Hour),
	}
}

// addLogin gives a member a passkey and a session.
func (b *bench) addLogin(t *testing.T, memberID string) {
	t.Helper()
	storetest.OK(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		fresh, err := tx.InsertLoginPasskey(ctx, loginPasskey(memberID))
		storetest.Equal(t, "a fresh passkey", fresh, true)
		return errors.Join(err, tx.InsertSession(ctx, newSession(memberID)))
	}))
}

func testLoginPasskey(t *testing.T, b *bench) {
	b.workspaces(t)
	b.join(t, member(storetest.Ours, "m-1", auth.RoleAdmin), member(storetest.Ours, "m-2", auth.RoleAdmin))
	b.addLogin(t, "m-1")
	const credential = "Y3JlZGVudGlhbCBvZiBtLTE" // base64url of "credential of m-1"
	read, err := b.sessions().PasskeyByCredential(t.Context(), credential)
	storetest.OK(t, err)
	want := loginPasskey("m-1")
	want.Stored = read.Stored
	storetest.Equal(t, "passkey", read, want)
	_, err = b.sessions().PasskeyByCredential(t.Context(), "bm90aGluZw")
	storetest.Missing(t, "Passkey", err)

	use := func(p session.Passkey) (used bool) {
		storetest.OK(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) (err error) {
			used, err = tx.UseLoginPasskey(ctx, p, storetest.Start.Add(time.Minute))
			return err
		}))
		return used
	}
	read.Credential.Authenticator.SignCount = 8
	if !use(read) || use(read) {
		t.Error("one counter was noted twice, or never")
	}
	storetest.OK(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		stolen := loginPasskey("m-1")
		stolen.ID, stolen.MemberID = "passkey-2", "m-2"
		fresh, err := tx.InsertLoginPasskey(ctx, stolen)
		storetest.Equal(t, "another member's credential", fresh, false)
		n, err2 := tx.LockLoginPasskeys(ctx, storetest.Ours, "m-1")
		storetest.Equal(t, "passkeys", n, 1)
		foreign, err3 := tx.DeleteLoginPasskey(ctx, storetest.Ours, "m-2", "passkey of m-1")
		storetest.Equal(t, "deleted by another member", foreign, false)
		gone, err4 := tx.DeleteLoginPasskey(ctx, storetest.Ours, "m-1", "passkey of m-1")
		storetest.Equal(t, "deleted", gone, true)
		return errors.Join(err, err2, err3, err4)
	}))
	storetest.Equal(t, "directory", b.Count(t, "login_passkey_directory"), 0)
}

// A challenge is taken once, for what it was made, before its end.
func testLoginChallenge(t *testing.T, b *bench) {
	storetest.OK(t, b.sessions().AddChallenge(t.Context(), "hash", "login", storetest.Start.Add(time.Minute)))
	take := func(purpose string, now time.Time) (taken bool) {
		storetest.OK(t, b.login(context.Background(), func(ctx context.Context, tx session.Tx) (err error) {
			taken, err = tx.TakeChallenge(ctx, "hash", purpose, now)
			return err
		}))
		return taken
	}
	if take("invitation", storetest.Start) || take("login", storetest.Start.Add(time.Minute)) {
		t.Error("taken for another purpose, or at its end")
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	won := 0
	for range 8 {
		wg.Go(func() {
			if take("login", storetest.Start.Add(time.Minute-time.Microsecond)) {
				mu.Lock()
				won++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	storetest.Equal(t, "taken", won, 1)
}

func testSession(t *testing.T, b *bench) {
	b.workspaces(t)
	m := member(storetest.Ours, "m-1", auth.RoleManager)
	b.join(t, m)
	b.addLogin(t, "m-1")
	want := session.Living{Session: newSession("m-1"), Member: m, Workspace: sandboxWorkspace(storetest.Ours)}
	byID, err := b.sessions().Session(t.Context(), storetest.Ours, "session of m-1")
	storetest.OK(t, err)
	storetest.Equal(t, "session", byID.Session, want.Session)
	storetest.Equal(t, "member", byID.Member, want.Member)
	storetest.Equal(t, "tenant", byID.Workspace.Tenant(), want.Workspace.Tenant())
	byToken, err := b.sessions().SessionByToken(t.Context(), "token of m-1")
	storetest.OK(t, err)
	storetest.Equal(t, "by its token", byToken.Session, want.Session)
	_, err = b.sessions().Session(t.Context(), storetest.Theirs, "session of m-1")
	storetest.Missing(t, "Session", err)
	storetest.OK(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		other := want.Session
		other.MemberID = "m-2"
		foreign, err := tx.RevokeSession(ctx, other, storetest.Start)
		storetest.Equal(t, "ended by another member", foreign, false)
		return err
	}))
	storetest.OK(t, b.sessions().Reused(t.Context(), want.Session, storetest.Start.Add(time.Second)))
	storetest.OK(t, b.sessions().Reused(t.Context(), want.Session, storetest.Start.Add(time.Minute)))
	byID, err = b.sessions().Session(t.Context(), storetest.Ours, "session of m-1")
	storetest.OK(t, err)
	storetest.Equal(t, "ended", byID.Session.RevokedAt, storetest.Start.Add(time.Second))
	storetest.Equal(t, "audit rows", b.Count(t, "audit WHERE action = 'session.reused'"), 1)
	living, err := b.sessions().Sessions(t.Context(), storetest.Ours, "m-1")
	storetest.OK(t, err)
	storetest.Equal(t, "living", len(living), 0)
}

// Of many who follow one token by another, one does; the old token still finds the session.
func testSessionRotate(t *testing.T, b *bench) {
	b.workspaces(t)
	b.join(t, member(storetest.Ours, "m-1", auth.RoleManager))
	b.addLogin(t, "m-1")
	var mu sync.Mutex
	var wg sync.WaitGroup
	var won []string
	for _, next := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		wg.Go(func() {
			rotated, err := b.sessions().Rotate(t.Context(), session.Rotation{
				WorkspaceID: storetest.Ours, SessionID: "session of m-1", From: "token of m-1", To: next,
				Salt: "salt " + next, Now: storetest.Start.Add(time.Second), ExpiresAt: storetest.Start.Add(time.Hour),
			})
			if err != nil {
				t.Error(err)
			}
			if rotated {
				mu.Lock()
				won = append(won, next)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	storetest.Equal(t, "rotated", len(won), 1)
	old, err := b.sessions().SessionByToken(t.Context(), "token of m-1")
	storetest.OK(t, err)
	want := newSession("m-1")
	want.TokenHash, want.BeforeHash, want.Salt, want.RotatedAt = won[0], "token of m-1", "salt "+
		won[0], storetest.Start.Add(time.Second)
	storetest.Equal(t, "by the old token", old.Session, want)
	storetest.Equal(t, "tokens", b.Count(t, "refresh_directory"), 2)
}

func testSessionsDrop(t *testing.T, b *bench) {
	b.workspaces(t)
	b.join(t, member(storetest.Ours, "m-1", auth.RoleManager))
	b.addLogin(t, "m-1")
	storetest.OK(t, b.sessions().AddChallenge(t.Context(), "hash", "login", storetest.Start.Add(time.Minute)))
	storetest.OK(t, b.sessions().Drop(t.Context(), storetest.Start.Add(time.Minute-1), storetest.Start.Add(time.Hour)))
	storetest.Equal(t, "kept", b.Count(t, "sessions")+b.Count(t, "refresh_directory")+b.Count(t, "login_challenges"), 3)
	storetest.OK(t, b.sessions().Drop(
		t.Context(), storetest.Start.Add(time.Minute), storetest.Start.Add(time.Hour+time.Microsecond),
	))
	storetest.Equal(t, "left", b.Count(t, "sessions")+b.Count(t, "refresh_directory")+b.Count(t, "login_challenges"), 0)
}
