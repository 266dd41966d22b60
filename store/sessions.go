package store

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/store/db"
)

// Sessions is the store as logins see it.
type Sessions struct{ scope[session.Tx] }

// Sessions returns it.
func (s *Store) Sessions() Sessions {
	return Sessions{scope[session.Tx]{s, func(t *tx) session.Tx { return t }}}
}

var _ session.Store = Sessions{}

// InvitationByToken finds the invitation of a token's hash.
func (s Sessions) InvitationByToken(ctx context.Context, hash string) (team.Invitation, error) {
	row, err := s.read.InvitationByToken(ctx, hash)
	return one("Invitation", row, err, invitation)
}

// PasskeyByCredential finds a login passkey by what its browser calls it.
func (s Sessions) PasskeyByCredential(ctx context.Context, credentialID string) (session.Passkey, error) {
	row, err := s.read.LoginPasskeyByCredential(ctx, credentialID)
	return one("Passkey", row, err, loginPasskey)
}

// Passkeys lists a member's login passkeys, oldest first.
func (s Sessions) Passkeys(ctx context.Context, workspaceID, memberID string) ([]session.Passkey, error) {
	rows, err := s.read.LoginPasskeys(ctx, workspaceID, memberID)
	return many(rows, err, loginPasskey)
}

// Session finds one and whose it is.
func (s Sessions) Session(ctx context.Context, workspaceID, id string) (session.Living, error) {
	row, err := s.read.Session(ctx, workspaceID, id)
	return one("Session", db.SessionByTokenRow(row), err, living)
}

// SessionByToken finds a session by a refresh token that it has or had.
func (s Sessions) SessionByToken(ctx context.Context, hash string) (session.Living, error) {
	row, err := s.read.SessionByToken(ctx, hash)
	return one("Session", row, err, living)
}

// Sessions lists a member's sessions that nobody ended, oldest first.
func (s Sessions) Sessions(ctx context.Context, workspaceID, memberID string) ([]session.Session, error) {
	rows, err := s.read.SessionsOf(ctx, workspaceID, memberID)
	return many(rows, err, login)
}

// AddChallenge keeps a challenge's hash.
func (s Sessions) AddChallenge(ctx context.Context, hash, purpose string, expiresAt time.Time) error {
	return s.transact(ctx, func(tx *tx) error {
		return doing("inserting a challenge", tx.q.InsertLoginChallenge(ctx, hash, purpose, micros(expiresAt)))
	})
}

// Rotate puts a refresh token in the place of the one that is good.
func (s Sessions) Rotate(ctx context.Context, r session.Rotation) (rotated bool, err error) {
	err = s.transact(ctx, func(tx *tx) error {
		n, err := tx.q.RotateSession(ctx, db.RotateSessionParams{
			WorkspaceID: r.WorkspaceID, ID: r.SessionID, TokenHash: r.From, Next: r.To, Salt: r.Salt, Now: micros(r.Now),
		})
		rotated = n == 1
		if err != nil || !rotated {
			return doing("rotating a refresh token", err)
		}
		return tx.listToken(ctx, r.WorkspaceID, r.SessionID, r.To, r.ExpiresAt)
	})
	return rotated && err == nil, err
}

// Reused ends a session of which an old refresh token was shown.
func (s Sessions) Reused(ctx context.Context, of session.Session, now time.Time) error {
	return s.transact(ctx, func(tx *tx) error {
		ended, err := tx.RevokeSession(ctx, of, now)
		if err != nil || !ended {
			return err
		}
		return tx.audit(ctx, audit.Entry{WorkspaceID: of.WorkspaceID, Actor: audit.System}, command.Audit{
			Action: "session.reused", Resource: of.ID, Detail: map[string]string{"memberId": of.MemberID},
		})
	})
}

// Drop deletes challenges and sessions that were over at the instants.
func (s Sessions) Drop(ctx context.Context, challenges, sessions time.Time) error {
	return s.transact(ctx, func(tx *tx) error {
		err := tx.q.DropLoginChallenges(ctx, micros(challenges))
		if err == nil {
			err = tx.q.DropRefreshTokens(ctx, micros(sessions))
		}
		if err == nil {
			err = tx.q.DropSessions(ctx, micros(sessions))
		}
		return doing("dropping old logins", err)
	})
}

func loginPasskey(r db.LoginPasskey) (session.Passkey, error) {
	p := session.Passkey{
		WorkspaceID: r.WorkspaceID, ID: r.ID, MemberID: r.MemberID, Stored: r.Credential, Label: r.Label,
		CreatedAt: instant(r.CreatedAt), LastUsedAt: instant(r.LastUsedAt),
	}
	if err := json.Unmarshal([]byte(r.Credential), &p.Credential); err != nil {
		return p, fmt.Errorf("reading a login passkey: %w", err)
	}
	return p, nil
}

