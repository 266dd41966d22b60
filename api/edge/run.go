package edge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/railkit/railkit/crash"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/platform/ratelimit"
)

// run takes a request of a registered operation through the guards to its answer.
func (s *Server) run(w http.ResponseWriter, r *http.Request, c *call) {
	if c.op.AnyOrigin {
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}
	if c.op.Pays {
		c.till = newTill(r)
	}
	answer, err := s.attempt(w, r, c)
	c.jar.writeCookie(w)
	c.till.writeHeaders(w)
	c.answer = answer
	if err == nil && answer.file != nil {
		if err = s.stream(w, r, c); err == nil {
			return
		}
	}
	if err != nil {
		s.fail(w, c, err)
		return
	}
	if answer.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	if answer.next != "" {
		w.Header().Set("Link", nextLink(r, answer.next))
	}
	crash.At(c.op.ID, "before-response")
	if answer.tag != "" {
		writeCached(w, r, c.op.MaxAge, answer)
		return
	}
	write(w, answer.status, answer.body)
}

// nextLink leads from a page of a list to the one after it (RFC 8288), by the same query.
func nextLink(r *http.Request, cursor string) string {
	query := r.URL.Query()
	query.Del("page")
	query.Del("offset")
	query.Set("cursor", cursor)
	return "<" + r.URL.EscapedPath() + "?" + query.Encode() + `>; rel="next"`
}

func (s *Server) attempt(w http.ResponseWriter, r *http.Request, c *call) (*answer, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.Field("query", "is malformed")
	}
	c.prepare = query.Get("prepare") == "true"
	if c.op.public {
		err = s.guardStranger(w.Header(), r, c)
	} else {
		err = s.guard(w, r, c, query)
	}
	if err != nil {
		return nil, err
	}
	return s.perform(w, r, c, query)
}

// guard says who calls and whether they may. A known caller is counted before
// anything is refused: a call that its scopes do not open costs a look-up too.
func (s *Server) guard(w http.ResponseWriter, r *http.Request, c *call, query url.Values) error {
	shown, err := s.presented(w, r, c)
	if err != nil {
		return s.limitWrong(r.Context(), w.Header(), c, err)
	}
	p, err := s.Auth.Authenticate(r.Context(), shown, c.op.Callers)
	if err != nil {
		return s.limitWrong(r.Context(), w.Header(), c, err)
	}
	c.principal = p
	if err := limit(r.Context(), w.Header(), s.Keys, nameOf(p), c.op.class, p.Limits); err != nil {
		return err
	}
	c.again = func(ctx context.Context) (auth.Principal, error) {
		now := *c
		var err error
		now.principal, err = s.Auth.Authenticate(ctx, shown, c.op.Callers)
		if err == nil {
			err = admit(s, r.WithContext(ctx), &now, query)
		}
		return now.principal, err
	}
	return admit(s, r, c, query)
}

// admit says whether a known caller may call, and for which workspace.
func admit(s *Server, r *http.Request, c *call, query url.Values) error {
	if !c.principal.May(c.op.Access) {
		return auth.ErrScope
	}
	if err := s.choose(r, c, query["integratorId"]); err != nil {
		return err
	}
	return c.op.open(c.principal)
}

// open refuses a kit that the workspace has not, or that its business check closes. Who has agents sees and stops them
// also while the module is off: agents that nobody can kill would be worse than none.
func (o *operation) open(p auth.Principal) error {
	switch m := o.Module; {
	case m == auth.Agents && p.Kind != auth.ByAgent && (!o.changes || o.Stops):
		return nil
	case m != "" && !p.HasModule(m):
		return auth.ErrModule.Msg(m)
	case m == auth.Payout && !p.Verified, p.Kind == auth.ByAgent && o.changes && p.Rejected:
		return auth.ErrVerification
	}
	return nil
}

// nameOf tells callers apart. A member is the same one in each of its sessions.
func nameOf(p auth.Principal) string { return string(p.Kind) + ":" + p.ID }

// limitWrong counts a wrong credential against its network, and answers 429 in
// place of what is wrong once those were too many. A good credential is never
// asked for this count: whoever shares an address with one who guesses could be
// locked out otherwise. What a guess may cost is a look-up; that none succeeds is
// the length of the credentials.
func (s *Server) limitWrong(ctx context.Context, h http.Header, c *call, wrong error) error {
	if !auth.Wrong(wrong) {
		return wrong
	}
	v, err := s.Strangers.Take(
		ctx, network(c.ip), ratelimit.Failures, ratelimit.LimitOf(auth.Limits{}, ratelimit.Failures),
	)
	if err != nil || v.Admitted {
		return wrong // also where nobody can count: it is refused either way
	}
	v.Headers(h, ratelimit.Failures)
	return ratelimit.ErrLimit.After(v.Reset).Because(wrong)
}

