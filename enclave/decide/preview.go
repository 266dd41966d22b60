package decide

import (
	"slices"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// Preview tells what a body would do for whoever is about to stamp it. What
// Decide would refuse for sure, Preview refuses too. Accounts come without keys.
func (s *State) Preview(r Request, now time.Time) (*wire.Preview, error) {
	if r.Body.Environment != string(s.Environment) {
		return nil, refusal.ErrBody.Msg("it is for another environment")
	}
	if err := checkTimes(r.Body, now); err != nil {
		return nil, err
	}
	if past, ok := s.Outcome(r.Fingerprint); ok && past.Cancelled {
		return nil, refusal.ErrCancelled
	}
	org, ok := s.organizations[r.Body.OrganizationID]
	if !ok {
		return nil, refusal.ErrOrganization
	}
	p, err := call{s, org, Submission{Request: r}, previewer, now}.show()
	if err != nil {
		return nil, err
	}
	expires, _ := millis(r.Body.ExpiresAtMs)
	p.ExpiresAt = clock.ISO(expires)
	return p, nil
}

// show is what whoever is about to stamp the body is shown.
func (c call) show() (*wire.Preview, error) {
	if show := c.sub.activity.show; show != nil {
		return show(c)
	}
	return nil, refusal.ErrBody.Msg("this activity has no preview")
}

// warn names what the reader of a preview should know beyond the effects.
func warn(effects []chain.Effect) []string {
	var warnings []string
	for _, e := range effects {
		if isCall(e) && e.Symbol == "" {
			warnings = append(warnings, "unlisted token: its contract may do anything with the call")
		}
		switch e.Kind {
		case chain.UnknownCall:
			warnings = append(warnings, "unknown call: it may move anything that the address holds")
		case chain.UnknownMessage:
			warnings = append(warnings,
				"unknown message: a contract may take the signature as consent to move anything that the address holds")
		case chain.ApproveAll:
			warnings = append(warnings,
				"approval: the spender may take every token of the contract that the address holds now or later")
		case chain.Approve:
			warnings = append(warnings,
				"approval: the spender may take up to the amount, and what was approved before, at any later time")
		case chain.Deploy:
			warnings = append(warnings, "creates a contract")
		}
	}
	return warnings
}

// warnPayees tells what a family knows of those who get something.
func warnPayees(f chain.Family, effects []chain.Effect) (warnings []string) {
	for _, e := range effects {
		if words := f.WarnPayee(e.To); e.To != "" && words != "" {
			warnings = append(warnings, e.To+": "+words)
		}
	}
	return slices.Compact(warnings)
}

// isCall reports whether the effect is a token's, as its calldata tells it.
func isCall(e chain.Effect) bool {
	return e.Contract != "" && (e.Kind == chain.Transfer || e.Kind == chain.Receive || e.Kind == chain.Approve ||
		e.Kind == chain.ApproveAll)
}
