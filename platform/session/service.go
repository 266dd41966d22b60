package session

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/team"
)

// Service holds the rules of logins.
type Service struct {
	c        Config
	passkeys *webauthn.WebAuthn // nil: nobody can log in
}

// Config is what a Service needs.
type Config struct {
	Store       Store
	Clock       clock.Clock
	Environment string
	RPID        string // WebAuthn relying party
	Origin      string // of the dashboard; empty: nobody can log in
	Key         Key
}

// New makes a Service.
func New(c Config) (*Service, error) {
	s := &Service{c: c}
	if c.Origin == "" {
		return s, nil
	}
	var err error
	s.passkeys, err = webauthn.New(&webauthn.Config{RPID: c.RPID, RPDisplayName: rpName, RPOrigins: []string{c.Origin}})
	if err != nil {
		return nil, fmt.Errorf("the dashboard's origin and the RP id: %w", err)
	}
	return s, nil
}

func (s *Service) ready() error {
	if s.passkeys == nil {
		return team.ErrNoLogin
	}
	return nil
}

// Member finds out whose access token it is, and whether the session still lives.
func (s *Service) Member(ctx context.Context, token string) (auth.Principal, error) {
	if err := s.ready(); err != nil {
		return auth.Principal{}, ErrInvalid.Because(err)
	}
	c, err := s.verify(token)
	if err != nil {
		return auth.Principal{}, err
	}
	l, err := s.c.Store.Session(ctx, c.Workspace, c.Session)
	if errors.Is(err, fault.ErrNotFound) {
		return auth.Principal{}, ErrInvalid.Because(err)
	}
	if err != nil {
		return auth.Principal{}, err
	}
	if !l.Session.RevokedAt.IsZero() || l.Member.ID != c.Subject || l.Workspace.Environment != s.c.Environment {
		return auth.Principal{}, ErrInvalid
	}
	if !s.c.Clock.Now().Before(l.Session.ExpiresAt) {
		return auth.Principal{}, ErrExpired
	}
	return s.principal(l), nil
}

func (s *Service) principal(l Living) auth.Principal {
	return auth.Principal{
		Tenant: l.Workspace.Tenant(), Kind: auth.BySession, ID: l.Member.ID, SessionID: l.Session.ID,
		LoggedInAt: l.Session.CreatedAt, JoinedAt: l.Member.CreatedAt,
		Role: l.Member.Role, Scopes: l.Member.Role.Scopes(), Environment: s.c.Environment,
	}
}

// newSession makes the session of a login and its first refresh token.
func newSession(m team.Member, now time.Time) (Session, Refresh, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return Session{}, Refresh{}, fmt.Errorf("making a session: %w", err)
	}
	token := auth.Secret()
	s := Session{
		WorkspaceID: m.WorkspaceID, ID: id.String(), MemberID: m.ID, TokenHash: auth.Hash(token),
		CreatedAt: now, RotatedAt: now, ExpiresAt: now.Add(lifetime),
	}
	return s, Refresh{token, s.ends()}, nil
}

func (s *Service) opened(l Living) (Opened, error) {
	token, ends, err := s.access(l, s.c.Clock.Now())
	return Opened{
		AccessToken: token, ExpiresAt: clock.ISO(ends), IntegratorID: l.Member.WorkspaceID, Member: l.Member.View(),
	}, err
}

// Refresh gives a new access token for a refresh token, and the refresh token
// that follows it. What a session refreshed is no change that the audit is about.
func (s *Service) Refresh(ctx context.Context, token string) (Opened, Refresh, error) {
	l, err := s.living(ctx, token)
	if err != nil {
		return Opened{}, Refresh{}, err
	}
	now, hash := s.c.Clock.Now(), auth.Hash(token)
	if equal(l.Session.TokenHash, hash) {
		salt := auth.Secret()
		next := successor(token, salt)
		rotated, err := s.c.Store.Rotate(ctx, Rotation{
			WorkspaceID: l.Session.WorkspaceID, SessionID: l.Session.ID, From: hash, To: auth.Hash(next), Salt: salt,
			Now: now, ExpiresAt: l.Session.ExpiresAt,
		})
		if err != nil {
			return Opened{}, Refresh{}, err
		}
		if rotated {
			l.Session.RotatedAt = now
			return s.refreshed(l, next)
		}
		if l, err = s.living(ctx, token); err != nil { // somebody else was first
			return Opened{}, Refresh{}, err
		}
	}
	return s.again(ctx, l, token, now)
}

// living finds the session of a refresh token, where it is not over.
func (s *Service) living(ctx context.Context, token string) (Living, error) {
	if err := s.ready(); err != nil {
		return Living{}, err
	}
	l, err := s.c.Store.SessionByToken(ctx, auth.Hash(token))
	switch {
	case errors.Is(err, fault.ErrNotFound):
		return Living{}, ErrInvalid.Because(err)
	case err != nil:
		return Living{}, err
	case !l.Session.RevokedAt.IsZero() || l.Workspace.Environment != s.c.Environment:
		return Living{}, ErrInvalid
	case !s.c.Clock.Now().Before(l.Session.ends()):
		return Living{}, ErrExpired
	}
	return l, nil
}

// again answers a refresh token that is no longer the current one. For 10 seconds the token before it gets the same
// successor again, so that two tabs which refresh at once end with one token. After that, and for any older token, the
// token was probably stolen: the member and the thief both hold tokens of the session, and the server cannot tell them
// apart. So the session ends.
func (s *Service) again(ctx context.Context, l Living, token string, now time.Time) (Opened, Refresh, error) {
	if equal(l.Session.BeforeHash, auth.Hash(token)) && now.Sub(l.Session.RotatedAt) < grace {
		return s.refreshed(l, successor(token, l.Session.Salt))
	}
	if err := s.c.Store.Reused(ctx, l.Session, now); err != nil {
		return Opened{}, Refresh{}, err
	}
	return Opened{}, Refresh{}, ErrInvalid.Because(errors.New("an old refresh token was shown; its session is ended"))
}

func (s *Service) refreshed(l Living, token string) (Opened, Refresh, error) {
	o, err := s.opened(l)
	return o, Refresh{token, l.Session.ends()}, err
}

// Logout ends the session of a refresh token. Without one, or with one that is
// over, there is nothing to do.
func (s *Service) Logout(ctx context.Context, cmd *command.Command, token string) (command.Answer, error) {
	reply := command.Reply{Status: 200, Message: "Logged out", Data: struct{}{}}
	l, err := s.living(ctx, token)
	if errors.Is(err, ErrInvalid) || errors.Is(err, ErrExpired) {
		body, err := cmd.Render(reply)
		return command.Answer{Status: reply.Status, Body: body}, err
	}
	if err != nil {
		return command.Answer{}, err
	}
	now := s.c.Clock.Now()
	cmd.Principal = s.principal(l)
	reply.Audit = command.Audit{Action: "session.end", Resource: l.Session.ID}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		_, err := tx.RevokeSession(ctx, l.Session, now)
		return reply, err
	})
}

// Sweep drops what is over. A session is kept for a day more, so that its tokens
// are told what became of it.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.c.Clock.Now()
	return s.c.Store.Drop(ctx, now, now.Add(-24*time.Hour))
}

// successor is the refresh token that follows one. It takes the token and the
// salt to know it: the database holds the salt, and of the token only the hash.
func successor(token, salt string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("railkit refresh " + salt))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
