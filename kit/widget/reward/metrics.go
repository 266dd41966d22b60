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
	"github.com/railkit/railkit/rest"
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

// MiniAppWithStats is a mini app and what is known of it from the chain.
type MiniAppWithStats struct {
	miniapp.MiniAppView
	Stats rest.MiniAppStats `json:"stats"`
}

// MiniAppMetrics is what is known of mini apps from the chain.
type MiniAppMetrics struct {
	MiniApps    []MiniAppWithStats `json:"miniApps" doc:"Those with an execution that counts"`
	GlobalStats []rest.GlobalStats `json:"globalStats" doc:"One element: of all of them"`
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
func (s *Service) Metrics(ctx context.Context, in MetricsQuery, p page.Page) (out rest.RewardMetrics, err error) {
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
	out = rest.RewardMetrics{
		Address: f.Referrer, TotalExecutions: len(moves), ReferredMiniApps: []rest.ReferredMiniApp{},
		TriggerIDs: []string{}, Stats: rest.RewardStats{Executions: len(moves), Volume: volumes(moves)},
		TotalEvents: total, Events: make([]rest.RewardEvent, len(rows)),
	}
	for i, e := range rows {
		out.Events[i] = e.event()
	}
	out.TotalVolume, out.Currency = whole(out.Stats.Volume)
	err = s.eachApp(ctx, moves, func(m miniapp.MiniApp, of []Execution) {
		out.TriggerIDs = append(out.TriggerIDs, m.ID)
		out.ReferredMiniApps = append(out.ReferredMiniApps, rest.ReferredMiniApp{
			MiniAppID: m.ID, Name: m.Metadata.Title, Executions: len(of), Volume: volumes(of),
		})
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
	out = MiniAppMetrics{[]MiniAppWithStats{}, []rest.GlobalStats{{Volume: volumes(moves), Fees: []rest.Volume{}}}}
	err = s.eachApp(ctx, moves, func(m miniapp.MiniApp, of []Execution) {
		out.MiniApps = append(out.MiniApps, MiniAppWithStats{m.View(), statsOf(of)})
	})
	return out, err
}

func statsOf(moves []Execution) rest.MiniAppStats {
	volume := volumes(moves)
	var symbols []string
	for _, v := range volume {
		symbols = append(symbols, v.Symbol)
	}
	slices.Sort(symbols)
	swaps := slices.DeleteFunc(slices.Clone(moves), func(e Execution) bool { return e.Type != action.Dynamic })
	return rest.MiniAppStats{
		Executions: len(moves), Volume: volume, Fees: []rest.Volume{}, Swaps: volumes(swaps),
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
func volumes(moves []Execution) []rest.Volume {
	type key struct {
		chainID uint64
		asset   string
	}
	sums, all := map[key]*big.Int{}, map[key]rest.Volume{}
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
		all[k] = rest.Volume{
			ChainID: e.ChainID, Asset: e.Moved.Asset, Symbol: e.Moved.Symbol, Decimals: e.Moved.Decimals,
			Amount: sums[k].String(), Formatted: chain.FormatUnits(sums[k], e.Moved.Decimals),
			Executions: v.Executions + 1,
		}
	}
	return append([]rest.Volume{}, slices.SortedFunc(maps.Values(all), func(a, b rest.Volume) int {
		return cmp.Or(cmp.Compare(a.ChainID, b.ChainID), cmp.Compare(a.Asset, b.Asset))
	})...)
}

// whole is the volume as one number, where one number tells it.
func whole(all []rest.Volume) (total, currency *string) {
	switch len(all) {
	case 0:
		return new("0"), nil
	case 1:
		return &all[0].Formatted, &all[0].Symbol
	}
	return nil, nil
}

func (e Execution) event() rest.RewardEvent {
	return rest.RewardEvent{
		MiniAppID: e.MiniAppID, ChainID: e.ChainID, TxHash: e.TxHash, UserAddress: e.User, Type: e.Type,
		Asset: e.Moved.Asset, Amount: cmp.Or(e.Moved.Units, "0"), BlockNumber: e.Block,
		ReportedAt: clock.ISO(e.CreatedAt),
	}
}
