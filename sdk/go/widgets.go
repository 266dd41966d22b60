package railkit

import (
	"context"
	"encoding/json"
	"net/http"
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

// WidgetsService makes the metadata that widgets show. Nothing of it is stored.
type WidgetsService struct{ c *Client }

// NativeTransfer makes a button that pays a network's own coin.
func (s *WidgetsService) NativeTransfer(ctx context.Context, w NativeTransferWidget) (json.RawMessage, error) {
	return s.build(ctx, "transfer-native", w)
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
