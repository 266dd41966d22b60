package app

import (
	"net"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/platform/mail"
	"github.com/railkit/railkit/platform/notification"
	"github.com/railkit/railkit/platform/notify"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/store"
)

// people are the services about members, their logins and what they say of their business.
type people struct {
	team          *team.Service
	sessions      *session.Service
	kyb           *kyb.Service
	notifications *notification.Service
}

func newPeople(c Config, s *store.Store) (people, error) {
	logins := session.Config{
		Store: s.Sessions(), Clock: c.Clock, Environment: c.Environment, RPID: c.RPID, Origin: c.DashboardOrigin,
	}
	members := team.Config{Store: s.Team(), Clock: c.Clock, Dashboard: mail.Dashboard(c.DashboardOrigin)}
	var p people
	var err error
	if members.Post, err = newPost(c, s); err != nil {
		return p, err
	}
	if c.DashboardOrigin != "" {
		if logins.Key, err = sessionKey(c); err != nil {
			return p, err
		}
		if members.Secret, err = logins.Key.Derive("invitations"); err != nil {
			return p, err
		}
	}
	p.team = team.New(members)
	p.notifications = notification.New(notification.Config{
		Store: s.Notifications(), Post: members.Post, Dashboard: members.Dashboard, Clock: c.Clock, Log: c.Log,
	})
	p.sessions, err = session.New(logins)
	return p, err
}

// newPost is nil where no mail server is named: mail waits then.
func newPost(c Config, s *store.Store) (*mail.Post, error) {
	if c.SMTPURL == "" {
		return nil, nil
	}
	mailer, err := notify.NewSMTP(notify.SMTPConfig{
		URL: c.SMTPURL, From: c.MailFrom, Plaintext: c.Environment == string(chain.Sandbox),
	})
	if err != nil {
		return nil, err
	}
	return mail.NewPost(c.meter.Mailer(mailer), s.Notifications(), c.Log), nil
}

// NewTeam makes the team's service for a command beside a server, which does the mailing.
func NewTeam(c Config, s *store.Store) (*team.Service, error) {
	p, err := newPeople(c.withDefaults(), s)
	return p.team, err
}

// NewKYB makes the check of businesses. In the sandbox it decides by itself, in production the operator does.
func NewKYB(c Config, s *store.Store) (*kyb.Service, error) {
	c = c.withDefaults()
	sealer, err := newVault(c)
	if err != nil {
		return nil, err
	}
	post, err := newPost(c, s)
	if err != nil {
		return nil, err
	}
	settings := kyb.Config{
		Store: s.KYB(), Vault: sealer, Checker: kyb.Operator{}, Post: post,
		Dashboard: mail.Dashboard(c.DashboardOrigin), Clock: c.Clock, Log: c.Log,
	}
	if c.Environment == string(chain.Sandbox) {
		settings.Checker = kyb.Sandbox{}
	}
	return kyb.New(settings), nil
}

// sessionKey reads the key of access tokens. The sandbox makes its own.
func sessionKey(c Config) (session.Key, error) {
	raw, err := keyFile{"session", "session-key-file", c.SessionKeyFile, session.NewKey}.read(c)
	if err != nil {
		return session.Key{}, err
	}
	return session.ParseKey(raw)
}

// ownDashboard is where the sandbox's dashboard is if nobody says otherwise: at the port that it is served on or, where
// this server does not serve it, at the API's.
func (c Config) ownDashboard(l listeners) Config {
	if c.DashboardOrigin == "" && c.Environment == string(chain.Sandbox) && c.RPID == "localhost" {
		at := l.api
		if l.dashboard != nil {
			at = l.dashboard
		}
		_, port, _ := net.SplitHostPort(at.Addr().String())
		c.DashboardOrigin = "http://localhost:" + port
	}
	return c
}