// The headers of an agent's request.
const (
	agentID        = "X-Agent-Id"
	agentAuth      = "X-Agent-Auth"
	agentTimestamp = "X-Request-Timestamp"
)

// presented is what the request shows of its caller. An agent signs its body, so
// the body is read before it is known whose it is.
func (s *Server) presented(w http.ResponseWriter, r *http.Request, c *call) (auth.Presented, error) {
	h := r.Header
	shown := auth.Presented{Authorization: strings.Join(h.Values("Authorization"), ", "), RemoteIP: c.ip}
	plain := len(h.Values(agentID)) + len(h.Values(agentAuth)) + len(h.Values(agentTimestamp))
	signed := shown.Authorization == "" && // a proxy may sign what passes it
		len(h.Values(signatureInput))+len(h.Values(signatureValue)) > 0
	if !slices.Contains(c.op.Callers, auth.ByAgent) || plain == 0 && !signed {
		return shown, nil
	}
	body, err := c.read(w, r, min(s.MaxBody, c.op.MostBody))
	shown.Agent = &auth.AgentClaim{
		AgentID: strings.Join(h.Values(agentID), ","), MAC: strings.Join(h.Values(agentAuth), ","),
		Timestamp: strings.Join(h.Values(agentTimestamp), ","),
		Method:    r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery != "" || r.URL.ForceQuery, Body: body,
	}
	if err == nil && signed {
		err = readSignature(r, shown.Agent, s.APIHost)
	}
	return shown, err
}

// choose settles the workspace: an operator's key names it, in the path or the
// query; any other caller has its own and may repeat it.
func (s *Server) choose(r *http.Request, c *call, named []string) error {
	if len(named) > 1 {
		return fault.Field("integratorId", "must be given once")
	}
	own, inPath := c.principal.WorkspaceID, r.PathValue("integratorId")
	if !c.principal.AcrossWorkspaces() {
		if inPath != "" && !strings.EqualFold(inPath, own) {
			return fault.Missing("Workspace")
		}
		if len(named) == 1 && !strings.EqualFold(named[0], own) {
			return auth.ErrScope
		}
		return nil
	}
	if inPath != "" {
		if len(named) == 1 && !strings.EqualFold(named[0], inPath) {
			return fault.Field("integratorId", "must not be given under two names")
		}
		return s.chosen(r.Context(), c, inPath)
	}
	if len(named) == 1 && named[0] != "" {
		return s.chosen(r.Context(), c, named[0])
	}
	if c.op.Across {
		return nil
	}
	return fault.Field("integratorId", "is required")
}

func (s *Server) chosen(ctx context.Context, c *call, name string) error {
	id, err := uuid.Parse(name)
	if err != nil || len(name) != len(id.String()) {
		return fault.Field("integratorId", "must be a UUID")
	}
	w, err := s.Workspaces.Workspace(ctx, id.String())
	if err != nil {
		return err
	}
	if w.Environment != c.principal.Environment {
		return fault.Missing("Workspace")
	}
	c.principal.Tenant = w.Tenant()
	return nil
}

// guardStranger refuses pages of other sites, and counts a caller without a key:
// a browser names the page that calls, and no page can name another. What another
// page makes a browser send does not count against the one who sits before it.
func (s *Server) guardStranger(h http.Header, r *http.Request, c *call) error {
	if s.Origin != "" && !comesFrom(r, s.Origin) || c.op.Dashboard && s.Dashboard != "" && !comesFrom(r, s.Dashboard) {
		return errOrigin
	}
	if c.op.Cookie {
		c.jar = s.newJar(r)
	}
	if c.op.signed != nil {
		return nil // is counted once its signature is read
	}
	return s.limitStranger(r.Context(), h, c)
}

// comesFrom reports whether the one Origin header is this.
func comesFrom(r *http.Request, origin string) bool {
	from := r.Header.Values("Origin")
	return len(from) == 1 && from[0] == origin
}

// limitStranger counts a caller without a key by its network. Health and notices have
// counts of their own: whoever uses up the others', say behind one address with the
// balancer, does not get a healthy server taken out.
func (s *Server) limitStranger(ctx context.Context, h http.Header, c *call) error {
	class := ratelimit.Standard
	if c.op != nil && ratelimit.Apart(c.op.class) { // a static file has no operation
		class = c.op.class
	}
	return limit(ctx, h, s.Strangers, network(c.ip), class, auth.Limits{Standard: s.StrangerLimit})
}

