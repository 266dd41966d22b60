package railkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/rest"
)

// SkillsService keeps skills: functions of somebody's server that agents call.
type SkillsService struct{ c *Client }

const skillsPath = "/v1/action/skills"

// What the calls send and answer: see package rest for the fields.
type (
	Skill        = rest.Skill
	SkillUpdate  = rest.SkillChange
	SkillAuth    = rest.SkillAuth
	SkillHealth  = rest.SkillHealth
	DeletedSkill = rest.SkillDeleted
	TestedSkill  = rest.SkillTested
	Bazaar       = rest.Bazaar
	AgentTool    = rest.AgentTool
	AgentTools   = rest.AgentTools
	RemovedTool  = rest.AgentToolRemoved
)

// SkillRequest registers a skill. What is empty has the server's default.
type SkillRequest struct {
	Name         string         `json:"name"`
	URL          string         `json:"url"` // https
	Description  string         `json:"description,omitempty"`
	Method       string         `json:"method,omitempty"`    // GET | POST (default) | PUT | DELETE
	AuthType     string         `json:"auth_type,omitempty"` // none (default) | api_key | bearer
	AuthConfig   *SkillAuth     `json:"auth_config,omitempty"`
	IsPublic     bool           `json:"is_public,omitempty"`
	Subtype      string         `json:"subtype,omitempty"`   // x402 (default) | mcp | http | internal
	CostUSDC     int64          `json:"cost_usdc,omitempty"` // micro-USD for each call
	PayTo        string         `json:"payTo,omitempty"`     // an address of a wallet of the workspace
	Network      string         `json:"network,omitempty"`   // slug
	SchemaInput  map[string]any `json:"schema_input,omitempty"`
	SchemaOutput map[string]any `json:"schema_output,omitempty"`
}

// SkillListOptions select skills.
type SkillListOptions struct {
	ListOptions
	Subtype string // "": any
}

// BazaarOptions select a page of the bazaar.
type BazaarOptions struct {
	Type          string // http | mcp; "": both
	Limit, Offset int    // Limit is 20 unless given, and 100 at most
}

func ofSkill(id string) string { return skillsPath + "/" + url.PathEscape(id) }

// Create registers a skill.
func (s *SkillsService) Create(ctx context.Context, req SkillRequest) (*Skill, error) {
	return data[Skill](ctx, s.c, http.MethodPost, skillsPath, req)
}

// Get reads an own or a public skill.
func (s *SkillsService) Get(ctx context.Context, id string) (*Skill, error) {
	return data[Skill](ctx, s.c, http.MethodGet, ofSkill(id), nil)
}

// List reads one page of own and public skills, newest first.
func (s *SkillsService) List(ctx context.Context, o SkillListOptions) (*Page[Skill], error) {
	q := o.ListOptions.query()
	if o.Subtype != "" {
		q.Set("subtype", o.Subtype)
	}
	return list[Skill](ctx, s.c, skillsPath, q, nil)
}

// All walks the skills of all pages.
func (s *SkillsService) All(ctx context.Context, o SkillListOptions) iter.Seq2[Skill, error] {
	return each(o.ListOptions, func(at ListOptions) (*Page[Skill], error) {
		o.ListOptions = at
		return s.List(ctx, o)
	})
}

// Update changes what is given.
func (s *SkillsService) Update(ctx context.Context, id string, req SkillUpdate) (*Skill, error) {
	return data[Skill](ctx, s.c, http.MethodPatch, ofSkill(id), req)
}

// Delete takes a skill away.
func (s *SkillsService) Delete(ctx context.Context, id string) (*DeletedSkill, error) {
	return data[DeletedSkill](ctx, s.c, http.MethodDelete, ofSkill(id), nil)
}

// Test calls an own skill without paying. It is tried once, whatever Config.Retry says: a skill may do something each
// time that it is called.
func (s *SkillsService) Test(ctx context.Context, id string, input map[string]any) (*TestedSkill, error) {
	once := *s.c
	once.retry.Attempts = 1
	return data[TestedSkill](ctx, &once, http.MethodPost, ofSkill(id)+"/test", rest.SkillTest{Input: input})
}

// Health reads what came of the last check of a public skill.
func (s *SkillsService) Health(ctx context.Context, id string) (*SkillHealth, error) {
	return data[SkillHealth](ctx, s.c, http.MethodGet, ofSkill(id)+"/health", nil)
}

