package notification

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/event"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/rest"
)

// told are the types of events that somebody is mailed about, and what makes notifications of each.
var told = map[event.Type]func(context.Context, *Service, event.Event) ([]Notification, error){
	event.ApprovalCreated:    ofRequest,
	event.ApprovalApproved:   ofDecision,
	event.ApprovalRejected:   ofDecision,
	event.ApprovalExpired:    ofDecision,
	event.PasskeyAdded:       ofPasskey,
	event.MemberPasskeyAdded: ofLoginPasskey,
	event.AgentLimits:        ofAgentLimits,
	event.AgentStatus:        ofAgentStatus,
	event.KillSwitchMoved:    ofKillSwitch,
}

// types lists them.
func types() (all []event.Type) {
	for t := range told {
		all = append(all, t)
	}
	return all
}

// notifications are whom an event is told to. What it is about may be gone already: then there is nobody to tell.
func (s *Service) notifications(ctx context.Context, e event.Event) ([]Notification, error) {
	all, err := told[e.Type](ctx, s, e)
	if errors.Is(err, fault.ErrNotFound) {
		return nil, nil
	}
	return all, err
}

// ofRequest tells of a request that waits: each user who may vote, and later, if nothing is decided, them and who
// asked for it.
func ofRequest(ctx context.Context, s *Service, e event.Event) (all []Notification, err error) {
	r, err := s.c.Store.Request(ctx, e.WorkspaceID, e.Object)
	if err != nil {
		return nil, err
	}
	a, err := s.audience(ctx, e.WorkspaceID, r)
	if err != nil {
		return nil, err
	}
	fact := Fact{At: e.At, SubOrganizationID: r.SubOrganizationID}
	end := r.ExpiresAt.Add(-warning)
	if a.requester != "" { // first: who may vote too is told of the end as of a request of his own
		own := fact
		own.Own, own.Member = true, a.member
		all = append(all, s.notice(e, RequestExpiring, a.requester, own, end))
	}
	for _, voter := range a.voters {
		all = append(all, s.notice(e, RequestWaiting, voter, fact, s.c.Clock.Now().Add(gathering)),
			s.notice(e, RequestExpiring, voter, fact, end))
	}
	return all, nil
}

// concerned are the e-mail addresses of those whom a request concerns.
type concerned struct {
	voters    []string // who may vote, and have not
	requester string   // "": an API key or an agent
	member    bool     // the requester is a member, and none of the users
}

// audience reads whom a request concerns now. Who asked for it is the user whose stamp it has, else the member who
// brought it; a user may vote for a request of his own.
func (s *Service) audience(ctx context.Context, workspaceID string, r Request) (a concerned, err error) {
	users, err := s.c.Store.Users(ctx, workspaceID, r.SubOrganizationID)
	if err != nil {
		return a, err
	}
	for _, u := range users {
		if !slices.Contains(r.Voted, u.ID) {
			a.voters = append(a.voters, u.Email)
		}
		if u.ID == r.RequesterUserID {
			a.requester = u.Email
		}
	}
	a.voters = each(a.voters)
	if a.requester != "" || r.RequestedBy == "" {
		return a, nil
	}
	m, err := s.c.Store.Member(ctx, workspaceID, r.RequestedBy)
	if errors.Is(err, fault.ErrNotFound) { // an API key or an agent
		return a, nil
	}
	a.requester, a.member = m.Email, true
	return a, err
}

// ofDecision tells who asked for a request what became of it.
func ofDecision(ctx context.Context, s *Service, e event.Event) ([]Notification, error) {
	r, err := s.c.Store.Request(ctx, e.WorkspaceID, e.Object)
	if err != nil {
		return nil, err
	}
	a, err := s.audience(ctx, e.WorkspaceID, r)
	if err != nil || a.requester == "" {
		return nil, err
	}
	_, status, _ := strings.Cut(string(e.Type), ".")
	fact := Fact{At: e.At, SubOrganizationID: r.SubOrganizationID, Status: status, Own: true, Member: a.member}
	return []Notification{s.notice(e, RequestDecided, a.requester, fact, s.c.Clock.Now().Add(gathering))}, nil
}

