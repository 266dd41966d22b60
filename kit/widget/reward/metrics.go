package reward

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/widget/action"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/platform/page"
)

// MetricsQuery says which executions are told of.
type MetricsQuery struct {
	Address    string `query:"address" maxLength:"42" doc:"Of the referrer"`
	KOLAddress string `query:"kolAddress" maxLength:"42" doc:"The same as address"`
	MiniAppID  string `query:"miniAppId" maxLength:"64" doc:"Absent: all"`
	TimeRange  string `query:"timeRange" enum:"24h,7d,30d,90d,all" default:"all" doc:"By when they were reported"`
}

// ranges are how far back a time range reaches.
var ranges = map[string]time.Duration{
	"24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "30d": 30 * 24 * time.Hour, "90d": 90 * 24 * time.Hour,
}

// Volume is how much of one asset left the users.
type Volume struct {
	ChainID    uint64 `json:"chainId"`
	Asset      string `json:"asset" doc:"native, or the token's contract"`
	Symbol     string `json:"symbol"`
	Decimals   int    `json:"decimals"`
	Amount     string `json:"amount" doc:"In the smallest unit"`
	Formatted  string `json:"formatted" doc:"The amount in whole tokens, such as 1.5"`
	Executions int    `json:"executions"`
}

// RewardEvent is an execution that counts.
type RewardEvent struct {
	MiniAppID   string `json:"miniAppId" format:"uuid"`
	ChainID     uint64 `json:"chainId"`
	TxHash      string `json:"txHash"`
	UserAddress string `json:"userAddress"`
	Type        string `json:"type" enum:"transfer,blockchain,dynamic" doc:"Of the action that was executed"`
	Asset       string `json:"asset" doc:"native, or the token's contract; empty: nothing that is listed left the user"`
	Amount      string `json:"amount" doc:"In the smallest unit"`
	BlockNumber int64  `json:"blockNumber"`
	ReportedAt  string `json:"reportedAt" format:"date-time"`
}

// ReferredMiniApp is what a referrer has brought to a mini app.
type ReferredMiniApp struct {
	MiniAppID  string   `json:"miniAppId" format:"uuid"`
	Name       string   `json:"name"`
	Executions int      `json:"executions"`
	Volume     []Volume `json:"volume"`
}

// RewardStats sums executions up.
type RewardStats struct {
	Executions int      `json:"executions"`
	Volume     []Volume `json:"volume" doc:"Of each asset of each network"`
}

// RewardMetrics is what a referrer has brought.
type RewardMetrics struct {
	Address          string            `json:"address"`
	TotalExecutions  int               `json:"totalExecutions"`
	TotalVolume      *string           `json:"totalVolume" doc:"In whole units of currency. Null where several assets moved, which no number sums up: see stats"`
	Currency         *string           `json:"currency" doc:"Symbol of the one asset that moved; null where none or several did"`
	ReferredMiniApps []ReferredMiniApp `json:"referredMiniApps"`
	TriggerIDs       []string          `json:"triggerIds" doc:"Ids of those mini apps"`
	Stats            RewardStats       `json:"stats"`
	TotalEvents      int               `json:"totalEvents"`
	Events           []RewardEvent     `json:"events" doc:"One page of the executions, newest first"`
}

// MiniAppStats is what is known of a mini app from the chain.
type MiniAppStats struct {
	Executions         int      `json:"executions"`
	Volume             []Volume `json:"volume"`
	Fees               []Volume `json:"fees" doc:"Always empty: no transaction tells what part of it is a fee"`
	Swaps              []Volume `json:"swaps" doc:"What was sold at exchanges"`
	TokensWithoutPrice []string `json:"tokensWithoutPrice" doc:"Symbols of the volume: none of it is valued in another currency"`
	PostHogStats       []string `json:"postHogStats" doc:"Always empty: pages are not measured"`
}

// MiniAppWithStats is a mini app and what is known of it from the chain.
type MiniAppWithStats struct {
	miniapp.MiniAppView
	Stats MiniAppStats `json:"stats"`
}

// MiniAppMetrics is what is known of mini apps from the chain.
type MiniAppMetrics struct {
	MiniApps    []MiniAppWithStats `json:"miniApps" doc:"Those with an execution that counts"`
	GlobalStats []GlobalStats      `json:"globalStats" doc:"One element: of all of them"`
}

// GlobalStats is of several mini apps.
type GlobalStats struct {
	Volume []Volume `json:"volume"`
	Fees   []Volume `json:"fees" doc:"Always empty, as those of a mini app"`
}

// filter reads a query. Where the referrer is needed, a query without one is refused.
func (s *Service) filter(in MetricsQuery, needed bool) (Filter, error) {
	f := Filter{Environment: s.environment, MiniAppID: strings.ToLower(in.MiniAppID)}
	name, text := "address", in.Address
	switch {
	case in.Address != "" && in.KOLAddress != "" && !strings.EqualFold(in.Address, in.KOLAddress):
		return f, fault.Field("kolAddress", "must not be another one than address")
	case in.Address == "" && in.KOLAddress != "":
		name, text = "kolAddress", in.KOLAddress
	}
	if text == "" && needed {
		return f, fault.Field(name, "is required")
	}
	if text != "" {
		address, err := evm.ParseAddress(text)
		if err != nil {
			return f, fault.Field(name, "must be an address (0x and 40 hex digits)")
		}
		f.Referrer = address.String()
	}
	if back := ranges[in.TimeRange]; back > 0 {
		f.Since = s.clock.Now().Add(-back)
	}
	return f, nil
}

