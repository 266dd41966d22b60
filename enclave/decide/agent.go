package decide

import (
	"time"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
)

// maxAgents is the bound per organization.
const maxAgents = 100

type agent struct {
	wire.Agent
	organizationID string
	status         wire.AgentStatus
	sealed         []byte // its secret
	revealUntilMs  int64  // until then Submit answers the secret again; 0: never
	mark           int64  // see Mark
}

// Agent is what the enclave knows of an agent, with its sealed secret.
type Agent struct {
	wire.AgentReply
	Sealed  []byte
	Unheard bool // it has a secret that may be answered, and made no request yet
}

func (s *State) decideAgent(org *organization, r Request, p *wire.CreateAgentParams, now time.Time) (Event, error) {
	if err := checkName("agentName", p.AgentName); err != nil {
		return Event{}, err
	}
	for _, a := range org.agents {
		if a.Name == p.AgentName {
			return Event{}, ErrAgentExists
		}
	}
	if len(org.agents) >= maxAgents {
		return Event{}, ErrBody.Msg("the sub-organization has 100 agents, the most there can be")
	}
	made := &NewAgent{
		Agent:  wire.Agent{ID: newID(r.Fingerprint, "agent"), Name: p.AgentName, CreatedAt: clock.ISO(now)},
		Status: wire.AgentActive,
	}
	if p.RecipientPublicKey == "" {
		expires, _ := millis(r.Body.ExpiresAtMs)
		made.RevealUntilMs = expires.UnixMilli()
	} else if err := checkP256("recipientPublicKey", p.RecipientPublicKey); err != nil {
		return Event{}, err
	} else {
		made.SealedSecret = &wire.SealedSecret{RecipientPublicKey: p.RecipientPublicKey}
	}
	return Event{Kind: EventAgent, Agent: made}, nil
}

func (s *State) previewAgent(
	org *organization, r Request, p *wire.CreateAgentParams, now time.Time,
) (*wire.Preview, error) {
	e, err := s.decideAgent(org, r, p, now)
	if err != nil {
		return nil, err
	}
	return &wire.Preview{AgentName: p.AgentName, AgentID: e.Agent.ID, RecipientPublicKey: p.RecipientPublicKey}, nil
}

func (s *State) applyAgent(e Event) error {
	org, ok := s.organizations[e.OrganizationID]
	if !ok {
		return errNoOwner
	}
	a := &agent{
		Agent: e.Agent.Agent, organizationID: e.OrganizationID, status: e.Agent.Status,
		sealed: e.Agent.Sealed, revealUntilMs: e.Agent.RevealUntilMs,
	}
	s.agents[a.ID] = a
	org.agents = append(org.agents, a)
	return nil
}

func (s *State) applyHeard(e Event) error {
	a, ok := s.agents[e.AgentID]
	if !ok {
		return errNoAgent
	}
	a.revealUntilMs = 0
	return nil
}

// Agent finds an agent.
func (s *State) Agent(id string) (Agent, bool) {
	a, ok := s.agents[id]
	if !ok {
		return Agent{}, false
	}
	return Agent{
		AgentReply: wire.AgentReply{
			AgentID: a.ID, OrganizationID: a.organizationID, WorkspaceID: s.organizations[a.organizationID].WorkspaceID,
			Name: a.Name, Status: a.status,
		},
		Sealed: a.sealed, Unheard: a.revealUntilMs > 0,
	}, true
}

// Revealed is the agent whose secret is answered to this body, which was
// executed, under this stamp: any other gets the result only.
func (s *State) Revealed(r Request, by *Signer, now time.Time) (Agent, bool) {
	a, ok := s.Agent(newID(r.Fingerprint, "agent"))
	c := s.credentials[by.CredentialID]
	if !ok || now.UnixMilli() >= s.agents[a.AgentID].revealUntilMs || c == nil || c.organizationID != a.OrganizationID {
		return Agent{}, false
	}
	return a, true
}

// Secrets gives every agent's sealed secret, for the keystore.
func (s *State) Secrets(check func(organization, agent string, sealed []byte) error) error {
	for _, a := range s.agents {
		if err := check(a.organizationID, a.ID, a.sealed); err != nil {
			return err
		}
	}
	return nil
}
