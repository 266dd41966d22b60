package transaction

import (
	"context"
	"fmt"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/wallet"
)

// volatile is what the server adds to a body: the prepared fee while it is still enough, otherwise what the network
// asks now; and the nonce up to which everything is mined.
func (s *Service) volatile(ctx context.Context, t Transaction) (wire.Volatile, error) {
	n, err := s.nodes.Node(t.Chain)
	if err != nil {
		return wire.Volatile{}, err
	}
	tx, err := unsigned(t)
	if err != nil {
		return wire.Volatile{}, err
	}
	from, err := evm.ParseAddress(t.From)
	if err != nil {
		return wire.Volatile{}, err
	}
	network, _ := s.nodes.BySlug(t.Chain)
	p := plan.Plan{Sender: wallet.Sender{From: from}, Network: network, Tx: tx}
	now, err := s.planner.Preflight(ctx, p, n, p.Calls())
	if err != nil {
		return wire.Volatile{}, err
	}
	if t.Type != plan.ExactBytes {
		prepared := p.Tx
		reprice(&p.Tx, feeOf(t), now.Fee)
		t.keepBid(&p.Tx, prepared)
	}
	if err := p.Mineable(now); err != nil {
		return wire.Volatile{}, err
	}
	v := wire.Volatile{NonceFloor: strconv.FormatUint(now.NextNonce, 10)}
	if t.Type != plan.ExactBytes {
		v.MaxFeePerGas, v.MaxPriorityFeePerGas = p.Tx.MaxFeePerGas.String(), p.Tx.MaxPriorityFeePerGas.String()
	}
	return v, nil
}

func unsigned(t Transaction) (evm.Tx, error) {
	raw, err := chain.ParseHex(t.UnsignedTransaction)
	if err != nil {
		return evm.Tx{}, fmt.Errorf("reading the prepared transaction: %w", err)
	}
	return evm.DecodeUnsigned(raw)
}

// reprice keeps the prepared fee unless the next block would not take it. Example: prepared at 30 gwei a gas with a tip
// of 2; the base fee is 27 now. 30 is enough, and stays. At a base fee of 29 it is not: the network's own proposal
// takes its place, or what the stamped total allows, where that is less and still enough.
func reprice(tx *evm.Tx, fee Fee, now node.Fee) {
	if tx.MaxFeePerGas.Cmp(new(big.Int).Add(now.Base, tx.MaxPriorityFeePerGas)) >= 0 {
		return
	}
	tx.MaxFeePerGas, tx.MaxPriorityFeePerGas = now.Max, now.Priority
	if most := mostPerGas(fee); most.Cmp(now.Max) < 0 && most.Cmp(new(big.Int).Add(now.Base, now.Priority)) >= 0 {
		tx.MaxFeePerGas = most
	}
}

func mostPerGas(f Fee) *big.Int {
	total, ok := new(big.Int).SetString(f.MaxTotalFee, 10)
	gas, also := new(big.Int).SetString(f.GasLimit, 10)
	if !ok || !also || gas.Sign() == 0 {
		return new(big.Int)
	}
	return total.Div(total, gas)
}

// keepBid holds a replacement to the fee it was prepared with, should the network ask less by now. Nodes compare it
// with the transaction that it replaces, and that one has not become cheaper.
func (t Transaction) keepBid(tx *evm.Tx, prepared evm.Tx) {
	if t.Replaces == "" {
		return
	}
	tx.MaxFeePerGas = plan.Larger(tx.MaxFeePerGas, prepared.MaxFeePerGas)
	tx.MaxPriorityFeePerGas = plan.Larger(tx.MaxPriorityFeePerGas, prepared.MaxPriorityFeePerGas)
}
