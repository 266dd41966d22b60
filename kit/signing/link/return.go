package link

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

// Outcome is what became of a link, as the address that the page leads back to names it.
type Outcome string

// The outcomes. Each is a word to the program that made the link and a proof of nothing: what became of the request the
// API says.
const (
	Done          Outcome = "done" // the page handed in what it was for: a stamp, a vote, a passkey
	WasDeclined   Outcome = "declined"
	WasCancelled  Outcome = "cancelled" // by somebody else
	HasExpired    Outcome = "expired"
	WasRefused    Outcome = "failed"  // by a rule, for good
	DecidedBefore Outcome = "decided" // others were faster with an approval
)

// The parameters that are added to an address.
var parameters = []string{"id", "kind", "outcome", "state"}

// ErrReturnOrigin refuses to lead to an origin that nobody registered.
var ErrReturnOrigin = fault.Define(fault.Unprocessable, "return_origin_unknown",
	"%s is not registered as a return origin: an admin does it with POST /v1/integrators/{integratorId}/return-origins",
	"`returnUrl` is on an origin that the workspace has not registered. Register exactly this origin, with its scheme and port, or use one that is: "+
		"`GET /v1/integrators/{integratorId}/return-origins` lists them")

// What an origin and an address may consist of. Browsers read more than this, and some of that otherwise than Go does:
// a backslash as a slash, 127.1 as an address, capital letters as small ones. None of it is taken, so that nobody has
// to know how it would be read. There is no room for a user name, in which the name of another host can stand.
var (
	originForm = regexp.MustCompile(
		`^https?://(localhost|([a-z0-9]([a-z0-9-]*[a-z0-9])?[.])+[a-z][a-z0-9-]*[a-z0-9])(:[1-9][0-9]{0,4})?`)
	restForm = regexp.MustCompile(`^(/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?` +
		`([?]([A-Za-z0-9._~!$&'()*+,=:@/?-]|%[0-9A-Fa-f]{2})*)?$`)
)

// originOf cuts an address into its origin and what comes behind that.
func (s *Links) originOf(field, address string) (origin, rest string, err error) {
	origin = originForm.FindString(address)
	rest = address[len(origin):]
	scheme, host, _ := strings.Cut(origin, "://")
	name, port, _ := strings.Cut(host, ":")
	switch {
	case origin == "" || !restForm.MatchString(rest):
		return "", "", fault.Field(field, "must begin with https:// and a host name in small letters, with nothing before the host, no fragment, and other characters than those of URLs written as %XX")
	case scheme == "http" && (name != "localhost" || s.Environment != chain.Sandbox):
		return "", "", fault.Field(field, "must begin with https://; http:// is for localhost in the sandbox only")
	case scheme == "https" && port == "443", scheme == "http" && port == "80":
		return "", "", fault.Field(field, "must not name the port that its scheme has anyway")
	}
	return origin, rest, nil
}

// registry looks up a return origin, also a removed one.
type registry interface {
	ReturnOrigin(ctx context.Context, workspaceID, id string) (Origin, error)
}

// CheckReturn refuses an address that the page of a link may not lead back to, before anything is done that cannot be
// undone and makes the link. Without a page, or an address, there is nothing to refuse.
func (s *Links) CheckReturn(ctx context.Context, workspaceID string, back *command.Return) error {
	if back == nil || s.CeremonyOrigin == "" {
		return nil
	}
	return s.check(ctx, s.Store, workspaceID, *back)
}

// StillReturn is where a link leads back to that is written after such a thing was done: nowhere, where the origin was
// removed meanwhile. To refuse it then would keep what was done out of the database.
func (s *Links) StillReturn(
	ctx context.Context, tx Tx, workspaceID string, back *command.Return,
) (*command.Return, error) {
	if back == nil {
		return nil, nil
	}
	err := s.check(ctx, tx, workspaceID, *back)
	if errors.Is(err, ErrReturnOrigin) {
		return nil, nil
	}
	return back, err
}

// check refuses an address that the page may not lead back to.
func (s *Links) check(ctx context.Context, known registry, workspaceID string, back command.Return) error {
	origin, rest, err := s.originOf("returnUrl", back.URL)
	if err != nil {
		return err
	}
	_, query, _ := strings.Cut(rest, "?")
	given, err := url.ParseQuery(query)
	if err != nil {
		return fault.Field("returnUrl", "must have a well-formed query")
	}
	for _, name := range parameters {
		if given.Has(name) {
			return fault.Field("returnUrl", "must not have the parameters "+strings.Join(parameters, ", ")+
				": they are added to it")
		}
	}
	if origin == s.Dashboard {
		return nil
	}
	o, err := known.ReturnOrigin(ctx, workspaceID, originID(workspaceID, origin))
	return registered(origin, o, err)
}

// Back is where the page leads once a link has ended: an origin, and an address on it. Both are empty where the link
// names none, or where its origin was removed meanwhile.
func (s *Links) Back(ctx context.Context, c Ceremony, id string, outcome Outcome) (origin, address string, err error) {
	if c.Return.URL == "" {
		return "", "", nil
	}
	if origin, _, err = s.originOf("returnUrl", c.Return.URL); err != nil {
		return "", "", err
	}
	if origin != s.Dashboard {
		o, err := s.Store.ReturnOrigin(ctx, c.WorkspaceID, originID(c.WorkspaceID, origin))
		if err = registered(origin, o, err); errors.Is(err, ErrReturnOrigin) {
			return "", "", nil
		} else if err != nil {
			return "", "", err
		}
	}
	return origin, c.Return.URL + joint(c.Return.URL) + added(c, id, outcome), nil
}

// joint stands between an address and further parameters.
func joint(address string) string {
	switch {
	case !strings.Contains(address, "?"):
		return "?"
	case strings.HasSuffix(address, "?"), strings.HasSuffix(address, "&"):
		return ""
	}
	return "&"
}

func added(c Ceremony, id string, outcome Outcome) string {
	q := url.Values{"id": {id}, "kind": {string(c.Kind)}, "outcome": {string(outcome)}}
	if c.Return.State != "" {
		q.Set("state", c.Return.State)
	}
	return q.Encode()
}
