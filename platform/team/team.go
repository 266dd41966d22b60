// Package team is about the people of a workspace: its members, what they may
// do, and the invitations by which they come.
package team

import (
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/rest"
)

// Life is how long an invitation may be accepted. At its end it is over.
const Life = 7 * 24 * time.Hour

// The errors of the team.
var (
	ErrLastAdmin = fault.Define(fault.Conflict, "last_admin", "A workspace keeps at least one admin",
		"The member is the only admin: make another one first")
	ErrMember = fault.Define(fault.Conflict, "member_exists", "A member has this e-mail already",
		"The workspace has a member with the e-mail, in whatever case it is written; change that one's role instead")
	ErrNoLogin = fault.Define(fault.Unavailable, "login_not_configured", "Login is not configured",
		"The server was started without the origin of its dashboard, so nobody can be invited or log in")
)

// Member is a person in a workspace.
type Member struct {
	WorkspaceID, ID      string // the id is that of the invitation that was accepted
	Email                string // as given; compared in lower case
	Role                 auth.Role
	Language             mail.Language // of the mails to it
	Muted                []string      // kinds of mails that it does not want
	CreatedAt, UpdatedAt time.Time
}

// State is where an invitation stands. One that is over by time stays pending.
type State string

// The states.
const (
	Pending  State = "pending"
	Accepted State = "accepted"
	Replaced State = "replaced" // by a later one for the same e-mail
	Revoked  State = "revoked"
	expired  State = "expired" // only shown
)

// Invitation makes a member of whoever holds its token, once.
type Invitation struct {
	WorkspaceID, ID               string
	Email                         string
	Role                          auth.Role
	State                         State
	Mail                          mail.Status
	Language                      mail.Language // of its mail, and of the member that it makes
	CreatedAt, ExpiresAt, EndedAt time.Time
}

// Open reports whether the invitation can be accepted.
func (i Invitation) Open(now time.Time) bool { return i.State == Pending && now.Before(i.ExpiresAt) }

// MemberView is what the API shows of a member.
type MemberView struct {
	ID        string    `json:"id"`
	Email     string    `json:"email"`
	Role      auth.Role `json:"role" enum:"admin,manager,auditor,viewer"`
	CreatedAt string    `json:"createdAt" format:"date-time"`
	UpdatedAt string    `json:"updatedAt" format:"date-time"`
}

// View is the member as the API shows it.
func (m Member) View() MemberView {
	return MemberView{
		ID: m.ID, Email: m.Email, Role: m.Role, CreatedAt: clock.ISO(m.CreatedAt), UpdatedAt: clock.ISO(m.UpdatedAt),
	}
}

// view is what the API shows of an invitation. Its token is only ever mailed.
func (s *Service) view(i Invitation) rest.Invitation {
	state := i.State
	if state == Pending && !i.Open(s.c.Clock.Now()) {
		state = expired
	}
	return rest.Invitation{
		ID: i.ID, Email: i.Email, Role: string(i.Role), Language: string(i.Language), Status: string(state),
		MailStatus: string(i.Mail),
		CreatedAt:  clock.ISO(i.CreatedAt), ExpiresAt: clock.ISO(i.ExpiresAt),
	}
}
