package plan

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// planExact plans a transaction from the caller's exact bytes.
func (s *Planner) planExact(p *Plan, in PrepareTransactionInput) error {
	raw, err := chain.ParseHex(in.UnsignedTransaction)
	if err != nil || len(raw) == 0 {
		return fault.Field("unsignedTransaction", "must be hex of an unsigned transaction")
	}
	if p.Tx, err = p.Family.DecodeUnsigned(raw); err != nil {
		return fault.Field("unsignedTransaction",
			"must be a canonical unsigned "+p.Family.Encodings()+" transaction").Because(err)
	}
	var ok bool
	if p.Network, ok = s.nodes.Named(p.Family.Kind(), p.Tx.NetworkID); !ok {
		return fault.Field("unsignedTransaction", "names a chain that "+chain.Unknown(s.nodes.Networks()))
	}
	if err := p.agrees(in); err != nil {
		return err
	}
	p.MaxFee, p.To = p.Tx.MaxFee, p.Tx.To
	p.Amount, p.TokenSymbol = chain.FormatUnits(p.Tx.Value, p.Network.Native.Decimals), p.Network.Native.Symbol
	p.Kind = wire.SignTransaction
	p.Params = wire.SignTransactionParams{
		SignWith: p.From, Type: p.Family.TransactionType(), ChainID: p.Tx.NetworkID,
		UnsignedTransaction: chain.Hex(p.Tx.Unsigned),
	}
	return nil
}

// agrees refuses a request whose other fields contradict its exact bytes: an amount of 5 with bytes that transfer 50,
// say.
func (p *Plan) agrees(in PrepareTransactionInput) error {
	chainID := p.Network.ChainID
	for _, f := range []struct{ name, given, is string }{
		{"chainId", strconv.FormatUint(cmp.Or(in.ChainID, chainID), 10), strconv.FormatUint(chainID, 10)},
		{"network", in.Network, p.Network.Slug},
		{"to", p.Family.Lookup(in.To), p.Family.Lookup(p.Tx.To)},
		{"value", in.Value, p.Tx.Value.String()},
		{"data", strings.ToLower(in.Data), chain.Hex(p.Tx.Data)},
		{"gasLimit", in.GasLimit, strconv.FormatUint(p.Tx.Gas, 10)},
		{"maxFeePerGas", in.MaxFeePerGas, p.Tx.Fee.Max.String()},
	} {
		if f.given != "" && f.given != f.is {
			return fault.Field(f.name, "is not that of the transaction")
		}
	}
	if in.TokenAddress != "" {
		return fault.Field("tokenAddress", "must not be given with type sign")
	}
	if in.Amount == "" {
		return nil
	}
	amount, err := chain.ParseUnits(in.Amount, p.Network.Native.Decimals)
	if err != nil || amount.Cmp(p.Tx.Value) != 0 {
		return fault.Field("amount", "is not that of the transaction, in its network's coin")
	}
	return nil
}

// CheckExternal makes the checks of a transaction that its owner signs outside: whether the balance covers amount and
// fee and, for exact bytes, whether the call would succeed. The server cannot refuse the transaction later.
func (s *Planner) CheckExternal(ctx context.Context, p *Plan, kind string) error {
	if p.Tx.Nonce > math.MaxInt64 {
		return fault.Field("unsignedTransaction", "has a nonce out of reach")
	}
	exact := kind == ExactBytes // of the others planning has just estimated the gas
	if !p.Family.Form().Nonces {
		if exact {
			return s.TryExact(ctx, p)
		}
		return nil
	}
	check := p.covered
	if exact {
		check = p.Mineable
	}
	return s.WithFacts(ctx, *p, exact && p.Calls(), check)
}
