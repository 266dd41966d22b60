package plan

import (
	"context"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// The error of a replacement whose nonce cannot be taken.
var (
	ErrNotReplaceable = fault.Define(fault.Conflict, "not_replaceable", "Transaction cannot be replaced: %s",
		"It is not signed, is mined, or its key is outside")
)

// Replaced is a signed transaction whose nonce a replacement takes.
type Replaced struct {
	Asset
	ID, Fingerprint string
	From, Chain     string
	Tx              chain.Tx // as it was signed
}

// Replacing says that the input asks for a replacement.
func (in PrepareTransactionInput) Replacing() bool { return in.Type == SpeedUp || in.Type == Void }

// CheckReplacing refuses fields that a replacement takes from the replaced transaction.
func (in PrepareTransactionInput) CheckReplacing() error {
	if in.Replaces == "" {
		return fault.Field("replaces", "is required")
	}
	chainID, allow := "", ""
	if in.ChainID != 0 {
		chainID = strconv.FormatUint(in.ChainID, 10)
	}
	if in.AllowContract {
		allow = "true"
	}
	for _, f := range []struct{ name, value string }{
		{"signWith", in.SignWith}, {"chainId", chainID}, {"network", in.Network}, {"to", in.To}, {"amount", in.Amount},
		{"tokenAddress", in.TokenAddress}, {"value", in.Value}, {"data", in.Data}, {"gasLimit", in.GasLimit},
		{"unsignedTransaction", in.UnsignedTransaction}, {"allowContract", allow},
	} {
		if f.value != "" {
			return fault.Field(f.name, "must not be given: it is that of the replaced transaction")
		}
	}
	return nil
}

// PlanReplacement plans a transaction with the nonce of another one. It has the same sender and network, and with
// speed_up the same call.
func (s *Planner) PlanReplacement(ctx context.Context, workspaceID string, in PrepareTransactionInput,
	old Replaced,
) (Plan, error) {
	p := Plan{Replaced: &old}
	var err error
	if p.Sender, err = s.wallets.Sender(ctx, workspaceID, old.From); err != nil {
		return p, err
	}
	if p.Network, err = s.network(PrepareTransactionInput{Network: old.Chain}); err != nil {
		return p, err
	}
	if err := p.takePlace(in.Type); err != nil {
		return p, err
	}
	if err := s.price(ctx, &p, in); err != nil {
		return p, err
	}
	kind := in.Type
	if p.TokenAddress != "" {
		kind = TransferToken // its words say what the calldata does
	}
	p.intend(kind)
	return p, nil
}

// takePlace sets the call of the replacement: the replaced transaction's, or none.
func (p *Plan) takePlace(kind string) error {
	if kind == Void {
		p.Tx.Call = chain.Call{To: p.From, Value: new(big.Int)}
		p.Asset = Asset{To: p.From, Amount: "0", TokenSymbol: p.Network.Native.Symbol}
		return nil
	}
	old := p.Replaced.Tx
	if old.To == "" {
		return ErrNotReplaceable.Msg("it creates a contract. Only type void can take its place")
	}
	p.Tx.Call = old.Call
	p.Asset = p.Replaced.Asset
	return nil
}

// outbid gives a replacement the nonce of the transaction that it replaces, and a fee at which nodes take it instead.
func (p *Plan) outbid(ownMaximum bool) error {
	if p.Replaced == nil {
		return nil
	}
	if p.Tx.Nonce > p.Replaced.Tx.Nonce {
		return ErrNotReplaceable.Msg("its nonce is mined")
	}
	p.Tx.Nonce = p.Replaced.Tx.Nonce
	old := p.Replaced.Tx.Fee
	least := chain.Fee{Max: raised(old.Max), Priority: raised(old.Tip())}
	if ownMaximum && p.Tx.Fee.Max.Cmp(least.Max) < 0 {
		return fault.Field("maxFeePerGas", "must be at least an eighth above that of the replaced transaction")
	}
	p.Tx.Fee = p.Tx.Fee.AtLeast(least)
	return nil
}

// raised is a fee and an eighth of it more: 80 gwei becomes 90. Nodes take a transaction in the place of another one
// if both its fees are at least a tenth higher.
func raised(fee *big.Int) *big.Int {
	more := new(big.Int).Add(fee, big.NewInt(7))
	return more.Add(fee, more.Rsh(more, 3))
}

// stamped is how a replacement names the replaced transaction in its body.
func (r *Replaced) stamped() *wire.ReplacedParams {
	if r == nil {
		return nil
	}
	return &wire.ReplacedParams{Fingerprint: r.Fingerprint, Nonce: strconv.FormatUint(r.Tx.Nonce, 10)}
}
