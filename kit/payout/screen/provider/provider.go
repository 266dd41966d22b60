// Package provider asks a screening provider over HTTP, in the form that docs/screening.md describes. A provider with
// an interface of its own is put behind a small adapter that speaks this form.
//
// The answer decides whether money leaves. So it is used only if it is exactly of that form and names every subject
// that was asked about as screened: an empty object, an error page with status 200 or an answer to another question is
// no answer. Everything but a whole answer is screen.ErrUnavailable, and the money waits.
package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/kit/payout/screen"
)

// Config is what a client needs.
type Config struct {
	URL       string        // that questions are posted to
	Key       string        // the bearer token of each question
	Timeout   time.Duration // of a question, its answer included; 0: 5 s
	Transport http.RoundTripper
}

// Client is a screen.Screener.
type Client struct {
	url, key string
	http     *http.Client
}

var _ screen.Screener = (*Client)(nil)

const (
	patience   = 5 * time.Second
	mostAnswer = 64 << 10 // bytes
	leastKey   = 16
)

// errConfig says nothing of what it was given: a URL may hold a password.
var errConfig = fmt.Errorf(
	"needs an http(s) URL without a user, a query and a fragment, and a key of %d characters or more", leastKey,
)

// New makes a client. It asks nothing.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" ||
		u.Fragment != "" || u.User != nil || len(c.Key) < leastKey {
		return nil, errConfig
	}
	if c.Timeout == 0 {
		c.Timeout = patience
	}
	if c.Transport == nil {
		c.Transport = transport()
	}
	return &Client{
		url: c.URL, key: c.Key,
		http: &http.Client{Timeout: c.Timeout, Transport: c.Transport, CheckRedirect: stay},
	}, nil
}

// stay follows no redirect: names and the key go to one host only.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// transport takes no proxy from the environment and compresses nothing, so that a small answer stays small.
func transport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy, t.DisableCompression = nil, true
	t.MaxResponseHeaderBytes = mostAnswer
	return t
}

// question is the body of a request.
type question struct {
	Subjects []subject `json:"subjects"`
}

// subject is a subject under its number in the question, from 1 on.
type subject struct {
	ID      int    `json:"id"`
	Kind    string `json:"kind"`
	Role    string `json:"role"`
	Value   string `json:"value"`
	Chain   string `json:"chain,omitempty"`
	Country string `json:"country,omitempty"`
}

// answer is the body of a response.
type answer struct {
	Screened []int `json:"screened"`
	Hits     []hit `json:"hits"`
}

type hit struct {
	ID    int    `json:"id"`
	Entry string `json:"entry"`
}

// Screen asks the provider about all subjects at once.
func (c *Client) Screen(ctx context.Context, subjects []screen.Subject) ([]screen.Hit, error) {
	q := question{Subjects: make([]subject, len(subjects))}
	for i, s := range subjects {
		q.Subjects[i] = subject{i + 1, string(s.Kind), string(s.Role), s.Value, s.Chain, s.Country}
	}
	a, err := c.ask(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", screen.ErrUnavailable, err)
	}
	hits := make([]screen.Hit, len(a.Hits))
	for i, h := range a.Hits {
		hits[i] = screen.Hit{Subject: subjects[h.ID-1], Entry: h.Entry}
	}
	return hits, nil
}

// Ping asks about nothing: a provider that takes the key and speaks the form answers with nothing.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.Screen(ctx, nil)
	return err
}

func (c *Client) ask(ctx context.Context, q question) (a answer, err error) {
	body, err := json.Marshal(q)
	if err != nil {
		return a, errors.New("a question could not be written")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return a, errors.New("a question could not be made")
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "railkit")
	res, err := c.http.Do(req)
	if err != nil {
		return a, withoutURL(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer+1))
	switch {
	case err != nil:
		return a, withoutURL(err)
	case res.StatusCode != http.StatusOK:
		return a, fmt.Errorf("status %d", res.StatusCode)
	case len(text) > mostAnswer:
		return a, fmt.Errorf("the answer is longer than %d bytes", mostAnswer)
	}
	if kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return a, errors.New("the answer is not application/json")
	}
	if err := json.Unmarshal(text, &a, json.RejectUnknownMembers(true)); err != nil {
		return a, errors.New("the answer is not of the form that is asked for")
	}
	return a, a.check(len(q.Subjects))
}

// check refuses an answer that does not say of each of n subjects that it was screened, and of no other.
func (a answer) check(n int) error {
	if a.Screened == nil || a.Hits == nil {
		return errors.New("the answer lacks screened or hits")
	}
	screened := slices.Compact(slices.Sorted(slices.Values(a.Screened)))
	if len(screened) != n || len(a.Screened) != n || n > 0 && (screened[0] != 1 || screened[n-1] != n) {
		return errors.New("the answer does not name each subject once as screened")
	}
	for _, h := range a.Hits {
		if h.ID < 1 || h.ID > n || !screen.ValidEntry(h.Entry) {
			return errors.New("the answer has a hit of no subject, or an entry that is no id")
		}
	}
	return nil
}

// withoutURL keeps the cause and drops the URL.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err
}
