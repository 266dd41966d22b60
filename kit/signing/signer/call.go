package signer

import (
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/auth"
)

// Call is an agent's request as the enclave wants it: byte by byte as the agent signed it.
func Call(agentID string, c *auth.AgentClaim) wire.AgentCall {
	return wire.AgentCall{
		AgentID: agentID, Method: c.Method, Path: c.Path, Timestamp: c.Timestamp, Request: string(c.Body),
		HTTP: (*wire.HTTPSignature)(c.HTTP),
	}
}
