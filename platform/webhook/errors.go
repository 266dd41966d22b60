package webhook

import "github.com/railkit/railkit/fault"

var (
	errTooMany = fault.Define(fault.Unprocessable, "too_many_webhook_endpoints",
		"The workspace has too many webhook endpoints", "A workspace has at most 20 webhook endpoints: delete one")
	errDisabled = fault.Define(fault.Conflict, "webhook_endpoint_disabled",
		"The webhook endpoint is disabled: ping it first",
		"Nothing is sent again to an endpoint that is disabled: a ping that it answers makes it active")
	errReplaying = fault.Define(fault.Conflict, "webhook_replay_running",
		"An earlier replay of the webhook endpoint is not over yet",
		"An endpoint has one replay at a time: wait until the endpoint's replay is null")
)
