package railkit

import (
	"context"
	"net/http"
	"net/url"

	"github.com/railkit/railkit/rest"
)

// Bodies of the API: see package rest for their fields.
type (
	X402Request = rest.X402PayRequest
	X402Answer  = rest.X402Answer
	X402Payment = rest.X402Payment
)

// PayX402 has the platform ask a server for a URL, and pay it where it costs something, by x402. The answer is that of
// the server; Payment says what became of the money, and is nil where none was asked for. Above the agent's threshold
// the error is a QueuedError: once Approval tells that it was approved, a request with its PaymentID alone goes on.
// WithIdempotencyKey makes a payment that may be repeated safely.
func (a *AgentClient) PayX402(ctx context.Context, q X402Request) (*X402Answer, error) {
	return data[X402Answer](ctx, a.c, http.MethodPost, agentsPath+"/"+url.PathEscape(a.id)+"/x402-pay", q)
}

// X402Payment reads what became of a payment.
func (a *AgentClient) X402Payment(ctx context.Context, paymentID string) (*X402Payment, error) {
	return data[X402Payment](ctx, a.c, http.MethodGet, x402Path(a.id)+"/"+url.PathEscape(paymentID), nil)
}

// X402Service tells the owner of agents what they paid by x402.
type X402Service struct{ c *Client }

// List reads one page of an agent's payments, newest first.
func (s *X402Service) List(ctx context.Context, agentID string, o ListOptions) (*Page[X402Payment], error) {
	return list[X402Payment](ctx, s.c, x402Path(agentID), o.query(), nil)
}

// Get reads what became of one.
func (s *X402Service) Get(ctx context.Context, agentID, paymentID string) (*X402Payment, error) {
	return data[X402Payment](ctx, s.c, http.MethodGet, x402Path(agentID)+"/"+url.PathEscape(paymentID), nil)
}

func x402Path(agentID string) string { return agentPath(agentID, "/x402-payments") }
