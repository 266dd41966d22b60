package edge

import (
	"context"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/ratelimit"
)

// Op describes an operation: what OpenAPI shows and what the guards ask. The
// rate class is not here: ratelimit.ClassOf derives it from method and path.
type Op struct {
	ID          string // operation id, unique
	Method      string // of Write and Call, where it is not POST
	Path        string // a pattern of net/http: "/v1/signing/wallets/{walletId}"
	Tag         string
	Summary     string
	Description string
	Access      auth.Access   // zero: auth.AccessRead for Get and List, auth.AccessWrite for Write and Call
	Callers     []auth.Kind   // who may call; zero: an API key or a member's session
	Module      auth.Module   // zero: none
	Status      int           // of success; zero: 200
	Message     string        // of success, except of Write, whose command.Reply has it; zero: "Success"
	Aliases     Aliases       // other spellings of body fields
	Queued      bool          // may answer 202
	Known       bool          // may answer 200, with what was there already
	Bare        bool          // answers its data without the envelope, which only the specification can ask for
	Wrapped     any           // of a Bare write: the data in the envelope that answers its other form; nil: none
	Prepared    any           // the data of the answer to prepare=true; nil: there is no such query
	Across      bool          // is about no workspace or all of them, so that an operator's key names none
	Natural     bool          // of a write without an Idempotency-Key: the same again does nothing more
	Dashboard   bool          // of a public operation: only the dashboard's pages may call
	Cookie      bool          // reads and sets the dashboard's cookie; asks for Dashboard
	Pays        bool          // is paid by x402: reads and writes its headers
	AnyOrigin   bool          // of a public read: pages of any origin may read the answer, without credentials
	MaxAge      time.Duration // of a public read: how long anybody may keep the answer; zero: nobody may
	Stops       bool          // of a write of agents: makes nobody pay, and so is open while the module is off
	Many        string        // member of the body that an array in place of the body is taken as
	Lone        bool          // its path is known for its method only: with another one it is 404, not 405
	Signature   string        // of a Webhook: the header with the body's signature
	Text        *Text         // another form of the body than JSON; nil: none
	MostBody    int64         // bytes that are read; zero: 512 KiB, and 128 KiB of a caller without a key
}

// How much of a body is read where an operation does not say. A signed transaction of 128 KiB is 256 KiB of hex.
const (
	keyedBody  = 512 << 10
	publicBody = 128 << 10
)

// Text is a form of a body that is not JSON, such as CSV.
type Text struct {
	Media   string
	Example string
	Read    func(body []byte) (any, error) // a value of the type that a JSON body has; its errors are the caller's
}

// operation is an Op with what registration found out about its input.
type operation struct {
	Op
	public bool
	// runs under a command
	changes bool
	// of a Webhook: past huma, which reads bodies
	signed func(ctx context.Context, c *call, signature string) (func() (*answer, error), error)
	forms  []Form // of a Stream
	// of a GetOrFile: the envelope is a form, too
	enveloped bool
	class     ratelimit.Class

	input        reflect.Type
	bodyType     reflect.Type // nil: there is none
	sources      []source
	handle       handler
	answer       func() shown
	compiled     func() // makes what follows, once
	params       []param
	body         *rule // nil: reads no body
	bodyDefault  reflect.Value
	bodyRequired bool
}

// Get registers a read.
func Get[T, I any](s *Server, op Op, handle func(context.Context, auth.Principal, *I) (T, error)) {
	t := shapeOf((*I)(nil), (*T)(nil))
	read(s, &operation{Op: op}, http.MethodGet, t, envelopes, reading(s, handle))
}

// Public registers a read that asks for no key.
func Public[T, I any](s *Server, op Op, handle func(context.Context, *I) (T, error)) {
	t := shapeOf((*I)(nil), (*T)(nil))
	read(s, &operation{Op: op, public: true}, http.MethodGet, t, envelopes, readingForAll(s, handle))
}

// PublicCall is Call for callers without a key: what they may see, their body says.
func PublicCall[T, I any](s *Server, op Op, handle func(context.Context, *I) (T, error)) {
	t := shapeOf((*I)(nil), (*T)(nil))
	read(s, &operation{Op: op, public: true}, op.Method, t, envelopes, readingForAll(s, handle))
}

// PublicWrite is Write for callers without a key. Who the command's principal
// is, the operation finds out. There is no idempotency key.
func PublicWrite[T, I any](
	s *Server, op Op, handle func(context.Context, *command.Command, *I) (command.Answer, error),
) {
	t := shapeOf((*I)(nil), (*T)(nil))
	register(s, &operation{Op: op, public: true, changes: true}, t.in(envelopes), t.input, writing(handle))
}