// ofPasskey tells the users of a sub-organization of one more passkey, and who made the sub-organization: a thief may
// have removed that one's passkey by now. The first passkey is how it began, and no news.
func ofPasskey(ctx context.Context, s *Service, e event.Event) ([]Notification, error) {
	var data rest.EventPasskey
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return nil, s.unreadable(e, err)
	}
	began, err := s.together(ctx, e, event.OwnerCreated, data.SubOrganizationID)
	if err != nil || began {
		return nil, err
	}
	fact := Fact{At: e.At, SubOrganizationID: data.SubOrganizationID, Name: data.Label}
	fact.Of, err = s.c.Store.PasskeyEmail(ctx, e.WorkspaceID, e.Object)
	if err != nil && !errors.Is(err, fault.ErrNotFound) {
		return nil, err
	}
	users, err := s.users(ctx, e.WorkspaceID, data.SubOrganizationID)
	return s.tellNow(e, PasskeyAdded, users, fact), err
}

// ofLoginPasskey tells a member of a passkey that logs in as it. The first one made it a member.
func ofLoginPasskey(ctx context.Context, s *Service, e event.Event) ([]Notification, error) {
	began, err := s.together(ctx, e, event.MemberJoined, e.Object)
	if err != nil || began {
		return nil, err
	}
	m, err := s.c.Store.Member(ctx, e.WorkspaceID, e.Object)
	return s.tellNow(e, LoginPasskey, []string{m.Email}, Fact{At: e.At, Of: m.Email, Member: true}), err
}

// together tells whether another event was written in the same transaction.
func (s *Service) together(ctx context.Context, e event.Event, other event.Type, object string) (bool, error) {
	const near = 100 // events of one transaction before it
	found, err := s.c.Store.Events(ctx, event.Filter{
		WorkspaceID: e.WorkspaceID, After: max(e.Seq-near, 0), Types: []event.Type{other}, Object: object, Limit: 1,
	})
	return len(found) > 0 && found[0].At.Equal(e.At), err
}

func ofAgentLimits(ctx context.Context, s *Service, e event.Event) ([]Notification, error) {
	return s.ofAgent(ctx, e, AgentLimits)
}

// ofAgentStatus tells of an agent that was killed. Nobody is mailed of a pause, which a key may end again.
func ofAgentStatus(ctx context.Context, s *Service, e event.Event) ([]Notification, error) {
	var data rest.EventAgent
	if err := json.Unmarshal(e.Data, &data); err != nil || data.Status != "killed" {
		return nil, s.unreadable(e, err)
	}
	return s.ofAgent(ctx, e, AgentKilled)
}

// ofAgent tells the owners of an agent: the users of its sub-organization, and the admins of the workspace.
func (s *Service) ofAgent(ctx context.Context, e event.Event, kind Kind) ([]Notification, error) {
	var data rest.EventAgent
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return nil, s.unreadable(e, err)
	}
	name, err := s.c.Store.AgentName(ctx, e.WorkspaceID, e.Object)
	if err != nil && !errors.Is(err, fault.ErrNotFound) {
		return nil, err
	}
	return s.ofOwners(ctx, e, kind, Fact{At: e.At, SubOrganizationID: data.SubOrganizationID, Name: name})
}

func ofKillSwitch(ctx context.Context, s *Service, e event.Event) ([]Notification, error) {
	var data rest.EventKillSwitch
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return nil, s.unreadable(e, err)
	}
	return s.ofOwners(ctx, e, KillSwitchTurned, Fact{At: e.At, SubOrganizationID: data.SubOrganizationID, On: data.On})
}

