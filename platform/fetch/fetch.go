// Package fetch asks servers whose addresses strangers choose: those of skills and shops. It is the only way in which
// the server asks them, because each such address may be a try to have the server ask somebody else: its own database,
// the cloud's metadata, the operator's network.
//
// Which addresses are asked at all is decided twice: by the text of the address (policy.go), and by the IP address of
// each connection after the name was resolved (address.go). No proxy is used, and a redirect is an answer like any
// other. How long and how large an answer may be is bounded. No two callers share a connection.
//
// Read policy.go, address.go, fetch.go, request.go, then coding.go.
package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/railkit/railkit/fault"
)

// What callers are told of a server that was asked in vain. None says what the name was resolved to.
var (
	ErrRefused = fault.Define(fault.Unprocessable, "remote_refused", "The address is not one that this server asks",
		"An address that was given, or its name, leads to this machine, to a private network or to a port that the "+
			"operator does not allow")
	ErrUnreachable = fault.Define(fault.Upstream, "remote_unreachable", "The other server cannot be reached",
		"The name of an address that was given is not known, or nothing answers there, or its certificate is not valid")
	ErrTimeout = fault.Define(fault.Upstream, "remote_timeout", "The other server takes too long",
		"A server that the platform asks for a caller took more than 5 s to connect, 10 s to begin its answer, or 60 s "+
			"in all")
	ErrTooLarge = fault.Define(fault.Upstream, "remote_too_large", "The other server's answer is too large",
		"A server that the platform asks for a caller answered with more than 32 kB of headers, or a longer body than "+
			"is read")
	ErrUnreadable = fault.Define(fault.Upstream, "remote_unreadable", "The other server's answer cannot be read",
		"A server that the platform asks for a caller answered with what is no HTTP/1.1, or is compressed in another way "+
			"than gzip or to more than is read, or with more than 3 redirects")
)

const (
	mostHeader  = 32 << 10
	stockBody   = 1 << 20
	mostBody    = 5_000_000
	mostOnwards = 3
	mostIdle    = 16 // connections of a session that wait for its next request
)

// patience is how long each part of a request may take.
type patience struct{ dial, header, total time.Duration }

// Config wires a Client.
type Config struct {
	Policy   Policy
	RootCAs  *x509.CertPool // nil: the machine's
	Resolver *net.Resolver  // nil: the machine's
}

// Client asks strangers' servers.
type Client struct {
	Policy
	config   Config
	patience patience
}

// New makes one.
func New(c Config) *Client {
	return &Client{c.Policy, c, patience{dial: 5 * time.Second, header: 10 * time.Second, total: time.Minute}}
}

// Session is a few requests for one caller, which share connections. Close ends them.
type Session struct {
	client    *Client
	transport *http.Transport
}

// Session begins one.
func (c *Client) Session() *Session {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &Session{c, &http.Transport{
		Proxy: nil, DialContext: c.dial, Protocols: protocols,
		TLSClientConfig:     &tls.Config{RootCAs: c.config.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: c.patience.dial, ResponseHeaderTimeout: c.patience.header,
		IdleConnTimeout: c.patience.total, MaxIdleConnsPerHost: mostIdle, MaxResponseHeaderBytes: mostHeader,
		DisableCompression: true,
	}}
}

// Close ends the session's connections.
func (s *Session) Close() { s.transport.CloseIdleConnections() }

// Do asks once, on a connection of its own.
func (c *Client) Do(ctx context.Context, r Request) (Response, error) {
	s := c.Session()
	defer s.Close()
	return s.Do(ctx, r)
}

// dial connects to a host and port. The name is resolved here, once, and each address that it leads to is looked at
// before a connection to it is made.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{
		Timeout: c.patience.dial, Resolver: c.config.Resolver,
		Control: control(slices.Contains(c.local, address)),
	}
	return d.DialContext(ctx, network, address)
}
