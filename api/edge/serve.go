package edge

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/requestid"
)

var (
	errNoRoute = fault.Define(fault.NotFound, "route_not_found", "Resource not found",
		"No endpoint has this path")
	errMethod = fault.Define(fault.MethodNotAllowed, "method_not_allowed", "Method not allowed",
		"The path exists, but not for this method; Allow lists those it has")
)

// ServeHTTP answers one request, with one line in the log.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := s.newCall(r)
	w.Header().Set("X-Request-Id", c.id)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	sent := &sender{ResponseWriter: w, call: c}
	ctx := requestid.With(context.WithValue(r.Context(), callKey{}, c), c.id)
	s.Meter.Begin()
	defer func() { s.Meter.End(c.measured(s.Clock.Now())) }()
	defer s.log(ctx, r.Method, c)
	defer s.recover(sent, c)
	s.route(sent, r.WithContext(ctx))
}

// measured is the call for the meter, once it has ended.
func (c *call) measured(now time.Time) Measured {
	m := Measured{Caller: c.principal.Kind, Status: c.status, Took: now.Sub(c.started)}
	if c.op != nil {
		m.Operation = c.op.ID
	}
	m.Stream = c.answer != nil && c.answer.file != nil
	return m
}

// route finds the handler. What the mux would answer by itself (404, 405 and
// redirects of unclean paths) is answered in the envelope.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	h, pattern := s.mux.Handler(r)
	if _, ours := h.(http.HandlerFunc); ours && s.known[pattern] {
		s.mux.ServeHTTP(w, r)
		return
	}
	c := callOf(r.Context())
	probe := &sink{}
	h.ServeHTTP(probe, r)
	if probe.status == http.StatusMethodNotAllowed && !readsOnly(s, r) {
		w.Header().Set("Allow", probe.Header().Get("Allow"))
		s.fail(w, c, errMethod)
		return
	}
	s.fail(w, c, errNoRoute)
}

// readsOnly tells whether the path of a request is that of a Lone operation.
func readsOnly(s *Server, r *http.Request) bool {
	read := r.Clone(r.Context())
	read.Method = http.MethodGet
	_, pattern := s.mux.Handler(read)
	return s.lone[pattern]
}

// recover turns a panic into a 500, unless the answer has begun.
func (s *Server) recover(w *sender, c *call) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so too
		panic(p)
	}
	err := fault.ErrInternal.Because(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	if c.status != 0 {
		c.err = err
		return
	}
	s.fail(w, c, err)
}

// fail answers with an error.
func (s *Server) fail(w http.ResponseWriter, c *call, err error) {
	c.err = err
	f := faultOf(err)
	body, renderErr := s.renderFault(c, f)
	if renderErr != nil { // of the details, which a handler gave
		c.err, f = errors.Join(err, renderErr), fault.ErrInternal
		body, _ = s.renderFault(c, f)
	}
	h := w.Header()
	if f.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((f.RetryAfter+time.Second-1)/time.Second)))
	}
	if f.Kind == fault.Unauthenticated {
		h.Set("WWW-Authenticate", challenge(c.op))
	}
	write(w, f.Kind.Status(), body)
}

// faultOf is the one place that says what a caller is told of an error.
func faultOf(err error) *fault.Error {
	if f, ok := fault.As(err); ok {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fault.ErrUnavailable
	}
	return fault.ErrInternal
}

func write(w http.ResponseWriter, status int, body []byte) { writeAs(w, status, "no-store", body) }

func writeAs(w http.ResponseWriter, status int, cacheControl string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", cacheControl)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller has hung up, or it worked
}

// log writes the request's line: never a header, a body, a query or a path, for
// each can hold what only the caller may know.
func (s *Server) log(ctx context.Context, asked string, c *call) {
	if c.probe {
		return
	}
	level := slog.LevelInfo
	if c.status >= http.StatusInternalServerError || c.broken {
		level = slog.LevelError
	}
	attrs := []slog.Attr{
		slog.String("method", method(asked)),
		slog.String("route", c.route),
		slog.Int("status", c.status),
		slog.Float64("ms", float64(s.Clock.Now().Sub(c.started).Microseconds())/1000),
		slog.String("remoteIp", c.ip),
	}
	if c.op != nil {
		attrs = append(attrs, slog.String("operation", c.op.ID))
	}
	if c.principal.ID != "" {
		attrs = append(attrs, slog.String("workspace", c.principal.WorkspaceID),
			slog.String(
				"by", string(c.principal.Kind),
			), slog.String("caller", c.principal.ID[:min(8, len(c.principal.ID))]))
	}
	if c.answer != nil && c.answer.replayed {
		attrs = append(attrs, slog.Bool("replayed", true))
	}
	if c.err != nil {
		attrs = append(attrs, slog.String("error", c.err.Error()))
	}
	s.Log.LogAttrs(ctx, level, "request", attrs...)
}

// method keeps a made-up method, which is the caller's text, out of the log.
func method(m string) string {
	if strings.Contains(" GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE ", " "+m+" ") {
		return m
	}
	return "other"
}

// sender remembers the status that was sent.
type sender struct {
	http.ResponseWriter
	call *call
}

func (w *sender) WriteHeader(status int) {
	w.call.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *sender) Write(b []byte) (int, error) {
	if w.call.status == 0 {
		w.call.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets the standard library reach the connection.
func (w *sender) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// sink takes what must not reach the connection.
type sink struct {
	header http.Header
	status int
}

func (w *sink) Header() http.Header {
	if w.header == nil {
		w.header = http.Header{}
	}
	return w.header
}

func (w *sink) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *sink) Write(b []byte) (int, error) { return len(b), nil }

// tagOf is the entity tag of data (RFC 9110, 8.8.3). It is weak, since the envelope around the data has the time of
// each answer.
func tagOf(data any) (string, error) {
	raw, err := json.Marshal(data, json.Deterministic(true))
	sum := sha256.Sum256(raw)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`, err
}

// writeCached writes an answer that anybody may keep for a while, or that it still is the one that the caller has.
func writeCached(w http.ResponseWriter, r *http.Request, maxAge time.Duration, a *answer) {
	h := w.Header()
	h.Set("ETag", a.tag)
	keep := fmt.Sprintf("public, max-age=%d", int(maxAge.Seconds()))
	if has(r.Header.Values("If-None-Match"), a.tag) {
		h.Set("Cache-Control", keep)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	writeAs(w, a.status, keep, a.body)
}

// has tells whether a caller has the answer of a tag. Tags are compared weakly: W/ does not count.
func has(lines []string, tag string) bool {
	for _, line := range lines {
		for each := range strings.SplitSeq(line, ",") {
			each = strings.TrimSpace(each)
			if each == "*" || strings.TrimPrefix(each, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}
