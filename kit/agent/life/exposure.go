package life

import (
	"context"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/outstanding"
	"github.com/railkit/railkit/platform/auth"
)

// AgentExposure is what was signed for an agent and may still leave its wallet, also after it was killed.
type AgentExposure struct {
	AgentID          string           `json:"agentId" format:"uuid"`
	Status           wire.AgentStatus `json:"status" enum:"pending_policies,active,draining,suspended,killed"`
	OpenExposureUSDC string           `json:"openExposureUsdc" doc:"Sum of amountUsdc of all that is listed: 0 once each is mined, void or has ended. Where complete is false, there is more"`
	outstanding.List
}

// Exposure lists what was signed for an agent and may still have an effect on a chain.
func (s *Service) Exposure(ctx context.Context, p auth.Principal, id string) (AgentExposure, error) {
	a, now, err := s.find(ctx, p.WorkspaceID, id)
	if err != nil {
		return AgentExposure{}, err
	}
	owner := activity.Owner{WorkspaceID: a.WorkspaceID, ID: a.SubOrganizationID}
	list, err := s.c.Outstanding.Of(ctx, owner, wire.LentRequest{AgentID: a.ID})
	return AgentExposure{AgentID: a.ID, Status: now.Status, OpenExposureUSDC: list.USDC(), List: list}, err
}