func credential(c webauthn.Credential) (string, error) {
	text, err := json.Marshal(c)
	return string(text), doing("writing a login passkey", err)
}

func login(r db.Session) (session.Session, error) {
	return session.Session{
		WorkspaceID: r.WorkspaceID, ID: r.ID, MemberID: r.MemberID, TokenHash: r.TokenHash, BeforeHash: r.BeforeHash, Salt: r.Salt,
		CreatedAt: instant(r.CreatedAt), RotatedAt: instant(r.RotatedAt), ExpiresAt: instant(r.ExpiresAt), RevokedAt: instant(r.RevokedAt),
	}, nil
}

func living(r db.SessionByTokenRow) (l session.Living, err error) {
	if l.Workspace, err = workspaceRow(r.Workspace); err != nil {
		return l, err
	}
	l.Session, _ = login(r.Session) // these two
	l.Member, _ = member(r.Member)  // never fail
	return l, nil
}

func (t *tx) TakeChallenge(ctx context.Context, hash, purpose string, now time.Time) (bool, error) {
	n, err := t.q.TakeLoginChallenge(ctx, hash, purpose, micros(now))
	return n == 1, doing("taking a challenge", err)
}

func (t *tx) InsertLoginPasskey(ctx context.Context, p session.Passkey) (bool, error) {
	text, err := credential(p.Credential)
	if err != nil {
		return false, err
	}
	n, err := t.q.ClaimCredential(ctx, base64.RawURLEncoding.EncodeToString(p.Credential.ID), p.WorkspaceID, p.ID)
	if err != nil || n == 0 {
		return false, doing("listing a login passkey", err)
	}
	return true, doing("inserting a login passkey", t.q.InsertLoginPasskey(ctx, db.InsertLoginPasskeyParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, MemberID: p.MemberID, Credential: text, Label: p.Label,
		CreatedAt: micros(p.CreatedAt), LastUsedAt: micros(p.LastUsedAt),
	}))
}

// UseLoginPasskey notes a login's counter, unless another login was noted meanwhile.
func (t *tx) UseLoginPasskey(ctx context.Context, p session.Passkey, now time.Time) (bool, error) {
	text, err := credential(p.Credential)
	if err != nil {
		return false, err
	}
	n, err := t.q.UseLoginPasskey(ctx, db.UseLoginPasskeyParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, Old: p.Stored, Credential: text, Now: micros(now),
	})
	return n == 1, doing("noting a login", err)
}

func (t *tx) LockLoginPasskeys(ctx context.Context, workspaceID, memberID string) (int, error) {
	if err := t.q.LockLoginPasskeys(ctx, workspaceID, memberID); err != nil {
		return 0, doing("holding login passkeys", err)
	}
	n, err := t.q.CountLoginPasskeys(ctx, workspaceID, memberID)
	return int(n), doing("counting login passkeys", err)
}

func (t *tx) DeleteLoginPasskey(ctx context.Context, workspaceID, memberID, id string) (bool, error) {
	n, err := t.q.DeleteLoginPasskey(ctx, workspaceID, memberID, id)
	if err != nil || n == 0 {
		return false, doing("deleting a login passkey", err)
	}
	return true, doing("deleting a login passkey", t.q.UnlistLoginPasskey(ctx, workspaceID, id))
}

func (t *tx) InsertSession(ctx context.Context, s session.Session) error {
	err := t.q.InsertSession(ctx, db.InsertSessionParams{
		WorkspaceID: s.WorkspaceID, ID: s.ID, MemberID: s.MemberID, TokenHash: s.TokenHash, BeforeHash: s.BeforeHash, Salt: s.Salt,
		CreatedAt: micros(s.CreatedAt), RotatedAt: micros(s.RotatedAt), ExpiresAt: micros(s.ExpiresAt), RevokedAt: micros(s.RevokedAt),
	})
	if err != nil {
		return doing("inserting a session", err)
	}
	return t.listToken(ctx, s.WorkspaceID, s.ID, s.TokenHash, s.ExpiresAt)
}

func (t *tx) listToken(ctx context.Context, workspaceID, sessionID, hash string, expiresAt time.Time) error {
	return doing("listing a refresh token", t.q.ListRefreshToken(ctx, db.ListRefreshTokenParams{
		TokenHash: hash, WorkspaceID: workspaceID, SessionID: sessionID, ExpiresAt: micros(expiresAt),
	}))
}

func (t *tx) RevokeSession(ctx context.Context, s session.Session, now time.Time) (bool, error) {
	n, err := t.q.RevokeSession(ctx, db.RevokeSessionParams{WorkspaceID: s.WorkspaceID, MemberID: s.MemberID, ID: s.ID, Now: micros(now)})
	return n == 1, doing("ending a session", err)
}
