package railkit

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"

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

// What the calls send and answer: see package rest for the fields.
type (
	NativeTransferWidget = rest.NativeTransferButton
	CrosschainWidget     = rest.CrosschainButton
	SwapWidget           = rest.SwapButton
	DirectoryEntry       = rest.DirectoryEntry
	WidgetToken          = rest.Token
	RecentBlock          = rest.RecentBlock
	SeenTransaction      = rest.SeenTransaction
	ExecutionReport      = rest.ExecutionReport
	IndexedExecutions    = rest.IndexedExecutions
	ExecutionStatus      = rest.ExecutionStatus
	Volume               = rest.Volume
	RewardEvent          = rest.RewardEvent
	ReferredMiniApp      = rest.ReferredMiniApp
	RewardStats          = rest.RewardStats
	RewardMetrics        = rest.RewardMetrics
	MiniAppStats         = rest.MiniAppStats
	GlobalStats          = rest.GlobalStats
)

// MiniApp is a widget that the operator vouches for. What is not known is nil.
type MiniApp struct {
	ID                string          `json:"id"`
	UserID            *string         `json:"id_user"`
	IntegratorID      *string         `json:"integrator_id"`
	Description       string          `json:"description"`
	WalletAddress     string          `json:"wallet_address"`
	Metadata          json.RawMessage `json:"metadata"`
	ContractAddress   *string         `json:"contract_address"`
	BlockchainNetwork uint64          `json:"blockchain_network"`
	Destination       *uint64         `json:"blockchain_network_destination"`
	Type              *string         `json:"type"`
	Protocol          *string         `json:"protocol"`
	TxHash            *string         `json:"tx_hash"`
	Source            *string         `json:"source"`
	IsActive          *bool           `json:"is_active"` // false: it was switched off, and must not be rendered
	CreatedAt         *string         `json:"created_at"`
	UpdatedAt         *string         `json:"updated_at"`
}

// WidgetsService makes the metadata that widgets show, of which nothing is stored, and reads the mini apps that the
// operator vouches for.
type WidgetsService struct{ c *Client }