// shape is of an operation's types what the document shows. The operations that call for it are compiled for each pair
// of types; all that works on it is compiled once.
type shape struct{ input, data reflect.Type }

// shapeOf is told the types by pointers to nothing.
func shapeOf(input, data any) shape {
	return shape{reflect.TypeOf(input).Elem(), reflect.TypeOf(data).Elem()}
}

// in is the data in an envelope.
func (t shape) in(e wrapping) func() shown { return func() shown { return e.of(t.data) } }

// bare is the data without one.
func (t shape) bare() shown { return shown{Type: t.data} }

func read(s *Server, o *operation, method string, t shape, e wrapping, handle handler) {
	o.Method = method
	answer := t.in(e)
	if o.Bare {
		answer = t.bare
	}
	register(s, o, answer, t.input, handle)
}

// Webhook registers a call of somebody who has no key and signs the body. What is
// signed are its bytes, so that nothing else reads them before read has found the
// signature good. Only then is the call counted, so that a stranger who shares the
// partner's address cannot use up its calls.
func Webhook[T, N any](
	s *Server, op Op, read func(signature string, body []byte) (N, error), take func(context.Context, N) (T, error),
) {
	o := &operation{Op: op, public: true}
	o.signed = func(ctx context.Context, c *call, signature string) (func() (*answer, error), error) {
		notice, err := read(signature, c.body)
		if err != nil {
			return nil, err
		}
		return func() (*answer, error) {
			data, err := take(ctx, notice)
			if err != nil {
				return nil, err
			}
			return s.done(c, data, nil)
		}, nil
	}
	t := shapeOf((*struct{})(nil), (*T)(nil))
	register(s, o, t.in(envelopes), t.input, nil)
}

// List registers a read of one page.
func List[T, I any](s *Server, op Op, handle func(context.Context, auth.Principal, *I) (Page[T], error)) {
	list(s, &operation{Op: op}, handle)
}

// PublicList is List for callers without a key.
func PublicList[T, I any](s *Server, op Op, handle func(context.Context, *I) (Page[T], error)) {
	list(s, &operation{Op: op, public: true}, func(ctx context.Context, _ auth.Principal, in *I) (Page[T], error) {
		return handle(ctx, in)
	})
}

func list[T, I any](s *Server, o *operation, handle func(context.Context, auth.Principal, *I) (Page[T], error)) {
	t := shapeOf((*I)(nil), (*[]T)(nil))
	read(s, o, http.MethodGet, t, pages, func(ctx context.Context, c *call, in any) (*answer, error) {
		page, err := handle(ctx, c.principal, in.(*I))
		if err != nil {
			return nil, err
		}
		if page.Data == nil {
			page.Data = []T{} // an empty list is [], never null
		}
		return paged(s, c, page.Data, page.Listed)
	})
}

func paged(s *Server, c *call, data any, l Listed) (*answer, error) {
	a, err := s.done(c, data, metaOf(l))
	if err == nil && c.op.Bare {
		a.next = l.NextCursor // which has no place in a body that is an array
	}
	return a, err
}

// Optional says that an answer of the schema may lack some of its fields. huma
// reads that off the fields alone, not off the struct that embeds them.
func (s *Server) Optional(schema string, fields ...string) {
	s.amendments = append(s.amendments, func(doc *huma.OpenAPI) {
		known := doc.Components.Schemas.Map()[schema]
		known.Required = slices.DeleteFunc(known.Required, func(of string) bool { return slices.Contains(fields, of) })
	})
}

// Call registers a call that is not a read by its method but commits nothing.
// It has no idempotency key.
func Call[T, I any](s *Server, op Op, handle func(context.Context, auth.Principal, *I) (T, error)) {
	read(s, &operation{Op: op}, op.Method, shapeOf((*I)(nil), (*T)(nil)), envelopes, reading(s, handle))
}

// TopCall is Call whose data also stand at top level, which only the specification can ask for. E is the envelope with
// them, for the document.
func TopCall[E any, T interface{ Top() map[string]any }, I any](
	s *Server, op Op, handle func(context.Context, auth.Principal, *I) (T, error),
) {
	t := shapeOf((*I)(nil), (*E)(nil))
	register(s, &operation{Op: op}, t.bare, t.input, reading(s, handle))
}

// Write registers a call that changes something: it runs under a command and
// answers with the bytes that were committed. T is the answer's data.
func Write[T, I any](s *Server, op Op, handle func(context.Context, *command.Command, *I) (command.Answer, error)) {
	change(s, &operation{Op: op, changes: true}, shapeOf((*I)(nil), (*T)(nil)), writing(handle))
}

