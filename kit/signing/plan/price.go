package plan

import (
	"context"
	"errors"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
)

// Errors of a transaction that the network would not mine.
var (
	ErrInsufficientBalance = fault.Define(fault.Unprocessable, "insufficient_balance", "Insufficient balance",
		"The address does not hold the amount, or not the fee of the network on top of it, gas and data. details has the "+
			"asset, what it takes of it (need) and what there is (have), in its units")
	ErrGas = fault.Define(fault.Unprocessable, "gas_limit_too_low", "The gas limit is too low for this transaction",
		"The node needs more gas than the body allows; prepare it again with a higher gasLimit")
)

// price asks the node for nonce, gas and fee.
func (s *Planner) price(ctx context.Context, p *Plan, in PrepareTransactionInput) error {
	if !p.Family.Form().Nonces {
		return s.priceExpiring(ctx, p, in)
	}
	n, err := s.nodes.Numbered(p.Network.Slug)
	if err != nil {
		return err
	}
	return s.WithFacts(ctx, *p, in.GasLimit == "", func(now Preflight) error { return p.priced(ctx, n, now, in) })
}

// priced gives the plan its nonce, fee and gas, or says why the network would not mine it.
func (p *Plan) priced(ctx context.Context, n nodes.Numbered, now Preflight, in PrepareTransactionInput) error {
	if err := p.nextNonce(ctx, n, now); err != nil {
		return err
	}
	p.Tx.Fee = feeWithin(now.Fee.Fee, in.MaxFeePerGas)
	if err := p.outbid(in.MaxFeePerGas != ""); err != nil {
		return err
	}
	if err := p.assemble(0); err != nil {
		return err
	}
	if err := p.covered(now); err != nil { // before its gas: a node estimates none of what nobody can pay
		return err
	}
	gas, err := p.gasLimit(now, in.GasLimit)
	if err != nil {
		return err
	}
	if err := p.assemble(gas); err != nil {
		return err
	}
	// The stamped maximum is one and a half times the current fee, since fees move between stamp and block: 20 gwei
	// now becomes at most 30. A caller's own maximum is taken as it is.
	p.MaxFee = p.Tx.MaxFee
	if in.MaxFeePerGas == "" {
		p.MaxFee = new(big.Int).Div(new(big.Int).Mul(p.MaxFee, big.NewInt(3)), big.NewInt(2))
	}
	return nil
}

// feeWithin is the fee that the network proposes, within the caller's own maximum where there is one.
func feeWithin(proposed chain.Fee, most string) chain.Fee {
	if most == "" {
		return proposed
	}
	own, _ := new(big.Int).SetString(most, 10)
	if own.Cmp(proposed.Priority) < 0 {
		return chain.Fee{Max: own, Priority: own}
	}
	return chain.Fee{Max: own, Priority: proposed.Priority}
}

// assemble makes the transaction from its call, nonce and fee.
func (p *Plan) assemble(gas uint64) error {
	intent := chain.Intent{From: p.From, Call: p.Tx.Call, Gas: gas}
	tx, err := p.Family.Assemble(p.Network, intent, p.Tx.Terms)
	if err != nil {
		return fault.Field("maxFeePerGas", "is out of range").Because(err)
	}
	p.Tx = tx
	return nil
}

// Reprice gives the transaction another fee.
func (p *Plan) Reprice(fee chain.Fee) error {
	p.Tx.Fee = fee
	return p.assemble(p.Tx.Gas)
}

func (p *Plan) gasLimit(now Preflight, asked string) (uint64, error) {
	if asked != "" {
		return strconv.ParseUint(asked, 10, 64)
	}
	gas, err := now.gasNeeded()
	if err != nil {
		return 0, err
	}
	if len(p.Tx.Data) > 0 {
		gas += gas / 5 // state may move between now and the block
	}
	if _, token := p.spent(); token {
		gas += emptyPayee
	}
	return gas, nil
}

// emptyPayee is what a token's transfer takes more where its payee has none of the token: to write a number where there
// was none costs 20,000, and else 2,900. The node's estimate knows the payee as he is now; a reorg may put the transfer
// before his first coins, where it would run out of gas and be lost with its nonce. Gas that is not used costs nothing.
const emptyPayee = 20_000 - 2_900

// nextNonce is the nonce that the transaction would have now. For a wallet the enclave counts its own signatures on
// top of the mined nonce. For an external sender only the node knows the transactions that are not mined yet.
func (p *Plan) nextNonce(ctx context.Context, n nodes.Numbered, now Preflight) (err error) {
	p.Tx.Nonce = now.NextNonce
	if !p.External {
		return nil
	}
	if p.Tx.Nonce, err = n.PendingNonce(ctx, p.From); err != nil {
		return nodes.ErrNode.Because(err)
	}
	return nil
}