// Tokens lists the tokens of a protocol, such as usdc, on a network or on "all".
func (s *WidgetsService) Tokens(ctx context.Context, network, protocol string) ([]WidgetToken, error) {
	path := "/v1/action/tokens/" + url.PathEscape(network) + "/" + url.PathEscape(protocol)
	all, err := data[[]WidgetToken](ctx, s.c, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return *all, nil
}

// Block tells a recent block of a network, which a wallet's own transaction may name, and, where one is named, what
// became of a transaction. It asks for no key.
func (s *WidgetsService) Block(ctx context.Context, network, transaction string) (*RecentBlock, error) {
	path := "/v1/action/blocks/recent/" + url.PathEscape(network)
	if transaction != "" {
		path += "?" + url.Values{"transaction": {transaction}}.Encode()
	}
	return data[RecentBlock](ctx, s.c, http.MethodGet, path, nil)
}

// Directory reads one page of the mini apps that the operator vouches for, newest first.
func (s *WidgetsService) Directory(ctx context.Context, o ListOptions) (*Page[DirectoryEntry], error) {
	return list[DirectoryEntry](ctx, s.c, "/v1/action/directory", o.query(), nil)
}

// MiniApp reads one, also one that was switched off.
func (s *WidgetsService) MiniApp(ctx context.Context, id string) (*MiniApp, error) {
	r, err := send[MiniApp](ctx, s.c, request{method: http.MethodGet, path: miniAppPath(id), bare: true})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// Metadata reads what a widget renders.
func (s *WidgetsService) Metadata(ctx context.Context, id string) (json.RawMessage, error) {
	r, err := send[json.RawMessage](ctx, s.c, request{
		method: http.MethodGet, path: miniAppPath(id) + "/metadata", bare: true,
	})
	if err != nil {
		return nil, err
	}
	return r.Data, nil
}

func miniAppPath(id string) string { return "/v1/action/" + url.PathEscape(id) }

// NativeTransfer makes a button that pays a network's own coin.
func (s *WidgetsService) NativeTransfer(ctx context.Context, w NativeTransferWidget) (json.RawMessage, error) {
	return s.build(ctx, "transfer-native", w)
}

// Swap makes a button that trades one token for another.
func (s *WidgetsService) Swap(ctx context.Context, w SwapWidget) (json.RawMessage, error) {
	return s.build(ctx, "swap", w)
}

// CrosschainTransfer makes a button that pays somebody on another network.
func (s *WidgetsService) CrosschainTransfer(ctx context.Context, w CrosschainWidget) (json.RawMessage, error) {
	return s.build(ctx, "crosschain-transfer", w)
}

// CrosschainBridge makes a button that moves a user's own money to another network.
func (s *WidgetsService) CrosschainBridge(ctx context.Context, w CrosschainWidget) (json.RawMessage, error) {
	return s.build(ctx, "crosschain-bridge", w)
}

// build answers the metadata as a widget takes them.
func (s *WidgetsService) build(ctx context.Context, name string, body any) (json.RawMessage, error) {
	built, err := data[struct {
		Metadata json.RawMessage `json:"metadata"`
	}](ctx, s.c, http.MethodPost, "/v1/action/builders/"+name, body)
	if err != nil {
		return nil, err
	}
	return built.Metadata, nil
}

// MiniAppWithStats is a mini app and what is known of it from the chain.
type MiniAppWithStats struct {
	MiniApp
	Stats MiniAppStats `json:"stats"`
}

// MiniAppMetrics is what is known of mini apps from the chain.
type MiniAppMetrics struct {
	MiniApps    []MiniAppWithStats `json:"miniApps"`
	GlobalStats []GlobalStats      `json:"globalStats"`
}

// RewardsQuery says which executions are told of.
type RewardsQuery struct {
	Address   string // of the referrer; "": of all, where that can be asked
	MiniAppID string // "": all
	TimeRange string // 24h, 7d, 30d, 90d; "": all
	Page      int    // of events; 0: the first
	Limit     int    // events per page; 0: 50
}

func (q RewardsQuery) query() string {
	v := filtered(url.Values{}, map[string]string{
		"address": q.Address, "miniAppId": q.MiniAppID, "timeRange": q.TimeRange,
	})
	for name, n := range map[string]int{"page": q.Page, "limit": q.Limit} {
		if n > 0 {
			v.Set(name, strconv.Itoa(n))
		}
	}
	return v.Encode()
}

// RewardsService reports executions of mini apps, and reads what referrers have brought.
type RewardsService struct{ c *Client }

// Report takes executions in, at most 100. Each counts once its transaction was verified: report the same again to
// learn what became of it.
func (s *RewardsService) Report(ctx context.Context, all ...ExecutionReport) (*IndexedExecutions, error) {
	if len(all) == 0 {
		return nil, errors.New("railkit: nothing to report")
	}
	return data[IndexedExecutions](ctx, s.c, http.MethodPost, "/v1/action/indexing/events",
		map[string]any{"events": all})
}

// Metrics reads what a referrer has brought.
func (s *RewardsService) Metrics(ctx context.Context, q RewardsQuery) (*RewardMetrics, error) {
	return data[RewardMetrics](ctx, s.c, http.MethodGet, "/v1/action/rewards/metrics?"+q.query(), nil)
}

// MiniApps reads which mini apps were executed, and what moved by that. It has no pages.
func (s *RewardsService) MiniApps(ctx context.Context, q RewardsQuery) (*MiniAppMetrics, error) {
	q.Page, q.Limit = 0, 0
	return data[MiniAppMetrics](
		ctx, s.c, http.MethodGet, "/v1/action/rewards/mini-apps-with-onchain-metrics?"+q.query(), nil,
	)
}
