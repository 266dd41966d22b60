package app

import (
	"net"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/platform/kyb"
	"github.com/railkit/railkit/platform/notify"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/store"
)

// people are the services about members, their logins and what they say of their business.
type people struct {
	team     *team.Service
	sessions *session.Service
	kyb      *kyb.Service
}

func newPeople(c Config, s *store.Store) (people, error) {
	logins := session.Config{
		Store: s.Sessions(), Clock: c.Clock, Environment: c.Environment, RPID: c.RPID, Origin: c.DashboardOrigin,
	}
	members := team.Config{Store: s.Team(), Clock: c.Clock, Origin: c.DashboardOrigin}
	var p people
	var err error
	if members.Mailer, err = newMailer(c); err != nil {
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
	p.sessions, err = session.New(logins)
	return p, err
}

// newMailer is nil where no mail server is named: mail waits then.
func newMailer(c Config) (notify.Mailer, error) {
	if c.SMTPURL == "" {
		return nil, nil
	}
	return notify.NewSMTP(notify.SMTPConfig{
		URL: c.SMTPURL, From: c.MailFrom, Plaintext: c.Environment == string(chain.Sandbox),
	})
}

// NewTeam makes the team's service for a command beside a server, which does the mailing.
func NewTeam(c Config, s *store.Store) (*team.Service, error) {
	p, err := newPeople(c.withDefaults(), s)
	return p.team, err
}

// sessionKey reads the key of access tokens. The sandbox makes its own.
func sessionKey(c Config) (session.Key, error) {
	raw, err := keyFile{"session", "session-key-file", c.SessionKeyFile, session.NewKey}.read(c)
	if err != nil {
		return session.Key{}, err
	}
	return session.ParseKey(raw)
}

// ownDashboard is where the sandbox's dashboard is if nobody says otherwise: on
// the API itself, whose port is known once it listens.
func (c Config) ownDashboard(l net.Listener) Config {
	if c.DashboardOrigin == "" && c.Environment == string(chain.Sandbox) && c.RPID == "localhost" {
		_, port, _ := net.SplitHostPort(l.Addr().String())
		c.DashboardOrigin = "http://localhost:" + port
	}
	return c
}
