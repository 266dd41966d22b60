package app

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/platform/idempotency"
	"github.com/railkit/railkit/store"
)

// node makes a signing.Node of an RPC client: addresses become text, and the
// nodes' many errors the few that change what the kit does.
type node struct{ *rpc.Client }

func (n node) Balance(ctx context.Context, address string) (*big.Int, error) {
	a, err := evm.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	return n.Client.Balance(ctx, a)
}

func (n node) TokenBalance(ctx context.Context, token, address string) (*big.Int, error) {
	t, err := evm.ParseAddress(token)
	if err != nil {
		return nil, err
	}
	a, err := evm.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	return n.Client.TokenBalance(ctx, t, a)
}

func (n node) MinedNonce(ctx context.Context, address string) (uint64, error) {
	a, err := evm.ParseAddress(address)
	if err != nil {
		return 0, err
	}
	return n.Client.MinedNonce(ctx, a)
}

func (n node) PendingNonce(ctx context.Context, address string) (uint64, error) {
	a, err := evm.ParseAddress(address)
	if err != nil {
		return 0, err
	}
	return n.Client.PendingNonce(ctx, a)
}

func (n node) Fee(ctx context.Context) (signing.NetworkFee, error) {
	f, err := n.Client.SuggestFee(ctx)
	if err != nil {
		return signing.NetworkFee{}, err
	}
	base := new(big.Int).Sub(f.MaxFeePerGas, f.MaxPriorityFeePerGas) // SuggestFee doubles it
	return signing.NetworkFee{Base: base.Rsh(base, 1), Max: f.MaxFeePerGas, Priority: f.MaxPriorityFeePerGas}, nil
}

func (n node) EstimateGas(ctx context.Context, from, to string, value *big.Int, data []byte) (uint64, error) {
	f, err := evm.ParseAddress(from)
	if err != nil {
		return 0, err
	}
	t, err := evm.ParseAddress(to)
	if err != nil {
		return 0, err
	}
	gas, err := n.Client.EstimateGas(ctx, f, &t, value, data)
	if errors.Is(err, rpc.ErrReverted) || errors.Is(err, rpc.ErrInsufficientFunds) {
		err = errors.Join(signing.ErrReverts, err)
	}
	return gas, err
}

func (n node) Send(ctx context.Context, signed []byte) error {
	_, err := n.Client.Send(ctx, signed)
	switch {
	case errors.Is(err, rpc.ErrAlreadyKnown):
		return nil
	case errors.Is(err, rpc.ErrNonceTooLow):
		return errors.Join(signing.ErrNonceUsed, err)
	case errors.Is(err, rpc.ErrRefused):
		return errors.Join(signing.ErrRefused, err)
	}
	return err
}

func (n node) Receipt(ctx context.Context, hash string) (signing.Receipt, bool, error) {
	raw, err := evm.ParseHex(hash)
	if err != nil || len(raw) != 32 {
		return signing.Receipt{}, false, errors.New("not a transaction hash")
	}
	r, err := n.Client.Receipt(ctx, [32]byte(raw))
	if err != nil || !r.Found {
		return signing.Receipt{}, false, err
	}
	return signing.Receipt{Succeeded: !r.Reverted, BlockNumber: r.BlockNumber, BlockHash: evm.Hex(r.BlockHash[:])}, true, nil
}

// faucet is the devnet's.
type faucet struct{ *devnet.Client }

func (f faucet) Fund(ctx context.Context, slug, address, asset, amount string) (string, error) {
	return f.Client.Faucet(ctx, slug, address, asset, amount)
}

// handler is the work of the jobs.
type handler struct {
	*signing.Service
	store *store.Store
	clock clock.Clock
}

// oldCeremony is for how long a link that is over says so, before it is unknown.
const oldCeremony = 24 * time.Hour

// Sweep also drops idempotency answers whose 24 hours are over, and old ceremonies.
func (h handler) Sweep(ctx context.Context) error {
	now := h.clock.Now()
	return errors.Join(h.Service.Sweep(ctx), h.store.DropAnswers(ctx, now.Add(-idempotency.Retention)),
		h.store.DropCeremonies(ctx, now.Add(-oldCeremony)))
}
