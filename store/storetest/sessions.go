package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/workspace"
)

var sessionTests = map[string]func(*testing.T, *bench){
	"LoginPasskey":   testLoginPasskey,
	"LoginChallenge": testLoginChallenge,
	"Session":        testSession,
	"SessionRotate":  testSessionRotate,
	"SessionsDrop":   testSessionsDrop,
}

func sandboxWorkspace(id string) workspace.Workspace {
	return workspace.Workspace{ID: id, Name: "Shop", Environment: "sandbox", KYBStatus: "approved", Modules: []auth.Module{auth.Signing}, CreatedAt: start}
}

func (b *bench) sessions() session.Store { return b.Store.Sessions() }

func loginPasskey(memberID string) session.Passkey {
	return session.Passkey{
		WorkspaceID: ours, ID: "passkey of " + memberID, MemberID: memberID, Label: "Phone", CreatedAt: start, LastUsedAt: start,
		Credential: webauthn.Credential{ID: []byte("credential of " + memberID), PublicKey: []byte{1, 2, 3}, Authenticator: webauthn.Authenticator{SignCount: 7}},
	}
}

func newSession(memberID string) session.Session {
	return session.Session{
		WorkspaceID: ours, ID: "session of " + memberID, MemberID: memberID, TokenHash: "token of " + memberID,
		CreatedAt: start, RotatedAt: start, ExpiresAt: start.Add(time.Hour),
	}
}

// addLogin gives a member a passkey and a session.
func (b *bench) addLogin(t *testing.T, memberID string) {
	t.Helper()
	ok(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		fresh, err := tx.InsertLoginPasskey(ctx, loginPasskey(memberID))
		equal(t, "a fresh passkey", fresh, true)
		return all(err, tx.InsertSession(ctx, newSession(memberID)))
	}))
}

func testLoginPasskey(t *testing.T, b *bench) {
	b.workspaces(t)
	b.join(t, member(ours, "m-1", auth.RoleAdmin), member(ours, "m-2", auth.RoleAdmin))
	b.addLogin(t, "m-1")
	const credential = "Y3JlZGVudGlhbCBvZiBtLTE" // base64url of "credential of m-1"
	read, err := b.sessions().PasskeyByCredential(t.Context(), credential)
	ok(t, err)
	want := loginPasskey("m-1")
	want.Stored = read.Stored
	equal(t, "passkey", read, want)
	_, err = b.sessions().PasskeyByCredential(t.Context(), "bm90aGluZw")
	missing(t, "Passkey", err)

	use := func(p session.Passkey) (used bool) {
		ok(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) (err error) {
			used, err = tx.UseLoginPasskey(ctx, p, start.Add(time.Minute))
			return err
		}))
		return used
	}
	read.Credential.Authenticator.SignCount = 8
	if !use(read) || use(read) {
		t.Error("one counter was noted twice, or never")
	}
	ok(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		stolen := loginPasskey("m-1")
		stolen.ID, stolen.MemberID = "passkey-2", "m-2"
		fresh, err := tx.InsertLoginPasskey(ctx, stolen)
		equal(t, "another member's credential", fresh, false)
		n, err2 := tx.LockLoginPasskeys(ctx, ours, "m-1")
		equal(t, "passkeys", n, 1)
		foreign, err3 := tx.DeleteLoginPasskey(ctx, ours, "m-2", "passkey of m-1")
		equal(t, "deleted by another member", foreign, false)
		gone, err4 := tx.DeleteLoginPasskey(ctx, ours, "m-1", "passkey of m-1")
		equal(t, "deleted", gone, true)
		return all(err, err2, err3, err4)
	}))
	equal(t, "directory", b.count(t, "login_passkey_directory"), 0)
}

