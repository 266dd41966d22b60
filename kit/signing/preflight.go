package signing

import (
	"context"
	"errors"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
)

// preflight asks all that a transaction needs to know: the node at once, and the enclave
// for what data costs.
func (s *Service) preflight(ctx context.Context, p plan, node Node, estimate bool) (Preflight, error) {
	f := Flight{From: p.from.String(), Value: p.tx.Value, Data: p.tx.Data, Estimate: estimate}
	if p.tx.To != nil {
		f.To = p.tx.To.String()
	}
	if e, ok := p.spent(); ok {
		f.Token = e.Asset
	}
	now, err := node.Preflight(ctx, f)
	if err != nil {
		return now, ErrNode.Because(err)
	}
	now.WeiPerByte = s.weiPerByte(ctx, p.network)
	return now, nil
}

// spent is the listed token that leaves: a transaction calls one contract, so
// there is one at most.
func (p plan) spent() (chain.Effect, bool) {
	for _, e := range p.tx.Effects(p.from, p.network) {
		if e.Kind == chain.Transfer && e.Symbol != "" && e.Asset != "native" && e.From == p.from.String() {
			return e, true
		}
	}
	return chain.Effect{}, false
}

// weiPerByte is what the network takes for a byte of the transaction at most, as the
// enclave knows it; zero where it takes nothing or nobody can tell. A wallet that then has
// too little is refused by the chain, as a broadcast that fails.
func (s *Service) weiPerByte(ctx context.Context, n chain.Network) *big.Int {
	if !n.DataFee {
		return new(big.Int)
	}
	info, err := s.enclave.Info(ctx)
	if err != nil {
		return new(big.Int)
	}
	for _, f := range info.DataFees {
		if most, ok := wire.ParseWeiPerByte(f.WeiPerByte); ok && f.Chain == n.Slug && f.Refused == "" {
			return big.NewInt(most)
		}
	}
	return new(big.Int)
}

// covered holds the balances against what leaves: value, fees, and a listed token.
func (p plan) covered(now Preflight) error {
	cost := p.tx.MaxCost()
	if now.Balance.Cmp(cost.Add(cost, p.tx.DataFee(now.WeiPerByte))) < 0 {
		return ErrInsufficientBalance
	}
	e, ok := p.spent()
	if !ok {
		return nil
	}
	if amount, ok := new(big.Int).SetString(e.Amount, 10); ok && now.TokenBalance.Cmp(amount) < 0 {
		return ErrInsufficientBalance
	}
	return nil
}

// mineable refuses what the chain would refuse, before a nonce is spent on it.
func (p plan) mineable(now Preflight) error {
	if err := p.covered(now); err != nil {
		return err
	}
	if !p.calls() {
		return nil
	}
	gas, err := now.gas()
	if err == nil && gas > p.tx.GasLimit {
		err = ErrGas
	}
	return err
}

// calls tells whether a contract decides what it costs.
func (p plan) calls() bool { return p.tx.To != nil && len(p.tx.Data) > 0 }

func (now Preflight) gas() (uint64, error) {
	switch {
	case errors.Is(now.GasError, ErrReverts):
		return 0, ErrWouldFail.Because(now.GasError)
	case now.GasError != nil:
		return 0, ErrNode.Because(now.GasError)
	}
	return now.Gas, nil
}
