package recovery

import (
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
)

// Kinds are the bodies about recoveries that a passkey stamps.
func (s *Service) Kinds() []activity.Kind {
	return []activity.Kind{
		{
			Type: wire.UpdateRecovery, Link: link.Recovery, Action: "recovery.update", Status: 200,
			Reply: ruleChanged, Audit: auditOf, Finish: activity.Within(s.finishRule),
		},
		{
			Type: wire.CancelRecovery, Link: link.Recovery, Action: "recovery.cancel", Status: 200,
			Message: "Recovery cancelled", Reply: s.cancelView, Audit: auditOf,
			Finish: activity.Within(s.finishCancel),
		},
	}
}
