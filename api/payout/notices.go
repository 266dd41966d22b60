package payout

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/payout/notice"
	"github.com/railkit/railkit/rest"
)

func registerNotices(s *edge.Server, notices *notice.Inbox) {
	edge.Webhook(s, edge.Op{
		ID: "receivePartnerNotice", Path: "/v1/payout/rails/webhooks", Tag: "Payout partner",
		Signature: "X-Webhook-Signature",
		Message:   "Notice received", Summary: "Receive a signed notice of the payment partner",
		Description: "For the partner, which signs the body. It is kept and answered at once; what it is about is asked of the partner afterwards.",
	}, func(signature string, body []byte) (notice.Notice, error) { return notices.Read(signature, body) },
		func(ctx context.Context, n notice.Notice) (rest.ReceivedNotice, error) {
			return notices.Receive(ctx, n)
		})
}
