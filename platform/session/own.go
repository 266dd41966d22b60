package session

import (
	"context"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/team"
)

// Me is who calls, in the words of the dashboard's contract.
type Me struct {
	Integrator MyIntegrator `json:"integrator"`
	Member     MyMember     `json:"member"`
}

// MyIntegrator is the caller's workspace.
type MyIntegrator struct {
	ID            string        `json:"id" format:"uuid"`
	Name          string        `json:"name"`
	Environment   string        `json:"environment" enum:"sandbox,production"`
	KYBStatus     string        `json:"kyb_status"`
	ActiveModules []auth.Module `json:"active_modules"`
	CreatedAt     string        `json:"created_at" format:"date-time"`
}

// MyMember is the caller.
type MyMember struct {
	ID           string    `json:"id"`
	Email        string    `json:"email"`
	InternalRole auth.Role `json:"internal_role" enum:"admin,manager,auditor,viewer"`
}

// Me shows who calls.
func (s *Service) Me(ctx context.Context, p auth.Principal) (Me, error) {
	l, err := s.c.Store.Session(ctx, p.WorkspaceID, p.SessionID)
	if err != nil {
		return Me{}, err
	}
	w := l.Workspace
	return Me{
		Integrator: MyIntegrator{w.ID, w.Name, w.Environment, w.KYBStatus, w.Modules, clock.ISO(w.CreatedAt)},
		Member:     MyMember{l.Member.ID, l.Member.Email, l.Member.Role},
	}, nil
}

// Passkeys lists the caller's login passkeys.
func (s *Service) Passkeys(ctx context.Context, p auth.Principal) ([]LoginPasskeyView, error) {
	has, err := s.c.Store.Passkeys(ctx, p.WorkspaceID, p.ID)
	views := make([]LoginPasskeyView, len(has))
	for i, passkey := range has {
		views[i] = passkey.view()
	}
	return views, err
}

func forAnother(m team.Member) string { return "passkey " + m.WorkspaceID + " " + m.ID }

// AskPasskey asks for one more passkey of the caller.
func (s *Service) AskPasskey(ctx context.Context, p auth.Principal) (PasskeyOptions, error) {
	m, err := s.member(ctx, p)
	if err != nil {
		return PasskeyOptions{}, err
	}
	has, err := s.c.Store.Passkeys(ctx, p.WorkspaceID, p.ID)
	if err != nil {
		return PasskeyOptions{}, err
	}
	challenge, err := s.ask(ctx, forAnother(m))
	return s.creationOptions(m, has, challenge), err
}

// AddPasskey takes one more passkey of the caller.
func (s *Service) AddPasskey(
	ctx context.Context, cmd *command.Command, c Credential, label string,
) (command.Answer, error) {
	m, err := s.member(ctx, cmd.Principal)
	if err != nil {
		return command.Answer{}, err
	}
	made, challenge, err := s.created(m, c)
	if err != nil {
		return command.Answer{}, err
	}
	now := s.c.Clock.Now()
	p, err := newPasskey(m, made, label, now)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if err := room(ctx, tx, m); err != nil {
			return command.Reply{}, err
		}
		return command.Reply{
			Status: 201, Message: "Passkey added", Data: p.view(),
			Audit: command.Audit{Action: "login_passkey.create", Resource: p.ID},
		}, keep(ctx, tx, p, challenge, forAnother(m), now)
	})
}

// room holds the member's passkeys. Who has none was removed meanwhile.
func room(ctx context.Context, tx Tx, m team.Member) error {
	has, err := tx.LockLoginPasskeys(ctx, m.WorkspaceID, m.ID)
	switch {
	case err != nil:
		return err
	case has == 0:
		return fault.Missing("Member")
	case has >= mostPasskeys:
		return ErrTooManyPasskeys
	}
	return nil
}

// DeletePasskey deletes a passkey of the caller, unless it is the last.
func (s *Service) DeletePasskey(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	p := cmd.Principal
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		left, err := tx.LockLoginPasskeys(ctx, p.WorkspaceID, p.ID)
		if err != nil {
			return command.Reply{}, err
		}
		deleted, err := tx.DeleteLoginPasskey(ctx, p.WorkspaceID, p.ID, id)
		switch {
		case err == nil && !deleted:
			err = fault.Missing("Passkey")
		case err == nil && left <= 1:
			err = ErrLastPasskey // and the deletion is undone
		}
		return command.Reply{
			Status: 200, Message: "Passkey deleted", Data: team.Removed{ID: id},
			Audit: command.Audit{Action: "login_passkey.delete", Resource: id},
		}, err
	})
}

// SessionView is what the API shows of a session.
type SessionView struct {
	ID          string `json:"id"`
	Current     bool   `json:"current" doc:"The one that asks"`
	CreatedAt   string `json:"createdAt" format:"date-time"`
	RefreshedAt string `json:"refreshedAt" format:"date-time"`
	ExpiresAt   string `json:"expiresAt" format:"date-time" doc:"If it is not refreshed before"`
}

// Sessions lists the caller's sessions that live.
func (s *Service) Sessions(ctx context.Context, p auth.Principal) ([]SessionView, error) {
	all, err := s.c.Store.Sessions(ctx, p.WorkspaceID, p.ID)
	views, now := []SessionView{}, s.c.Clock.Now()
	for _, each := range all {
		if now.Before(each.ends()) {
			views = append(views, SessionView{
				ID: each.ID, Current: each.ID == p.SessionID, CreatedAt: clock.ISO(each.CreatedAt),
				RefreshedAt: clock.ISO(each.RotatedAt), ExpiresAt: clock.ISO(each.ends()),
			})
		}
	}
	return views, err
}

// EndSession ends a session of the caller.
func (s *Service) EndSession(ctx context.Context, cmd *command.Command, id string) (command.Answer, error) {
	p, now := cmd.Principal, s.c.Clock.Now()
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		ended, err := tx.RevokeSession(ctx, Session{WorkspaceID: p.WorkspaceID, MemberID: p.ID, ID: id}, now)
		if err == nil && !ended {
			err = fault.Missing("Session")
		}
		return command.Reply{
			Status: 200, Message: "Session ended", Data: team.Removed{ID: id},
			Audit: command.Audit{Action: "session.end", Resource: id},
		}, err
	})
}
