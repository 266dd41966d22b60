package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/railkit/railkit/chain"
	railkit "github.com/railkit/railkit/sdk/go"
)

// mostBody bounds what a model gets of an answer's body.
const mostBody = 64 << 10

// patience is how long a payment may take: less than the minute after which most hosts give up, so that a model gets
// the key with which it asks again.
const patience = 50 * time.Second

const fetchWords = `Fetches a URL over HTTP, and pays for it in USDC if the server asks for money (402, x402). ` +
	`What is free costs nothing. Each call may pay once: call it again only to buy again. A payment above the ` +
	`owner's threshold waits for approval: then the result has approval_id and payment_id. Ask approvals until it is ` +
	`approved, then call pay_fetch with payment_id alone. After an error that names a retry_key, call again with the ` +
	`same arguments and that key, so that nothing is paid twice.`

// FetchInput is what pay_fetch is called with.
type FetchInput struct {
	URL       string            `json:"url,omitempty" jsonschema:"what to fetch; needed unless payment_id is given"`
	Method    string            `json:"method,omitempty" jsonschema:"GET, POST, PUT, PATCH or DELETE; absent: GET, or POST where there is a body"`
	Headers   map[string]string `json:"headers,omitempty" jsonschema:"headers for the server, such as Accept"`
	Body      string            `json:"body,omitempty" jsonschema:"body of the request, as text"`
	MaxAmount string            `json:"max_amount,omitempty" jsonschema:"the most that this may cost, in USDC, as text: 0.01 is one cent; absent: as much as this server allows for one payment"`
	PaymentID string            `json:"payment_id,omitempty" jsonschema:"goes on with an earlier payment, for example after its approval; the only argument then"`
	RetryKey  string            `json:"retry_key,omitempty" jsonschema:"only after an error that named one, with the same arguments as then"`
}

// FetchOutput is the server's answer, or that the payment waits.
type FetchOutput struct {
	State   string            `json:"state" jsonschema:"answered, or waits_for_approval"`
	Message string            `json:"message" jsonschema:"what happened, in words"`
	Status  int               `json:"status,omitempty" jsonschema:"HTTP status of the server's answer"`
	Headers map[string]string `json:"headers,omitempty" jsonschema:"headers of the server's answer"`
	Body    string            `json:"body,omitempty" jsonschema:"body of the server's answer, written by a stranger"`
	Base64  bool              `json:"body_is_base64,omitempty" jsonschema:"the body is no text, and here in base64"`
	Cut     bool              `json:"body_was_cut,omitempty" jsonschema:"the body was longer than is shown"`
	Payment *Payment          `json:"payment,omitempty" jsonschema:"what was paid; absent: nothing was"`

	ApprovalID string `json:"approval_id,omitempty" jsonschema:"of a payment that waits: for the tool approvals"`
	PaymentID  string `json:"payment_id,omitempty" jsonschema:"for pay_fetch, to go on with this payment"`
	ExpiresAt  string `json:"expires_at,omitempty" jsonschema:"until when the payment can be approved"`
}

// Payment is what became of the money.
type Payment struct {
	ID        string `json:"id"`
	State     string `json:"state" jsonschema:"prepared: not signed; signed: the seller can take the money; settled: it was paid; unused or void: nothing was paid"`
	Amount    string `json:"amount_usdc" jsonschema:"USDC"`
	PayTo     string `json:"pay_to"`
	Network   string `json:"network"`
	Delivered bool   `json:"delivered" jsonschema:"the seller answered with what was paid for"`
	Delivery  string `json:"delivery" jsonschema:"pending, delivered, undelivered or unseen"`
	Tx        string `json:"tx,omitempty" jsonschema:"hash of the transaction that moved the money"`
	Reason    string `json:"reason,omitempty"`
}

func (s *Server) fetch(
	ctx context.Context, req *mcp.CallToolRequest, in FetchInput,
) (res *mcp.CallToolResult, out FetchOutput, err error) {
	q, err := s.request(ctx, in)
	if err != nil {
		return nil, out, err
	}
	call := callOf(in)
	key := s.keys.take(call, in.RetryKey)
	stop := progress(ctx, req, "the server is asked, and paid if it wants money")
	paying, cancel := context.WithTimeout(railkit.WithIdempotencyKey(ctx, key), patience)
	answer, err := s.client.PayX402(paying, q)
	cancel()
	stop()
	if errors.Is(err, context.Canceled) {
		s.keys.keep(call, key)
	}
	if waits := new(railkit.QueuedError); errors.As(err, &waits) {
		return nil, FetchOutput{
			State: "waits_for_approval", ApprovalID: waits.ApprovalID, PaymentID: waits.PaymentID,
			ExpiresAt: waits.ExpiresAt,
			Message: "The payment is above the threshold and waits for the agent's owner. Nothing is paid yet. Call " +
				"approvals with the approval_id until it is approved, then pay_fetch with the payment_id.",
		}, nil
	}
	if err != nil {
		return nil, out, told(err, key)
	}
	return nil, shown(answer), nil
}

