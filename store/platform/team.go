package platform

import (
	"context"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// Team is the database as the team sees it.
type Team struct {
	Store
	sqldb.Writer[team.Tx]
}

// Team returns it.
func (s Store) Team() Team {
	return Team{s, sqldb.WriterOf(s.db, func(t *sqldb.Tx) team.Tx { return tx{t} })}
}

var _ team.Store = Team{}

// Member finds one.
func (s Store) Member(ctx context.Context, workspaceID, id string) (team.Member, error) {
	row, err := s.db.Read.Member(ctx, workspaceID, id)
	return sqldb.One("Member", row, err, member)
}

// Members lists a page of members, newest first, and counts all.
func (s Team) Members(ctx context.Context, workspaceID string, p page.Page) ([]team.Member, int, error) {
	total, err := s.db.Read.CountMembers(ctx, workspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting members", err)
	}
	rows, err := db.New(s.db.Query(1).Newest(p)).ListMembers(ctx, workspaceID)
	return sqldb.Listed(total, rows, err, member)
}

// Invitation finds one.
func (s Team) Invitation(ctx context.Context, workspaceID, id string) (team.Invitation, error) {
	row, err := s.db.Read.Invitation(ctx, workspaceID, id)
	return sqldb.One("Invitation", row, err, invitation)
}

// Invitations lists a page of invitations, newest first, and counts all.
func (s Team) Invitations(ctx context.Context, workspaceID string, p page.Page) ([]team.Invitation, int, error) {
	total, err := s.db.Read.CountInvitations(ctx, workspaceID)
	if err != nil {
		return nil, 0, sqldb.Reading("counting invitations", err)
	}
	rows, err := db.New(s.db.Query(1).Newest(p)).ListInvitations(ctx, workspaceID)
	return sqldb.Listed(total, rows, err, invitation)
}

// Unsent lists open invitations whose mail is queued since before the instant.
func (s Team) Unsent(ctx context.Context, now, before time.Time) ([]team.Invitation, error) {
	rows, err := s.db.Read.UnsentInvitations(ctx, sqldb.Micros(now), sqldb.Micros(before))
	return sqldb.Many(rows, err, invitation)
}

// QueueMail makes a job of sending the invitation.
func (s Team) QueueMail(ctx context.Context, workspaceID, id string) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		return t.Enqueue(ctx, job.Job{Kind: team.JobMail, WorkspaceID: workspaceID, ID: id})
	})
}

// ListToken has the invitation be found by a token's hash.
func (s Team) ListToken(ctx context.Context, workspaceID, id, tokenHash string) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		return sqldb.Doing("listing an invitation", t.Q.ListInvitationToken(ctx, tokenHash, workspaceID, id))
	})
}

// Mailed notes what became of an invitation's mail.
func (s Team) Mailed(ctx context.Context, workspaceID, id string, status mail.Status) error {
	return s.db.Transact(ctx, func(t *sqldb.Tx) error {
		if err := (tx{t}).SetMailStatus(ctx, workspaceID, id, status); err != nil {
			return err
		}
		return t.Audit(audit.Entry{WorkspaceID: workspaceID, Actor: audit.System}, command.Audit{
			Action: "invitation.mail", Resource: id, Detail: map[string]string{"status": string(status)},
		})
	})
}

func member(r db.Member) (team.Member, error) {
	muted, err := sqldb.Unlist[string](r.Muted)
	return team.Member{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Email: r.Email, Role: auth.Role(r.Role),
		Language: mail.Language(r.Language), Muted: muted,
		CreatedAt: sqldb.Instant(r.CreatedAt), UpdatedAt: sqldb.Instant(r.UpdatedAt),
	}, err
}

func invitation(r db.Invitation) (team.Invitation, error) {
	return team.Invitation{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Email: r.Email, Role: auth.Role(r.Role), State: team.State(r.State),
		Mail: mail.Status(r.MailStatus), Language: mail.Language(r.Language), CreatedAt: sqldb.Instant(r.CreatedAt),
		ExpiresAt: sqldb.Instant(r.ExpiresAt), EndedAt: sqldb.Instant(r.EndedAt),
	}, nil
}

