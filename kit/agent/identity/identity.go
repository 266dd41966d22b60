// Package identity tells who an agent is: it has the signer verify what an agent signed, and says how the agent stands.
// There is no row; the secret is in the signer, and so is every decision about it.
package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// Enclave is what the kit asks of the signer.
type Enclave interface {
	Agent(ctx context.Context, agentID string) (wire.AgentReply, error)
	VerifyAgent(ctx context.Context, q wire.VerifyAgentRequest) (wire.AgentReply, error)
}

// Tenants tells what a workspace has.
type Tenants interface {
	Tenant(ctx context.Context, workspaceID string) (auth.Tenant, error)
}

// Switches tell whether an agent may pay nothing, whatever its budget is.
type Switches interface {
	Stopped(ctx context.Context, a wire.AgentReply) (bool, error)
}

// Service knows agents.
type Service struct {
	enclave     Enclave
	tenants     Tenants
	switches    Switches
	environment string // the enclave's, so every agent's
}

// New makes a Service.
func New(enclave Enclave, tenants Tenants, switches Switches, environment string) *Service {
	return &Service{enclave, tenants, switches, environment}
}

// VerifyAgent finds the agent that signed a request: auth.Signers.
func (s *Service) VerifyAgent(ctx context.Context, c auth.AgentClaim) (auth.Principal, error) {
	if c.HTTP == nil && c.Query && c.Method != http.MethodGet && c.Method != http.MethodHead {
		return auth.Principal{}, fault.Field("query", "must be empty: an agent's signature does not cover it")
	}
	hash := sha256.Sum256(c.Body)
	a, err := s.enclave.VerifyAgent(ctx, wire.VerifyAgentRequest{
		AgentID: strings.ToLower(c.AgentID), Method: c.Method, Path: c.Path, Timestamp: c.Timestamp,
		BodyHash: hex.EncodeToString(hash[:]), MAC: c.MAC, HTTP: (*wire.HTTPSignature)(c.HTTP),
	})
	if err != nil {
		return auth.Principal{}, err
	}
	tenant, err := s.tenants.Tenant(ctx, a.WorkspaceID)
	if err != nil {
		return auth.Principal{}, fmt.Errorf("finding an agent's workspace: %w", err)
	}
	c.Told = a
	return auth.Principal{
		Tenant: tenant, Kind: auth.ByAgent, ID: a.AgentID, Scopes: []auth.Scope{auth.OwnAgent},
		Environment: s.environment, Limits: tenant.AgentLimits, Claim: &c,
	}, nil
}

// Status tells what an agent may do.
func (s *Service) Status(ctx context.Context, p auth.Principal, id string) (rest.AgentState, error) {
	a, err := s.Own(ctx, p, id)
	if err != nil {
		return rest.AgentState{}, err
	}
	stopped, err := s.switches.Stopped(ctx, a)
	return rest.AgentState{AgentID: a.AgentID, KillSwitch: stopped, Status: string(a.Status)}, err
}

// Own finds an agent that the caller may use. One of another workspace is as unknown as one that does not exist. Of an
// agent that asks about itself the signer has just told, in this call.
func (s *Service) Own(ctx context.Context, p auth.Principal, id string) (wire.AgentReply, error) {
	if p.Claim != nil {
		told, ok := p.Claim.Told.(wire.AgentReply)
		if ok && told.AgentID == p.ID && told.WorkspaceID == p.WorkspaceID && strings.EqualFold(id, p.ID) {
			return told, nil
		}
	}
	a, err := s.enclave.Agent(ctx, strings.ToLower(id))
	if f, ok := fault.As(err); ok && f.Kind == fault.NotFound || err == nil && a.WorkspaceID != p.WorkspaceID {
		return wire.AgentReply{}, fault.Missing("Agent")
	}
	if err == nil {
		err = p.MayReadAgent(a.AgentID)
	}
	if err != nil {
		return wire.AgentReply{}, err
	}
	return a, nil
}

var _ auth.Signers = (*Service)(nil)
