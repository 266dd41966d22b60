package api

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/payout"
)

// mostNotices is how many notices a minute a partner may send from one network. It
// sends again what is refused.
const mostNotices = 3000

func registerNotices(s *edge.Server, notices *payout.Notices) {
	edge.Webhook(s, edge.Op{
		ID: "receivePartnerNotice", Path: "/v1/payout/rails/webhooks", Tag: "Payout partner", Signature: "X-Webhook-Signature", Most: mostNotices,
		Message: "Notice received", Summary: "Take in a notice of the payment partner",
		Description: "For the partner, which signs the body. It is kept and answered at once; what it is about is asked of the partner afterwards.",
	}, func(ctx context.Context, signature string, body []byte) (payout.Received, error) {
		return notices.Receive(ctx, signature, body)
	})
}