func (t tx) LockAdmins(ctx context.Context, workspaceID string) (int, error) {
	if _, err := t.Q.HoldWorkspace(ctx, workspaceID); err != nil { // who makes a key holds it too
		return 0, sqldb.Doing("holding a workspace", err)
	}
	n, err := t.Q.LockAdmins(ctx, workspaceID)
	return int(n), sqldb.Doing("locking the admins", err)
}

func (t tx) Member(ctx context.Context, workspaceID, id string) (team.Member, error) {
	row, err := t.Q.Member(ctx, workspaceID, id)
	return sqldb.One("Member", row, err, member)
}

// RoleOf is what a member is now.
func (t tx) RoleOf(ctx context.Context, workspaceID, id string) (auth.Role, error) {
	m, err := t.Member(ctx, workspaceID, id)
	return m.Role, err
}

func (t tx) HasMember(ctx context.Context, workspaceID, email string) (bool, error) {
	_, err := t.Q.MemberByEmail(ctx, workspaceID, sqldb.Fold(email))
	if sqldb.None(err) {
		return false, nil
	}
	return err == nil, sqldb.Doing("looking for a member", err)
}

func (t tx) InsertMember(ctx context.Context, m team.Member) (bool, error) {
	n, err := t.Q.InsertMember(ctx, db.InsertMemberParams{
		WorkspaceID: m.WorkspaceID, ID: m.ID, Email: m.Email, FoldedEmail: sqldb.Fold(m.Email), Role: string(m.Role),
		Language: string(m.Language.Or()), CreatedAt: sqldb.Micros(m.CreatedAt), UpdatedAt: sqldb.Micros(m.UpdatedAt),
	})
	return n == 1, t.Told("inserting a member", n, err, event.Change{
		Type: event.MemberJoined, WorkspaceID: m.WorkspaceID, Object: m.ID,
		Data: rest.EventMember{Email: m.Email, Role: string(m.Role)},
	})
}

// SetMails writes what a member says of the mails to it.
func (t tx) SetMails(ctx context.Context, m team.Member, now time.Time) error {
	n, err := t.Q.SetMemberMails(ctx, db.SetMemberMailsParams{
		Language: string(m.Language), Muted: sqldb.List(m.Muted), Now: sqldb.Micros(now), WorkspaceID: m.WorkspaceID,
		ID: m.ID,
	})
	if err == nil && n == 0 {
		return fault.Missing("Member")
	}
	return sqldb.Doing("noting which mails a member gets", err)
}

func (t tx) SetRole(ctx context.Context, workspaceID, id string, role auth.Role, now time.Time) error {
	n, err := t.Q.SetRole(
		ctx, db.SetRoleParams{WorkspaceID: workspaceID, ID: id, Role: string(role), Now: sqldb.Micros(now)},
	)
	if err == nil && n == 0 {
		return fault.Missing("Member")
	}
	return t.Told("changing a role", n, err, event.Change{
		Type: event.MemberRoleChanged, WorkspaceID: workspaceID, Object: id, Data: rest.EventMember{Role: string(role)},
	})
}

// RemoveMember deletes a member with all that logs it in, also an invitation that
// was made for the e-mail while this member accepted another. The passkeys are
// held first: a login and a new passkey hold them too, so that what one that was
// quicker has left is seen here, and one that is slower finds none.
func (t tx) RemoveMember(ctx context.Context, workspaceID, id string, now time.Time) error {
	if _, err := t.LockLoginPasskeys(ctx, workspaceID, id); err != nil {
		return err
	}
	if err := t.Q.RevokeInvitationsOf(ctx, sqldb.Micros(now), workspaceID, id); err != nil {
		return sqldb.Doing("revoking a member's invitations", err)
	}
	for _, do := range []func(context.Context, string, string) error{
		t.Q.UnlistSessionsOf, t.Q.DeleteSessionsOf, t.Q.UnlistLoginPasskeysOf, t.Q.DeleteLoginPasskeysOf,
	} {
		if err := do(ctx, workspaceID, id); err != nil {
			return sqldb.Doing("ending a member's logins", err)
		}
	}
	n, err := t.Q.DeleteMember(ctx, workspaceID, id)
	if err == nil && n == 0 {
		return fault.Missing("Member")
	}
	return t.Told("deleting a member", n, err, event.Change{
		Type: event.MemberRemoved, WorkspaceID: workspaceID, Object: id, Data: rest.EventMember{},
	})
}