// Bazaar reads a page of the skills that are on offer.
func (s *SkillsService) Bazaar(ctx context.Context, o BazaarOptions) (*Bazaar, error) {
	q := url.Values{}
	if o.Type != "" {
		q.Set("type", o.Type)
	}
	if o.Limit > 0 {
		q.Set("limit", strconv.Itoa(o.Limit))
	}
	if o.Offset > 0 {
		q.Set("offset", strconv.Itoa(o.Offset))
	}
	r, err := send[Bazaar](ctx, s.c, request{method: http.MethodGet, path: skillsPath + "/bazaar", query: q})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// Tools lists the skills that an agent may call.
func (s *AgentsService) Tools(ctx context.Context, agentID string) (*AgentTools, error) {
	return data[AgentTools](ctx, s.c, http.MethodGet, agentPath(agentID, "/tools"), nil)
}

// AddTool lets an agent call a skill.
func (s *AgentsService) AddTool(ctx context.Context, agentID, skillID string) (*AgentTool, error) {
	body := rest.AgentToolRequest{SkillID: skillID}
	return data[AgentTool](ctx, s.c, http.MethodPost, agentPath(agentID, "/tools"), body)
}

// RemoveTool lets an agent no longer call a skill.
func (s *AgentsService) RemoveTool(ctx context.Context, agentID, skillID string) (*RemovedTool, error) {
	return data[RemovedTool](ctx, s.c, http.MethodDelete, agentPath(agentID, "/tools")+"/"+url.PathEscape(skillID), nil)
}

// SkillAnswer is a body of the API: see package rest for its fields.
type SkillAnswer = rest.SkillAnswer

// PaymentHeader is a payment by x402 as a request has it. The zero one is none.
type PaymentHeader struct {
	Name  string // PAYMENT-SIGNATURE or X-PAYMENT
	Value string
}

// Execute calls a skill, with a payment where it costs something: without one the error is an Error with status 402,
// whose details have the offers. It is tried again only where it did not begin. A payment buys one call: after a
// settlement with no known end (x402_settlement_pending, x402_settlement_unknown), or a lost answer, the same call with
// the same payment gets the answer, and a new payment would pay twice. AgentClient.ExecuteSkill does all that for an
// agent.
func (s *SkillsService) Execute(
	ctx context.Context, id string, input map[string]any, payment PaymentHeader,
) (*SkillAnswer, error) {
	q := request{method: http.MethodPost, path: ofSkill(id) + "/execute", body: rest.SkillCall{Input: input}}
	if payment.Name != "" {
		q.header = http.Header{http.CanonicalHeaderKey(payment.Name): {payment.Value}}
	}
	once := *s.c
	once.retry.Attempts = 1
	for attempt := 1; ; attempt++ {
		r, err := send[SkillAnswer](ctx, &once, q)
		if err == nil {
			return &r.Data, nil
		}
		wait, again := s.c.wait(err, attempt)
		if !again || !turnedAway(err) || s.c.retry.Sleep(ctx, wait) != nil {
			return nil, err
		}
	}
}

// turnedAway tells an answer to a call that did not begin.
func turnedAway(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Status == http.StatusTooManyRequests || e.Code == "agent_retry")
}

// PaidSkillError is a call whose payment was sent and has no known end. The money may have moved: go on with
// AgentClient.CallSkill and the same Payment, and pay no other one.
type PaidSkillError struct {
	Payment PaymentHeader
	Err     error
}

func (e *PaidSkillError) Error() string {
	return "railkit: the payment for a skill has no known end: " + e.Err.Error()
}

// Unwrap gives the last answer.
func (e *PaidSkillError) Unwrap() error { return e.Err }

// ErrSkillOffer is an offer that ExecuteSkill does not pay.
var ErrSkillOffer = errors.New("railkit: the skill's offer is not paid")

// ExecuteSkill calls a skill on the agent's list, and pays for it by x402 out of the agent's budget where it costs
// something: at most maxAmount, in millionths of a USDC, and only to the payTo that the skill is registered with. Where
// the agent's owner has to approve the payment, the error is a QueuedError: once that is approved, PayX402 with its
// PaymentID gives the header for CallSkill.
//
// A call pays once: where the payment's end is not known, the identical payment is sent again, a few times, and then
// given back in a PaidSkillError. WithIdempotencyKey makes a call that may be repeated also after the process died.
func (a *AgentClient) ExecuteSkill(
	ctx context.Context, skillID string, input map[string]any, maxAmount int64,
) (*SkillAnswer, error) {
	key := IdempotencyKey(ctx)
	if key == "" {
		key = uuid.NewString()
	}
	ctx = WithIdempotencyKey(ctx, key)
	answer, err := a.c.Skills.Execute(ctx, skillID, input, PaymentHeader{})
	var e *Error
	if !errors.As(err, &e) || e.Code != "x402_payment_required" {
		return answer, err
	}
	wanted, err := a.requirement(ctx, skillID, e, maxAmount)
	if err != nil {
		return nil, err
	}
	paid, err := a.PayX402(WithIdempotencyKey(ctx, payingKey(key)), X402Request{PaymentRequirement: wanted})
	if err != nil {
		return nil, err
	}
	return a.CallSkill(ctx, skillID, input, PaymentHeader{paid.PaymentHeaderName, paid.PaymentHeader})
}

