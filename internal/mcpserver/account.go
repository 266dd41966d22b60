package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	railkit "github.com/railkit/railkit/sdk/go"
)

const (
	budgetWords = `Tells what is left of the agent's budget this month: payments in USDC, API calls (infra) and LLM ` +
		`tokens in USD.`
	statusWords   = `Tells whether the agent may pay now, and within which limits.`
	approvalWords = `Tells whether the owner has approved a payment that waits, and waits for the decision for up to ` +
		`wait_seconds. Approved: call pay_fetch with the payment_id.`
)

// None is the input of tools that need none.
type None struct{}

// Budget is what is left.
type Budget struct {
	Message  string  `json:"message" jsonschema:"the same in words"`
	Layers   []Layer `json:"layers"`
	ResetsAt string  `json:"resets_at" jsonschema:"when the next month begins"`
	MayPay   bool    `json:"may_pay" jsonschema:"false: the agent was killed, or a kill switch is on"`
	Limits
}

// Layer is a layer of the budget. Amounts are decimal text.
type Layer struct {
	Name      string `json:"name" jsonschema:"payments, infra or tokens"`
	Currency  string `json:"currency" jsonschema:"USDC or USD"`
	Limit     string `json:"limit" jsonschema:"of this month"`
	Spent     string `json:"spent"`
	Held      string `json:"held" jsonschema:"of payments that wait for approval, and of calls under way"`
	Remaining string `json:"remaining" jsonschema:"what can still be spent this month"`
}

// Limits are those of one payment, in USDC.
type Limits struct {
	PerPayment        string `json:"per_payment_usdc" jsonschema:"the owner's limit of one payment"`
	ApprovalThreshold string `json:"approval_threshold_usdc" jsonschema:"a payment of more waits for the owner"`
	ServerLimit       string `json:"server_limit_usdc" jsonschema:"the most that this server pays at once"`
}

func (s *Server) budget(
	ctx context.Context, _ *mcp.CallToolRequest, _ None,
) (res *mcp.CallToolResult, out Budget, err error) {
	b, err := s.client.Budget(ctx)
	if err != nil {
		return nil, out, told(err, "")
	}
	out = Budget{ResetsAt: b.PeriodEnd, MayPay: !b.KillSwitch, Limits: s.limits(b)}
	for _, l := range []struct {
		name string
		of   railkit.AgentBudgetLayer
	}{{"payments", b.Layers.Payments.AgentBudgetLayer}, {"infra", b.Layers.Infra}, {"tokens", b.Layers.Tokens}} {
		n := railkit.Number.String
		out.Layers = append(out.Layers, Layer{
			l.name, l.of.Currency, n(l.of.Limit), n(l.of.Spent), n(l.of.Held), n(l.of.Remaining),
		})
		out.Message += fmt.Sprintf("%s: %s of %s %s are left, %s spent, %s held. ",
			l.name, l.of.Remaining, l.of.Limit, l.of.Currency, l.of.Spent, l.of.Held)
	}
	out.Message += "The month ends at " + b.PeriodEnd + "."
	return nil, out, nil
}

func (s *Server) limits(b *railkit.AgentBudgetStatus) Limits {
	return Limits{b.Layers.Payments.PerTx.String(), b.Layers.Payments.ApprovalThreshold.String(), s.shown}
}

// Status is whether the agent may pay.
type Status struct {
	AgentID string  `json:"agent_id"`
	Status  string  `json:"status" jsonschema:"active: it may pay; draining: it begins nothing new; suspended: it pays nothing now; killed: it pays nothing any more; pending_policies: its owner has not finished making it"`
	MayPay  bool    `json:"may_pay"`
	Message string  `json:"message"`
	Limits  *Limits `json:"limits,omitempty" jsonschema:"absent where the agent has none yet, or was killed"`
}

func (s *Server) status(
	ctx context.Context, _ *mcp.CallToolRequest, _ None,
) (res *mcp.CallToolResult, out Status, err error) {
	st, err := s.client.Status(ctx)
	if err != nil {
		return nil, out, told(err, "")
	}
	out = Status{AgentID: st.AgentID, Status: st.Status, MayPay: st.Status == "active" && !st.KillSwitch}
	switch {
	case st.Status == "killed":
		out.Message = advice["agent_killed"]
	case st.KillSwitch:
		out.Message = "A kill switch is on: no agent pays until somebody takes it back."
	case out.MayPay:
		out.Message = "The agent may pay."
	default:
		out.Message = "The agent may not begin a payment now. Its owner can change that."
	}
	if b, err := s.client.Budget(ctx); err == nil { // an agent that was killed, or has no limits yet, is refused here
		l := s.limits(b)
		out.Limits = &l
	}
	return nil, out, nil
}

const (
	mostWait = 50 // seconds
	oneWait  = 5 * time.Second
)

// ApprovalInput names the approval of a payment.
type ApprovalInput struct {
	ApprovalID string `json:"approval_id"`
	Wait       *int   `json:"wait_seconds,omitempty"`
}

// approvalInput is the schema of ApprovalInput. The one that the library makes says of a number that may be absent that
// its type is one of a list, and hosts with Gemini refuse the tools of a server that has such a type.
const approvalInput = `{"type": "object", "required": ["approval_id"], "additionalProperties": false, "properties": {
	"approval_id": {"type": "string", "description": "as pay_fetch named it"},
	"wait_seconds": {"type": "integer", "description": "how long to wait for the decision, from 0 to 50; absent: 10"}}}`

// ApprovalOutput is how it stands.
type ApprovalOutput struct {
	State     string `json:"state" jsonschema:"pending, approved, rejected or expired"`
	PaymentID string `json:"payment_id,omitempty" jsonschema:"for pay_fetch, once it is approved"`
	Amount    string `json:"amount_usdc,omitempty"`
	Comment   string `json:"comment,omitempty" jsonschema:"of the owner"`
	ExpiresAt string `json:"expires_at,omitempty"`
	Message   string `json:"message"`
}

func (s *Server) approval(
	ctx context.Context, req *mcp.CallToolRequest, in ApprovalInput,
) (res *mcp.CallToolResult, out ApprovalOutput, err error) {
	wait := 10
	if in.Wait != nil {
		wait = *in.Wait
	}
	if wait < 0 || wait > mostWait {
		return nil, out, wrong("wait_seconds must be from 0 to 50")
	}
	defer progress(ctx, req, "waiting for the agent's owner")()
	end := time.Now().Add(time.Duration(wait) * time.Second)
	for {
		a, err := s.client.Approval(ctx, in.ApprovalID, min(max(time.Until(end), 0), oneWait))
		if err != nil {
			return nil, out, told(err, "")
		}
		if a.Status != railkit.ApprovalPending || !time.Now().Before(end) {
			return nil, ApprovalOutput{
				State: a.Status, PaymentID: a.ActivityID, Amount: a.Amount, Comment: a.Comment, ExpiresAt: a.ExpiresAt,
				Message: decision(a),
			}, nil
		}
	}
}

// decision says how an approval stands.
func decision(a *railkit.Approval) string {
	switch a.Status {
	case railkit.ApprovalPending:
		return "Nobody has decided yet. Ask again until " + a.ExpiresAt + "."
	case railkit.ApprovalApproved:
		return "Approved. Call pay_fetch with the payment_id now: the payment can be taken for two minutes."
	case railkit.ApprovalRejected:
		return "The owner rejected the payment. Do not ask for the same again unless the owner wants it."
	}
	return "Nobody decided in time. The payment is void."
}
