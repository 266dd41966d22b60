package signing

import (
	"cmp"
	"context"
	"math/big"
	"strconv"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// plan is a transaction as the kit understands the request.
type plan struct {
	owner   Address
	wallet  Wallet
	network chain.Network
	from    evm.Address
	tx      evm.Tx // nonce and fees as they would be now
	maxFee  *big.Int
	row     Transaction // To, Amount, TokenAddress, TokenSymbol
	params  any
	kind    wire.ActivityType

	external bool   // from is an address of no wallet
	place    *place // of the transaction that it replaces, if any
}

// plan turns the request into a transaction: who, where, what, at which fee.
func (s *Service) plan(ctx context.Context, workspaceID string, in PrepareTransactionInput) (plan, error) {
	p := plan{}
	switch {
	case in.Replacing():
		return s.planReplacement(ctx, workspaceID, in)
	case in.Replaces != "":
		return p, fault.Field("replaces", "must only be given with type speed_up or void")
	case in.SignWith == "":
		return p, fault.Field("signWith", "is required")
	}
	err := s.sender(ctx, workspaceID, in.SignWith, &p)
	if err != nil {
		return p, err
	}
	if in.Type == ExactBytes {
		return p, s.planExact(&p, in)
	}
	if p.network, err = s.networkNamed(in); err != nil {
		return p, err
	}
	if err := p.understand(in); err != nil {
		return p, err
	}
	if err := s.price(ctx, &p, in); err != nil {
		return p, err
	}
	p.intend(in.Type)
	return p, nil
}

func (s *Service) networkNamed(in PrepareTransactionInput) (chain.Network, error) {
	if in.Network == "" && in.ChainID == 0 {
		return chain.Network{}, fault.Field("chainId", "is required")
	}
	byID, okID := s.networkByID(in.ChainID)
	bySlug, okSlug := s.networkBySlug(in.Network)
	switch {
	case in.ChainID != 0 && !okID:
		return byID, fault.Field("chainId", "is not a network of this environment")
	case in.Network != "" && !okSlug:
		return bySlug, fault.Field("network", "is not a network of this environment")
	case okID && okSlug && byID.Slug != bySlug.Slug:
		return byID, fault.Field("network", "is not that of chainId")
	case okID:
		return byID, nil
	}
	return bySlug, nil
}

// understand reads recipient and amount.
func (p *plan) understand(in PrepareTransactionInput) error {
	to, err := evm.ParseAddress(in.To)
	if err != nil {
		return fault.Field("to", "must be an address (0x and 40 hex digits; mixed case must be EIP-55)")
	}
	p.row.To = to.String()
	switch in.Type {
	case TransferNative:
		return p.transferNative(in, to)
	case TransferToken:
		return p.transferToken(in, to)
	}
	return p.call(in, to)
}

func (p *plan) transferNative(in PrepareTransactionInput, to evm.Address) error {
	amount, err := units(in.Amount, p.network.Native.Decimals)
	if err != nil {
		return err
	}
	p.tx.To, p.tx.Value = &to, amount
	p.row.Amount, p.row.TokenSymbol = evm.FormatUnits(amount, p.network.Native.Decimals), p.network.Native.Symbol
	return nil
}

func (p *plan) transferToken(in PrepareTransactionInput, to evm.Address) error {
	token, ok := p.network.TokenByAddress(in.TokenAddress)
	if !ok {
		return fault.Field("tokenAddress", "is not a listed token of the network; use type call for another contract")
	}
	contract, err := evm.ParseAddress(token.Address)
	if err != nil {
		return err
	}
	amount, err := units(in.Amount, token.Decimals)
	if err != nil {
		return err
	}
	if p.tx.Data, err = evm.EncodeTransfer(to, amount); err != nil {
		return fault.Field("amount", "is too large")
	}
	p.tx.To, p.tx.Value = &contract, new(big.Int)
	p.row.Amount, p.row.TokenAddress, p.row.TokenSymbol = evm.FormatUnits(amount, token.Decimals), contract.String(), token.Symbol
	return nil
}

func (p *plan) call(in PrepareTransactionInput, to evm.Address) (err error) {
	value := new(big.Int)
	if in.Value != "" {
		if value, err = evm.ParseUnits(in.Value, 0); err != nil {
			return fault.Field("value", "must be a whole number of wei")
		}
	}
	if in.Data != "" {
		if p.tx.Data, err = evm.ParseHex(in.Data); err != nil {
			return fault.Field("data", "must be 0x-prefixed hex")
		}
	}
	p.tx.To, p.tx.Value = &to, value
	p.row.Amount, p.row.TokenSymbol = evm.FormatUnits(value, p.network.Native.Decimals), p.network.Native.Symbol
	return nil
}

func units(amount string, decimals int) (*big.Int, error) {
	if amount == "" {
		return nil, fault.Field("amount", "is required")
	}
	n, err := evm.ParseUnits(amount, decimals)
	if err != nil {
		return nil, fault.Field("amount", "must be a plain decimal of at most "+strconv.Itoa(decimals)+" places")
	}
	if n.Sign() == 0 {
		return nil, fault.Field("amount", "must be more than zero")
	}
	return n, nil
}

// agrees refuses what is said beside exact bytes and is not what they say:
// whoever asks for 5 and brings bytes over 50 is not asked to stamp either.
func (p *plan) agrees(in PrepareTransactionInput) error {
	to := ""
	if p.tx.To != nil {
		to = strings.ToLower(p.tx.To.String())
	}
	data := evm.Hex(p.tx.Data)
	for _, f := range []struct{ name, given, is string }{
		{"chainId", strconv.FormatUint(cmp.Or(in.ChainID, p.tx.ChainID), 10), strconv.FormatUint(p.tx.ChainID, 10)},
		{"network", in.Network, p.network.Slug},
		{"to", strings.ToLower(in.To), to},
		{"value", in.Value, p.tx.Value.String()},
		{"data", strings.ToLower(in.Data), data},
		{"gasLimit", in.GasLimit, strconv.FormatUint(p.tx.GasLimit, 10)},
		{"maxFeePerGas", in.MaxFeePerGas, p.tx.GasFeeCap().String()},
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
	amount, err := evm.ParseUnits(in.Amount, p.network.Native.Decimals)
	if err != nil || amount.Cmp(p.tx.Value) != 0 {
		return fault.Field("amount", "is not that of the transaction, in its network's coin")
	}
	return nil
}

// price asks the node for nonce, gas and fee.
func (s *Service) price(ctx context.Context, p *plan, in PrepareTransactionInput) error {
	node, err := s.node(p.network.Slug)
	if err != nil {
		return err
	}
	now, err := s.preflight(ctx, *p, node, in.GasLimit == "")
	if err != nil {
		return err
	}
	if err := p.nextNonce(ctx, node, now); err != nil {
		return err
	}
	fee := now.Fee
	p.tx.Type, p.tx.ChainID = evm.DynamicFee, p.network.ChainID
	p.tx.MaxFeePerGas, p.tx.MaxPriorityFeePerGas = fee.Max, fee.Priority
	if in.MaxFeePerGas != "" {
		p.tx.MaxFeePerGas, _ = new(big.Int).SetString(in.MaxFeePerGas, 10)
		if p.tx.MaxFeePerGas.Cmp(fee.Priority) < 0 {
			p.tx.MaxPriorityFeePerGas = p.tx.MaxFeePerGas
		}
	}
	if err := p.outbid(in.MaxFeePerGas != ""); err != nil {
		return err
	}
	if err := p.covered(now); err != nil {
		return err
	}
	if p.tx.GasLimit, err = p.gasLimit(now, in.GasLimit); err != nil {
		return err
	}
	// Half as much again: fees move between the stamp and the block, and what is
	// stamped is the most that can ever be paid. A caller's own maximum is one.
	p.maxFee = p.tx.MaxFee()
	if in.MaxFeePerGas == "" {
		p.maxFee = new(big.Int).Div(new(big.Int).Mul(p.maxFee, big.NewInt(3)), big.NewInt(2))
	}
	if err := p.tx.Validate(); err != nil {
		return fault.Field("maxFeePerGas", "is out of range")
	}
	return nil
}

func (p *plan) gasLimit(now Preflight, asked string) (uint64, error) {
	if asked != "" {
		return strconv.ParseUint(asked, 10, 64)
	}
	gas, err := now.gas()
	if err != nil {
		return 0, err
	}
	if len(p.tx.Data) > 0 {
		gas += gas / 5 // state may move between now and the block
	}
	return gas, nil
}

// intend writes what is stamped: everything but the nonce and the fee per gas.
func (p *plan) intend(kind string) {
	params := wire.SignIntentParams{
		SignWith: p.from.String(), Chain: p.network.Slug, ChainID: strconv.FormatUint(p.network.ChainID, 10),
		To: p.tx.To.String(), Value: p.tx.Value.String(), Data: evm.Hex(p.tx.Data),
		GasLimit: strconv.FormatUint(p.tx.GasLimit, 10), MaxTotalFee: p.maxFee.String(),
		Replaces: p.place.stamped(),
	}
	if kind == TransferToken {
		e := p.tx.Effects(p.from, p.network)[0]
		params.Transfer = &wire.TransferParams{Token: e.Asset, To: e.To, Amount: e.Amount}
	}
	p.kind, p.params = wire.SignIntent, params
}

// planExact takes the caller's own bytes as they are.
func (s *Service) planExact(p *plan, in PrepareTransactionInput) error {
	raw, err := evm.ParseHex(in.UnsignedTransaction)
	if err != nil || len(raw) == 0 {
		return fault.Field("unsignedTransaction", "must be hex of an unsigned transaction")
	}
	if p.tx, err = evm.DecodeUnsigned(raw); err != nil {
		return fault.Field("unsignedTransaction", "must be a canonical unsigned legacy, EIP-2930 or EIP-1559 transaction").Because(err)
	}
	var ok bool
	if p.network, ok = s.networkByID(p.tx.ChainID); !ok {
		return fault.Field("unsignedTransaction", "must name a chain id of this environment")
	}
	if err := p.agrees(in); err != nil {
		return err
	}
	p.maxFee = p.tx.MaxFee()
	p.row.Amount, p.row.TokenSymbol = evm.FormatUnits(p.tx.Value, p.network.Native.Decimals), p.network.Native.Symbol
	if p.tx.To != nil {
		p.row.To = p.tx.To.String()
	}
	p.kind = wire.SignTransaction
	p.params = wire.SignTransactionParams{
		SignWith: p.from.String(), Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: strconv.FormatUint(p.tx.ChainID, 10),
		UnsignedTransaction: evm.Hex(p.tx.Unsigned()),
	}
	return nil
}