// payingKey is the key of the payment of a call with a key: the same each time that the call is repeated.
func payingKey(key string) string {
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte("payment of "+key))
	id[6] = id[6]&0x0f | 0x40 // as version 4, which the API wants
	return id.String()
}

// CallSkill calls a skill with a payment that was made for this call, and repeats it until its end is known or a few
// tries are over.
func (a *AgentClient) CallSkill(
	ctx context.Context, skillID string, input map[string]any, payment PaymentHeader,
) (*SkillAnswer, error) {
	for attempt := 1; ; attempt++ {
		answer, err := a.c.Skills.Execute(ctx, skillID, input, payment)
		if err == nil || !unsettled(err) {
			return answer, err
		}
		if attempt >= max(a.c.retry.Attempts, 4) || ctx.Err() != nil {
			return nil, &PaidSkillError{payment, err}
		}
		if a.c.retry.Sleep(ctx, time.Second<<min(attempt-1, 3)) != nil {
			return nil, &PaidSkillError{payment, err}
		}
	}
}

// namedNetworks are those that version 1 of x402 has a name for, in which the platform writes such payments.
var namedNetworks = []string{"ethereum", "base", "polygon", "avalanche_c_chain"}

// unsettled tells an answer after which the payment may be settled, or may still be.
func unsettled(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		var lost *lostError
		return errors.As(err, &lost)
	}
	switch e.Code {
	case "x402_settlement_pending", "x402_settlement_unknown", "x402_payment_busy", "x402_facilitator_failed",
		"unavailable", "internal":
		return true
	}
	return false
}

// skillOffer is what a call costs, as a 402 of the API says it.
type skillOffer struct {
	Resource struct {
		URL string `json:"url"`
	} `json:"resource"`
	Accepts []struct {
		Scheme, Amount, PayTo string
	} `json:"accepts"`
}

// requirement is what the agent asks the platform to pay, of an offer that is as the skill was registered and costs no
// more than it may. The platform could lie about both: who the agent may pay, and how much, is held by its signer.
func (a *AgentClient) requirement(
	ctx context.Context, skillID string, e *Error, most int64,
) (*rest.X402Requirement, error) {
	raw, err := json.Marshal(e.Details)
	var o skillOffer
	if err == nil {
		err = json.Unmarshal(raw, &o)
	}
	if err != nil || len(o.Accepts) == 0 {
		return nil, fmt.Errorf("%w: it cannot be read", ErrSkillOffer)
	}
	k, err := data[Skill](ctx, a.c, http.MethodGet, ofSkill(skillID), nil)
	if err != nil {
		return nil, err
	}
	first := o.Accepts[0]
	amount, err := strconv.ParseInt(first.Amount, 10, 64)
	at, err2 := url.Parse(o.Resource.URL)
	here, err3 := url.Parse(a.c.base)
	switch {
	case err != nil || amount <= 0 || amount > most:
		return nil, fmt.Errorf("%w: it costs %s, more than %d", ErrSkillOffer, first.Amount, most)
	case first.Scheme != "exact" || first.PayTo != k.PayTo || first.PayTo == "":
		return nil, fmt.Errorf("%w: it is to be paid to %s, and the skill is registered for %s", ErrSkillOffer,
			first.PayTo, k.PayTo)
	case errors.Join(err2, err3) != nil || at.Scheme != here.Scheme || at.Host != here.Host:
		return nil, fmt.Errorf("%w: it is for another server than %s", ErrSkillOffer, a.c.base)
	}
	if !slices.Contains(namedNetworks, k.Network) {
		return nil, fmt.Errorf("%w: version 1 of x402 has no name for %s", ErrSkillOffer, k.Network)
	}
	return &rest.X402Requirement{
		Amount: fmt.Sprintf("%d.%06d", amount/1_000_000, amount%1_000_000), Currency: "USDC", Network: k.Network,
		Recipient: first.PayTo, Resource: o.Resource.URL,
	}, nil
}
