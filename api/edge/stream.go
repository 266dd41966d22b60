package edge

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
)

// File is an answer without an envelope, sent part by part while it is made.
type File struct {
	Name  string // under which a browser saves it; "": it does not
	Media string // the Media of one of the operation's forms
	Parts iter.Seq2[[]byte, error]
}

// Form is a media type that a Stream answers with, as OpenAPI shows it.
type Form struct {
	Media   string
	Line    any    // a value of the type that each line has in JSON; nil: the form is text
	Example string // of text
}

var errOldProtocol = fault.Define(fault.Invalid, "http_version", "Ask with HTTP/1.1 or later",
	"The answer is sent while it is made. A client of HTTP/1.0 could not tell whether all of it arrived. "+
		"Set proxy_http_version 1.1 in a proxy")

// Stream registers a read that answers with a File. An error before the first part is
// answered in the envelope. An error after it breaks the connection, so that the client
// sees an incomplete answer.
func Stream[I any](
	s *Server, op Op, forms []Form, handle func(context.Context, auth.Principal, *I) (*File, error),
) {
	o := &operation{Op: op, forms: forms}
	o.Method = http.MethodGet
	run := func(ctx context.Context, c *call, in any) (*answer, error) {
		file, err := handle(ctx, c.principal, in.(*I))
		return &answer{status: o.Status, file: file}, err
	}
	t := shapeOf((*I)(nil), (*Empty)(nil))
	register(s, o, t.bare, t.input, run)
}

// GetOrFile registers a read that answers in the envelope, or with a File in one of the forms. See Stream.
func GetOrFile[T, I any](
	s *Server, op Op, forms []Form, handle func(context.Context, auth.Principal, *I) (T, *File, error),
) {
	o := &operation{Op: op, forms: forms, enveloped: true}
	o.Method = http.MethodGet
	t := shapeOf((*I)(nil), (*T)(nil))
	register(s, o, t.in(envelopes), t.input, func(ctx context.Context, c *call, in any) (*answer, error) {
		data, file, err := handle(ctx, c.principal, in.(*I))
		if err == nil && file == nil {
			return s.done(c, data, nil)
		}
		return &answer{status: o.Status, file: file}, err
	})
}

// stream sends a file. It returns an error only if nothing was sent.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, c *call) error {
	if !r.ProtoAtLeast(1, 1) {
		return errOldProtocol
	}
	file := c.answer.file
	if file.Name == "" { // lasts: else net/http takes the time limit of the request for its caller's end
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	for part, err := range file.Parts {
		if err != nil && c.status == 0 {
			return err
		}
		if err != nil {
			c.broken = !errors.Is(err, context.Canceled) // the client has not hung up
			c.abort(err)
		}
		file.begin(w, c)
		if r.Method == http.MethodHead {
			return nil
		}
		if err := push(w, part); err != nil {
			c.abort(err)
		}
	}
	file.begin(w, c)
	return nil
}

// begin sends the header, once.
func (f *File) begin(w http.ResponseWriter, c *call) {
	if c.status != 0 {
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.Media)
	if f.Name != "" {
		h.Set("Content-Disposition", `attachment; filename="`+f.Name+`"`)
	} else {
		h.Set("X-Accel-Buffering", "no") // nginx would keep what comes in small parts
	}
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(c.answer.status)
}

// push sends a part to the client. The server's time limit for a slow client begins anew with each flush.
func push(w http.ResponseWriter, part []byte) error {
	if _, err := w.Write(part); err != nil {
		return fmt.Errorf("sending a part: %w", err)
	}
	err := http.NewResponseController(w).Flush()
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("sending a part: %w", err)
	}
	return nil
}

// abort breaks the connection in the middle of an answer: net/http does not send the end of the body.
func (c *call) abort(err error) {
	c.err = err
	panic(http.ErrAbortHandler)
}

// describeForms is the response of a Stream in OpenAPI.
func (d description) describeForms(forms []Form) *huma.Response {
	content := map[string]*huma.MediaType{}
	for _, form := range forms {
		if form.Line == nil {
			content[form.Media] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}, Example: form.Example}
			continue
		}
		line := d.schema(shown{Type: reflect.TypeOf(form.Line)})
		content[form.Media] = &huma.MediaType{Schema: line}
	}
	return &huma.Response{Description: "The file, sent while it is made", Content: content}
}

// Again asks anew who makes the call of a context, and whether they still may. An answer that lasts asks it before each
// part.
func Again(ctx context.Context) (auth.Principal, error) { return callOf(ctx).again(ctx) }
