package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/railkit/railkit/fault"
)

// Request is what a server is asked.
type Request struct {
	Method, URL string
	Header      http.Header
	Private     http.Header // headers for the host of the URL alone: Follow leaves them out after a redirect
	Body        []byte
	MostBody    int64 // bytes of an answer's body that are read; 0: 1 MiB; 5 MB at most
	Coded       bool  // takes a body that cannot be decoded as it came, with its Content-Encoding
	Cut         bool  // takes the beginning of a body that is longer than MostBody, instead of refusing the answer
}

// Response is an answer, read to its end.
type Response struct {
	URL    string // that answered
	Status int
	Header http.Header // without cookies and what is about the connection
	Body   []byte
}

// Do asks once. A redirect is an answer like any other.
func (s *Session) Do(ctx context.Context, r Request) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, s.client.patience.total)
	defer cancel()
	u, err := s.client.Check(r.URL)
	if err != nil {
		return Response{}, ErrRefused.With("reason", err.Error()).Because(err)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, u.String(), bytes.NewReader(r.Body))
	if err != nil {
		return Response{}, fmt.Errorf("making a request of a stranger's server: %w", err)
	}
	req.Header.Set("User-Agent", "railkit")
	copyHeader(req.Header, r.Header)
	copyHeader(req.Header, r.Private)
	req.Header.Set("Accept-Encoding", "identity")
	res, err := s.transport.RoundTrip(req)
	if err != nil {
		return Response{}, tell(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	most := min(cmp.Or(max(r.MostBody, 0), stockBody), mostBody)
	body, err := readBody(ctx, res, most, r.Cut)
	if err == nil {
		body, err = plain(res.Header, body, most, r.Coded)
	}
	if err != nil {
		return Response{}, err
	}
	shown := http.Header{}
	copyHeader(shown, res.Header)
	shown.Del("Set-Cookie")
	shown.Del("Set-Cookie2")
	return Response{r.URL, res.StatusCode, shown, body}, nil
}

// Follow asks, and goes on where the answer leads, three times at most. Only what asks for a page may be led on, and
// nothing private goes along.
func (s *Session) Follow(ctx context.Context, r Request) (Response, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return Response{}, errors.New("only GET and HEAD follow redirects")
	}
	ctx, cancel := context.WithTimeout(ctx, s.client.patience.total)
	defer cancel()
	for range mostOnwards + 1 {
		res, err := s.Do(ctx, r)
		if err != nil || !isRedirect(res) {
			return res, err
		}
		if r.URL, err = onwards(r.URL, res.Header.Get("Location")); err != nil {
			return Response{}, err
		}
		r.Private = nil
	}
	return Response{}, ErrUnreadable.Because(errors.New("it leads on and on"))
}

func isRedirect(r Response) bool {
	switch r.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		return r.Header.Get("Location") != ""
	}
	return false
}

// onwards is the address that a redirect leads to. Do checks it like any other.
func onwards(from, location string) (string, error) {
	base, err := url.Parse(from)
	if err != nil {
		return "", ErrUnreadable.Because(err)
	}
	to, err := base.Parse(location)
	if err != nil {
		return "", ErrUnreadable.Because(err)
	}
	to.Fragment = "" // which browsers keep to themselves
	return to.String(), nil
}

// readBody reads a body to its end, or as much of it as is wanted.
func readBody(ctx context.Context, res *http.Response, most int64, cut bool) ([]byte, error) {
	if !cut && res.ContentLength > most && res.Request.Method != http.MethodHead {
		return nil, ErrTooLarge
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	switch {
	case err != nil:
		return nil, tell(ctx, err)
	case int64(len(body)) > most && cut:
		return body[:most], nil
	case int64(len(body)) > most:
		return nil, ErrTooLarge
	}
	return body, nil
}

// tell turns the error of a request into one for callers.
func tell(ctx context.Context, err error) error {
	var f *fault.Error
	var waited net.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case errors.As(err, &waited) && waited.Timeout(), ctx.Err() != nil:
		return ErrTimeout.Because(err)
	case strings.Contains(err.Error(), "response headers exceeded"):
		return ErrTooLarge.Because(err)
	case strings.Contains(err.Error(), "malformed"):
		return ErrUnreadable.Because(err)
	}
	return ErrUnreachable.Because(err)
}

// ofConnection are headers that are about the connection or are set here, in lower case.
var ofConnection = map[string]bool{
	"connection": true, "keep-alive": true, "proxy-authenticate": true, "proxy-authorization": true,
	"proxy-connection": true, "te": true, "trailer": true, "transfer-encoding": true, "upgrade": true, "host": true,
	"content-length": true, "accept-encoding": true, "expect": true,
}

// MaySend tells whether a request may have a header of this name.
func MaySend(name string) bool { return !ofConnection[strings.ToLower(name)] }

func copyHeader(to, from http.Header) {
	for name, values := range from {
		if MaySend(name) {
			to[http.CanonicalHeaderKey(name)] = values
		}
	}
}
