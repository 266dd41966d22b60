package railkit

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/railkit/railkit/rest"
)

// AgentPayment is a body of the API: see package rest for its fields.
type AgentPayment = rest.AgentPaymentRequest

// Pay pays USDC from the agent's wallet. Above the agent's threshold the error is a QueuedError: Approval waits for the
// decision. WithIdempotencyKey makes a payment that may be repeated safely, also after a crash of the agent.
func (a *AgentClient) Pay(ctx context.Context, p AgentPayment) (*Transaction, error) {
	return data[Transaction](ctx, a.c, http.MethodPost, agentsPath+"/"+url.PathEscape(a.id)+"/sign-transaction", p)
}

// longPoll is how long one request waits for a decision: less than the timeout of the default HTTP client.
const longPoll = 20 * time.Second

// Approval reads the approval of a payment of the agent. It waits until that is decided, or for the time, and answers
// it as it then is.
func (a *AgentClient) Approval(ctx context.Context, id string, wait time.Duration) (*Approval, error) {
	end := time.Now().Add(wait)
	for {
		step := min(max(time.Until(end), 0), longPoll)
		r, err := send[Approval](ctx, a.c, request{
			method: http.MethodGet, path: approvalPath(id),
			query: url.Values{"wait": {strconv.Itoa(int(step.Seconds()))}},
		})
		if err != nil {
			return nil, err
		}
		if r.Data.ResolvedAt != nil || step < longPoll {
			return &r.Data, nil
		}
	}
}
