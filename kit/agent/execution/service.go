package execution

import (
	"context"
	"encoding/base64"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/agent/skill"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/x402/shop"
)

// mostAnswer bounds what a call answers: it waits in the database for its payment.
const mostAnswer = 256 << 10

// Skills finds skills that a caller sees, and calls them.
type Skills interface {
	Find(ctx context.Context, p auth.Principal, id string) (skill.Skill, error)
	Call(ctx context.Context, k skill.Skill, input map[string]any, most int64) (skill.Answer, error)
}

// Tools tells which skills an agent may call.
type Tools interface {
	Allowed(ctx context.Context, workspaceID, agentID, skillID string) (bool, error)
}

// Agents tells how an agent stands.
type Agents interface {
	Own(ctx context.Context, p auth.Principal, id string) (wire.AgentReply, error)
}

// Switches tell whether an agent is stopped.
type Switches interface {
	Stopped(ctx context.Context, a wire.AgentReply) (bool, error)
}

// Config wires a Service.
type Config struct {
	Store       Store
	Skills      Skills
	Tools       Tools
	Agents      Agents
	Switches    Switches
	Facilitator shop.Facilitator // nil: only free skills are called
	Sponsors    *shop.Sponsors   // who pays the fee on Solana; nil: nothing is sold there
	Vault       *vault.Vault     // seals answers that wait for their payment
	Networks    []chain.Network
	Origin      string // at which callers reach the API; "": whatever a request names
	Clock       clock.Clock
	Log         *slog.Logger
}

// Service calls skills.
type Service struct{ c Config }

// New makes it.
func New(c Config) *Service { return &Service{c} }

// HTTPHeaders are those of a request, which has a payment in them, and of its answer, which has a receipt.
type HTTPHeaders struct {
	Header http.Header // of the request: a payment is read of it, and nothing else
	Origin string      // at which the request reached the API
	Answer http.Header // what x402 says in the answer's
}

// Execute calls a skill, once it is paid where it costs something.
func (s *Service) Execute(
	ctx context.Context, cmd *command.Command, id string, in rest.SkillCall, at HTTPHeaders,
) (command.Answer, error) {
	if err := s.admit(ctx, cmd.Principal); err != nil {
		return command.Answer{}, err
	}
	r := &request{Service: s, cmd: cmd, at: at}
	if err := r.read(id, in); err != nil {
		return command.Answer{}, err
	}
	if known, answer, err := r.goOn(ctx); known || err != nil {
		return answer, err
	}
	k, err := s.callable(ctx, cmd.Principal, id)
	if err == nil {
		err = k.CheckInput(r.call.input)
	}
	if err != nil {
		return command.Answer{}, err
	}
	if k.CostUSDC > 0 {
		return r.buy(ctx, k)
	}
	calling, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	a, err := s.c.Skills.Call(calling, k, r.call.input, mostAnswer)
	if err != nil {
		return command.Answer{}, err
	}
	return r.answer(ctx, view(k.ID, a), nil, nil)
}

// admit refuses an agent that its owner or the operator has stopped. A killed one is not known here at all.
func (s *Service) admit(ctx context.Context, p auth.Principal) error {
	if p.Kind != auth.ByAgent {
		return nil
	}
	a, err := s.c.Agents.Own(ctx, p, p.ID)
	if err != nil {
		return err
	}
	switch {
	case a.Limits == nil:
		return refusal.ErrAgentPending
	case a.Status != wire.AgentActive:
		return refusal.ErrAgentInactive
	}
	stopped, err := s.c.Switches.Stopped(ctx, a)
	if stopped {
		err = refusal.ErrKillSwitch
	}
	return err
}

// callable finds a skill that the caller may call.
func (s *Service) callable(ctx context.Context, p auth.Principal, id string) (skill.Skill, error) {
	k, err := s.c.Skills.Find(ctx, p, id)
	if err != nil || p.Kind != auth.ByAgent {
		return k, err
	}
	allowed, err := s.c.Tools.Allowed(ctx, p.WorkspaceID, p.ID, k.ID)
	if err == nil && !allowed {
		err = errNotTool
	}
	return k, err
}

// view is a skill's answer as the API shows it.
func view(id string, a skill.Answer) rest.SkillAnswer {
	v := rest.SkillAnswer{
		SkillID: id, Status: a.Status, Headers: a.Headers, Body: string(a.Body), LatencyMS: a.Latency.Milliseconds(),
	}
	if !utf8.Valid(a.Body) {
		v.Body, v.Encoding = base64.StdEncoding.EncodeToString(a.Body), "base64"
	} else if out := jsontext.Value(a.Body); len(a.Body) > 0 && out.IsValid() {
		v.Output = []byte(out)
	}
	return v
}

// answer commits a call that has ended, with what is written beside it.
func (r *request) answer(
	ctx context.Context, v rest.SkillAnswer, beside func(context.Context, Tx) error, more map[string]string,
) (command.Answer, error) {
	detail := map[string]string{"status": strconv.Itoa(v.Status)}
	if p := v.Payment; p != nil {
		detail["amount"], detail["payer"], detail["payTo"] = p.Amount, p.Payer, p.PayTo
		detail["network"], detail["tx"] = p.Network, p.Transaction
	}
	maps.Copy(detail, more)
	reply := command.Reply{Status: 200, Message: "Skill called", Data: v, Audit: command.Audit{
		Action: "skill.execute", Resource: v.SkillID, Detail: detail,
	}}
	return r.c.Store.Commit(ctx, r.cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		if beside == nil {
			return reply, nil
		}
		return reply, beside(ctx, tx)
	})
}

// Sweep forgets what is over.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.c.Clock.Now()
	return s.c.Store.SweepSkillPurchases(ctx, now.Add(-keeps), now)
}
