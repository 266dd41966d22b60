package app

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/platform/notify"
	"github.com/railkit/railkit/platform/session"
	"github.com/railkit/railkit/platform/team"
	"github.com/railkit/railkit/store"
)

// people are the services about members and their logins.
type people struct {
	team     *team.Service
	sessions *session.Service
}

func newPeople(c Config, s *store.Store) (people, error) {
	logins := session.Config{Store: store.Sessions{Store: s}, Clock: c.Clock, Environment: c.Environment, RPID: c.RPID, Origin: c.DashboardOrigin}
	members := team.Config{Store: store.Team{Store: s}, Clock: c.Clock, Origin: c.DashboardOrigin}
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
	return notify.NewSMTP(notify.SMTPConfig{URL: c.SMTPURL, From: c.MailFrom, Plaintext: c.Environment == string(chain.Sandbox)})
}

// NewTeam makes the team's service for a command beside a server, which does the mailing.
func NewTeam(c Config, s *store.Store) (*team.Service, error) {
	p, err := newPeople(c.withDefaults(), s)
	return p.team, err
}

// sessionKey reads the key of access tokens. The sandbox makes its own.
func sessionKey(c Config) (session.Key, error) {
	path := c.SessionKeyFile
	if c.Environment == string(chain.Sandbox) {
		path = cmp.Or(path, filepath.Join(c.DataDir, "session.key"))
		if err := makeSessionKey(path); err != nil {
			return session.Key{}, err
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return session.Key{}, fmt.Errorf("reading the session key (--session-key-file): %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return session.Key{}, fmt.Errorf("reading the session key (--session-key-file): %w", err)
	}
	if info.Mode().Perm()&0o007 != 0 {
		return session.Key{}, errors.New("everybody on this machine may read or change the session key (--session-key-file): chmod 600 it")
	}
	return session.ParseKey(raw)
}

// makeSessionKey makes the file whole or not at all, and never twice: of two
// servers that start at once, both read the first one's.
func makeSessionKey(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	raw, err := session.NewKey()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the session key: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "session.key.*") // mode 0600
	if err != nil {
		return fmt.Errorf("making the session key: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Link(f.Name(), path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making the session key: %w", err)
	}
	return nil
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
