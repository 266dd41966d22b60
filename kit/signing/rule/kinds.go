package rule

import (
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
)

// Kinds are the bodies about rules.
func (s *Service) Kinds() []activity.Kind {
	policy := func(kind wire.ActivityType, action string, status int, message string) activity.Kind {
		return activity.Kind{
			Type: kind, Link: link.Policy, Action: action, Status: status, Message: message,
			Reply: s.policyReply, Audit: s.policyAudit, Finish: activity.Within(s.finishPolicy),
		}
	}
	return []activity.Kind{
		policy(wire.CreatePolicy, "policy.create", 201, "Policy created"),
		policy(wire.UpdatePolicy, "policy.update", 200, ""),
		policy(wire.DeletePolicy, "policy.delete", 200, "Policy deleted"),
		{
			Type: wire.UpdateApprovalConfig, Link: link.Config, Action: "approval_config.update", Status: 200,
			Reply: configReply, Audit: s.configAudit, Finish: activity.Within(s.finishConfig),
		},
		{
			Type: wire.OverridePrice, Link: link.Price, Action: "price.override", Status: 200,
			Message: "Price counts", Reply: priceReply, Audit: priceAudit,
		},
	}
}
