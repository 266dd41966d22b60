// Package session is about the logins of members: the passkeys by which they
// log in, the access tokens that they call with, and the refresh tokens that
// keep a session alive.
//
// An access token is signed and short-lived, and each use of it also reads the
// session's row, so that a logout, a removal and a change of role hold from the
// next call on.
package session

import (
	"encoding/json"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/platform/workspace"
)

const (
	lifetime = 30 * 24 * time.Hour // of a session, whatever is done with it
	idle     = 7 * 24 * time.Hour  // after which one that was not refreshed is over
	// grace is how long the token before the last gets the last one again: two
	// tabs refresh at once, and an answer can be lost.
	grace = 10 * time.Second
	// challengeLife is how long a passkey may take to answer.
	challengeLife = 5 * time.Minute
	// mostPasskeys is how many a member may have.
	mostPasskeys = 20
)

// The errors of logins.
var (
	ErrInvalid = fault.Define(fault.Unauthenticated, "session_invalid", "Session is not valid",
		"The token is malformed, not of this installation or environment, or its session was ended; log in again")
	ErrExpired = auth.ErrExpired
	ErrLogin   = fault.Define(fault.Unauthenticated, "login_refused", "Login refused",
		"The passkey is unknown here, its answer does not verify, or its challenge was used or is older than 5 minutes")
	ErrLastPasskey = fault.Define(fault.Conflict, "last_login_passkey", "A member keeps at least one passkey",
		"Without it the member could not log in any more: add another one first")
	ErrTooManyPasskeys = fault.Define(fault.Conflict, "too_many_login_passkeys", "A member has at most 20 passkeys",
		"Delete one of them first")
	ErrPasskeyKnown = fault.Define(fault.Conflict, "login_passkey_exists", "Passkey is registered already",
		"The passkey is a login passkey of this or another member")
)

// Session is one login. Of its refresh tokens the last is good.
type Session struct {
	WorkspaceID, ID, MemberID string
	TokenHash, BeforeHash     string // of the refresh token that is good, and of the one before
	Salt                      string // makes the first of the second
	CreatedAt, RotatedAt      time.Time
	ExpiresAt, RevokedAt      time.Time
}

// ends is when the session is over if nobody refreshes it.
func (s Session) ends() time.Time {
	if end := s.RotatedAt.Add(idle); end.Before(s.ExpiresAt) {
		return end
	}
	return s.ExpiresAt
}

// Living is a session with whose it is.
type Living struct {
	Session   Session
	Member    team.Member
	Workspace workspace.Workspace
}

// Passkey is one by which a member logs in. The signer knows none of them.
type Passkey struct {
	WorkspaceID, ID, MemberID string
	Credential                webauthn.Credential
	Stored                    string // the credential as it was read, to replace no later one
	Label                     string
	CreatedAt, LastUsedAt     time.Time
}

// synced reports whether the passkey said in this login for the first time that it can be backed up: it is bound to one
// device no more.
func (p Passkey) synced() bool {
	var before webauthn.Credential
	return json.Unmarshal([]byte(p.Stored), &before) == nil && !before.Flags.BackupEligible &&
		p.Credential.Flags.BackupEligible
}

// Refresh is a refresh token on its way into a cookie.
type Refresh struct {
	Token     string
	ExpiresAt time.Time
}

// Opened is the data of a login.
type Opened struct {
	AccessToken  string          `json:"accessToken" doc:"Call with Authorization: Bearer"`
	ExpiresAt    string          `json:"expiresAt" format:"date-time" doc:"Of the access token; refresh it before"`
	IntegratorID string          `json:"integratorId" format:"uuid"`
	Member       team.MemberView `json:"member"`
}
