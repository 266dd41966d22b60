package rollback

import (
	"cmp"
	"context"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// Ended tells whether an agent was killed or deleted.
type Ended interface {
	AgentEnded(ctx context.Context, workspaceID, agentID string) (bool, error)
}

// Client is the client of the signer that a Guard stands before. An agent that was killed stays so here, whatever an
// older state of the signer says of it.
type Client struct {
	*client.Client
	guard *Guard
	ended Ended
}

// Guarded puts a Guard before a client.
func Guarded(c *client.Client, g *Guard, e Ended) *Client { return &Client{c, g, e} }

// Submit hands in a body, unless the signer is behind and the body gives anything.
func (c *Client) Submit(ctx context.Context, q wire.SubmitRequest, fingerprint string) (client.Outcome, error) {
	if !q.Again { // else nothing is decided
		if err := c.guard.Open(q.Body); err != nil {
			return client.Outcome{}, err
		}
	}
	return c.Client.Submit(ctx, q, fingerprint)
}

// State asks what rules and payees there are. While the signer is behind nobody is told, and no row is overwritten.
func (c *Client) State(ctx context.Context, q wire.StateRequest) (wire.Proof, error) {
	if c.guard.Behind() {
		return wire.Proof{}, c.guard.Open("")
	}
	return c.Client.State(ctx, q)
}

// Agent tells of an agent. The database is asked about an agent that nobody has, too: else the time that an answer
// takes would tell which ids are agents of other workspaces.
func (c *Client) Agent(ctx context.Context, agentID string) (wire.AgentReply, error) {
	a, err := c.Client.Agent(ctx, agentID)
	ended, failed := c.ended.AgentEnded(ctx, a.WorkspaceID, cmp.Or(a.AgentID, agentID))
	if ended {
		a.Status = wire.AgentKilled
	}
	return a, cmp.Or(err, failed)
}

// errKilled is an error of the signer too, which defines it.
var errKilled = &fault.Error{Kind: fault.Unauthenticated, Code: "agent_killed", Message: "Agent was killed"}

// VerifyAgent finds the agent that signed a request.
func (c *Client) VerifyAgent(ctx context.Context, q wire.VerifyAgentRequest) (wire.AgentReply, error) {
	a, err := c.Client.VerifyAgent(ctx, q)
	if err != nil {
		return a, err
	}
	switch ended, err := c.ended.AgentEnded(ctx, a.WorkspaceID, a.AgentID); {
	case err != nil:
		return wire.AgentReply{}, err
	case ended:
		return wire.AgentReply{}, errKilled
	}
	return a, nil
}