// Preflight has the facts to check a transaction with before it is signed: balances, gas and the network's fees.
type Preflight struct {
	node.Preflight
	WeiPerByte *big.Int // the enclave's word: see weiPerByte
}

// gasNeeded is the node's gas estimate, or the reason why the transaction would fail.
func (p Preflight) gasNeeded() (uint64, error) {
	switch {
	case errors.Is(p.GasError, node.ErrReverts), errors.Is(p.GasError, node.ErrNoFunds):
		return 0, nodes.ErrWouldFail.Because(p.GasError).With("reason", nodes.Words(p.GasError))
	case p.GasError != nil:
		return 0, nodes.ErrNode.Because(p.GasError)
	}
	return p.Gas, nil
}

// WithFacts has a transaction checked by these facts: those of the node in one batch, or kept since it was asked for
// its newest block, and the data fee from the enclave. What was kept refuses nothing: the node is asked anew before.
func (s *Planner) WithFacts(ctx context.Context, p Plan, estimate bool, check func(Preflight) error) error {
	f := node.Flight{From: p.From, To: p.Tx.To, Value: p.Tx.Value, Data: p.Tx.Data, Estimate: estimate}
	if e, ok := p.spent(); ok {
		f.Token = e.Asset
	}
	now, kept, err := s.nodes.Preflight(ctx, p.Network.Slug, f)
	if err != nil {
		return err
	}
	perByte := s.weiPerByte(ctx, p.Network)
	if err := check(Preflight{now, perByte}); err == nil || !kept {
		return err
	}
	if now, err = s.nodes.PreflightAnew(ctx, p.Network.Slug, f); err != nil {
		return err
	}
	return check(Preflight{now, perByte})
}

// weiPerByte is the network's highest fee for a byte of the transaction, by the enclave. It is zero if there is no
// such fee, or if it is unknown; if the balance then turns out too low, the broadcast fails.
func (s *Planner) weiPerByte(ctx context.Context, n chain.Network) *big.Int {
	if !n.DataFee {
		return new(big.Int)
	}
	fees, err := s.dataFees.now(ctx)
	if err != nil {
		return new(big.Int)
	}
	for _, f := range fees {
		if most, ok := wire.ParseWeiPerByte(f.WeiPerByte); ok && f.Chain == n.Slug && f.Refused == "" {
			return big.NewInt(most)
		}
	}
	return new(big.Int)
}

// spent is the transfer of a listed token in the transaction. There is at most one, since a transaction calls one
// contract.
func (p Plan) spent() (chain.Effect, bool) {
	for _, e := range p.effects() {
		if e.Kind == chain.Transfer && e.Symbol != "" && e.Asset != "native" && e.From == p.From {
			return e, true
		}
	}
	return chain.Effect{}, false
}

func (p Plan) effects() []chain.Effect { return p.Family.Effects(p.Network, p.From, p.Tx.Call) }

// covered refuses a transaction whose value, fees or listed token exceed the balances.
func (p Plan) covered(now Preflight) error {
	cost := p.Tx.MaxCost()
	return p.within(cost.Add(cost, p.Tx.DataFee(now.WeiPerByte)), now.Balance, now.TokenBalance)
}

// within refuses a transaction that costs more of the network's coin than there is, or moves more of a listed token.
func (p Plan) within(cost, coin, held *big.Int) error {
	if coin.Cmp(cost) < 0 {
		return Insufficient(p.Network.Native, cost, coin)
	}
	e, ok := p.spent()
	if !ok || held == nil {
		return nil
	}
	if amount, ok := new(big.Int).SetString(e.Amount, 10); ok && held.Cmp(amount) < 0 {
		token, _ := p.Network.TokenByAddress(e.Asset)
		return Insufficient(token, amount, held)
	}
	return nil
}

// Insufficient says of what asset there is too little, in units of it.
func Insufficient(asset chain.Token, need, have *big.Int) error {
	return ErrInsufficientBalance.With("asset", asset.Symbol).
		With("need", chain.FormatUnits(need, asset.Decimals)).With("have", chain.FormatUnits(have, asset.Decimals))
}

// Mineable refuses a transaction that the chain would refuse, before a nonce is used for it.
func (p Plan) Mineable(now Preflight) error {
	if err := p.covered(now); err != nil {
		return err
	}
	if !p.Calls() {
		return nil
	}
	gas, err := now.gasNeeded()
	if err == nil && gas > p.Tx.Gas {
		err = ErrGas
	}
	return err
}

// Calls tells whether a contract decides what it costs.
func (p Plan) Calls() bool { return p.Tx.To != "" && len(p.Tx.Data) > 0 }
