package edge

import (
	"fmt"
	"net/http"
	"reflect"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

// Envelope is how OpenAPI shows an answer.
type Envelope[T any] struct {
	Success    bool   `json:"success" doc:"true"`
	Message    string `json:"message"`
	Data       T      `json:"data"`
	StatusCode int    `json:"statusCode" doc:"The HTTP status"`
	Timestamp  string `json:"timestamp" format:"date-time"`
	Path       string `json:"path" doc:"The request path"`
}

// doneEnvelope is how OpenAPI shows the answer to a change that can also be prepared.
type doneEnvelope struct {
	Outcome string `json:"outcome" enum:"done" doc:"Tells the answer to the change from the answer to prepare=true"`
	Envelope[Empty]
}

// preparedEnvelope is how OpenAPI shows the answer to prepare=true of such a change.
type preparedEnvelope struct {
	Outcome string `json:"outcome" enum:"prepared" doc:"Tells the answer to prepare=true from the answer to the change"`
	Envelope[Empty]
}

const (
	outcomeDone     = "done"
	outcomePrepared = "prepared"
)

// pageEnvelope is how OpenAPI shows one page of a list.
type pageEnvelope struct {
	Success    bool    `json:"success" doc:"true"`
	Message    string  `json:"message"`
	Data       []Empty `json:"data"`
	Meta       Meta    `json:"meta"`
	StatusCode int     `json:"statusCode" doc:"The HTTP status"`
	Timestamp  string  `json:"timestamp" format:"date-time"`
	Path       string  `json:"path" doc:"The request path"`
}

// ErrorEnvelope is how OpenAPI shows a refusal.
type ErrorEnvelope struct {
	Success    bool           `json:"success" doc:"false"`
	Message    string         `json:"message" doc:"For people"`
	Error      string         `json:"error" doc:"For programs: a stable code"`
	Details    map[string]any `json:"details,omitempty"`
	StatusCode int            `json:"statusCode" doc:"The HTTP status"`
	Timestamp  string         `json:"timestamp" format:"date-time"`
	Path       string         `json:"path" doc:"The request path"`

	FailedLayers []string `json:"failedLayers,omitempty" enum:"infra,tokens,payments" doc:"Of budget_exhausted: the layers of the agent's budget that lack something. details has them as well, each with its numbers in layers"`
}

// QueuedEnvelope is how OpenAPI shows a call that waits for approval.
type QueuedEnvelope struct {
	Success    bool   `json:"success" doc:"true"`
	Message    string `json:"message"`
	Data       Queued `json:"data"`
	ApprovalID string `json:"approvalId"`
	Error      string `json:"error,omitempty" enum:"approval_required" doc:"Of an agent's payment: it is above the threshold and waits. Other calls that wait have no error"`
	StatusCode int    `json:"statusCode" doc:"The HTTP status"`
	Timestamp  string `json:"timestamp" format:"date-time"`
	Path       string `json:"path" doc:"The request path"`
}

// Queued is its data.
type Queued struct {
	ApprovalID string `json:"approvalId"`
	Status     string `json:"status"`
	ExpiresAt  string `json:"expiresAt" format:"date-time"`
	PaymentID  string `json:"paymentId,omitempty" doc:"Of a payment by x402, which goes on by it"`
}

// Empty is the data of an answer that has none.
type Empty struct{}

// Meta says where a page lies in its list.
type Meta struct {
	Page       int    `json:"page"`
	Limit      int    `json:"limit"`
	Total      int    `json:"total"`
	TotalPages int    `json:"totalPages"`
	NextCursor string `json:"nextCursor,omitempty" doc:"Where the list grows without bound: pass it as cursor to read on"`

	Counts map[string]int `json:"counts,omitempty" doc:"Of lists that say so: how many there are of each kind"`
	Proof  *wire.Proof    `json:"proof,omitempty" doc:"With proof=fresh: the signer's statement about the whole list, made for this answer"`
}

// shown is a type of the document. name is that of a type that has none.
type shown struct {
	reflect.Type
	name string
}

// wrapping makes the envelope of each operation's data, of one that holds nothing: a generic type would be compiled for
// each of them.
type wrapping struct {
	name  string
	holds reflect.Type
}

var (
	envelopes         = wrapping{"Envelope", reflect.TypeFor[Envelope[Empty]]()}
	doneEnvelopes     = wrapping{"DoneEnvelope", reflect.TypeFor[doneEnvelope]()}
	preparedEnvelopes = wrapping{"PreparedEnvelope", reflect.TypeFor[preparedEnvelope]()}
	pages             = wrapping{"PageEnvelope", reflect.TypeFor[pageEnvelope]()}
)

func (w wrapping) of(data reflect.Type) shown {
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(w.holds) {
		if f.Name == "Data" {
			f.Type = data
		}
		if !f.Anonymous {
			fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
		}
	}
	if w == pages {
		data = data.Elem()
	}
	name := w.name
	if data.Kind() == reflect.Pointer { // the same data may be null in one answer, and never in another
		name = "Nullable" + name
	}
	return shown{reflect.StructOf(fields), name + "[" + fullName(data) + "]"}
}

// fullName names a type as Go does within the brackets of another one.
func fullName(t reflect.Type) string {
	switch {
	case t.Name() != "" && t.PkgPath() != "":
		return t.PkgPath() + "." + t.Name()
	case t.Kind() == reflect.Slice:
		return "[]" + fullName(t.Elem())
	case t.Kind() == reflect.Pointer:
		return "*" + fullName(t.Elem())
	}
	return t.String()
}

// envelope is what goes over the wire.
type envelope struct {
	Success    bool           `json:"success"`
	Message    string         `json:"message"`
	Data       any            `json:"data,omitzero"`
	Meta       *Meta          `json:"meta,omitzero"`
	Error      string         `json:"error,omitzero"`
	Details    map[string]any `json:"details,omitzero"`
	Top        map[string]any `json:",embed"`
	Outcome    string         `json:"outcome,omitzero"`
	StatusCode int            `json:"statusCode"`
	Timestamp  string         `json:"timestamp"`
	Path       string         `json:"path"`
}

const (
	ok           = "Success"
	failedLayers = "failedLayers"
)

// render makes the bytes of an answer to a call.
func (s *Server) render(c *call, e envelope) ([]byte, error) {
	e.Timestamp = clock.ISO(s.Clock.Now())
	e.Path = c.path
	body, err := json.Marshal(e, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("rendering an answer: %w", err)
	}
	return append(body, '\n'), nil // so that a shell's prompt begins on its own line
}

// renderBare makes the bytes of an answer without the envelope.
func renderBare(data any) ([]byte, error) {
	body, err := json.Marshal(data, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("rendering an answer: %w", err)
	}
	return append(body, '\n'), nil
}

func (s *Server) renderFault(c *call, f *fault.Error) ([]byte, error) {
	e := envelope{Message: f.Message, Error: f.Code, Details: f.Details, StatusCode: f.Kind.Status()}
	if layers, ok := f.Details[failedLayers]; ok { // which the specification has beside the error
		e.Top = map[string]any{failedLayers: layers}
	}
	return s.render(c, e)
}

// renderReply is command.Command.Render: it runs inside the commit, so that what
// is stored is what is sent.
func (s *Server) renderReply(c *call) func(command.Reply) ([]byte, error) {
	return func(r command.Reply) ([]byte, error) {
		if r.Status < http.StatusOK || r.Status >= http.StatusMultipleChoices {
			return nil, fmt.Errorf("rendering an answer: status %d is not a success", r.Status)
		}
		if r.Bare {
			return renderBare(r.Data)
		}
		return s.render(c, envelope{
			Success: true, Message: orOK(r.Message), Data: r.Data, Top: r.Top, StatusCode: r.Status,
			Outcome: c.outcome(r.Status),
		})
	}
}

// outcome is the field by which a client tells the answer to prepare=true from the answer to the change: both may
// have status 200. A 202 has none, its status is enough.
func (c *call) outcome(status int) string {
	switch {
	case c.op.Prepared == nil || status == http.StatusAccepted:
		return ""
	case c.prepare:
		return outcomePrepared
	default:
		return outcomeDone
	}
}

func orOK(message string) string {
	if message == "" {
		return ok
	}
	return message
}
