package edge

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/netip"
	"reflect"
	"time"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/requestid"
)

// call is what the edge knows of one request, filled in as it runs.
type call struct {
	id, ip, path string
	route        string // pattern, not path: a path can hold what a log must not
	origin       string // at which it reached this server, as it names it
	started      time.Time

	op        *operation
	body      []byte // as it came
	hasRead   bool
	input     reflect.Value // the body, decoded; not valid where there is none
	prepare   bool          // the query says prepare=true
	principal auth.Principal
	command   *command.Command // of operations that change something
	jar       *Jar             // of operations with a cookie
	till      *Till            // of operations that are paid by x402

	// again asks anew who calls, and whether they still may: a key or session may be revoked meanwhile.
	again func(context.Context) (auth.Principal, error)

	answer *answer // what the handler came to
	err    error   // or why not; the log has it in full
	status int     // that was sent
	broken bool    // the server ended the answer in its middle
	probe  bool    // leaves no line in the log
}

// answer is a response ready to be sent.
type answer struct {
	status   int
	body     []byte
	replayed bool
	next     string // of a Bare list: the cursor of the page after this one
	tag      string // of an answer that anybody may keep
	file     *File  // of a Stream, in place of body
}

type callKey struct{}

func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

func (s *Server) newCall(r *http.Request) *call {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return &call{
		id: requestID(r), ip: s.Proxies.client(r), path: r.URL.EscapedPath(), origin: scheme + "://" + r.Host,
		started: s.Clock.Now(),
	}
}

// requestID is the caller's own where it is harmless in a log, else a new one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); requestid.Valid(id) {
		return id
	}
	return rand.Text()
}

// network is what a caller without a key is counted by. Who has one IPv6
// address has the whole /64.
func network(ip string) string {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	if a = a.Unmap(); a.Is4() {
		return a.String()
	}
	p, err := a.Prefix(64)
	if err != nil {
		return ip
	}
	return p.String()
}