func limit(ctx context.Context, h http.Header, l Limiter, who string, class ratelimit.Class, limits auth.Limits) error {
	v, err := l.Take(ctx, who, class, ratelimit.LimitOf(limits, class))
	if err != nil {
		return err
	}
	v.Headers(h, class)
	return v.Err()
}

// perform reads the request and runs the operation.
func (s *Server) perform(w http.ResponseWriter, r *http.Request, c *call, query url.Values) (*answer, error) {
	body, err := c.read(w, r, min(s.MaxBody, c.op.MostBody))
	if err != nil {
		return nil, err
	}
	if c.op.signed != nil {
		return s.takeSigned(w.Header(), r, c)
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
	if c.input, err = c.op.check(r, query, body); err != nil {
		return nil, err
	}
	if err := c.noteReturn(); err != nil {
		return nil, err
	}
	var in any
	if in, c.err = c.op.bind(r, query, c.input); c.err == nil {
		c.answer, c.err = c.op.handle(r.Context(), c, in)
	}
	return s.orFirst(r.Context(), c)
}

// noteReturn hands the kit the address that the passkey page is to lead back to, where the body names one.
func (c *call) noteReturn() error {
	if c.command == nil || !c.input.IsValid() {
		return nil
	}
	body, is := c.input.Interface().(interface {
		Back() (returnURL, state string)
	})
	if !is || c.input.Kind() == reflect.Pointer && c.input.IsNil() {
		return nil
	}
	back, state := body.Back()
	switch {
	case back == "" && state == "", c.op.Prepared != nil && !c.prepare: // the second sends what was prepared, stamped
		return nil
	case back == "":
		return fault.Field("state", "must not be given without returnUrl")
	}
	c.command.Return = &command.Return{URL: back, State: state}
	return nil
}

// takeSigned takes in a signed call. An unsigned one counts as a wrong credential.
func (s *Server) takeSigned(h http.Header, r *http.Request, c *call) (*answer, error) {
	take, err := c.op.signed(r.Context(), c, strings.Join(r.Header.Values(c.op.Signature), ","))
	if err != nil {
		return nil, s.limitWrong(r.Context(), h, c, err)
	}
	if err := s.limitStranger(r.Context(), h, c); err != nil {
		return nil, err
	}
	return take()
}

// orFirst gives the first answer to a call that failed because of it: another
// server has done the same under the same key meanwhile, and what was to be
// removed is gone.
func (s *Server) orFirst(ctx context.Context, c *call) (*answer, error) {
	if c.err == nil || c.command == nil || c.command.Key == nil {
		return c.answer, c.err
	}
	a, err := s.Once.Find(ctx, c.principal.WorkspaceID, c.command.Key)
	if err != nil || a == nil {
		return c.answer, c.err
	}
	return &answer{status: a.Status, body: a.Body, replayed: true}, nil
}

// begin makes the command and claims its idempotency key, where it has one.
func (s *Server) begin(r *http.Request, c *call, query url.Values, body []byte) (first *answer, end func(), err error) {
	c.command = &command.Command{
		Principal: c.principal, Operation: c.op.ID, RequestID: c.id, RemoteIP: c.ip, Render: s.renderReply(c),
	}
	header := r.Header.Values("Idempotency-Key")
	if len(header) == 0 || c.op.public {
		return nil, func() {}, nil
	}
	key, err := idempotency.Key(c.principal.WorkspaceID, strings.Join(header, ","),
		idempotency.Request{
			Method: r.Method, Path: r.URL.EscapedPath(), Query: query, Body: body, Caller: nameOf(c.principal),
		})
	if err != nil {
		return nil, nil, err
	}
	c.command.Key = key
	a, end, err := s.Once.Begin(r.Context(), c.principal.WorkspaceID, key)
	if err != nil || a == nil {
		return nil, end, err
	}
	return &answer{status: a.Status, body: a.Body, replayed: true}, nil, nil
}

var (
	errTooLarge = fault.Define(fault.TooLarge, "body_too_large", "Request body exceeds %s",
		"The body is larger than the server reads")
	errOrigin = fault.Define(fault.Forbidden, "origin_refused", "This page may not call here",
		"The Origin header is missing or is not that of the page that the operation is for: the passkey page's or the dashboard's")
	errMedia = fault.Define(fault.UnsupportedMedia, "unsupported_media_type", "Content-Type must be %s",
		"The body has no Content-Type, another one than application/json (or text/csv, where a call takes it), another charset than UTF-8 or a Content-Encoding")
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
