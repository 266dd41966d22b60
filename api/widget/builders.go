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

// ButtonTexts are what a widget says, and where it is.
type ButtonTexts struct {
	Title       string `json:"title" minLength:"1" maxLength:"100"`
	Description string `json:"description" minLength:"1" maxLength:"1000"`
	Icon        string `json:"icon,omitempty" maxLength:"2048" doc:"URL of an image; absent: /favicon.ico of url"`
	URL         string `json:"url" minLength:"1" maxLength:"2048" doc:"Where the widget is; https://, in the sandbox also this machine by http"`
}

func (t ButtonTexts) texts() action.Texts {
	return action.Texts{Title: t.Title, Description: t.Description, Icon: t.Icon, URL: t.URL}
}

// NativeTransferButton is a button that pays a network's own coin.
type NativeTransferButton struct {
	ButtonTexts
	ChainID uint64      `json:"chainId,omitempty" minimum:"1" example:"43113" doc:"The network; required where chain is absent"`
	Chain   string      `json:"chain,omitempty" maxLength:"32" doc:"The network by a name such as fuji; required where chainId is absent"`
	Address string      `json:"address" maxLength:"64" doc:"Who is paid"`
	Amount  rest.Number `json:"amount,omitzero" doc:"In whole coins: 0.5, at most 15 digits. Absent: the user says it"`
}

// SwapButton is a button that trades one token for another.
type SwapButton struct {
	Protocol          string      `json:"protocol" maxLength:"32" doc:"Exchange: uniswap, lfj, pangolin" example:"lfj"`
	ChainName         string      `json:"chainName" maxLength:"32" doc:"Name, slug or chain id" example:"fuji"`
	FromToken         string      `json:"fromToken" maxLength:"64" doc:"What is sold: address or symbol of a listed token, or native" example:"USDC"`
	ToToken           string      `json:"toToken" maxLength:"64" doc:"What is bought, in the same forms" example:"native"`
	RouterAddress     string      `json:"routerAddress,omitempty" maxLength:"64" doc:"Must be the exchange's; absent: that one"`
	SlippageTolerance rest.Number `json:"slippageTolerance" minimum:"0.01" maximum:"50" doc:"By how many percent the price may move" example:"0.5"`
	Title             string      `json:"title,omitempty" maxLength:"100" doc:"Absent: made of the tokens"`
	Description       string      `json:"description,omitempty" maxLength:"1000" doc:"Absent: made of tokens, exchange and network"`
	Icon              string      `json:"icon,omitempty" maxLength:"2048" doc:"URL of an image; absent: the one of url"`
	URL               string      `json:"url,omitempty" maxLength:"2048" doc:"Where the widget's backend is, which adds the API key and passes a swap on; absent: this API"`
}

// CrosschainButton is a button that pays across networks.
type CrosschainButton struct {
	ButtonTexts
	SourceChainID      uint64      `json:"sourceChainId,omitempty" minimum:"1" example:"43113" doc:"Where the user pays; required where fromChain is absent"`
	FromChain          string      `json:"fromChain,omitempty" maxLength:"32" doc:"The same by a name such as fuji; required where sourceChainId is absent"`
	DestinationChainID uint64      `json:"destinationChainId,omitempty" minimum:"1" example:"84532" doc:"Where it arrives; required where toChain is absent"`
	ToChain            string      `json:"toChain,omitempty" maxLength:"32" doc:"The same by a name; required where destinationChainId is absent"`
	Address            string      `json:"address" maxLength:"64" doc:"Who is paid on the destination"`
	Token              string      `json:"token,omitempty" maxLength:"64" doc:"Contract on the source; absent: its own coin"`
	Amount             rest.Number `json:"amount,omitzero" doc:"In whole units, at most 15 digits. Absent: the user says it"`
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
	), func(_ context.Context, _ auth.Principal, in *struct{ Body NativeTransferButton }) (Built, error) {
		at := action.Place{ID: in.Body.ChainID, Name: in.Body.Chain}
		m, err := b.TransferNative(in.Body.texts(), at, in.Body.Address, in.Body.Amount)
		return Built{m}, err
	})
	edge.TopCall[BuiltEnvelope](s, op("buildSwap", "swap",
		"Make the metadata of a widget that trades one token for another",
		"Nothing is stored. The widget asks for an amount, and sends the body of `execute/swap/prepare` to the backend at `url`.",
		edge.Aliases{"tokenIn": "fromToken", "tokenOut": "toToken", "chain": "chainName",
			"slippage": "slippageTolerance"},
	), func(_ context.Context, _ auth.Principal, in *struct{ Body SwapButton }) (Built, error) {
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
		), func(_ context.Context, _ auth.Principal, in *struct{ Body CrosschainButton }) (Built, error) {
			m, err := b.Crosschain(in.Body.texts(), w.label, action.Crossing{
				Source:      action.Place{ID: in.Body.SourceChainID, Name: in.Body.FromChain},
				Destination: action.Place{ID: in.Body.DestinationChainID, Name: in.Body.ToChain},
				To:          in.Body.Address, Token: in.Body.Token, Amount: in.Body.Amount,
			})
			return Built{m}, err
		})
	}
}