func change(s *Server, o *operation, t shape, handle handler) {
	e := envelopes
	if o.Prepared != nil {
		e = doneEnvelopes
	}
	read(s, o, o.Method, t, e, handle)
}

func writing[I any](handle func(context.Context, *command.Command, *I) (command.Answer, error)) handler {
	return func(ctx context.Context, c *call, in any) (*answer, error) {
		return written(handle(ctx, c.command, in.(*I)))
	}
}

func written(a command.Answer, err error) (*answer, error) {
	if err != nil {
		return nil, err
	}
	return &answer{status: a.Status, body: a.Body, replayed: a.Replayed}, nil
}

func reading[T, I any](s *Server, handle func(context.Context, auth.Principal, *I) (T, error)) handler {
	return func(ctx context.Context, c *call, in any) (*answer, error) {
		data, err := handle(ctx, c.principal, in.(*I))
		if err != nil {
			return nil, err
		}
		return s.done(c, data, nil)
	}
}

func readingForAll[T, I any](s *Server, handle func(context.Context, *I) (T, error)) handler {
	return func(ctx context.Context, c *call, in any) (*answer, error) {
		data, err := handle(ctx, in.(*I))
		if err != nil {
			return nil, err
		}
		return s.done(c, data, nil)
	}
}

// handler runs an operation. in is a pointer to the operation's input type.
type handler func(ctx context.Context, c *call, in any) (*answer, error)

// register enters the operation. What its answers look like only the document asks, and for the rules of its input its
// first caller: to make both for all operations took longer than the rest of a start.
func register(s *Server, o *operation, answer func() shown, input reflect.Type, handle handler) {
	o.complete()
	o.input, o.sources, o.handle, o.answer = input, sources(input, nil), handle, answer
	if body, is := input.FieldByName("Body"); is {
		o.bodyType = body.Type
	}
	o.compiled = sync.OnceFunc(func() { s.compile(o) })
	s.operations = append(s.operations, o)
	s.handle(o)
}

// handle gives an operation its place in the mux.
func (s *Server) handle(o *operation) {
	pattern := o.Method + " " + o.Path
	if strings.HasSuffix(o.Path, "/") {
		pattern += "{$}" // else the mux gives it every unknown path
	}
	last := ""
	if o.Lone { // "/v1/action/{id}/metadata" and "/v1/action/skills/{id}" are two that the mux does not tell apart
		if dir, name := path.Split(pattern); !strings.HasPrefix(name, "{") {
			pattern, last = dir+"{last}", name
		}
		s.lone[pattern] = true
	}
	s.known[pattern] = true
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r.Context())
		if last != "" && r.PathValue("last") != last {
			s.fail(w, c, errNoRoute)
			return
		}
		o.compiled()
		c.op, c.route = o, o.Path
		s.run(w, r, c)
	})
}

// stockCallers are who may call where an operation does not say.
var stockCallers = []auth.Kind{auth.ByKey, auth.BySession}

// AlsoAgents are the callers of what an agent may do for itself.
var AlsoAgents = []auth.Kind{auth.ByKey, auth.BySession, auth.ByAgent}

func (o *operation) complete() {
	if o.Method == "" {
		o.Method = http.MethodPost
	}
	if o.Status == 0 {
		o.Status = http.StatusOK
	}
	if o.Access == "" {
		o.Access = auth.AccessWrite
		if o.Method == http.MethodGet {
			o.Access = auth.AccessRead
		}
	}
	if o.Callers == nil && !o.public {
		o.Callers = stockCallers
	}
	if o.MostBody == 0 {
		o.MostBody = map[bool]int64{false: keyedBody, true: publicBody}[o.public]
	}
	o.class = ratelimit.ClassOf(o.Method, o.Path)
}

func (s *Server) done(c *call, data any, meta *Meta) (*answer, error) {
	if c.op.Bare {
		body, err := renderBare(data)
		return &answer{status: c.op.Status, body: body}, err
	}
	e := envelope{Success: true, Message: orOK(c.op.Message), Data: data, Meta: meta, StatusCode: c.op.Status}
	if of, is := data.(interface{ Top() map[string]any }); is { // of a TopCall
		e.Top = of.Top()
	}
	body, err := s.render(c, e)
	a := &answer{status: c.op.Status, body: body}
	if err == nil && c.op.MaxAge > 0 {
		a.tag, err = tagOf(data)
	}
	return a, err
}

// patience is how long a call that changes something may run. It runs on when
// the caller hangs up: what was begun is brought to its commit.
const patience = 30 * time.Second
