package widget

import (
	"cmp"
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/kit/widget/action"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

const (
	widgetsTag   = "Widgets"
	buildersPath = "/v1/action/builders"
)

// Built is what a builder made.
type Built struct {
	Metadata action.Metadata `json:"metadata"`
}

// Top is what also stands beside data.
func (b Built) Top() map[string]any { return map[string]any{"metadata": b.Metadata} }

// BuiltEnvelope is the answer of a builder.
type BuiltEnvelope struct {
	edge.Envelope[Built]
	Metadata action.Metadata `json:"metadata" doc:"The same as in data"`
}

func registerBuilders(s *edge.Server, environment chain.Environment, origin string) {
	b := action.Builder{Rules: action.RulesOf(environment)}
	op := func(id, name, summary, description string, aliases edge.Aliases) edge.Op {
		return edge.Op{
			ID: id, Path: buildersPath + "/" + name, Tag: widgetsTag, Module: auth.Widget,
			Access: auth.AccessReadOrWrite, Summary: summary, Description: description, Aliases: aliases,
		}
	}
	edge.TopCall[BuiltEnvelope](s, op("buildNativeTransfer", "transfer-native",
		"Make the metadata of a widget that pays a network's own coin",
		"Nothing is stored. The metadata keep to the action kit's schema, and are in `data` and at top level.",
		edge.Aliases{"to": "address"},
	), func(_ context.Context, _ auth.Principal, in *struct{ Body rest.NativeTransferButton }) (Built, error) {
		t := in.Body
		m, err := b.TransferNative(action.Texts{
			Title: t.Title, Description: t.Description, Icon: t.Icon, URL: t.URL,
		}, action.Place{ID: t.ChainID, Name: t.Chain}, t.Address, t.Amount)
		return Built{m}, err
	})
	edge.TopCall[BuiltEnvelope](s, op("buildSwap", "swap",
		"Make the metadata of a widget that trades one token for another",
		"Nothing is stored. The widget asks for an amount, and sends the body of `execute/swap/prepare` to the backend at `url`.",
		edge.Aliases{"tokenIn": "fromToken", "tokenOut": "toToken", "chain": "chainName",
			"slippage": "slippageTolerance"},
	), func(_ context.Context, _ auth.Principal, in *struct{ Body rest.SwapButton }) (Built, error) {
		t := in.Body
		m, err := b.Swap(action.Texts{
			Title: t.Title, Description: t.Description, Icon: t.Icon, URL: cmp.Or(t.URL, origin),
		}, action.Trade{
			Protocol: t.Protocol, Router: t.RouterAddress, At: action.Place{Name: t.ChainName}, From: t.FromToken,
			To: t.ToToken, Slippage: t.SlippageTolerance,
		})
		return Built{m}, err
	})
	for _, w := range []struct{ id, name, label, summary string }{
		{"buildCrosschainTransfer", "crosschain-transfer", "Send",
			"Make the metadata of a widget that pays across networks"},
		{"buildCrosschainBridge", "crosschain-bridge", "Bridge",
			"Make the metadata of a widget that moves a user's own money across networks"},
	} {
		edge.TopCall[BuiltEnvelope](s, op(w.id, w.name, w.summary,
			"Nothing is stored. The widget hands the transfer to the integrator: this platform moves nothing across networks.",
			edge.Aliases{"to": "address"},
		), func(_ context.Context, _ auth.Principal, in *struct{ Body rest.CrosschainButton }) (Built, error) {
			t := in.Body
			m, err := b.Crosschain(action.Texts{
				Title: t.Title, Description: t.Description, Icon: t.Icon, URL: t.URL,
			}, w.label, action.Crossing{
				Source:      action.Place{ID: t.SourceChainID, Name: t.FromChain},
				Destination: action.Place{ID: t.DestinationChainID, Name: t.ToChain},
				To:          t.Address, Token: t.Token, Amount: t.Amount,
			})
			return Built{m}, err
		})
	}
}
