package redislimit

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gomodule/redigo/redis"
)

// ErrURL says nothing of the URL, which may hold a password.
var ErrURL = errors.New(
	"the URL of Redis must be of the form redis://user:password@host:6379/0, rediss:// for TLS, or unix:///path",
)

// Server is what a URL says of a Redis.
type Server struct {
	network, address string
	user, password   string
	database         int
	tls              *tls.Config // nil: none
}

// ignored are options that other clients take from a URL. They would make a call wait longer, or try twice, so
// that none has an effect.
var ignored = strings.Fields(`protocol client_name max_retries min_retry_backoff max_retry_backoff dial_timeout
	read_timeout write_timeout pool_fifo pool_size pool_timeout min_idle_conns max_idle_conns max_active_conns
	max_concurrent_dials pipeline_pool_size pipeline_read_buffer_size pipeline_write_buffer_size conn_max_idle_time
	idle_timeout conn_max_lifetime max_conn_age conn_max_lifetime_jitter`)

// ParseURL reads redis://user:password@host:6379/0, rediss:// for TLS, and unix:///path?db=0.
func ParseURL(text string) (Server, error) {
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" {
		return Server{}, ErrURL
	}
	s := Server{network: "tcp", user: u.User.Username()}
	s.password, _ = u.User.Password()
	database := strings.Trim(u.Path, "/")
	switch u.Scheme {
	case "redis":
	case "rediss":
		s.tls = &tls.Config{MinVersion: tls.VersionTLS12}
	case "unix":
		s.network, s.address, database = "unix", u.Path, ""
	default:
		return Server{}, ErrURL
	}
	if s.network == "tcp" {
		s.address = net.JoinHostPort(or(u.Hostname(), "localhost"), or(u.Port(), "6379"))
	}
	if s.address == "" || !s.options(u, database) {
		return Server{}, ErrURL
	}
	return s, nil
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// options reads what stands behind the question mark, and the number of the database, which may stand there too.
func (s *Server) options(u *url.URL, database string) bool {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return false
	}
	for name, values := range query {
		switch value := values[len(values)-1]; {
		case name == "db":
			database = or(value, database)
		case name == "skip_verify" && s.tls != nil:
			if s.tls.InsecureSkipVerify, err = strconv.ParseBool(value); err != nil {
				return false
			}
		case !slices.Contains(ignored, name):
			return false
		}
	}
	s.database, err = strconv.Atoi(or(database, "0"))
	return err == nil && s.database >= 0
}

// String is the server without user and password: localhost:6379/0.
func (s Server) String() string { return s.address + "/" + strconv.Itoa(s.database) }

// Conn is one connection.
type Conn struct {
	client
	socket net.Conn
}

// client is what a redis.Conn that was dialled is.
type client interface {
	redis.ConnWithTimeout
	redis.ConnWithContext
}

// Dial connects, within the deadline of ctx. Nothing is asked of the server but what the URL names: AUTH and SELECT.
func (s Server) Dial(ctx context.Context) (*Conn, error) {
	dial := (&net.Dialer{}).DialContext
	if s.tls != nil {
		dial = (&tls.Dialer{Config: s.tls}).DialContext
	}
	c := &Conn{}
	known, err := redis.DialContext(ctx, s.network, s.address,
		redis.DialContextFunc(func(ctx context.Context, network, address string) (_ net.Conn, err error) {
			c.socket, err = dial(ctx, network, address)
			return c.socket, err
		}),
		redis.DialUsername(s.user), redis.DialPassword(s.password), redis.DialDatabase(s.database))
	if err != nil {
		return nil, err
	}
	c.client = known.(client)
	return c, nil
}

var errGone = errors.New("the server has closed the connection")

// alive looks whether the server has closed a connection that lay idle, without asking it anything. A Redis that was
// started again has closed them all, and the first call on each would look like an outage.
func (c *Conn) alive() error {
	socket := c.socket
	if secure, is := socket.(*tls.Conn); is {
		socket = secure.NetConn()
	}
	raw, err := socket.(syscall.Conn).SyscallConn()
	if err == nil {
		err = socket.SetReadDeadline(time.Time{}) // that of the last call would end this one
	}
	if err != nil {
		return err
	}
	var looked error
	err = raw.Read(func(fd uintptr) bool {
		var one [1]byte
		_, _, looked = syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return true
	})
	if err == nil && !errors.Is(looked, syscall.EAGAIN) { // also where it said something that nobody asked for
		return errGone
	}
	return err
}
