// Package approval is the row of a request that the enclave holds until enough users agree to it: a signing that costs
// more than the threshold, a call that nobody stamped, or a change that loosens a rule.
//
// An approval is pending until it has its votes. Then it is approved, and stays open until the enclave has executed
// the request. A user who rejects it makes it rejected; 30 minutes without enough votes make it expired.
// docs/approvals.md has the whole story.
//
// This package only writes that a request waits. Packages activity and transaction call it for their requests. Package
// vote counts the votes and has the enclave execute the request.
//
// Read approval.go for the row and its states, then queue.go for how a request begins to wait.
package approval

import (
	"context"
)

// Tx is what it takes to let a request wait.
type Tx interface {
	InsertApproval(context.Context, Approval) error // a second one with the same id: no-op
}