// Metrics tells what a referrer has brought: only executions that count.
func (s *Service) Metrics(ctx context.Context, in MetricsQuery, p page.Page) (out RewardMetrics, err error) {
	f, err := s.filter(in, true)
	if err != nil {
		return out, err
	}
	moves, err := s.store.Moves(ctx, f)
	if err != nil {
		return out, err
	}
	f.Page = p
	rows, total, err := s.store.Executions(ctx, f)
	if err != nil {
		return out, err
	}
	out = RewardMetrics{
		Address: f.Referrer, TotalExecutions: len(moves), ReferredMiniApps: []ReferredMiniApp{}, TriggerIDs: []string{},
		Stats: RewardStats{len(moves), volumes(moves)}, TotalEvents: total, Events: make([]RewardEvent, len(rows)),
	}
	for i, e := range rows {
		out.Events[i] = e.event()
	}
	out.TotalVolume, out.Currency = whole(out.Stats.Volume)
	err = s.eachApp(ctx, moves, func(m miniapp.MiniApp, of []Execution) {
		out.TriggerIDs = append(out.TriggerIDs, m.ID)
		out.ReferredMiniApps = append(out.ReferredMiniApps,
			ReferredMiniApp{m.ID, m.Metadata.Title, len(of), volumes(of)})
	})
	return out, err
}

// MiniApps tells what is known of mini apps from the chain.
func (s *Service) MiniApps(ctx context.Context, in MetricsQuery) (out MiniAppMetrics, err error) {
	f, err := s.filter(in, false)
	if err != nil {
		return out, err
	}
	moves, err := s.store.Moves(ctx, f)
	if err != nil {
		return out, err
	}
	out = MiniAppMetrics{[]MiniAppWithStats{}, []GlobalStats{{volumes(moves), []Volume{}}}}
	err = s.eachApp(ctx, moves, func(m miniapp.MiniApp, of []Execution) {
		out.MiniApps = append(out.MiniApps, MiniAppWithStats{m.View(), statsOf(of)})
	})
	return out, err
}

func statsOf(moves []Execution) MiniAppStats {
	volume := volumes(moves)
	var symbols []string
	for _, v := range volume {
		symbols = append(symbols, v.Symbol)
	}
	slices.Sort(symbols)
	swaps := slices.DeleteFunc(slices.Clone(moves), func(e Execution) bool { return e.Type != action.Dynamic })
	return MiniAppStats{
		Executions: len(moves), Volume: volume, Fees: []Volume{}, Swaps: volumes(swaps),
		TokensWithoutPrice: append([]string{}, slices.Compact(symbols)...), PostHogStats: []string{},
	}
}

// eachApp goes over the mini apps that were executed, in the order of their ids.
func (s *Service) eachApp(ctx context.Context, moves []Execution, do func(miniapp.MiniApp, []Execution)) error {
	of := map[string][]Execution{}
	for _, e := range moves {
		of[e.MiniAppID] = append(of[e.MiniAppID], e)
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		m, err := s.apps.Find(ctx, id)
		if errors.Is(err, fault.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		do(m, of[id])
	}
	return nil
}

// volumes sums up what moved of each asset of each network.
func volumes(moves []Execution) []Volume {
	type key struct {
		chainID uint64
		asset   string
	}
	sums, all := map[key]*big.Int{}, map[key]Volume{}
	for _, e := range moves {
		units, ok := new(big.Int).SetString(e.Moved.Units, 10)
		if !ok || e.Moved.Asset == "" {
			continue
		}
		k := key{e.ChainID, e.Moved.Asset}
		if sums[k] == nil {
			sums[k] = new(big.Int)
		}
		v := all[k]
		sums[k].Add(sums[k], units)
		all[k] = Volume{
			ChainID: e.ChainID, Asset: e.Moved.Asset, Symbol: e.Moved.Symbol, Decimals: e.Moved.Decimals,
			Amount: sums[k].String(), Formatted: chain.FormatUnits(sums[k], e.Moved.Decimals),
			Executions: v.Executions + 1,
		}
	}
	return append([]Volume{}, slices.SortedFunc(maps.Values(all), func(a, b Volume) int {
		return cmp.Or(cmp.Compare(a.ChainID, b.ChainID), cmp.Compare(a.Asset, b.Asset))
	})...)
}

// whole is the volume as one number, where one number tells it.
func whole(all []Volume) (total, currency *string) {
	switch len(all) {
	case 0:
		return new("0"), nil
	case 1:
		return &all[0].Formatted, &all[0].Symbol
	}
	return nil, nil
}

func (e Execution) event() RewardEvent {
	return RewardEvent{
		MiniAppID: e.MiniAppID, ChainID: e.ChainID, TxHash: e.TxHash, UserAddress: e.User, Type: e.Type,
		Asset: e.Moved.Asset, Amount: cmp.Or(e.Moved.Units, "0"), BlockNumber: e.Block,
		ReportedAt: clock.ISO(e.CreatedAt),
	}
}