// ofOwners tells users of a sub-organization as such, and admins who are none of them as members.
func (s *Service) ofOwners(ctx context.Context, e event.Event, kind Kind, fact Fact) ([]Notification, error) {
	users, err := s.users(ctx, e.WorkspaceID, fact.SubOrganizationID)
	if err != nil {
		return nil, err
	}
	admins, err := s.c.Store.Admins(ctx, e.WorkspaceID)
	all := s.tellNow(e, kind, users, fact)
	fact.Member = true
	for _, m := range admins {
		all = append(all, s.tellNow(e, kind, []string{m.Email}, fact)...)
	}
	return all, err
}

// users are the e-mail addresses of a sub-organization's users, and the one that it was made with.
func (s *Service) users(ctx context.Context, workspaceID, subOrganizationID string) ([]string, error) {
	users, err := s.c.Store.Users(ctx, workspaceID, subOrganizationID)
	if err != nil {
		return nil, err
	}
	owner, err := s.c.Store.Owner(ctx, workspaceID, subOrganizationID)
	all := []string{owner}
	for _, u := range users {
		all = append(all, u.Email)
	}
	return each(all), err
}

// tellNow makes a notification for each person. Security notices are due at once, others after the gathering.
func (s *Service) tellNow(e event.Event, kind Kind, people []string, fact Fact) (all []Notification) {
	due := s.c.Clock.Now()
	if kind.Class() == Ordinary {
		due = due.Add(gathering)
	}
	for _, email := range people {
		all = append(all, s.notice(e, kind, email, fact, due))
	}
	return all
}

// notice is a notification of one person. Of what happens to one request there is one of each kind, however often the
// request goes back and forth; of all else one for each event.
func (s *Service) notice(e event.Event, kind Kind, email string, fact Fact, due time.Time) Notification {
	of := e.ID
	if e.Type.Object() == "approval" {
		of = e.Object + " " + fact.Status
	}
	return Notification{
		WorkspaceID: e.WorkspaceID, ID: record.DerivedID("notification", e.WorkspaceID, string(kind), of, fold(email)),
		Kind: kind, Subject: e.Object, Email: email, Fact: fact, DueAt: due, CreatedAt: s.c.Clock.Now(),
	}
}

// unreadable logs an event that nobody can be told of: the ones behind it do not wait for it.
func (s *Service) unreadable(e event.Event, err error) error {
	if err != nil {
		s.c.Log.Error("an event cannot be read, and nobody is mailed of it", "workspace", e.WorkspaceID,
			"sequence", e.Seq, "error", err)
	}
	return nil
}

// standing is what is known of a reader when the mail is written.
type standing struct {
	member team.Member
	login  bool // the reader is a member of the workspace, and can log in
}

func (s *Service) standing(ctx context.Context, workspaceID, email string) (standing, error) {
	m, err := s.c.Store.MemberByEmail(ctx, workspaceID, email)
	if errors.Is(err, fault.ErrNotFound) {
		return standing{}, nil
	}
	return standing{m, true}, err
}

// wanted tells whether somebody is still to be told: who left the workspace is not, nor who switched the kind off, and
// of an agent only who is still an admin or user. A security notice goes to each user of the wallets whom it was
// written for, also one who has lost the passkey since.
func (s *Service) wanted(ctx context.Context, n Notification, to standing) (bool, error) {
	if to.login && slices.Contains(to.member.Muted, groupOf(n)) {
		return false, nil
	}
	if n.Fact.Member {
		admin := to.login && to.member.Role == auth.RoleAdmin
		return admin || to.login && !slices.Contains([]Kind{AgentLimits, AgentKilled, KillSwitchTurned}, n.Kind), nil
	}
	if n.Kind.Class() == Security {
		return true, nil
	}
	users, err := s.users(ctx, n.WorkspaceID, n.Fact.SubOrganizationID)
	return slices.ContainsFunc(users, func(u string) bool { return fold(u) == fold(n.Email) }), err
}

func fold(email string) string { return strings.ToLower(email) }

// each is every e-mail address once.
func each(emails []string) []string {
	slices.SortFunc(emails, func(a, b string) int { return strings.Compare(fold(a), fold(b)) })
	return slices.DeleteFunc(slices.CompactFunc(emails, strings.EqualFold), func(e string) bool { return e == "" })
}
