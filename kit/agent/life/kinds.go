package life

import (
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
)

// Kinds are the bodies about agents.
func (s *Service) Kinds() []activity.Kind {
	return []activity.Kind{
		{
			Type: wire.CreateAgent, Link: link.Agent, Action: "agent.create", Status: 200,
			Message: "Agent created; it waits for its limits", Reply: s.createdReply, Audit: auditOf,
			Finish: activity.Within(s.finishCreated),
		},
		{
			Type: wire.ActivateAgent, Link: link.Agent, Action: "agent.activate", Status: 200,
			Message: "Agent active", Reply: secretReply, Audit: auditOf, Finish: activity.Within(s.finishSecret),
		},
		{
			Type: wire.SetAgentLimits, Link: link.Agent, Action: "agent.limits", Status: 200,
			Reply: reply, Audit: auditOf,
		},
		{
			Type: wire.SetAgentStatus, Link: link.Agent, Action: "agent.status", Status: 200,
			Reply: reply, Audit: auditOf, Finish: activity.Within(s.finishStatus),
		},
		{
			Type: wire.RotateAgentSecret, Link: link.Agent, Action: "agent.rotate", Status: 200,
			Message: "The old secret is worth nothing now", Reply: secretReply, Audit: auditOf,
			Finish: activity.Within(s.finishSecret),
		},
		{
			Type: wire.DeleteAgent, Link: link.Agent, Action: "agent.delete", Status: 200, Message: "Agent deleted",
			Reply: reply, Audit: auditOf, Finish: activity.Within(s.finishDeleted),
		},
		{
			Type: wire.SetKillSwitch, Link: link.Agent, Action: "agent.kill_switch", Status: 200,
			Reply: killSwitchReply, Audit: killSwitchAudit,
		},
		{Type: wire.AgentWallet, Finish: activity.Within(s.c.Wallets.Finish)},
	}
}
