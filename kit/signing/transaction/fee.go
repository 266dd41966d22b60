package transaction

import (
	"context"
	"fmt"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/rest"
)

// volatile is what the server adds to a body: the prepared fee while it is still enough, otherwise what the network
// asks now; and the nonce up to which everything is mined.
func (s *Service) volatile(ctx context.Context, t Transaction) (wire.Volatile, error) {
	family, err := t.family()
	if err != nil {
		return wire.Volatile{}, err
	}
	if !family.Form().Nonces {
		network, _ := s.c.Nodes.BySlug(t.Chain)
		return expiring(ctx, s.c.Planner, network, family, t)
	}
	n, err := s.c.Nodes.Numbered(t.Chain)
	if err != nil {
		return wire.Volatile{}, err
	}
	tx, err := unsigned(t)
	if err != nil {
		return wire.Volatile{}, err
	}
	network, _ := s.c.Nodes.BySlug(t.Chain)
	p := plan.Plan{Sender: wallet.Sender{From: t.From, Family: family}, Network: network, Tx: tx}
	var v wire.Volatile
	err = s.c.Planner.WithFacts(ctx, p, p.Calls(), func(now plan.Preflight) error {
		if t.Type != plan.ExactBytes {
			if err := p.Reprice(t.keepBid(reprice(tx.Fee, feeOf(t), now.Fee), tx.Fee)); err != nil {
				return nodes.ErrNode.Because(err)
			}
		}
		v.NonceFloor = strconv.FormatUint(now.NextNonce, 10)
		return p.Mineable(now)
	})
	if err != nil {
		return wire.Volatile{}, err
	}
	if err := bringsEnough(ctx, n, p); err != nil {
		return wire.Volatile{}, err
	}
	if t.Type != plan.ExactBytes {
		v.MaxFeePerGas, v.MaxPriorityFeePerGas = p.Tx.Fee.Max.String(), p.Tx.Fee.Tip().String()
	}
	return v, nil
}

func unsigned(t Transaction) (chain.Tx, error) {
	family, err := t.family()
	if err != nil {
		return chain.Tx{}, err
	}
	raw, err := chain.ParseHex(t.UnsignedTransaction)
	if err != nil {
		return chain.Tx{}, fmt.Errorf("reading the prepared transaction: %w", err)
	}
	return family.DecodeUnsigned(raw)
}

// reprice keeps the prepared fee unless the next block would not take it. Example: prepared at 30 gwei a gas with a tip
// of 2; the base fee is 27 now. 30 is enough, and stays. At a base fee of 29 it is not: the network's own proposal
// takes its place, or what the stamped total allows, where that is less and still enough.
func reprice(prepared chain.Fee, stamped rest.NetworkFee, now node.Fee) chain.Fee {
	if prepared.Max.Cmp(new(big.Int).Add(now.Base, prepared.Tip())) >= 0 {
		return prepared
	}
	most := mostPerGas(stamped)
	if most.Cmp(now.Max) < 0 && most.Cmp(new(big.Int).Add(now.Base, now.Priority)) >= 0 {
		return chain.Fee{Max: most, Priority: now.Priority}
	}
	return now.Fee
}

func mostPerGas(f rest.NetworkFee) *big.Int {
	total, ok := new(big.Int).SetString(f.MaxTotalFee, 10)
	gas, also := new(big.Int).SetString(f.GasLimit, 10)
	if !ok || !also || gas.Sign() == 0 {
		return new(big.Int)
	}
	return total.Div(total, gas)
}

// keepBid holds a replacement to the fee it was prepared with, should the network ask less by now. Nodes compare it
// with the transaction that it replaces, and that one has not become cheaper.
func (t Transaction) keepBid(fee, prepared chain.Fee) chain.Fee {
	if t.Replaces == "" {
		return fee
	}
	return fee.AtLeast(prepared)
}
