package vote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/approval"
)

// recount is an approval with the votes that count now. A change of the rules takes earlier votes away: whoever
// approved under the old rules is asked again.
func (s *Service) recount(ctx context.Context, a approval.Approval, from approval.State) (execution, error) {
	w, err := s.askStanding(ctx, a)
	if f, ok := fault.As(err); ok && errors.Is(f, refusal.ErrApprovalVoid) {
		return s.abandon(ctx, a, from, f.Message)
	}
	if hopeless(err) {
		return s.abandon(ctx, a, from, "not enough votes in time")
	}
	if err != nil {
		return execution{}, err
	}
	a, err = a.WithVotes(*w, s.c.Clock.Now())
	return execution{Approval: a, from: from}, err
}

// askStanding asks the enclave how an approval stands.
func (s *Service) askStanding(ctx context.Context, a approval.Approval) (*wire.Approval, error) {
	proof, err := s.c.Enclave.State(
		ctx, wire.StateRequest{OrganizationID: a.SubOrganizationID, Approval: a.Fingerprint},
	)
	if err != nil {
		return nil, err
	}
	var st wire.Statement
	if err := json.Unmarshal([]byte(proof.Payload), &st); err != nil { // the client has checked it
		return nil, fmt.Errorf("reading how an approval stands: %w", err)
	}
	if st.State == nil || st.State.Approval == nil || st.State.Approval.Fingerprint != a.Fingerprint {
		return nil, errors.New("the enclave's answer about an approval is about another")
	}
	return st.State.Approval, nil
}