// A challenge is taken once, for what it was made, before its end.
func testLoginChallenge(t *testing.T, b *bench) {
	ok(t, b.sessions().AddChallenge(t.Context(), "hash", "login", start.Add(time.Minute)))
	take := func(purpose string, now time.Time) (taken bool) {
		ok(t, b.login(context.Background(), func(ctx context.Context, tx session.Tx) (err error) {
			taken, err = tx.TakeChallenge(ctx, "hash", purpose, now)
			return err
		}))
		return taken
	}
	if take("invitation", start) || take("login", start.Add(time.Minute)) {
		t.Error("taken for another purpose, or at its end")
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	won := 0
	for range 8 {
		wg.Go(func() {
			if take("login", start.Add(time.Minute-time.Microsecond)) {
				mu.Lock()
				won++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	equal(t, "taken", won, 1)
}

func testSession(t *testing.T, b *bench) {
	b.workspaces(t)
	m := member(ours, "m-1", auth.RoleManager)
	b.join(t, m)
	b.addLogin(t, "m-1")
	want := session.Living{Session: newSession("m-1"), Member: m, Workspace: sandboxWorkspace(ours)}
	byID, err := b.sessions().Session(t.Context(), ours, "session of m-1")
	ok(t, err)
	equal(t, "session", byID.Session, want.Session)
	equal(t, "member", byID.Member, want.Member)
	equal(t, "tenant", byID.Workspace.Tenant(), want.Workspace.Tenant())
	byToken, err := b.sessions().SessionByToken(t.Context(), "token of m-1")
	ok(t, err)
	equal(t, "by its token", byToken.Session, want.Session)
	_, err = b.sessions().Session(t.Context(), theirs, "session of m-1")
	missing(t, "Session", err)
	ok(t, b.login(t.Context(), func(ctx context.Context, tx session.Tx) error {
		other := want.Session
		other.MemberID = "m-2"
		foreign, err := tx.RevokeSession(ctx, other, start)
		equal(t, "ended by another member", foreign, false)
		return err
	}))
	ok(t, b.sessions().Reused(t.Context(), want.Session, start.Add(time.Second)))
	ok(t, b.sessions().Reused(t.Context(), want.Session, start.Add(time.Minute)))
	byID, err = b.sessions().Session(t.Context(), ours, "session of m-1")
	ok(t, err)
	equal(t, "ended", byID.Session.RevokedAt, start.Add(time.Second))
	equal(t, "audit rows", b.count(t, "audit WHERE action = 'session.reused'"), 1)
	living, err := b.sessions().Sessions(t.Context(), ours, "m-1")
	ok(t, err)
	equal(t, "living", len(living), 0)
}

// Of many who follow one token by another, one does; the old token still finds the session.
func testSessionRotate(t *testing.T, b *bench) {
	b.workspaces(t)
	b.join(t, member(ours, "m-1", auth.RoleManager))
	b.addLogin(t, "m-1")
	var mu sync.Mutex
	var wg sync.WaitGroup
	var won []string
	for _, next := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		wg.Go(func() {
			rotated, err := b.sessions().Rotate(t.Context(), session.Rotation{
				WorkspaceID: ours, SessionID: "session of m-1", From: "token of m-1", To: next, Salt: "salt " + next, Now: start.Add(time.Second), ExpiresAt: start.Add(time.Hour),
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
	equal(t, "rotated", len(won), 1)
	old, err := b.sessions().SessionByToken(t.Context(), "token of m-1")
	ok(t, err)
	want := newSession("m-1")
	want.TokenHash, want.BeforeHash, want.Salt, want.RotatedAt = won[0], "token of m-1", "salt "+won[0], start.Add(time.Second)
	equal(t, "by the old token", old.Session, want)
	equal(t, "tokens", b.count(t, "refresh_directory"), 2)
}

func testSessionsDrop(t *testing.T, b *bench) {
	b.workspaces(t)
	b.join(t, member(ours, "m-1", auth.RoleManager))
	b.addLogin(t, "m-1")
	ok(t, b.sessions().AddChallenge(t.Context(), "hash", "login", start.Add(time.Minute)))
	ok(t, b.sessions().Drop(t.Context(), start.Add(time.Minute-1), start.Add(time.Hour)))
	equal(t, "kept", b.count(t, "sessions")+b.count(t, "refresh_directory")+b.count(t, "login_challenges"), 3)
	ok(t, b.sessions().Drop(t.Context(), start.Add(time.Minute), start.Add(time.Hour+time.Microsecond)))
	equal(t, "left", b.count(t, "sessions")+b.count(t, "refresh_directory")+b.count(t, "login_challenges"), 0)
}
