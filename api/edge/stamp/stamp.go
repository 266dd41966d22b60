// Package stamp is what operations share that are done on a passkey's word.
package stamp

import (
	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/auth"
)

// Alias is the samples' word for a stamped body.
var Alias = edge.Aliases{"stampedActivity": "signedActivity"}

// Query is the query of calls that have no prepare and confirm of their own.
type Query struct {
	Prepare bool `query:"prepare" default:"false" doc:"Change nothing, and answer the activity to stamp with its preview; the same call with signedActivity carries the stamp"`
}

const threeForms = "With `prepare=true` nothing happens and the answer is what to stamp; with `signedActivity` in the body it is done on the passkey's word; " +
	"bare, what only tightens is done and the rest answers 202 and waits for votes."

// ThreeForms says of an operation that it has the three forms.
func ThreeForms(op edge.Op) edge.Op {
	op.Module, op.Queued, op.Description = auth.Signing, true, threeForms
	op.Prepared = activity.Prepared{}
	if op.Aliases == nil {
		op.Aliases = Alias
	}
	return op
}

// Of is the stamp of a body that may be absent.
func Of(body *activity.StampInput) activity.StampInput {
	if body == nil {
		return activity.StampInput{}
	}
	return *body
}
