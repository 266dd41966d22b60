package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/railkit/railkit/platform/webhook"
)

var (
	hookEndpoints = gauge("railkit_webhook_endpoints",
		"Endpoints of webhooks of all workspaces: active, failing (active, and the last answers were bad) or disabled.",
		"status")
	hooksWaiting = gauge("railkit_webhooks_waiting",
		"Webhooks that active or failing endpoints have not taken yet.", "status")
	hookOverdue = gauge("railkit_webhook_overdue_seconds",
		"How long the webhook that should have been sent first is due, also one of which nobody has made a delivery yet; "+
			"0 where none is.", "status")
)

// failing is the status of an active endpoint whose last answers were bad.
const failing = "failing"

// AskWebhooks tells of webhooks that are still to be sent, and of where to.
func (m *Metrics) AskWebhooks(measure func(context.Context) ([]webhook.Measure, error), now func() time.Time) {
	m.ask("webhooks", func(ctx context.Context) ([]prometheus.Metric, error) {
		found, err := measure(ctx)
		return webhooksOf(found, now()), err
	}, hookEndpoints, hooksWaiting, hookOverdue)
}

func webhooksOf(found []webhook.Measure, now time.Time) (all []prometheus.Metric) {
	active, disabled := string(webhook.Active), string(webhook.Disabled)
	endpoints, waiting, overdue := map[string]int64{}, map[string]int64{}, map[string]time.Duration{}
	for _, f := range found {
		status := disabled
		switch {
		case f.Status == webhook.Active && f.Failing:
			status = failing
		case f.Status == webhook.Active:
			status = active
		}
		endpoints[status] += f.Endpoints
		waiting[status] += f.Waiting
		if !f.Due.IsZero() {
			overdue[status] = max(0, now.Sub(f.Due))
		}
	}
	for _, status := range []string{active, failing} {
		all = append(all, hooksWaiting.of(float64(waiting[status]), status),
			hookOverdue.of(seconds(overdue[status]), status), hookEndpoints.of(float64(endpoints[status]), status))
	}
	return append(all, hookEndpoints.of(float64(endpoints[disabled]), disabled))
}

// hookOutcomes are what comes of a webhook, by the state that its delivery has then. Canceled ones were not sent.
var hookOutcomes = map[webhook.State]string{
	webhook.Delivered: "delivered", webhook.Pending: "retried", webhook.Failed: failed,
}

// WebhookDone counts what came of a webhook.
func (o others) WebhookDone(state webhook.State) {
	if outcome := hookOutcomes[state]; outcome != "" {
		o.webhooks.WithLabelValues(outcome).Inc()
	}
}
