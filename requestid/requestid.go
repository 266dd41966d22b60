// Package requestid carries the id of the request that a process works for: into each line of its log, and to the
// process that it asks. With it an operator finds all that one request did, in the server's log and in the signer's.
package requestid

import (
	"context"
	"log/slog"
)

// Key is the name of the id in a line of the log, in the metadata of a call to the signer and in that of a job.
const Key = "request_id"

// longest is more than a UUID or a trace id takes, and little for a line of the log.
const longest = 64

// Valid reports whether an id is harmless in a log: letters, digits and ._:- alone. Whoever chooses an id could
// otherwise write lines of his own into the log.
func Valid(id string) bool {
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == ':', c == '-':
		default:
			return false
		}
	}
	return id != "" && len(id) <= longest
}

type key struct{}

// With is the context of work for a request. It is ctx itself where the id is not Valid.
func With(ctx context.Context, id string) context.Context {
	if !Valid(id) {
		return ctx
	}
	return context.WithValue(ctx, key{}, id)
}

// Of is the id of the request that ctx works for, empty where it works for none.
func Of(ctx context.Context) string {
	id, _ := ctx.Value(key{}).(string)
	return id
}

// Log is the logger with the request's id in each line that is logged with a context.
func Log(l *slog.Logger) *slog.Logger {
	if _, has := l.Handler().(handler); has {
		return l
	}
	return slog.New(handler{l.Handler()})
}

// handler adds the id to a line. No logger of this tree opens a group, which would take the id in.
type handler struct{ slog.Handler }

// Handle is called by slog.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if id := Of(ctx); id != "" {
		r = r.Clone() // another handler may have the record, too
		r.AddAttrs(slog.String(Key, id))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs is called by slog.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs)}
}

// WithGroup is called by slog.
func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }
