package notification

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/mail"
)

// mostListed is how many facts a mail shows; its links show all.
const mostListed = 50

// letter is what of a mail is still to be said; nil where nothing is.
func (s *Service) letter(ctx context.Context, m Mail) (mail.Letter, error) {
	all, err := s.c.Store.OfMail(ctx, m)
	if err != nil {
		return nil, err
	}
	to, err := s.standing(ctx, m.WorkspaceID, m.Email)
	if err != nil {
		return nil, err
	}
	var wanted []Notification
	for _, n := range all {
		ok, err := s.wanted(ctx, n, to)
		if err != nil {
			return nil, err
		}
		if ok {
			wanted = append(wanted, n)
		}
	}
	name, err := s.c.Store.BusinessName(ctx, m.WorkspaceID)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	p := pages{s.c.Dashboard, to.login}
	if m.Class == Security {
		return security(wanted, mail.Name(name), p), nil
	}
	return s.ordinary(ctx, wanted, mail.Name(name), p)
}

// pages makes links for readers who can log in; others get none, since every page asks for a login.
type pages struct {
	dashboard mail.Dashboard
	login     bool
}

func (p pages) page(path ...string) mail.Link {
	if !p.login {
		return ""
	}
	return p.dashboard.Page(path...)
}

func security(all []Notification, business mail.Name, p pages) mail.Letter {
	l := mail.Security{Business: business, More: max(len(all)-mostListed, 0)}
	for _, n := range all[:min(len(all), mostListed)] {
		f := mail.SecurityFact{
			Kind: mail.Word(n.Kind), Name: mail.Name(n.Fact.Name), Email: mail.Address(n.Fact.Of), On: n.Fact.On,
			At: n.Fact.At, ID: mail.Word(n.Subject), SubOrganization: mail.Word(n.Fact.SubOrganizationID),
		}
		if n.Kind == AgentKilled {
			f.Link = p.page("agents", n.Subject)
		}
		l.Facts = append(l.Facts, f)
	}
	return l
}

// ordinary is nil where all that was to be told is over.
func (s *Service) ordinary(
	ctx context.Context, all []Notification, business mail.Name, p pages,
) (mail.Letter, error) {
	l := mail.Requests{Business: business, Link: p.page("me")}
	shown, listed := map[string]bool{}, 0
	// What is about to expire first: a request that is also new is told once.
	slices.SortStableFunc(all, func(a, b Notification) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	for _, n := range all {
		about := n.Subject + n.Fact.Status
		if n.Kind == AgentLimits {
			about = n.ID
		}
		if shown[about] {
			continue
		}
		r, ok, err := s.stillSo(ctx, n)
		if err != nil && s.c.Clock.Now().Sub(n.CreatedAt) < patience {
			return nil, err
		}
		if err != nil {
			s.c.Log.ErrorContext(ctx, "a notification is left out: what it is about cannot be read",
				"workspace", n.WorkspaceID, "notification", n.ID, "error", err)
		}
		if !ok || err != nil {
			continue
		}
		shown[about] = true
		if listed++; listed > mostListed {
			l.More++
			continue
		}
		add(&l, n, r, p)
	}
	if listed == 0 {
		return nil, nil
	}
	return l, nil
}

// add lists a notification where it belongs.
func add(l *mail.Requests, n Notification, r mail.Request, p pages) {
	r.Link = p.page("approvals", n.Subject)
	switch n.Kind {
	case RequestExpiring:
		l.Expiring = append(l.Expiring, r)
	case RequestWaiting:
		l.Waiting = append(l.Waiting, r)
	case RequestDecided:
		r.Status = mail.Word(n.Fact.Status)
		l.Decided = append(l.Decided, r)
	default:
		l.Agents = append(l.Agents, mail.AgentChange{
			Agent: mail.Name(n.Fact.Name), ID: mail.Word(n.Subject), At: n.Fact.At, Link: p.page("agents", n.Subject),
		})
	}
}

// stillSo reads the request of a notification, and whether there is still a reason to mail it: a request that waits is
// not decided, the reader has not voted, and a decision was not taken back.
func (s *Service) stillSo(ctx context.Context, n Notification) (mail.Request, bool, error) {
	if n.Kind == AgentLimits {
		return mail.Request{}, true, nil
	}
	r, err := s.c.Store.Request(ctx, n.WorkspaceID, n.Subject)
	if errors.Is(err, fault.ErrNotFound) {
		return mail.Request{}, false, nil
	}
	if err != nil {
		return mail.Request{}, false, err
	}
	if n.Kind == RequestDecided && r.Status != n.Fact.Status || n.Kind != RequestDecided && !r.open(s.c.Clock.Now()) {
		return mail.Request{}, false, nil
	}
	if n.Kind != RequestDecided && !n.Fact.Own {
		if voted, err := s.voted(ctx, n, r); err != nil || voted {
			return mail.Request{}, false, err
		}
	}
	by, err := s.requester(ctx, n.WorkspaceID, r)
	return mail.Request{
		ID: mail.Word(r.ID), Activity: mail.Word(r.Activity), Amount: mail.Word(r.Amount), Asset: symbol(r.Asset),
		Chain: mail.Word(r.Chain), To: mail.Word(r.To), CostUSD: mail.Word(r.CostUSD), Wallet: mail.Name(r.Wallet),
		By: mail.Address(by), Votes: len(r.Voted), Required: r.Required, Comment: mail.Name(r.Comment),
		ExpiresAt: r.ExpiresAt,
	}, true, err
}

// voted tells whether each user with the reader's e-mail has voted.
func (s *Service) voted(ctx context.Context, n Notification, r Request) (bool, error) {
	users, err := s.c.Store.Users(ctx, n.WorkspaceID, r.SubOrganizationID)
	for _, u := range users {
		if fold(u.Email) == fold(n.Email) && !slices.Contains(r.Voted, u.ID) {
			return false, err
		}
	}
	return true, err
}

// requester is the e-mail address of who asked for a request, "" where that is no person.
func (s *Service) requester(ctx context.Context, workspaceID string, r Request) (string, error) {
	a, err := s.audience(ctx, workspaceID, r)
	return a.requester, err
}

// symbol is a token's, as far as it is one: its contract chose it.
func symbol(text string) mail.Word {
	const longest = 12
	odd := func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	if len(text) > longest || strings.ContainsFunc(text, odd) {
		return ""
	}
	return mail.Word(text)
}
