package railkit

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
)

// ExecutionReport says that a transaction executed a mini app.
type ExecutionReport struct {
	MiniAppID       string `json:"miniAppId"`
	TxHash          string `json:"txHash"`
	UserAddress     string `json:"userAddress"`               // who sent it, or whose token it moves
	ReferrerAddress string `json:"referrerAddress,omitempty"` // who brought the user
	ChainID         uint64 `json:"chainId"`
}

// IndexedExecutions is the answer to reports.
type IndexedExecutions struct {
	Indexed   bool              `json:"indexed"`   // all of them count
	Processed int               `json:"processed"` // how many were taken in, now or before
	Events    []ExecutionStatus `json:"events"`
}

// ExecutionStatus is what became of a report.
type ExecutionStatus struct {
	MiniAppID string  `json:"miniAppId"`
	TxHash    string  `json:"txHash"`
	ChainID   uint64  `json:"chainId"`
	State     string  `json:"state"`  // pending, counted or refused
	Reason    *string `json:"reason"` // why it was refused
}

// Volume is how much of one asset left the users.
type Volume struct {
	ChainID    uint64 `json:"chainId"`
	Asset      string `json:"asset"` // native, or the token's contract
	Symbol     string `json:"symbol"`
	Decimals   int    `json:"decimals"`
	Amount     string `json:"amount"`    // in the smallest unit
	Formatted  string `json:"formatted"` // in whole units
	Executions int    `json:"executions"`
}

// RewardEvent is an execution that counts.
type RewardEvent struct {
	MiniAppID   string `json:"miniAppId"`
	ChainID     uint64 `json:"chainId"`
	TxHash      string `json:"txHash"`
	UserAddress string `json:"userAddress"`
	Type        string `json:"type"` // of the action: transfer, blockchain or dynamic
	Asset       string `json:"asset"`
	Amount      string `json:"amount"`
	BlockNumber int64  `json:"blockNumber"`
	ReportedAt  string `json:"reportedAt"`
}

// ReferredMiniApp is what a referrer has brought to a mini app.
type ReferredMiniApp struct {
	MiniAppID  string   `json:"miniAppId"`
	Name       string   `json:"name"`
	Executions int      `json:"executions"`
	Volume     []Volume `json:"volume"`
}

// RewardStats sums executions up.
type RewardStats struct {
	Executions int      `json:"executions"`
	Volume     []Volume `json:"volume"`
}

// RewardMetrics is what a referrer has brought. TotalVolume is nil where several assets moved.
type RewardMetrics struct {
	Address          string            `json:"address"`
	TotalExecutions  int               `json:"totalExecutions"`
	TotalVolume      *string           `json:"totalVolume"`
	Currency         *string           `json:"currency"`
	ReferredMiniApps []ReferredMiniApp `json:"referredMiniApps"`
	TriggerIDs       []string          `json:"triggerIds"`
	Stats            RewardStats       `json:"stats"`
	TotalEvents      int               `json:"totalEvents"`
	Events           []RewardEvent     `json:"events"`
}

// MiniAppStats is what is known of a mini app from the chain. What no transaction tells is empty.
type MiniAppStats struct {
	Executions         int      `json:"executions"`
	Volume             []Volume `json:"volume"`
	Fees               []Volume `json:"fees"`
	Swaps              []Volume `json:"swaps"`
	TokensWithoutPrice []string `json:"tokensWithoutPrice"`
	PostHogStats       []string `json:"postHogStats"`
}

// MiniAppWithStats is a mini app and what is known of it from the chain.
type MiniAppWithStats struct {
	MiniApp
	Stats MiniAppStats `json:"stats"`
}

// GlobalStats is of several mini apps.
type GlobalStats struct {
	Volume []Volume `json:"volume"`
	Fees   []Volume `json:"fees"`
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
	v := url.Values{}
	for name, value := range map[string]string{
		"address": q.Address, "miniAppId": q.MiniAppID, "timeRange": q.TimeRange,
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
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
