// Package bridge speaks Bridge.xyz's public API, version 0, as a client. Bridge's
// documents are all that it was written from; docs/partner.md says what nobody has
// tried against the real service.
//
// Money that moves must never be taken for something that it is not. So an answer
// is used only where every part of it that matters fits the question; what is left
// open is an unknown outcome, which is asked again with the same key.
package bridge

import (
	"context"
	"crypto/rsa"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
)

// Config is what a client needs.
type Config struct {
	URL       string         // https://api.bridge.xyz
	Key       string         // of the API
	PublicKey *rsa.PublicKey // that notices are signed with; nil: no notice is believed
	Timeout   time.Duration  // of a call, its body included; 0: 20 s
	Clock     clock.Clock    // nil: the machine's
	Transport http.RoundTripper
	// Observe is told of each call: how long the answer took, or why there was none. Nil: nobody is.
	Observe func(ctx context.Context, method string, took time.Duration, err error)
}

// Client is a fiat.Partner.
type Client struct {
	base  string
	key   string
	check *rsa.PublicKey
	http  *http.Client
	clock clock.Clock
	tell  func(ctx context.Context, method string, took time.Duration, err error)
}

var _ fiat.Partner = (*Client)(nil)

// errConfig says nothing of what it was given: a URL may hold a password.
var errConfig = errors.New("bridge: needs an http(s) URL without a query, and an API key")

// New makes a client. It calls nobody.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" ||
		u.Fragment != "" || u.User != nil || c.Key == "" {
		return nil, errConfig
	}
	if c.Timeout == 0 {
		c.Timeout = 20 * time.Second
	}
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Observe == nil {
		c.Observe = func(context.Context, string, time.Duration, error) {}
	}
	if c.Transport == nil {
		c.Transport = transport()
	}
	return &Client{
		base: strings.TrimSuffix(c.URL, "/") + "/v0", key: c.Key, check: c.PublicKey, clock: c.Clock,
		tell: c.Observe,
		http: &http.Client{Timeout: c.Timeout, Transport: c.Transport, CheckRedirect: stay},
	}, nil
}

// stay follows no redirect: a key and a bank account go to one host only.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// transport takes no proxy from the environment and compresses nothing, so that a
// small body stays small.
func transport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy, t.DisableCompression = nil, true
	t.MaxResponseHeaderBytes = 64 << 10
	return t
}
