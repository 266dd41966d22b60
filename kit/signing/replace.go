package signing

import (
	"context"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// The kinds of a replacement: a transaction for a nonce that another was signed for.
const (
	SpeedUp = "speed_up" // does the same for a higher fee
	Void    = "void"     // does nothing, so that the other never does anything
)

// Replacing says that the input asks for a replacement.
func (in PrepareTransactionInput) Replacing() bool { return in.Type == SpeedUp || in.Type == Void }

// place is what a replacement takes the nonce of.
type place struct {
	id, fingerprint string
	nonce           uint64
	tx              evm.Tx // as it was signed
}

// planReplacement takes who and where from the transaction that is replaced.
func (s *Service) planReplacement(ctx context.Context, workspaceID string, in PrepareTransactionInput) (plan, error) {
	p := plan{}
	if err := in.checkReplacing(); err != nil {
		return p, err
	}
	old, err := s.store.Transaction(ctx, workspaceID, in.Replaces)
	if err != nil {
		return p, err
	}
	if p.place, err = old.place(); err != nil {
		return p, err
	}
	if err := s.sender(ctx, workspaceID, old.From, &p); err != nil {
		return p, err
	}
	if p.network, err = s.networkNamed(PrepareTransactionInput{Network: old.Chain}); err != nil {
		return p, err
	}
	if err := p.takePlace(old, in.Type); err != nil {
		return p, err
	}
	if err := s.price(ctx, &p, in); err != nil {
		return p, err
	}
	kind := in.Type
	if p.row.TokenAddress != "" {
		kind = TransferToken // its words say what the calldata does
	}
	p.intend(kind)
	return p, nil
}

// checkReplacing refuses what the replaced transaction says already.
func (in PrepareTransactionInput) checkReplacing() error {
	if in.Replaces == "" {
		return fault.Field("replaces", "is required")
	}
	chainID := ""
	if in.ChainID != 0 {
		chainID = strconv.FormatUint(in.ChainID, 10)
	}
	for _, f := range []struct{ name, value string }{
		{"signWith", in.SignWith}, {"chainId", chainID}, {"network", in.Network}, {"to", in.To}, {"amount", in.Amount},
		{"tokenAddress", in.TokenAddress}, {"value", in.Value}, {"data", in.Data}, {"gasLimit", in.GasLimit},
		{"unsignedTransaction", in.UnsignedTransaction},
	} {
		if f.value != "" {
			return fault.Field(f.name, "must not be given: it is that of the replaced transaction")
		}
	}
	return nil
}

// place refuses what no other transaction can take the nonce of.
func (t Transaction) place() (*place, error) {
	switch {
	case t.external():
		return nil, ErrNotReplaceable.Msg("its key is outside. Sign another one for its nonce there")
	case t.State == Awaiting:
		return nil, ErrNotReplaceable.Msg("it is not signed. Cancel it, and prepare another one")
	case t.State == Cancelled, t.State == Expired:
		return nil, ErrNotReplaceable.Msg("it was never signed. Prepare another one")
	case t.State == Confirmed, !t.MinedAt.IsZero():
		return nil, ErrNotReplaceable.Msg("it is mined")
	case t.ReplacedBy != "":
		return nil, t.replaced()
	}
	tx, err := signedTx(t)
	return &place{t.ID, t.Fingerprint, tx.Nonce, tx}, err
}

// replaced names the transaction that has the nonce now.
func (t Transaction) replaced() error {
	if t.ReplacedBy == "" {
		return nil
	}
	return ErrReplaced.Msg(t.ReplacedBy).With("replacedBy", t.ReplacedBy)
}

func signedTx(t Transaction) (evm.Tx, error) {
	raw, err := evm.ParseHex(t.SignedTransaction)
	if err != nil {
		return evm.Tx{}, err
	}
	tx, _, err := evm.DecodeSigned(raw)
	return tx, err
}

// takePlace is what the replacement does.
func (p *plan) takePlace(old Transaction, kind string) error {
	p.row.Replaces = old.ID
	if kind == Void {
		p.tx.To, p.tx.Value = &p.from, new(big.Int)
		p.row.To, p.row.Amount, p.row.TokenSymbol = p.from.String(), "0", p.network.Native.Symbol
		return nil
	}
	if p.place.tx.To == nil {
		return ErrNotReplaceable.Msg("it creates a contract. Only type void can take its place")
	}
	p.tx.To, p.tx.Value, p.tx.Data = p.place.tx.To, p.place.tx.Value, p.place.tx.Data
	p.row.To, p.row.Amount, p.row.TokenAddress, p.row.TokenSymbol = old.To, old.Amount, old.TokenAddress, old.TokenSymbol
	return nil
}

// outbid gives a replacement its nonce, and a fee that the network takes it for.
func (p *plan) outbid(ownMaximum bool) error {
	if p.place == nil {
		return nil
	}
	if p.tx.Nonce > p.place.nonce {
		return ErrNotReplaceable.Msg("its nonce is mined")
	}
	p.tx.Nonce = p.place.nonce
	least, leastTip := raised(p.place.tx.GasFeeCap()), raised(p.place.tx.GasTipCap())
	if ownMaximum && p.tx.MaxFeePerGas.Cmp(least) < 0 {
		return fault.Field("maxFeePerGas", "must be at least an eighth above that of the replaced transaction")
	}
	p.tx.MaxFeePerGas = larger(p.tx.MaxFeePerGas, least)
	p.tx.MaxPriorityFeePerGas = larger(p.tx.MaxPriorityFeePerGas, leastTip)
	return nil
}

// raised is an eighth more: nodes take a transaction in the place of another for
// a tenth more of both its fees.
func raised(fee *big.Int) *big.Int {
	more := new(big.Int).Add(fee, big.NewInt(7))
	return more.Add(fee, more.Rsh(more, 3))
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// stamped is how a replacement names its place in the body.
func (p *place) stamped() *wire.ReplacedParams {
	if p == nil {
		return nil
	}
	return &wire.ReplacedParams{Fingerprint: p.fingerprint, Nonce: strconv.FormatUint(p.nonce, 10)}
}

// keepBid holds a replacement to the fee it was prepared with, should the
// network ask less by now: the one that it replaces has not become cheaper.
func (t Transaction) keepBid(tx *evm.Tx, prepared evm.Tx) {
	if t.Replaces == "" {
		return
	}
	tx.MaxFeePerGas = larger(tx.MaxFeePerGas, prepared.MaxFeePerGas)
	tx.MaxPriorityFeePerGas = larger(tx.MaxPriorityFeePerGas, prepared.MaxPriorityFeePerGas)
}

// succeed writes down, together with its signature, whose nonce a transaction took.
func (t Transaction) succeed(ctx context.Context, tx Tx, c TransactionChange) error {
	if t.Replaces == "" {
		return nil
	}
	return tx.ReplaceTransaction(ctx, t.WorkspaceID, t.Replaces, t.ID, c.Now)
}
