// Package fault is the one error type that reaches a caller. Every other error
// is a bug or an outage to the caller: it becomes a 500 without detail, and the
// detail goes to the log.
package fault

import (
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"
)

// Kind says whose fault it is, and so which HTTP status the edge answers.
type Kind int

// The kinds, each with the status of the contract. They are numbers and not
// net/http's names, because the enclave links this package.
const (
	Invalid          Kind = 400
	Unauthenticated  Kind = 401
	PaymentRequired  Kind = 402
	Forbidden        Kind = 403
	NotFound         Kind = 404
	MethodNotAllowed Kind = 405
	Conflict         Kind = 409
	Gone             Kind = 410
	TooLarge         Kind = 413
	UnsupportedMedia Kind = 415
	Unprocessable    Kind = 422
	TooMany          Kind = 429
	Internal         Kind = 500
	Upstream         Kind = 502
	Unavailable      Kind = 503
)

// Status is the HTTP status of the kind.
func (k Kind) Status() int { return int(k) }

// Error is what a caller is told.
type Error struct {
	Kind       Kind
	Code       string // stable, for programs; listed in docs/errors.md
	Message    string // for people; never holds a value that the caller sent
	Details    map[string]any
	RetryAfter time.Duration // 0: not said
	cause      error         // for the log only
}

func (e *Error) Error() string {
	if e.cause != nil {
		return e.Code + ": " + e.Message + ": " + e.cause.Error()
	}
	return e.Code + ": " + e.Message
}

// Refusal tells whether whoever answers has decided that what was asked is not done and will not be. Of an outage (of
// the signer, of the database) nobody knows, unless the error is declared by DefineRefusal: that of a node that
// was asked before anything was signed.
func (e *Error) Refusal() bool {
	mu.Lock()
	defer mu.Unlock()
	return e.Kind < Internal || catalog[e.Code].refusal
}

// Unwrap gives the cause, which no caller ever sees.
func (e *Error) Unwrap() error { return e.cause }

// Is matches by code, so that a copy made by Msg or Because still is its template.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Msg fills the template's message.
func (e *Error) Msg(args ...any) *Error {
	c := *e
	c.Message = fmt.Sprintf(e.Message, args...)
	return &c
}

// Because records what went wrong inside.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// After says when to try again.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// With adds a machine-readable detail.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Details = map[string]any{key: value}
	for k, v := range e.Details {
		c.Details[k] = v
	}
	return &c
}

// As finds the fault in err's chain.
func As(err error) (*Error, bool) {
	var f *Error
	ok := errors.As(err, &f)
	return f, ok
}

// Entry is one row of docs/errors.md.
type Entry struct {
	Kind          Kind
	Code, Message string
	Cause         string // what a caller did, or what happened

	refusal bool // although it is of a kind of outages
}

var (
	mu      sync.Mutex
	catalog = map[string]Entry{}
)

// Define declares an error that callers can meet. Codes are unique: a second
// definition of one is a programming error and stops the program at start.
func Define(kind Kind, code, message, cause string) *Error {
	mu.Lock()
	defer mu.Unlock()
	if _, dup := catalog[code]; dup {
		panic("fault: code defined twice: " + code)
	}
	catalog[code] = Entry{Kind: kind, Code: code, Message: message, Cause: cause}
	return &Error{Kind: kind, Code: code, Message: message}
}

// DefineRefusal declares an error of the kinds of an outage that is a Refusal all the same, also where it comes over a
// socket.
func DefineRefusal(kind Kind, code, message, cause string) *Error {
	e := Define(kind, code, message, cause)
	mu.Lock()
	defer mu.Unlock()
	row := catalog[code]
	row.refusal = true
	catalog[code] = row
	return e
}

// Catalog lists every defined error by status, then code.
func Catalog() []Entry {
	mu.Lock()
	defer mu.Unlock()
	all := make([]Entry, 0, len(catalog))
	for _, e := range catalog {
		all = append(all, e)
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].Kind != all[j].Kind {
			return all[i].Kind < all[j].Kind
		}
		return all[i].Code < all[j].Code
	})
	return all
}

// The errors that more than one package answers with.
var (
	ErrValidation = Define(Invalid, "validation_failed", "Validation failed: %s %s",
		"A field of the body, path or query is missing or breaks its constraint; the first offending field is named")
	ErrNotFound = Define(NotFound, "not_found", "%s not found",
		"No such resource in this workspace; a resource of another workspace looks the same")
	ErrUnavailable = Define(Unavailable, "unavailable", "Temporarily unavailable",
		"A part the request needs (enclave, database, node) does not answer; retry with back-off")
	ErrInternal = Define(Internal, "internal", "Internal server error",
		"A fault of the server; the request id finds it in the log")
)

// Field is the validation error of one field: Field("walletName", "is required"). Its details name the field too, for
// programs.
func Field(name, constraint string) *Error {
	return ErrValidation.Msg(name, constraint).With("field", name)
}

// Missing is the 404 of one kind of resource: Missing("Wallet").
func Missing(resource string) *Error { return ErrNotFound.Msg(resource) }
