// Package notification tells people by mail of what happened in their workspace. It reads the workspace's events, one
// after the other: what an event means for whom is decided once, and written with the place in the list of events in
// one transaction. So a change costs nothing more for being mailed, and each fact reaches each person in one mail,
// whichever server looks and wherever one dies.
//
// A person's ordinary notifications are gathered into one mail: 30 seconds after the first, and at most one in five
// minutes, or in two where a request is about to expire. Security notices are mails of their own: at once, and at most
// one in a minute. Whether somebody is still to be told is asked again just before the mail is sent.
//
// Read notification.go, audience.go (who is told of what), service.go (how events become mails), then letter.go.
package notification

import (
	"context"
	"slices"
	"time"

	"github.com/railkit/railkit/job"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/team"
)

// Kind is what somebody is told of.
type Kind string

// The kinds. They are stored.
const (
	RequestWaiting   Kind = "request_waiting"  // for a vote of the reader
	RequestExpiring  Kind = "request_expiring" // soon: of the reader, or waiting for a vote of the reader
	RequestDecided   Kind = "request_decided"  // of the reader
	AgentLimits      Kind = "agent_limits"
	PasskeyAdded     Kind = "passkey"
	LoginPasskey     Kind = "login_passkey"
	AgentKilled      Kind = "agent_killed"
	KillSwitchTurned Kind = "kill_switch"
)

// The groups of kinds that a member can switch off. Security notices are in none: who takes over an account would
// switch them off first.
const (
	Requests  = "requests"
	Decisions = "decisions"
	Agents    = "agents"
)

// Groups lists them.
var Groups = []string{Requests, Decisions, Agents}

// groupOf is the group of a kind; "" where it cannot be switched off.
func groupOf(n Notification) string {
	switch n.Kind {
	case RequestWaiting:
		return Requests
	case RequestExpiring:
		if n.Fact.Own {
			return Decisions
		}
		return Requests
	case RequestDecided:
		return Decisions
	case AgentLimits:
		return Agents
	}
	return ""
}

// Class keeps security notices apart from all else.
type Class string

// The classes.
const (
	Ordinary Class = "ordinary"
	Security Class = "security"
)

// Class is that of the mails in which a kind is told.
func (k Kind) Class() Class {
	if slices.Contains([]Kind{PasskeyAdded, LoginPasskey, AgentKilled, KillSwitchTurned}, k) {
		return Security
	}
	return Ordinary
}

// gap is the least time between a person's last mail of a class and the next one. Who makes many requests, one after
// the other, must not fill mailboxes by what is about to expire.
func (p Person) gap() time.Duration {
	switch {
	case p.Class == Security:
		return time.Minute
	case p.Urgent:
		return 2 * time.Minute
	}
	return 5 * time.Minute
}

const (
	// gathering is how long the first ordinary notification waits for others.
	gathering = 30 * time.Second
	// warning is how long before its end a request is said to be about to expire.
	warning = 10 * time.Minute
	// kept is for how long it is known who was told of what.
	kept = 30 * 24 * time.Hour
)

// Notification is one fact that one person is told of.
type Notification struct {
	WorkspaceID, ID  string // the id is made of the fact and the person: the same fact is told once
	Kind             Kind
	Subject          string // id of the approval, passkey, member, agent or sub-organization
	Email            string
	Fact             Fact
	DueAt, CreatedAt time.Time
}

// Fact is what was so when it happened, and may not be so any more when the mail is written.
type Fact struct {
	At                time.Time
	SubOrganizationID string
	Status            string // of a decided request
	Name              string // of a passkey or an agent
	Of                string // e-mail of a passkey's user
	On                bool   // of a kill switch
	Own               bool   // the reader asked for the request
	Member            bool   // told as a member of the workspace, not as a user of the wallets
}

// Mail is a mail to one person.
type Mail struct {
	WorkspaceID, ID string // the id is also the message's
	Class           Class
	Email           string
	Status          mail.Status
	CreatedAt       time.Time
}

// Person is somebody for whom a notification is due.
type Person struct {
	WorkspaceID, Email string // lower case
	Class              Class
	Urgent             bool // something is about to expire
}

// Place is how far the events of a workspace are read.
type Place struct {
	WorkspaceID string
	Seq, Last   int64 // read, written
}

// Request is a request that waits for votes, or did.
type Request struct {
	ID, Status, Activity, Comment string
	SubOrganizationID             string
	RequesterUserID, RequestedBy  string   // the user who stamped it; the member or API key that brought it
	Voted                         []string // ids of users
	Required                      int
	Amount, Asset, Chain, To      string
	CostUSD, Wallet               string
	ExpiresAt                     time.Time
}

// open tells whether a vote still counts.
func (r Request) open(now time.Time) bool { return r.Status == "pending" && now.Before(r.ExpiresAt) }

// User is a user of a sub-organization, who has a passkey.
type User struct{ ID, Email string }

// Store is the database, and what can be asked about the objects of events. What is not there is fault.Missing.
type Store interface {
	Events(ctx context.Context, f event.Filter) ([]event.Event, error)
	Behind(ctx context.Context) ([]Place, error)
	Due(ctx context.Context, now time.Time, limit int) ([]Person, error)
	LastMail(ctx context.Context, p Person) (time.Time, error) // zero: none
	Mail(ctx context.Context, workspaceID, id string) (Mail, error)
	OfMail(ctx context.Context, m Mail) ([]Notification, error)
	Unsent(ctx context.Context, before time.Time, limit int) ([]Mail, error)
	Drop(ctx context.Context, before time.Time) error
	record.Writer[Tx]
	Facts
}

// Facts are what is known now of those who may be told, and of what.
type Facts interface {
	Request(ctx context.Context, workspaceID, id string) (Request, error)
	Users(ctx context.Context, workspaceID, subOrganizationID string) ([]User, error)
	// Owner is the e-mail address with which a sub-organization was made.
	Owner(ctx context.Context, workspaceID, subOrganizationID string) (string, error)
	PasskeyEmail(ctx context.Context, workspaceID, id string) (string, error)
	AgentName(ctx context.Context, workspaceID, id string) (string, error)
	Admins(ctx context.Context, workspaceID string) ([]team.Member, error)
	Member(ctx context.Context, workspaceID, id string) (team.Member, error)
	MemberByEmail(ctx context.Context, workspaceID, email string) (team.Member, error)
	BusinessName(ctx context.Context, workspaceID string) (string, error)
}

// Tx is one transaction.
type Tx interface {
	// MoveCursor is record.ErrStale where another server was faster.
	MoveCursor(ctx context.Context, at Place, to int64) error
	Insert(context.Context, Notification) error // unless it is there
	// Gather puts what the person waits for into a new mail. It is record.ErrStale where nothing is left.
	Gather(ctx context.Context, p Person, mailID string, now time.Time) error
	// Postpone has what Gather would take wait.
	Postpone(ctx context.Context, p Person, now, until time.Time) error
	Mailed(ctx context.Context, m Mail, status mail.Status) error // unless that is known
	record.Queue
}

// Job mails what was gathered for a person.
const Job job.Kind = "notification_mail"
