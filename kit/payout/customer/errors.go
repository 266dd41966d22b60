package customer

import (
	"github.com/railkit/railkit/fault"
)

// The API's errors when a request needs the partner and the workspace is not registered there.
var (
	ErrNoPartner = fault.Define(fault.Unavailable, "no_payment_partner", "No payment partner is configured",
		"The operator has connected no partner, so that nothing can be paid to banks")
	ErrNoEmail = fault.Define(fault.Unprocessable, "workspace_email_missing",
		"The workspace has no e-mail address; set one first",
		"The payment partner wants one of each business: PATCH /v1/integrators/{integratorId}")
	ErrRegistering = fault.Define(fault.Unavailable, "bank_account_registering",
		"The bank account is being registered or changed",
		"An earlier call about the bank account has no answer of the payment partner yet; repeat the request after Retry-After")
)
