package railkit

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

const sandboxPath = "/v1/sandbox/"

// DepositRequest sends test tokens to a withdrawal address, or to any address of
// a chain. Sandbox only, like all below.
type DepositRequest struct {
	WithdrawAddressID string `json:"withdrawAddressId,omitempty"` // in place of the three others
	Chain             string `json:"chain,omitempty"`
	Address           string `json:"address,omitempty"`
	Currency          string `json:"currency,omitempty"` // usdc (default) | usdt
	Amount            string `json:"amount"`
}

// SimulatedDeposit is one that was mined.
type SimulatedDeposit struct {
	DepositRequest
	TxHash string `json:"txHash"`
}

// SimulateDeposit has tokens arrive.
func (c *Client) SimulateDeposit(ctx context.Context, req DepositRequest) (*SimulatedDeposit, error) {
	return data[SimulatedDeposit](ctx, c, http.MethodPost, sandboxPath+"simulate-deposit", req)
}

// AdvanceSandbox lets the partner's time pass, in whole seconds.
func (c *Client) AdvanceSandbox(ctx context.Context, d time.Duration) error {
	return c.control(ctx, "advance", seconds(d))
}

// MineSandbox makes blocks on a chain.
func (c *Client) MineSandbox(ctx context.Context, chain string, blocks int) error {
	return c.control(ctx, "mine", map[string]any{"chain": chain, "blocks": blocks})
}

// ReorgSandbox puts other blocks in place of a chain's newest ones. With drop
// their transactions are forgotten.
func (c *Client) ReorgSandbox(ctx context.Context, chain string, depth int, drop bool) error {
	return c.control(ctx, "reorg", map[string]any{"chain": chain, "depth": depth, "drop": drop})
}

// BankReason is why a bank does not take a payment. Empty, it is a closed account.
type BankReason struct {
	Code   string `json:"code,omitempty"` // the rail's
	Reason string `json:"reason,omitempty"`
}

// FailOrder lets an order's payment fail that has not arrived.
func (c *Client) FailOrder(ctx context.Context, idOrReference string, why BankReason) error {
	return c.control(ctx, steer(idOrReference, "fail"), why)
}

// ReturnOrder lets the bank send an order's payment back, now or once it has arrived.
func (c *Client) ReturnOrder(ctx context.Context, idOrReference string, why BankReason) error {
	return c.control(ctx, steer(idOrReference, "return"), why)
}

// DelayOrder lets an order's payment take longer, by whole seconds.
func (c *Client) DelayOrder(ctx context.Context, idOrReference string, d time.Duration) error {
	return c.control(ctx, steer(idOrReference, "delay"), seconds(d))
}

// ClearOrder ends the partner's review of an order's payment.
func (c *Client) ClearOrder(ctx context.Context, idOrReference string) error {
	return c.control(ctx, steer(idOrReference, "clear"), nil)
}

func steer(id, act string) string { return "orders/" + url.PathEscape(id) + "/" + act }

func seconds(d time.Duration) map[string]int64 {
	return map[string]int64{"seconds": int64(d / time.Second)}
}

// control does something of which nothing is answered that the caller does not know.
func (c *Client) control(ctx context.Context, what string, body any) error {
	_, err := send[map[string]any](ctx, c, request{method: http.MethodPost, path: sandboxPath + what, body: body})
	return err
}
