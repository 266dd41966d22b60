package railkit

import (
	"context"
	"net/http"
)

// Health is what the service says of itself.
type Health struct {
	Status      string   `json:"status"` // ok | degraded
	Service     string   `json:"service"`
	Version     string   `json:"version"`
	Environment string   `json:"environment"`
	Timestamp   string   `json:"timestamp"`
	Missing     []string `json:"missing,omitempty"` // of a degraded service: the parts that do not answer
}

// Health asks whether the service is up. It needs no key.
func (c *Client) Health(ctx context.Context) (*Health, error) {
	r, err := send[Health](ctx, c, request{method: http.MethodGet, path: "/v1/"})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}

// FaucetRequest asks the sandbox for test money.
type FaucetRequest struct {
	Chain   string `json:"chain"`
	Address string `json:"address"`
	Asset   string `json:"asset"` // native | USDC | USDT
	Amount  string `json:"amount"`
}

// FaucetDrop is test money that was sent.
type FaucetDrop struct {
	TxHash  string `json:"txHash"`
	Chain   string `json:"chain"`
	Address string `json:"address"`
	Asset   string `json:"asset"`
	Amount  string `json:"amount"`
}

// Faucet sends test money. Sandbox only.
func (c *Client) Faucet(ctx context.Context, req FaucetRequest) (*FaucetDrop, error) {
	r, err := send[FaucetDrop](ctx, c, request{method: http.MethodPost, path: "/v1/sandbox/faucet", body: req})
	if err != nil {
		return nil, err
	}
	return &r.Data, nil
}
