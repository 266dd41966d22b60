package payee

import (
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
)

// Kinds are the bodies about payees.
func (s *Service) Kinds() []activity.Kind {
	return []activity.Kind{
		{
			Type: wire.AddPayee, Link: link.Payee, Action: "payee.add", Status: 201, Message: "Payee added",
			Reply: reply, Audit: auditOf, Finish: activity.Within(s.finish),
		},
		{
			Type: wire.RemovePayee, Link: link.Payee, Action: "payee.remove", Status: 200, Message: "Payee removed",
			Reply: reply, Audit: auditOf, Finish: activity.Within(s.finish),
		},
	}
}
