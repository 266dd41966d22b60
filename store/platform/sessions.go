package platform

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Sessions is the database as logins see it.
type Sessions struct {
	Store
	sqldb.Writer[session.Tx]
}

// Sessions returns it.
func (s Store) Sessions() Sessions {
	return Sessions{s, sqldb.WriterOf(s.db, func(t *sqldb.Tx) session.Tx { return tx{t} })}
}

var _ session.Store = Sessions{}

// InvitationByToken finds the invitation of a token's hash.
func (s Sessions) InvitationByToken(ctx context.Context, hash string) (team.Invitation, error) {
	row, err := s.db.Read.InvitationByToken(ctx, hash)
	return sqldb.One("Invitation", row, err, invitation)
}

// PasskeyByCredential finds a login passkey by what its browser calls it.
func (s Sessions) PasskeyByCredential(ctx context.Context, credentialID string) (session.Passkey, error) {
	row, err := s.db.Read.LoginPasskeyByCredential(ctx, credentialID)
	return sqldb.One("Passkey", row, err, loginPasskey)
}

// Passkeys lists a member's login passkeys, oldest first.
func (s Sessions) Passkeys(ctx context.Context, workspaceID, memberID string) ([]session.Passkey, error) {
	rows, err := s.db.Read.LoginPasskeys(ctx, workspaceID, memberID)
	return sqldb.Many(rows, err, loginPasskey)
}

// Session finds one and whose it is.
func (s Sessions) Session(ctx context.Context, workspaceID, id string) (session.Living, error) {
	row, err := s.db.Read.Session(ctx, workspaceID, id)
	return sqldb.One("Session", db.SessionByTokenRow(row), err, living)
}

// SessionByToken finds a session by a refresh token that it has or had.
func (s Sessions) SessionByToken(ctx context.Context, hash string) (session.Living, error) {
	row, err := s.db.Read.SessionByToken(ctx, hash)
	return sqldb.One("Session", row, err, living)
}

// Sessions lists a member's sessions that nobody ended, oldest first.
func (s Sessions) Sessions(ctx context.Context, workspaceID, memberID string) ([]session.Session, error) {
	rows, err := s.db.Read.SessionsOf(ctx, workspaceID, memberID)
	return sqldb.Many(rows, err, login)
}

// AddChallenge keeps a challenge's hash.
func (s Sessions) AddChallenge(ctx context.Context, hash, purpose string, expiresAt time.Time) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		return sqldb.Doing(
			"inserting a challenge", t.Q.InsertLoginChallenge(ctx, hash, purpose, sqldb.Micros(expiresAt)),
		)
	})
}

// Rotate puts a refresh token in the place of the one that is good.
func (s Sessions) Rotate(ctx context.Context, r session.Rotation) (rotated bool, err error) {
	err = s.db.Transact(ctx, func(t *sqldb.Tx) error {
		n, err := t.Q.RotateSession(ctx, db.RotateSessionParams{
			WorkspaceID: r.WorkspaceID, ID: r.SessionID, TokenHash: r.From, Next: r.To, Salt: r.Salt,
			Now: sqldb.Micros(r.Now),
		})
		rotated = n == 1
		if err != nil || !rotated {
			return sqldb.Doing("rotating a refresh token", err)
		}
		return tx{t}.listToken(ctx, r.WorkspaceID, r.SessionID, r.To, r.ExpiresAt)
	})
	return rotated && err == nil, err
}

// Reused ends a session of which an old refresh token was shown.
func (s Sessions) Reused(ctx context.Context, of session.Session, now time.Time) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		ended, err := tx{t}.RevokeSession(ctx, of, now)
		if err != nil || !ended {
			return err
		}
		return t.Audit(audit.Entry{WorkspaceID: of.WorkspaceID, Actor: audit.System}, command.Audit{
			Action: "session.reused", Resource: of.ID, Detail: map[string]string{"memberId": of.MemberID},
		})
	})
}

// Drop deletes challenges and sessions that were over at the instants.
func (s Sessions) Drop(ctx context.Context, challenges, sessions time.Time) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		err := t.Q.DropLoginChallenges(ctx, sqldb.Micros(challenges))
		if err == nil {
			err = t.Q.DropRefreshTokens(ctx, sqldb.Micros(sessions))
		}
		if err == nil {
			err = t.Q.DropSessions(ctx, sqldb.Micros(sessions))
		}
		return sqldb.Doing("dropping old logins", err)
	})
}

func loginPasskey(r db.LoginPasskey) (session.Passkey, error) {
	p := session.Passkey{
		WorkspaceID: r.WorkspaceID, ID: r.ID, MemberID: r.MemberID, Stored: r.Credential, Label: r.Label,
		CreatedAt: sqldb.Instant(r.CreatedAt), LastUsedAt: sqldb.Instant(r.LastUsedAt),
	}
	if err := json.Unmarshal([]byte(r.Credential), &p.Credential); err != nil {
		return p, sqldb.Doing("reading a login passkey", err)
	}
	return p, nil
}

