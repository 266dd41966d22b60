// Package edge is the HTTP side that every operation shares: the envelope, the
// guards, strict reading, and all that huma does differently from the contract.
// Nothing of huma is used or corrected outside this package.
//
// huma contributes the schemas and the OpenAPI document. It reads no request and
// writes to no connection.
package edge

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/platform/workspace"
	"github.com/railkit/railkit/requestid"
)

// Authenticator finds the caller behind what a request shows.
type Authenticator interface {
	Authenticate(ctx context.Context, shown auth.Presented, kinds []auth.Kind) (auth.Principal, error)
}

// Limiter counts a caller's calls.
type Limiter = ratelimit.Limiter

// Once makes a mutating call happen once under its Idempotency-Key.
type Once interface {
	Begin(ctx context.Context, workspaceID string, key *command.Key) (first *command.Answer, end func(), err error)
	Find(ctx context.Context, workspaceID string, key *command.Key) (first *command.Answer, err error)
}

// Meter is told of each call, for monitoring.
type Meter interface {
	Begin()
	End(Measured)
}

// Measured is a call that has ended.
type Measured struct {
	Operation string    // its id; empty: the request was for none
	Caller    auth.Kind // empty: nobody showed a good credential
	Status    int       // 0: nothing was sent
	Took      time.Duration
	Stream    bool // the answer took as long as its reader wanted
}

// Config is what the edge needs to serve. To describe the API only, as for
// OpenAPI, the zero value does.
type Config struct {
	Clock      clock.Clock
	Log        *slog.Logger
	Auth       Authenticator
	Workspaces workspace.Reader
	Once       Once
	Keys       Limiter // of callers who are known
	Strangers  Limiter // of all others, by network
	Meter      Meter   // nil: nobody measures

	Proxies       Proxies // whose word on the caller's address is taken
	Origin        string  // of the page that may call; empty: whoever calls
	Dashboard     string  // origin of the dashboard; empty: there is none
	APIHost       string  // of the API, with its port: the one that agents' HTTP signatures are for; empty: any
	MaxBody       int64   // bytes, of any operation; zero: 1 MiB
	StrangerLimit int     // calls a minute of callers without a key, by network; zero: the stock limit

	// SchemaNames are other names for types in the document, where a type's own says too little outside its package.
	SchemaNames map[string]string
	// Examples are values for the document, by the name of a field; by SCHEMA.FIELD where one name has several
	// meanings; by format:NAME and kind:NAME for what has no name here.
	Examples map[string]any
	// ExampleBodies are the bodies of requests that the document shows, by operation id, where the required fields
	// alone would not be a request that works.
	ExampleBodies map[string]any
	// Tags are the groups of operations, in the order in which the documentation page shows them.
	Tags []Tag
}

// Tag is a group of operations.
type Tag struct{ Name, Description string }

// DefaultLimiters are the counters of one process.
func DefaultLimiters(clk clock.Clock) (keys, strangers Limiter) {
	return ratelimit.NewMemory(clk, ratelimit.Window, 0), ratelimit.NewMemory(clk, ratelimit.Window, 50_000)
}

// Server holds the operations and serves them.
type Server struct {
	Config
	mux   *http.ServeMux
	known map[string]bool // patterns of the mux
	lone  map[string]bool // those of them whose paths have one method only

	operations []*operation
	amendments []func(*huma.OpenAPI) // of the document, once all operations are in it

	compiling sync.Mutex
	inputs    huma.Registry // of what has been compiled
}

// New makes a server without operations.
func New(c Config) *Server {
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	c.Log = requestid.Log(c.Log)
	if c.Meter == nil {
		c.Meter = unmeasured{}
	}
	if c.MaxBody == 0 {
		c.MaxBody = 1 << 20
	}
	s := &Server{Config: c, mux: http.NewServeMux(), known: map[string]bool{}, lone: map[string]bool{}}
	s.inputs = s.registry()
	return s
}

// unmeasured is the Meter of nobody.
type unmeasured struct{}

func (unmeasured) Begin()       {}
func (unmeasured) End(Measured) {}

// Operation is what a server says of an operation that it serves.
type Operation struct {
	ID, Method, Path string
	Access           auth.Access // empty where the operation is public
	Callers          []auth.Kind
	Module           auth.Module
	Class            ratelimit.Class

	Public  bool // asks for no credential
	Body    bool // reads one
	Changes bool // runs under a command
	Queued  bool
	Across  bool
	Natural bool

	Dashboard bool // takes calls of the dashboard's pages only
	Cookie    bool
	AnyOrigin bool // pages of any origin may read the answer
}

// Operations lists what is registered, in that order.
func (s *Server) Operations() []Operation {
	var all []Operation
	for _, o := range s.operations {
		op := Operation{
			ID: o.ID, Method: o.Method, Path: o.Path, Access: o.Access, Callers: slices.Clone(o.Callers),
			Module: o.Module, Class: o.class,
			Public: o.public, Body: o.bodyType != nil, Changes: o.changes, Queued: o.Queued, Across: o.Across,
			Natural: o.Natural, Dashboard: o.Dashboard, Cookie: o.Cookie, AnyOrigin: o.AnyOrigin,
		}
		if o.public {
			op.Access = ""
		}
		all = append(all, op)
	}
	return all
}