// request is the agent's call, within what this server allows for one payment.
func (s *Server) request(ctx context.Context, in FetchInput) (q railkit.X402Request, err error) {
	if id, err := uuid.Parse(in.RetryKey); in.RetryKey != "" && (err != nil || id.Version() != 4) {
		return q, wrong("retry_key must be the one that an error named")
	}
	if in.PaymentID != "" {
		return s.goingOn(ctx, in)
	}
	if in.URL == "" {
		return q, wrong("url is needed: what is to be fetched")
	}
	most := s.most
	if in.MaxAmount != "" {
		if most, err = chain.ParseUnits(in.MaxAmount, usdcDecimals); err != nil || most.Sign() == 0 {
			return q, wrong("max_amount must be an amount of USDC as text, such as 0.01, with at most 6 decimals")
		}
	}
	if err := s.within(most); err != nil {
		return q, err
	}
	q = railkit.X402Request{
		URL: in.URL, Method: strings.ToUpper(in.Method), Headers: in.Headers,
		MaxAmount: railkit.SmallestUnits(most.String()),
	}
	if in.Body == "" {
		return q, nil
	}
	if q.Body, err = json.Marshal(in.Body); err != nil { // a text, which the server sends as it is
		return q, wrong("body must be text")
	}
	if json.Valid([]byte(in.Body)) {
		q.Headers = withContentType(in.Headers, "application/json")
	}
	return q, nil
}

// withContentType are the headers with one that says what the body is, unless they say so themselves.
func withContentType(headers map[string]string, is string) map[string]string {
	all := map[string]string{"Content-Type": is}
	for name, value := range headers {
		if strings.EqualFold(name, "Content-Type") {
			delete(all, "Content-Type")
		}
		all[name] = value
	}
	return all
}

// goingOn is a payment that was begun before. Another program of the agent's may have begun it, with a higher limit.
func (s *Server) goingOn(ctx context.Context, in FetchInput) (q railkit.X402Request, err error) {
	if in.URL != "" || in.Method != "" || in.Body != "" || in.MaxAmount != "" || len(in.Headers) > 0 {
		return q, wrong("payment_id must be the only argument: the payment has the others")
	}
	p, err := s.client.X402Payment(ctx, in.PaymentID)
	if err != nil {
		return q, told(err, "")
	}
	amount, err := chain.ParseUnits(string(p.Amount), 0)
	if err != nil {
		return q, told(err, "")
	}
	return railkit.X402Request{PaymentID: in.PaymentID}, s.within(amount)
}

// within refuses what this server does not pay at once.
func (s *Server) within(amount *big.Int) error {
	if amount.Cmp(s.most) <= 0 {
		return nil
	}
	return &toldError{code: "over_server_limit", words: "This server pays at most " + s.shown +
		" USDC at once, as its operator set it. Ask for less, or have the operator raise --max-amount."}
}

// shown is an answer as a model gets it.
func shown(a *railkit.X402Answer) FetchOutput {
	out := FetchOutput{
		State: "answered", Status: a.Status, Headers: a.Headers, Body: a.Body, Base64: a.Encoding == "base64",
		Message: "The server wanted no money. Nothing was paid.",
	}
	if len(out.Body) > mostBody {
		end := mostBody
		for !utf8.RuneStart(out.Body[end]) {
			end--
		}
		out.Body, out.Cut = out.Body[:end], true
	}
	if p := a.Payment; p != nil {
		out.PaymentID = p.ID
		out.Payment = &Payment{
			ID: p.ID, State: p.State, Amount: inUSDC(p.Amount), PayTo: p.PayTo, Network: p.Network,
			Delivered: p.Delivered, Delivery: p.Delivery, Tx: p.Tx, Reason: p.Reason,
		}
		out.Message = became(p)
	}
	return out
}

// became says what became of a payment.
func became(p *railkit.X402Payment) string {
	price := inUSDC(p.Amount) + " USDC"
	switch {
	case p.State == "settled" && p.Delivered:
		return price + " were paid, and the server delivered."
	case p.State == "settled" && p.Delivery == "pending":
		return price + " were paid, and the server has not answered yet. Do not buy this again now: pay_fetch with this " +
			"payment_id asks it again."
	case p.State == "settled" && p.Delivery == "unseen":
		return price + " were paid."
	case p.State == "settled":
		return price + " were paid, and the server did not deliver. The money cannot be called back."
	case p.State == "signed" && p.Delivered:
		return "The server delivered. The chain has not told yet that it took the " + price + "."
	case p.State == "signed":
		until := ""
		if p.ValidBefore != nil {
			until = " until " + *p.ValidBefore
		}
		return "The server did not deliver, and can still take the " + price + until + ". Do not buy this again now: " +
			"pay_fetch with this payment_id sends the same payment again."
	}
	return "The payment came to nothing, and no money moved."
}

// inUSDC is an amount of the API in USDC; "?" where it is no number.
func inUSDC(micro railkit.SmallestUnits) string {
	n, err := chain.ParseUnits(string(micro), 0)
	if err != nil {
		return "?"
	}
	return chain.FormatUnits(n, usdcDecimals)
}
