package store

import (
	"context"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/store/db"
	"github.com/railkit/railkit/store/postgres"
)

// Team is the store as the team sees it.
type Team struct{ scope[team.Tx] }

// Team returns it.
func (s *Store) Team() Team {
	return Team{scope[team.Tx]{s, func(t *tx) team.Tx { return t }}}
}

var _ team.Store = Team{}

// Member finds one.
func (s *Store) Member(ctx context.Context, workspaceID, id string) (team.Member, error) {
	row, err := s.read.Member(ctx, workspaceID, id)
	return one("Member", row, err, member)
}

// Members lists a page of members, newest first, and counts all.
func (s Team) Members(ctx context.Context, workspaceID string, p page.Page) ([]team.Member, int, error) {
	total, err := s.read.CountMembers(ctx, workspaceID)
	if err != nil {
		return nil, 0, doing("counting members", postgres.Tell(err))
	}
	rows, err := db.New(s.newest(p)).ListMembers(ctx, workspaceID)
	all, err := many(rows, err, member)
	return all, int(total), err
}

// Invitation finds one.
func (s Team) Invitation(ctx context.Context, workspaceID, id string) (team.Invitation, error) {
	row, err := s.read.Invitation(ctx, workspaceID, id)
	return one("Invitation", row, err, invitation)
}

// Invitations lists a page of invitations, newest first, and counts all.
func (s Team) Invitations(ctx context.Context, workspaceID string, p page.Page) ([]team.Invitation, int, error) {
	total, err := s.read.CountInvitations(ctx, workspaceID)
	if err != nil {
		return nil, 0, doing("counting invitations", postgres.Tell(err))
	}
	rows, err := db.New(s.newest(p)).ListInvitations(ctx, workspaceID)
	all, err := many(rows, err, invitation)
	return all, int(total), err
}

// newest is a page of a list of one workspace, newest first.
func (s *Store) newest(p page.Page) *query {
	return s.query(1).page("created_at", directions["desc"], p)
}

// Unsent lists open invitations whose mail is queued since before the instant.
func (s Team) Unsent(ctx context.Context, now, before time.Time) ([]team.Invitation, error) {
	rows, err := s.read.UnsentInvitations(ctx, micros(now), micros(before))
	return many(rows, err, invitation)
}

// QueueMail makes a job of sending the invitation.
func (s Team) QueueMail(ctx context.Context, workspaceID, id string) error {
	return s.transact(ctx, func(tx *tx) error {
		return tx.Enqueue(ctx, job.Job{Kind: team.JobMail, WorkspaceID: workspaceID, ID: id})
	})
}

// ListToken has the invitation be found by a token's hash.
func (s Team) ListToken(ctx context.Context, workspaceID, id, tokenHash string) error {
	return s.transact(ctx, func(tx *tx) error {
		return doing("listing an invitation", tx.q.ListInvitationToken(ctx, tokenHash, workspaceID, id))
	})
}

// Mailed notes what became of an invitation's mail.
func (s Team) Mailed(ctx context.Context, workspaceID, id string, status team.MailStatus) error {
	return s.transact(ctx, func(tx *tx) error {
		if err := tx.SetMailStatus(ctx, workspaceID, id, status); err != nil {
			return err
		}
		return tx.audit(ctx, audit.Entry{WorkspaceID: workspaceID, Actor: audit.System}, command.Audit{
			Action: "invitation.mail", Resource: id, Detail: map[string]string{"status": string(status)},
		})
	})
}

func member(r db.Member) (team.Member, error) {
	return team.Member{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Email: r.Email, Role: auth.Role(r.Role),
		CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}, nil
}

func invitation(r db.Invitation) (team.Invitation, error) {
	return team.Invitation{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Email: r.Email, Role: auth.Role(r.Role), State: team.State(r.State),
		Mail: team.MailStatus(r.MailStatus), CreatedAt: instant(r.CreatedAt), ExpiresAt: instant(r.ExpiresAt), EndedAt: instant(r.EndedAt),
	}, nil
}

func (t *tx) LockAdmins(ctx context.Context, workspaceID string) (int, error) {
	n, err := t.q.LockAdmins(ctx, workspaceID)
	return int(n), doing("locking the admins", err)
}

func (t *tx) Member(ctx context.Context, workspaceID, id string) (team.Member, error) {
	row, err := t.q.Member(ctx, workspaceID, id)
	return one("Member", row, err, member)
}

func (t *tx) HasMember(ctx context.Context, workspaceID, email string) (bool, error) {
	_, err := t.q.MemberByEmail(ctx, workspaceID, fold(email))
	if none(err) {
		return false, nil
	}
	return err == nil, doing("looking for a member", err)
}

