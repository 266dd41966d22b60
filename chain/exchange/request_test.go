package exchange_test

import (
	"context"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/exchange"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/fault"
)

// A node that does not answer.
type down struct{}

func (down) Call(context.Context, node.ContractCall) ([]byte, error) { return nil, io.ErrUnexpectedEOF }

func (down) Gain(context.Context, node.ContractCall, string, string) (*big.Int, error) {
	return nil, io.ErrUnexpectedEOF
}

func TestWidget_QuoteRefusals(t *testing.T) {
	const invalid, nowhere = "validation_failed", "chain_not_supported"
	bare, _ := chain.BySlug(chain.Sandbox, "base")
	bare.Slug, bare.ChainID = "bare", 1_000_001
	s := exchange.New(append(chain.Networks(chain.Sandbox), bare), one{down{}})
	for name, c := range map[string]struct {
		change func(*exchange.Request)
		code   string
		says   string
	}{
		"another network":   {func(r *exchange.Request) { r.Chain = "moon" }, nowhere, ""},
		"no exchange":       {func(r *exchange.Request) { r.Chain = "bare" }, nowhere, ""},
		"another exchange":  {func(r *exchange.Request) { r.Protocol = "lfj" }, nowhere, ""},
		"another kind":      {func(r *exchange.Request) { r.Protocol = "unread" }, nowhere, ""},
		"nothing sold":      {func(r *exchange.Request) { r.Sell = "" }, invalid, "fromToken must be native"},
		"unlisted sold":     {func(r *exchange.Request) { r.Sell = deployed(99).Hex() }, invalid, "fromToken "},
		"unlisted bought":   {func(r *exchange.Request) { r.Buy = "DOGE" }, invalid, "toToken must be native"},
		"for itself":        {func(r *exchange.Request) { r.Buy = "usdc" }, invalid, "toToken must not be"},
		"wrapping":          {func(r *exchange.Request) { r.Sell = "native" }, invalid, "wrapping"},
		"unwrapping":        {func(r *exchange.Request) { r.Sell, r.Buy = "WPOL", "native" }, invalid, "wrapping"},
		"no amount":         {func(r *exchange.Request) { r.Amount = "0.0" }, invalid, "amount must be positive"},
		"too precise":       {func(r *exchange.Request) { r.Amount = "1.0000001" }, invalid, "amount must be"},
		"negative":          {func(r *exchange.Request) { r.Amount = "-1" }, invalid, "amount must be"},
		"all may slip":      {func(r *exchange.Request) { r.SlippageBps = 5001 }, invalid, "slippage must be"},
		"slips up":          {func(r *exchange.Request) { r.SlippageBps = -1 }, invalid, "slippage must be"},
		"a node that fails": {func(*exchange.Request) {}, "unavailable", ""},
	} {
		in := exchange.Request{Chain: "polygon", Sell: "USDC", Buy: "WPOL", Amount: "1", SlippageBps: 50}
		c.change(&in)
		_, err := s.Quote(t.Context(), in)
		if f, ok := fault.As(err); !ok || f.Code != c.code || !strings.Contains(f.Message, c.says) {
			t.Errorf("%s: %v", name, err)
		} else if c.code == nowhere && f.Details["code"] != "CHAIN_NOT_SUPPORTED" {
			t.Errorf("%s: details %v", name, f.Details)
		}
	}
}

// Where no pool has the tokens, or has anything for so little, there is no route.
func TestWidget_NoRoute(t *testing.T) {
	nowhere := deployed(99)
	for name, c := range map[string]struct {
		coin         *common.Address
		sell, amount string
		want         error
		says         string
	}{
		"no pool":          {&nowhere, "USDC", "1", exchange.ErrNoRoute, ""},
		"nothing for it":   {nil, "WPOL", "0.000000000000000001", exchange.ErrNoRoute, ""},
		"perhaps nothing":  {nil, "WPOL", "0.000003", fault.ErrValidation, "amount is too small"},
		"more than counts": {nil, "WPOL", "10000000000000000000", exchange.ErrNoRoute, ""},
	} {
		v := open(t, "polygon", ours, c.coin, traders[0])
		buy := "USDC"
		if c.sell == buy {
			buy = "native"
		}
		_, err := v.service.Quote(t.Context(), exchange.Request{
			Chain: "80002", Protocol: ours, Sell: c.sell, Buy: buy, Amount: c.amount, SlippageBps: 50,
		})
		if f, ok := fault.As(err); !ok || !errors.Is(err, c.want) || !strings.Contains(f.Message, c.says) {
			t.Errorf("%s: %v", name, err)
		} else if c.says == "" && f.Details["code"] != "NO_ROUTE_FOUND" {
			t.Errorf("%s: details %v", name, f.Details)
		}
	}
}
