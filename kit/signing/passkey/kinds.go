package passkey

import (
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
)

// Kinds are the bodies about passkeys.
func (s *Service) Kinds() []activity.Kind {
	return []activity.Kind{
		{Type: wire.CreateSubOrganization, Finish: activity.Within(s.finishLostRegistration)},
		{
			Type: wire.CreateAuthenticator, Link: link.Passkey, Action: "passkey.add", Status: 201,
			Message: "Passkey added", Reply: changed, Audit: auditOf, Finish: activity.Within(s.finish),
		},
		{
			Type: wire.DeleteAuthenticator, Link: link.Passkey, Action: "passkey.delete", Status: 200,
			Message: "Passkey deleted", Reply: changed, Audit: auditOf, Finish: activity.Within(s.finish),
		},
	}
}
