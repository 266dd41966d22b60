package kyb

import (
	"context"
	"strings"
)

// Checker judges submitted forms. It is asked again where it fails, and may be asked twice about one submission. A
// partner that checks businesses would be one.
type Checker interface {
	// Check judges a form. A Verdict without a state leaves the decision to the operator.
	Check(ctx context.Context, submissionID string, f Form) (Verdict, error)
}

// Verdict is Approved, Rejected or MoreInformation, or nothing yet.
type Verdict struct {
	State  State
	Reason string // members read it
}

// Operator is the Checker of production: it leaves every decision to the operator.
type Operator struct{}

// Check decides nothing.
func (Operator) Check(context.Context, string, Form) (Verdict, error) { return Verdict{}, nil }

// Sandbox decides by the legal name, so that developers can try each outcome: docs/kyb.md has the names.
type Sandbox struct{}

// Check approves whatever it is not told to refuse.
func (Sandbox) Check(_ context.Context, _ string, f Form) (Verdict, error) {
	name := strings.ToLower(f.LegalName)
	switch {
	case strings.Contains(name, "more information"):
		return Verdict{MoreInformation, "The sandbox asks for more information, as the legal name says"}, nil
	case strings.Contains(name, "reject"):
		return Verdict{Rejected, "The sandbox rejects the business, as the legal name says"}, nil
	}
	return Verdict{State: Approved}, nil
}
