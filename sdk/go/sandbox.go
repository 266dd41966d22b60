package railkit

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/railkit/railkit/rest"
)

// SandboxService steers the sandbox: its chains, its partner and its clock. In production every call is refused.
type SandboxService struct{ c *Client }

const sandboxPath = "/v1/sandbox/"

// What the calls send and answer: see package rest for the fields.
type (
	DepositRequest   = rest.SimulatedDepositRequest
	SimulatedDeposit = rest.SimulatedDeposit
	BankReason       = rest.SandboxFailure

	BankDepositRequest   = rest.SimulatedBankDepositRequest
	SimulatedBankDeposit = rest.SimulatedBankDeposit
	FaucetRequest        = rest.FaucetRequest
	FaucetDrop           = rest.FaucetPayment
)

// Deposit has tokens arrive.
func (s *SandboxService) Deposit(ctx context.Context, req DepositRequest) (*SimulatedDeposit, error) {
	return data[SimulatedDeposit](ctx, s.c, http.MethodPost, sandboxPath+"simulate-deposit", req)
}

// BankDeposit has a bank transfer arrive at an account number of the workspace. Orders.WaitSettlement waits for what
// becomes of it, by the answer's PartnerDepositID.
func (s *SandboxService) BankDeposit(ctx context.Context, req BankDepositRequest) (*SimulatedBankDeposit, error) {
	return data[SimulatedBankDeposit](ctx, s.c, http.MethodPost, sandboxPath+"simulate-bank-deposit", req)
}

// Advance lets the partner's time pass, in whole seconds.
func (s *SandboxService) Advance(ctx context.Context, d time.Duration) error {
	return s.control(ctx, "advance", seconds(d))
}

// Mine makes blocks on a chain.
func (s *SandboxService) Mine(ctx context.Context, chain string, blocks int) error {
	return s.control(ctx, "mine", map[string]any{"chain": chain, "blocks": blocks})
}

// Reorg puts other blocks in place of a chain's newest ones. With drop
// their transactions are forgotten.
func (s *SandboxService) Reorg(ctx context.Context, chain string, depth int, drop bool) error {
	return s.control(ctx, "reorg", map[string]any{"chain": chain, "depth": depth, "drop": drop})
}

// FailOrder lets an order's payment fail that has not arrived.
func (s *SandboxService) FailOrder(ctx context.Context, idOrReference string, why BankReason) error {
	return s.control(ctx, steer(idOrReference, "fail"), why)
}

// ReturnOrder lets the bank send an order's payment back, now or once it has arrived. Of an order whose money came by
// bank, it is the deposit that goes back to the depositor, also after the coins were sent.
func (s *SandboxService) ReturnOrder(ctx context.Context, idOrReference string, why BankReason) error {
	return s.control(ctx, steer(idOrReference, "return"), why)
}

// DelayOrder lets an order's payment take longer, by whole seconds.
func (s *SandboxService) DelayOrder(ctx context.Context, idOrReference string, d time.Duration) error {
	return s.control(ctx, steer(idOrReference, "delay"), seconds(d))
}

// ClearOrder ends the partner's review of an order's payment, or of a deposit.
func (s *SandboxService) ClearOrder(ctx context.Context, idOrReference string) error {
	return s.control(ctx, steer(idOrReference, "clear"), nil)
}

func steer(id, act string) string { return "orders/" + url.PathEscape(id) + "/" + act }

func seconds(d time.Duration) map[string]int64 {
	return map[string]int64{"seconds": int64(d / time.Second)}
}

// control does something of which nothing is answered that the caller does not know.
func (s *SandboxService) control(ctx context.Context, what string, body any) error {
	_, err := send[map[string]any](ctx, s.c, request{method: http.MethodPost, path: sandboxPath + what, body: body})
	return err
}

// Faucet sends test money. Sandbox only.
func (s *SandboxService) Faucet(ctx context.Context, req FaucetRequest) (*FaucetDrop, error) {
	return data[FaucetDrop](ctx, s.c, http.MethodPost, "/v1/sandbox/faucet", req)
}