func (t *tx) InsertMember(ctx context.Context, m team.Member) (bool, error) {
	n, err := t.q.InsertMember(ctx, db.InsertMemberParams{
		WorkspaceID: m.WorkspaceID, ID: m.ID, Email: m.Email, FoldedEmail: fold(m.Email), Role: string(m.Role),
		CreatedAt: micros(m.CreatedAt), UpdatedAt: micros(m.UpdatedAt),
	})
	return n == 1, doing("inserting a member", err)
}

func (t *tx) SetRole(ctx context.Context, workspaceID, id string, role auth.Role, now time.Time) error {
	n, err := t.q.SetRole(ctx, db.SetRoleParams{WorkspaceID: workspaceID, ID: id, Role: string(role), Now: micros(now)})
	if err == nil && n == 0 {
		return fault.Missing("Member")
	}
	return doing("changing a role", err)
}

// RemoveMember deletes a member with all that logs it in, also an invitation that
// was made for the e-mail while this member accepted another. The passkeys are
// held first: a login and a new passkey hold them too, so that what one that was
// quicker has left is seen here, and one that is slower finds none.
func (t *tx) RemoveMember(ctx context.Context, workspaceID, id string, now time.Time) error {
	if _, err := t.LockLoginPasskeys(ctx, workspaceID, id); err != nil {
		return err
	}
	if err := t.q.RevokeInvitationsOf(ctx, micros(now), workspaceID, id); err != nil {
		return doing("revoking a member's invitations", err)
	}
	for _, do := range []func(context.Context, string, string) error{
		t.q.UnlistSessionsOf, t.q.DeleteSessionsOf, t.q.UnlistLoginPasskeysOf, t.q.DeleteLoginPasskeysOf,
	} {
		if err := do(ctx, workspaceID, id); err != nil {
			return doing("ending a member's logins", err)
		}
	}
	n, err := t.q.DeleteMember(ctx, workspaceID, id)
	if err == nil && n == 0 {
		return fault.Missing("Member")
	}
	return doing("deleting a member", err)
}

func (t *tx) Invitation(ctx context.Context, workspaceID, id string) (team.Invitation, error) {
	row, err := t.q.Invitation(ctx, workspaceID, id)
	return one("Invitation", row, err, invitation)
}

// InsertInvitation tries again where another one for the e-mail was quicker: that
// one is replaced then.
func (t *tx) InsertInvitation(ctx context.Context, i team.Invitation, tokenHash string) error {
	for range attempts {
		if err := t.q.ReplaceInvitations(ctx, micros(i.CreatedAt), i.WorkspaceID, fold(i.Email)); err != nil {
			return doing("replacing an invitation", err)
		}
		n, err := t.q.InsertInvitation(ctx, db.InsertInvitationParams{
			WorkspaceID: i.WorkspaceID, ID: i.ID, Email: i.Email, FoldedEmail: fold(i.Email), Role: string(i.Role),
			State: string(i.State), MailStatus: string(i.Mail), CreatedAt: micros(i.CreatedAt), ExpiresAt: micros(i.ExpiresAt), EndedAt: micros(i.EndedAt),
		})
		if err != nil {
			return doing("inserting an invitation", err)
		}
		if n == 1 {
			return doing("listing an invitation", t.q.ListInvitationToken(ctx, tokenHash, i.WorkspaceID, i.ID))
		}
	}
	return fault.ErrUnavailable.After(time.Second)
}

func (t *tx) EndInvitation(ctx context.Context, workspaceID, id string, state team.State, now time.Time) (bool, error) {
	n, err := t.q.EndInvitation(ctx, db.EndInvitationParams{WorkspaceID: workspaceID, ID: id, State: string(state), Now: micros(now)})
	return n == 1, doing("ending an invitation", err)
}

func (t *tx) AcceptInvitation(ctx context.Context, workspaceID, id string, now time.Time) (bool, error) {
	n, err := t.q.AcceptInvitation(ctx, micros(now), workspaceID, id)
	return n == 1, doing("accepting an invitation", err)
}

func (t *tx) SetMailStatus(ctx context.Context, workspaceID, id string, status team.MailStatus) error {
	_, err := t.q.SetMailStatus(ctx, string(status), workspaceID, id)
	return doing("noting what became of a mail", err)
}

// QueueMail makes a job even where one is just ending, which has not seen what
// this transaction changes.
func (t *tx) QueueMail(ctx context.Context, workspaceID, id string) error {
	return t.Enqueue(ctx, job.Job{Kind: team.JobMail, WorkspaceID: workspaceID, ID: id, Anew: true})
}
