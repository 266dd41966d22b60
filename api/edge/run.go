package edge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/crash"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/ratelimit"
)

// run takes a request of a registered operation through the guards to its answer.
func (s *Server) run(w http.ResponseWriter, r *http.Request, c *call, bind func(*http.Request)) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		s.fail(w, c, fault.Field("query", "is malformed"))
		return
	}
	if err := s.guard(w.Header(), r, c, query); err != nil {
		s.fail(w, c, err)
		return
	}
	c.answer, err = s.perform(w, r, c, query, bind)
	if err != nil {
		s.fail(w, c, err)
		return
	}
	if c.answer.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	crash.At(c.op.ID, "before-response")
	write(w, c.answer.status, c.answer.body)
}

// guard says who calls and whether they may.
func (s *Server) guard(h http.Header, r *http.Request, c *call, query url.Values) error {
	if c.op.public {
		return s.guardStranger(h, r, c)
	}
	p, err := s.Auth.Authenticate(r.Context(), strings.Join(r.Header.Values("Authorization"), ", "))
	if err != nil {
		return err
	}
	c.principal = p
	if !p.May(c.op.Access) {
		return auth.ErrScope
	}
	if err := s.choose(r.Context(), c, query["integratorId"]); err != nil {
		return err
	}
	if m := c.op.Module; m != "" && !c.principal.HasModule(m) {
		return auth.ErrModule.Msg(m)
	}
	return limit(h, s.Keys, p.KeyID, c.op.class, p.Limits)
}

// choose settles the workspace: an operator's key names it, any other key has
// its own and may repeat it.
func (s *Server) choose(ctx context.Context, c *call, named []string) error {
	if len(named) > 1 {
		return fault.Field("integratorId", "must be given once")
	}
	if !c.principal.AcrossWorkspaces() {
		if len(named) == 1 && !strings.EqualFold(named[0], c.principal.WorkspaceID) {
			return auth.ErrScope
		}
		return nil
	}
	if len(named) == 0 || named[0] == "" {
		return fault.Field("integratorId", "is required")
	}
	id, err := uuid.Parse(named[0])
	if err != nil || len(named[0]) != len(id.String()) {
		return fault.Field("integratorId", "must be a UUID")
	}
	w, err := s.Workspaces.Workspace(ctx, id.String())
	if err != nil {
		return err
	}
	if w.Environment != c.principal.Environment {
		return fault.Missing("Workspace")
	}
	c.principal.WorkspaceID, c.principal.Modules = w.ID, w.Modules
	return nil
}

// guardStranger counts a caller without a key, and refuses pages of other sites:
// a browser names the page that calls, and no page can name another.
func (s *Server) guardStranger(h http.Header, r *http.Request, c *call) error {
	if err := s.limitStranger(h, c); err != nil {
		return err
	}
	if from := r.Header.Values("Origin"); s.Origin != "" && (len(from) != 1 || from[0] != s.Origin) {
		return errOrigin
	}
	return nil
}

func (s *Server) limitStranger(h http.Header, c *call) error {
	return limit(h, s.Strangers, network(c.ip), ratelimit.Standard, auth.Limits{Standard: s.StrangerLimit})
}

func limit(h http.Header, l Limiter, who string, class ratelimit.Class, limits auth.Limits) error {
	v := l.Take(who, class, ratelimit.LimitOf(limits, class))
	v.Headers(h, class)
	return v.Err()
}

// perform reads the request and runs the operation.
func (s *Server) perform(w http.ResponseWriter, r *http.Request, c *call, query url.Values, bind func(*http.Request)) (*answer, error) {
	body, err := c.op.read(w, r, s.MaxBody)
	if err != nil {
		return nil, err
	}
	if c.op.changes {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), patience)
		defer cancel()
		first, end, err := s.begin(r, c, query, body)
		if err != nil || first != nil {
			return first, err
		}
		defer end()
		r = r.WithContext(ctx)
	}
	if body, err = c.op.check(r, query, body); err != nil {
		return nil, err
	}
	bind(checked(r, query, body))
	if c.err == nil && c.answer == nil { // huma refuses nothing but input
		c.err = fault.Field("request", "is not valid").Because(errors.New("huma refused what was found valid"))
	}
	return c.answer, c.err
}

// checked is the request as it was checked: huma reads query and body itself,
// and must not read them in another way.
func checked(r *http.Request, query url.Values, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.URL.RawQuery = query.Encode()
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.Header.Set("Content-Type", jsonType)
	return r
}

// begin makes the command and claims its idempotency key, where it has one.
func (s *Server) begin(r *http.Request, c *call, query url.Values, body []byte) (first *answer, end func(), err error) {
	c.command = &command.Command{Principal: c.principal, Operation: c.op.ID, RequestID: c.id, RemoteIP: c.ip, Render: s.renderReply(c)}
	header := r.Header.Values("Idempotency-Key")
	if len(header) == 0 || c.op.public {
		return nil, func() {}, nil
	}
	key, err := idempotency.Key(c.principal.WorkspaceID, strings.Join(header, ","),
		idempotency.Request{Method: r.Method, Path: r.URL.EscapedPath(), Query: query, Body: body})
	if err != nil {
		return nil, nil, err
	}
	c.command.Key = key
	a, end, err := s.Once.Begin(r.Context(), c.principal.WorkspaceID, key)
	if err != nil || a == nil {
		return nil, end, err
	}
	return &answer{a.Status, a.Body, true}, nil, nil
}

var (
	errTooLarge = fault.Define(fault.TooLarge, "body_too_large", "Request body exceeds %s",
		"The body is larger than the server reads")
	errOrigin = fault.Define(fault.Forbidden, "origin_refused", "This page may not call here",
		"The Origin header is missing or is not that of the passkey page itself")
	errMedia = fault.Define(fault.UnsupportedMedia, "unsupported_media_type", "Content-Type must be application/json",
		"The body has no Content-Type, another one than application/json, another charset than UTF-8 or a Content-Encoding")
)

func size(bytes int64) string {
	if bytes%(1<<20) == 0 {
		return strconv.FormatInt(bytes>>20, 10) + " MiB"
	}
	return strconv.FormatInt(bytes>>10, 10) + " KiB"
}

func wrapRead(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return errTooLarge.Msg(size(tooLarge.Limit))
	}
	return fault.Field("body", "could not be read").Because(fmt.Errorf("reading the body: %w", err))
}