func (t tx) Invitation(ctx context.Context, workspaceID, id string) (team.Invitation, error) {
	row, err := t.Q.Invitation(ctx, workspaceID, id)
	return sqldb.One("Invitation", row, err, invitation)
}

// replacements is how often InsertInvitation tries.
const replacements = 8

// InsertInvitation tries again where another one for the e-mail was quicker: that
// one is replaced then.
func (t tx) InsertInvitation(ctx context.Context, i team.Invitation, tokenHash string) error {
	for range replacements {
		if err := t.Q.ReplaceInvitations(
			ctx, sqldb.Micros(i.CreatedAt), i.WorkspaceID, sqldb.Fold(i.Email),
		); err != nil {
			return sqldb.Doing("replacing an invitation", err)
		}
		n, err := t.Q.InsertInvitation(ctx, db.InsertInvitationParams{
			WorkspaceID: i.WorkspaceID, ID: i.ID, Email: i.Email, FoldedEmail: sqldb.Fold(i.Email),
			Role:  string(i.Role),
			State: string(i.State), MailStatus: string(i.Mail), Language: string(i.Language.Or()),
			CreatedAt: sqldb.Micros(i.CreatedAt),
			ExpiresAt: sqldb.Micros(i.ExpiresAt), EndedAt: sqldb.Micros(i.EndedAt),
		})
		if err != nil {
			return sqldb.Doing("inserting an invitation", err)
		}
		if n == 1 {
			t.Tell(invitationChange(event.InvitationCreated, i.WorkspaceID, i.ID, team.Pending, i.Role))
			return sqldb.Doing("listing an invitation", t.Q.ListInvitationToken(ctx, tokenHash, i.WorkspaceID, i.ID))
		}
	}
	return fault.ErrUnavailable.After(time.Second)
}

func (t tx) EndInvitation(ctx context.Context, workspaceID, id string, state team.State, now time.Time) (bool, error) {
	n, err := t.Q.EndInvitation(
		ctx, db.EndInvitationParams{WorkspaceID: workspaceID, ID: id, State: string(state), Now: sqldb.Micros(now)},
	)
	return n == 1, t.Told("ending an invitation", n, err,
		invitationChange(event.Type("invitation."+state), workspaceID, id, state, ""))
}

func invitationChange(kind event.Type, workspaceID, id string, state team.State, role auth.Role) event.Change {
	return event.Change{
		Type: kind, WorkspaceID: workspaceID, Object: id,
		Data: rest.EventInvitation{Status: string(state), Role: string(role)},
	}
}

func (t tx) AcceptInvitation(ctx context.Context, workspaceID, id string, now time.Time) (bool, error) {
	n, err := t.Q.AcceptInvitation(ctx, sqldb.Micros(now), workspaceID, id)
	return n == 1, t.Told("accepting an invitation", n, err,
		invitationChange(event.InvitationAccepted, workspaceID, id, team.Accepted, ""))
}

func (t tx) SetMailStatus(ctx context.Context, workspaceID, id string, status mail.Status) error {
	_, err := t.Q.SetMailStatus(ctx, string(status), workspaceID, id)
	return sqldb.Doing("noting what became of a mail", err)
}

// QueueMail makes a job even where one is just ending, which has not seen what
// this transaction changes.
func (t tx) QueueMail(ctx context.Context, workspaceID, id string) error {
	return t.Enqueue(ctx, job.Job{Kind: team.JobMail, WorkspaceID: workspaceID, ID: id, Anew: true})
}
