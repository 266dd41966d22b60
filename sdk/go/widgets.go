package railkit

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
)

// NativeTransferWidget is a button that pays a network's own coin. Without an Amount the user says it.
type NativeTransferWidget struct {
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Icon        string      `json:"icon,omitempty"` // "": the one of the site of URL
	URL         string      `json:"url"`            // where the widget is
	ChainID     uint64      `json:"chainId,omitempty"`
	Chain       string      `json:"chain,omitempty"` // in place of ChainID: a name such as fuji
	Address     string      `json:"address"`
	Amount      json.Number `json:"amount,omitempty"` // in whole coins
}

// CrosschainWidget is a button that pays across networks. A widget hands it to its integrator.
type CrosschainWidget struct {
	Title              string      `json:"title"`
	Description        string      `json:"description"`
	Icon               string      `json:"icon,omitempty"` // "": the one of the site of URL
	URL                string      `json:"url"`            // where the widget is
	SourceChainID      uint64      `json:"sourceChainId,omitempty"`
	FromChain          string      `json:"fromChain,omitempty"` // in place of SourceChainID: a name
	DestinationChainID uint64      `json:"destinationChainId,omitempty"`
	ToChain            string      `json:"toChain,omitempty"`
	Address            string      `json:"address"`
	Token              string      `json:"token,omitempty"` // contract on the source; "": its own coin
	Amount             json.Number `json:"amount,omitempty"`
}

// SwapWidget is a button that trades one token for another.
type SwapWidget struct {
	Protocol          string      `json:"protocol"`
	ChainName         string      `json:"chainName"` // name, slug or chain id
	FromToken         string      `json:"fromToken"` // address or symbol of a listed token, or native
	ToToken           string      `json:"toToken"`
	RouterAddress     string      `json:"routerAddress,omitempty"` // must be the exchange's; "": that one
	SlippageTolerance json.Number `json:"slippageTolerance"`       // percent
	Title             string      `json:"title,omitempty"`
	Description       string      `json:"description,omitempty"`
	Icon              string      `json:"icon,omitempty"`
	URL               string      `json:"url,omitempty"` // of the backend that adds the API key; "": the API's
}

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

// DirectoryEntry says whether to trust the widgets of a host.
type DirectoryEntry struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Type          string `json:"type"`
	Description   string `json:"description"`
	Operator      string `json:"operator"`
	URL           string `json:"url"`
	Host          string `json:"host"`
	SecurityState string `json:"securityState"` // trusted, or denied
}

// WidgetsService makes the metadata that widgets show, of which nothing is stored, and reads the mini apps that the
// operator vouches for.
type WidgetsService struct{ c *Client }

// WidgetToken is a token that a widget offers.
type WidgetToken struct {
	ChainID  uint64  `json:"chainId"`
	Chain    string  `json:"chain"` // slug
	Symbol   string  `json:"symbol"`
	Address  string  `json:"address"`
	Decimals int     `json:"decimals"`
	LogoURI  *string `json:"logoURI"`
}

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
