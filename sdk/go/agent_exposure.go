package railkit

import (
	"context"
	"math/big"
	"net/http"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// AgentExposure is what was signed for an agent and may still leave its wallet, also after it was killed.
type AgentExposure struct {
	AgentID          string `json:"agentId"`
	Status           string `json:"status"`
	OpenExposureUSDC string `json:"openExposureUsdc"` // of all that is listed; "0": nothing can leave any more
	OutstandingList
}

// Exposure lists what was signed for an agent and may still land. The enclave's proofs name all of it and each amount:
// the server can hide none, but for what it says is mined (Mined).
func (s *AgentsService) Exposure(ctx context.Context, agentID string) (*AgentExposure, error) {
	r, err := send[AgentExposure](ctx, s.c, request{method: http.MethodGet, path: agentPath(agentID, "/exposure")})
	if err != nil {
		return nil, err
	}
	x := &r.Data
	if err := s.c.verify.freshList(
		&x.OutstandingList, wire.LentRequest{AgentID: agentID}, x.AgentID == agentID, r.Floor); err != nil {
		return nil, err
	}
	if s.c.verify != nil && x.OpenExposureUSDC != x.sum() {
		return nil, tampered(ReasonResult, "the exposure is not the sum of what is listed")
	}
	return x, nil
}

// sum adds up amounts that were found to be the enclave's.
func (x *AgentExposure) sum() string {
	total := new(big.Int)
	add := func(text string) {
		if n, err := chain.ParseUnits(text, 6); err == nil {
			total.Add(total, n)
		}
	}
	for _, t := range x.Transactions {
		add(t.AmountUSDC)
	}
	for _, a := range x.Authorizations {
		add(a.AmountUSDC)
	}
	return usdc(total)
}
