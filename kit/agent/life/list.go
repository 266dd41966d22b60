package life

import (
	"context"
	"errors"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// AgentView is an agent as the API shows it. State and limits are the enclave's of now.
type AgentView struct {
	ID                string           `json:"id" format:"uuid"`
	Name              string           `json:"name"`
	Description       string           `json:"description,omitempty"`
	Status            wire.AgentStatus `json:"status" enum:"pending_policies,active,draining,suspended,killed"`
	KillSwitch        bool             `json:"killSwitch" doc:"true exactly when the status is killed"`
	AllStopped        bool             `json:"allStopped" doc:"The kill switch of its sub-organization is on: no agent pays"`
	SubOrganizationID string           `json:"subOrganizationId"`
	WalletID          string           `json:"walletId,omitempty"`
	WalletAddress     string           `json:"walletAddress,omitempty" doc:"Its first; addresses has that of each network"`
	rest.AgentAddresses
	Limits      *AgentLimitsView `json:"limits,omitempty" doc:"None before it is activated"`
	CreatedAt   string           `json:"createdAt" format:"date-time"`
	SecretProof *wire.Proof      `json:"secretProof,omitempty" doc:"The enclave's statement with the newest sealed secret, for whoever has the key of recipientPublicKey; absent where the secret was answered in clear"`
}

// view is an agent with the networks on which it pays.
func view(a Agent, now wire.AgentReply, pays []chain.Network) AgentView {
	v := AgentView{
		ID: a.ID, Name: now.Name, Description: a.Description, Status: now.Status,
		KillSwitch: now.Status == wire.AgentKilled, AllStopped: now.KillSwitch, SubOrganizationID: now.OrganizationID,
		WalletID: now.WalletID, WalletAddress: now.Address, Limits: limitsView(now.Limits),
		CreatedAt: clock.ISO(a.CreatedAt), SecretProof: signer.Preview(a.SecretProof),
		AgentAddresses: rest.AgentAddresses{Addresses: []rest.AgentAddress{}},
	}
	for _, n := range pays {
		v.Addresses = append(v.Addresses, rest.AgentAddress{Network: n.Slug, Address: now.AddressOn(n.Kind)})
	}
	return v
}

// find finds an agent of a workspace, with what the enclave says of it. Where the row is missing, since the database
// was put back to an older copy, the enclave's word suffices.
func (s *Service) find(ctx context.Context, workspaceID, id string) (Agent, wire.AgentReply, error) {
	id = strings.ToLower(id)
	now, err := s.c.Enclave.Agent(ctx, id)
	if f, ok := fault.As(err); ok && f.Kind == fault.NotFound || err == nil && now.WorkspaceID != workspaceID {
		return Agent{}, now, fault.Missing("Agent")
	}
	if err != nil {
		return Agent{}, now, err
	}
	a, err := s.c.Store.Agent(ctx, workspaceID, id)
	if errors.Is(err, fault.ErrNotFound) {
		a, err = Agent{
			WorkspaceID: workspaceID, ID: now.AgentID, SubOrganizationID: now.OrganizationID, WalletID: now.WalletID,
			Name: now.Name,
		}, nil
	}
	return a, now, err
}

// Get finds an agent.
func (s *Service) Get(ctx context.Context, p auth.Principal, id string) (AgentView, error) {
	a, now, err := s.find(ctx, p.WorkspaceID, id)
	return view(a, now, s.paysOn(a, now)), err
}

// List lists agents, newest first. Rows of agents that the enclave does not know, since they were made up, are left
// out.
func (s *Service) List(ctx context.Context, p auth.Principal, f Filter) ([]AgentView, *page.Cursor, int, error) {
	f.WorkspaceID = p.WorkspaceID
	rows, total, err := s.c.Store.Agents(ctx, f)
	if err != nil {
		return nil, nil, 0, err
	}
	views := []AgentView{}
	for _, row := range rows {
		a, now, err := s.find(ctx, p.WorkspaceID, row.ID)
		if errors.Is(err, fault.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, nil, 0, err
		}
		views = append(views, view(a, now, s.paysOn(a, now)))
	}
	return views, page.Next(f.Page, rows, total, Agent.cursor), total, nil
}