func credential(c webauthn.Credential) (string, error) {
	text, err := json.Marshal(c)
	return string(text), sqldb.Doing("writing a login passkey", err)
}

func login(r db.Session) (session.Session, error) {
	return session.Session{
		WorkspaceID: r.WorkspaceID, ID: r.ID, MemberID: r.MemberID, TokenHash: r.TokenHash, BeforeHash: r.BeforeHash,
		Salt:      r.Salt,
		CreatedAt: sqldb.Instant(r.CreatedAt), RotatedAt: sqldb.Instant(r.RotatedAt),
		ExpiresAt: sqldb.Instant(r.ExpiresAt), RevokedAt: sqldb.Instant(r.RevokedAt),
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

func (t tx) TakeChallenge(ctx context.Context, hash, purpose string, now time.Time) (bool, error) {
	n, err := t.Q.TakeLoginChallenge(ctx, hash, purpose, sqldb.Micros(now))
	return n == 1, sqldb.Doing("taking a challenge", err)
}

func (t tx) InsertLoginPasskey(ctx context.Context, p session.Passkey) (bool, error) {
	text, err := credential(p.Credential)
	if err != nil {
		return false, err
	}
	n, err := t.Q.ClaimCredential(ctx, base64.RawURLEncoding.EncodeToString(p.Credential.ID), p.WorkspaceID, p.ID)
	if err != nil || n == 0 {
		return false, sqldb.Doing("listing a login passkey", err)
	}
	t.Tell(event.Change{
		Type: event.MemberPasskeyAdded, WorkspaceID: p.WorkspaceID, Object: p.MemberID, Data: rest.EventMember{},
	})
	return true, sqldb.Doing("inserting a login passkey", t.Q.InsertLoginPasskey(ctx, db.InsertLoginPasskeyParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, MemberID: p.MemberID, Credential: text, Label: p.Label,
		CreatedAt: sqldb.Micros(p.CreatedAt), LastUsedAt: sqldb.Micros(p.LastUsedAt),
	}))
}

// UseLoginPasskey notes a login's counter, unless another login was noted meanwhile.
func (t tx) UseLoginPasskey(ctx context.Context, p session.Passkey, now time.Time) (bool, error) {
	text, err := credential(p.Credential)
	if err != nil {
		return false, err
	}
	n, err := t.Q.UseLoginPasskey(ctx, db.UseLoginPasskeyParams{
		WorkspaceID: p.WorkspaceID, ID: p.ID, Old: p.Stored, Credential: text, Now: sqldb.Micros(now),
	})
	return n == 1, sqldb.Doing("noting a login", err)
}

func (t tx) LockLoginPasskeys(ctx context.Context, workspaceID, memberID string) (int, error) {
	if err := t.Q.LockLoginPasskeys(ctx, workspaceID, memberID); err != nil {
		return 0, sqldb.Doing("holding login passkeys", err)
	}
	n, err := t.Q.CountLoginPasskeys(ctx, workspaceID, memberID)
	return int(n), sqldb.Doing("counting login passkeys", err)
}

func (t tx) DeleteLoginPasskey(ctx context.Context, workspaceID, memberID, id string) (bool, error) {
	n, err := t.Q.DeleteLoginPasskey(ctx, workspaceID, memberID, id)
	if err != nil || n == 0 {
		return false, sqldb.Doing("deleting a login passkey", err)
	}
	return true, sqldb.Doing("deleting a login passkey", t.Q.UnlistLoginPasskey(ctx, workspaceID, id))
}

func (t tx) InsertSession(ctx context.Context, s session.Session) error {
	err := t.Q.InsertSession(ctx, db.InsertSessionParams{
		WorkspaceID: s.WorkspaceID, ID: s.ID, MemberID: s.MemberID, TokenHash: s.TokenHash, BeforeHash: s.BeforeHash,
		Salt:      s.Salt,
		CreatedAt: sqldb.Micros(s.CreatedAt), RotatedAt: sqldb.Micros(s.RotatedAt),
		ExpiresAt: sqldb.Micros(s.ExpiresAt), RevokedAt: sqldb.Micros(s.RevokedAt),
	})
	if err != nil {
		return sqldb.Doing("inserting a session", err)
	}
	return t.listToken(ctx, s.WorkspaceID, s.ID, s.TokenHash, s.ExpiresAt)
}

func (t tx) listToken(ctx context.Context, workspaceID, sessionID, hash string, expiresAt time.Time) error {
	return sqldb.Doing("listing a refresh token", t.Q.ListRefreshToken(ctx, db.ListRefreshTokenParams{
		TokenHash: hash, WorkspaceID: workspaceID, SessionID: sessionID, ExpiresAt: sqldb.Micros(expiresAt),
	}))
}

func (t tx) RevokeSession(ctx context.Context, s session.Session, now time.Time) (bool, error) {
	n, err := t.Q.RevokeSession(
		ctx, db.RevokeSessionParams{WorkspaceID: s.WorkspaceID, MemberID: s.MemberID, ID: s.ID, Now: sqldb.Micros(now)},
	)
	return n == 1, sqldb.Doing("ending a session", err)
}
