package fiat

import (
	"errors"
	"time"

	"github.com/railkit/railkit/fault"
)

// What a caller of our API meets where a request needs the partner.
var (
	ErrFailed = fault.Define(fault.Upstream, "partner_failed", "The payment partner gave no usable answer",
		"The partner's answer makes no sense, or is about something else than what was asked; "+
			"nothing is shown as done. Repeat the request with its Idempotency-Key")
	ErrLater = fault.Define(fault.Unavailable, "partner_unavailable", "The payment partner is not available",
		"The partner does not answer or asks to come back later; "+
			"repeat the request with its Idempotency-Key after Retry-After")
	ErrNotTaken = fault.Define(fault.Unprocessable, "partner_refused", "The payment partner refused it",
		"The partner refuses for good; `details.reason` is its own code, "+
			"and `details.field` the field that it names, if any")
)

// retry is said where the partner said nothing.
const retry = 5 * time.Second

// Fault turns what a call of a Partner failed with into what a caller of our API is
// told. Faults stay what they are.
func Fault(err error) error {
	if err == nil {
		return nil
	}
	if f, ok := fault.As(err); ok {
		return f
	}
	var refusal *Refusal
	var busy *Busy
	switch {
	case errors.As(err, &refusal):
		return refused(refusal).Because(err)
	case errors.As(err, &busy) && busy.After > 0:
		return ErrLater.After(busy.After).Because(err)
	case errors.Is(err, ErrBusy), errors.Is(err, ErrUnavailable), errors.Is(err, ErrInsufficient):
		return ErrLater.After(retry).Because(err)
	}
	return ErrFailed.Because(err)
}

// refused tells the partner's code and field, never its words: they may say a
// number back.
func refused(r *Refusal) *fault.Error {
	f := ErrNotTaken.With("reason", r.Code)
	if r.Field != "" {
		f = f.With("field", r.Field)
	}
	return f
}
