package railkit

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/railkit/railkit/rest"
)

// What the calls send and answer: see package rest for the fields.
type (
	NativeTransferWidget = rest.NativeTransferButton
	CrosschainWidget     = rest.CrosschainButton
	SwapWidget           = rest.SwapButton
	DirectoryEntry       = rest.DirectoryEntry
	WidgetToken          = rest.Token
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
