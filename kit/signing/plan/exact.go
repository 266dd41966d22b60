package plan

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// planExact takes the caller's own bytes as they are.
func (s *Planner) planExact(p *Plan, in PrepareTransactionInput) error {
	raw, err := chain.ParseHex(in.UnsignedTransaction)
	if err != nil || len(raw) == 0 {
		return fault.Field("unsignedTransaction", "must be hex of an unsigned transaction")
	}
	if p.Tx, err = evm.DecodeUnsigned(raw); err != nil {
		return fault.Field("unsignedTransaction",
			"must be a canonical unsigned legacy, EIP-2930 or EIP-1559 transaction").Because(err)
	}
	var ok bool
	if p.Network, ok = s.nodes.ByChainID(p.Tx.ChainID); !ok {
		return fault.Field("unsignedTransaction", "must name a chain id of this environment")
	}
	if err := p.agrees(in); err != nil {
		return err
	}
	p.MaxFee = p.Tx.MaxFee()
	p.Amount, p.TokenSymbol = chain.FormatUnits(p.Tx.Value, p.Network.Native.Decimals), p.Network.Native.Symbol
	if p.Tx.To != nil {
		p.To = p.Tx.To.String()
	}
	p.Kind = wire.SignTransaction
	p.Params = wire.SignTransactionParams{
		SignWith: p.From.String(), Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: strconv.FormatUint(p.Tx.ChainID, 10),
		UnsignedTransaction: chain.Hex(p.Tx.Unsigned()),
	}
	return nil
}

// agrees refuses what is said beside exact bytes and is not what they say:
// whoever asks for 5 and brings bytes over 50 is not asked to stamp either.
func (p *Plan) agrees(in PrepareTransactionInput) error {
	to := ""
	if p.Tx.To != nil {
		to = strings.ToLower(p.Tx.To.String())
	}
	data := chain.Hex(p.Tx.Data)
	for _, f := range []struct{ name, given, is string }{
		{"chainId", strconv.FormatUint(cmp.Or(in.ChainID, p.Tx.ChainID), 10), strconv.FormatUint(p.Tx.ChainID, 10)},
		{"network", in.Network, p.Network.Slug},
		{"to", strings.ToLower(in.To), to},
		{"value", in.Value, p.Tx.Value.String()},
		{"data", strings.ToLower(in.Data), data},
		{"gasLimit", in.GasLimit, strconv.FormatUint(p.Tx.GasLimit, 10)},
		{"maxFeePerGas", in.MaxFeePerGas, p.Tx.GasFeeCap().String()},
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

// CheckExternal asks the node what is asked before the enclave signs: whether
// the balance covers the fee too and, of the caller's own bytes, whether they
// would run. Once they are signed outside there is nothing left to refuse.
func (s *Planner) CheckExternal(ctx context.Context, p Plan, kind string) error {
	if p.Tx.Nonce > math.MaxInt64 {
		return fault.Field("unsignedTransaction", "has a nonce out of reach")
	}
	node, err := s.nodes.Node(p.Network.Slug)
	if err != nil {
		return err
	}
	exact := kind == ExactBytes // of the others planning has just estimated the gas
	now, err := s.Preflight(ctx, p, node, exact && p.Calls())
	if err != nil {
		return err
	}
	if exact {
		return p.Mineable(now)
	}
	return p.covered(now)
}
