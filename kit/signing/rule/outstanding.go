package rule

import (
	"context"
	"reflect"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/outstanding"
	"github.com/railkit/railkit/platform/auth"
)

// Outstanding is what was signed under a policy's delegation and may still have an effect on a chain.
type Outstanding struct {
	PolicyID string `json:"policyId"`
	outstanding.List
}

// Outstanding lists what was signed under the delegation that a policy has, or had.
func (s *Service) Outstanding(ctx context.Context, p auth.Principal, policyID string) (Outstanding, error) {
	policy, err := s.c.Store.Policy(ctx, p.WorkspaceID, policyID)
	if err != nil {
		return Outstanding{}, err
	}
	return s.outstandingOf(ctx, policy)
}

func (s *Service) outstandingOf(ctx context.Context, p Policy) (Outstanding, error) {
	owner := activity.Owner{WorkspaceID: p.WorkspaceID, ID: p.SubOrganizationID}
	list, err := s.c.Outstanding.Of(ctx, owner, wire.LentRequest{PolicyID: p.ID})
	return Outstanding{p.ID, list}, err
}

// outstandingIfRevoked lists what was signed under a delegation that a change of its policy removed or replaced. The
// change is made by then: if the list cannot be read, the answer omits it, and the caller can GET it later.
func (s *Service) outstandingIfRevoked(ctx context.Context, a activity.Activity, out client.Outcome,
	p, known Policy,
) *Outstanding {
	kind := wire.ActivityType(a.Kind)
	now, was := p.Policy.Rules.Delegation, known.Policy.Rules.Delegation
	revoked := kind == wire.DeletePolicy && now != nil || kind == wire.UpdatePolicy && was != nil &&
		!reflect.DeepEqual(now, was)
	if !revoked || out.State != wire.Done {
		return nil
	}
	left, err := s.outstandingOf(ctx, p)
	if err != nil {
		s.c.Log.WarnContext(ctx,
			"listing what was signed under a delegation that was taken away", "policy", p.ID, "error", err)
		return nil
	}
	return &left
}
