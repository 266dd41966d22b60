package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/team"
)

// forLogin is the purpose of a login's challenge; the others name whom they are for.
const forLogin = "login"

// ask makes a challenge. The database learns its hash.
func (s *Service) ask(ctx context.Context, purpose string) (string, error) {
	challenge := auth.Secret()
	return challenge, s.c.Store.AddChallenge(ctx, auth.Hash(challenge), purpose, s.c.Clock.Now().Add(challengeLife))
}

// BeginLogin makes a challenge for whatever passkey the browser finds.
func (s *Service) BeginLogin(ctx context.Context) (LoginOptions, error) {
	if err := s.ready(); err != nil {
		return LoginOptions{}, err
	}
	challenge, err := s.ask(ctx, forLogin)
	return LoginOptions{challenge, s.c.RPID, "required", challengeLife.Milliseconds()}, err
}

// FinishLogin opens a session for the member whose passkey answered.
func (s *Service) FinishLogin(
	ctx context.Context, cmd *command.Command, c Credential,
) (command.Answer, Refresh, error) {
	if err := s.ready(); err != nil {
		return command.Answer{}, Refresh{}, err
	}
	l, p, challenge, err := s.login(ctx, c)
	if err != nil {
		return command.Answer{}, Refresh{}, err
	}
	now := s.c.Clock.Now()
	cmd.Principal = s.principal(l)
	did := command.Audit{Action: "session.login"}
	if p.synced() {
		did.Detail = map[string]string{"passkeySynced": p.ID}
	}
	return s.open(ctx, cmd, l, now, did, func(ctx context.Context, tx Tx) error {
		if err := take(ctx, tx, challenge, forLogin, now); err != nil {
			return err
		}
		used, err := tx.UseLoginPasskey(ctx, p, now)
		if err == nil && !used {
			err = ErrLogin.Because(errors.New("the passkey was used at the same time, or deleted"))
		}
		return err
	})
}

// login finds the member of an answer, and the passkey as it is after it. Why one
// is refused only the log says: who tries passkeys learns nothing.
func (s *Service) login(ctx context.Context, c Credential) (l Living, p Passkey, challenge string, err error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return l, p, "", ErrLogin.Because(err)
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(raw)
	if err != nil {
		return l, p, "", ErrLogin.Because(err)
	}
	p, err = s.c.Store.PasskeyByCredential(ctx, credentialID(parsed.RawID))
	if err == nil {
		l.Member, err = s.c.Store.Member(ctx, p.WorkspaceID, p.MemberID)
	}
	if err == nil {
		l.Workspace, err = s.c.Store.Workspace(ctx, p.WorkspaceID)
	}
	if errors.Is(err, fault.ErrNotFound) {
		return l, p, "", ErrLogin.Because(err)
	}
	if err != nil {
		return l, p, "", err
	}
	if l.Workspace.Environment != s.c.Environment {
		return l, p, "", ErrLogin
	}
	if p.Credential, err = s.asserted(l.Member, p, parsed); err != nil {
		return l, p, "", ErrLogin.Because(err)
	}
	return l, p, parsed.Response.CollectedClientData.Challenge, nil
}

// open commits what opens a session, and the session.
func (s *Service) open(ctx context.Context, cmd *command.Command, l Living, now time.Time, did command.Audit,
	first func(context.Context, Tx) error,
) (command.Answer, Refresh, error) {
	made, refresh, err := newSession(l.Member, now)
	if err != nil {
		return command.Answer{}, Refresh{}, err
	}
	l.Session = made
	data, err := s.opened(l)
	if err != nil {
		return command.Answer{}, Refresh{}, err
	}
	answer, err := s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		err := first(ctx, tx)
		if err == nil {
			err = tx.InsertSession(ctx, made)
		}
		return command.Reply{
			Status: 201, Message: "Logged in", Data: data,
			Audit: openedBy(did, made.ID, l.Member.ID),
		}, err
	})
	return answer, refresh, err
}

// openedBy completes the audit entry of what opened a session.
func openedBy(did command.Audit, session, member string) command.Audit {
	detail := map[string]string{"memberId": member}
	maps.Copy(detail, did.Detail)
	did.Resource, did.Detail = session, detail
	return did
}

func take(ctx context.Context, tx Tx, challenge, purpose string, now time.Time) error {
	taken, err := tx.TakeChallenge(ctx, auth.Hash(challenge), purpose, now)
	if err == nil && !taken {
		err = ErrLogin.Because(errors.New("no such challenge, or not any more"))
	}
	return err
}

// newPasskey is the row of a passkey that was made.
func newPasskey(m team.Member, c webauthn.Credential, label string, now time.Time) (Passkey, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return Passkey{}, fmt.Errorf("making a login passkey: %w", err)
	}
	if label == "" {
		label = "Passkey"
	}
	return Passkey{WorkspaceID: m.WorkspaceID, ID: id.String(), MemberID: m.ID, Credential: c, Label: label,
		CreatedAt: now, LastUsedAt: now}, nil
}

// keep inserts a new passkey that answered its challenge.
func keep(ctx context.Context, tx Tx, p Passkey, challenge, purpose string, now time.Time) error {
	if err := take(ctx, tx, challenge, purpose, now); err != nil {
		return err
	}
	fresh, err := tx.InsertLoginPasskey(ctx, p)
	if err == nil && !fresh {
		err = ErrPasskeyKnown
	}
	return err
}

// LoginPasskeyView is what the API shows of a login passkey.
type LoginPasskeyView struct {
	ID         string `json:"id"`
	Label      string `json:"label"`
	CreatedAt  string `json:"createdAt" format:"date-time"`
	LastUsedAt string `json:"lastUsedAt" format:"date-time"`
}

func (p Passkey) view() LoginPasskeyView {
	return LoginPasskeyView{p.ID, p.Label, clock.ISO(p.CreatedAt), clock.ISO(p.LastUsedAt)}
}

// member is the caller itself.
func (s *Service) member(ctx context.Context, p auth.Principal) (team.Member, error) {
	return s.c.Store.Member(ctx, p.WorkspaceID, p.ID)
}
