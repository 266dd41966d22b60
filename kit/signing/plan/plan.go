package plan

import (
	"context"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/kit/signing/wallet"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

// The kinds of a prepared transaction.
const (
	TransferNative = "transfer_native"
	TransferToken  = "transfer_token"
	ContractCall   = "call"
	ExactBytes     = "sign"
)

// The kinds of a replacement: a transaction for a nonce that another was signed for.
const (
	SpeedUp = "speed_up" // does the same for a higher fee
	Void    = "void"     // does nothing, so that the other never does anything
)

// PrepareTransactionInput describes a transaction.
type PrepareTransactionInput struct {
	Type                string `json:"type" enum:"transfer_native,transfer_token,call,sign,speed_up,void"`
	SignWith            string `json:"signWith,omitempty" minLength:"1" maxLength:"64" doc:"Address, or id of the wallet account; required, but for speed_up and void"`
	ChainID             uint64 `json:"chainId,omitempty" doc:"Or network"`
	Network             string `json:"network,omitempty" doc:"Slug; or chainId"`
	To                  string `json:"to,omitempty" doc:"Recipient, or the contract of a call"`
	Amount              string `json:"amount,omitempty" maxLength:"80" doc:"Decimal, in units of the asset: 25.50"`
	TokenAddress        string `json:"tokenAddress,omitempty" doc:"Of transfer_token"`
	Value               string `json:"value,omitempty" maxLength:"80" doc:"Of call: wei"`
	Data                string `json:"data,omitempty" maxLength:"65536" pattern:"^0x([0-9a-fA-F]{2})*$" patternDescription:"0x-prefixed hex" doc:"Of call: calldata"`
	GasLimit            string `json:"gasLimit,omitempty" pattern:"^[1-9][0-9]{0,8}$" patternDescription:"a positive number" doc:"Default: the node's estimate and a fifth more"`
	MaxFeePerGas        string `json:"maxFeePerGas,omitempty" pattern:"^[1-9][0-9]{0,30}$" patternDescription:"a positive number" doc:"Wei; default: what the network asks"`
	UnsignedTransaction string `json:"unsignedTransaction,omitempty" maxLength:"131074" doc:"Of sign: exactly these bytes are signed, hex"`
	Replaces            string `json:"replaces,omitempty" maxLength:"64" doc:"Of speed_up and void: id of the signed transaction whose nonce is taken; all but maxFeePerGas comes from it"`
}

// Plan is a transaction as the kit understands the request.
type Plan struct {
	wallet.Sender
	Asset
	Network  chain.Network
	Tx       evm.Tx // nonce and fees as they would be now
	MaxFee   *big.Int
	Params   any // what is stamped
	Kind     wire.ActivityType
	Replaced *Replaced // the transaction whose nonce it takes; nil: it has one of its own
}

// Asset is what leaves, in words: the enclave reads it out of the transaction itself.
type Asset struct {
	To, Amount                string // To: who gets the asset. Amount: decimal, in units of the asset
	TokenAddress, TokenSymbol string
}

// Plan turns the request into a transaction: who, where, what, at which fee.
func (s *Planner) Plan(ctx context.Context, workspaceID string, in PrepareTransactionInput) (Plan, error) {
	p := Plan{}
	switch {
	case in.Replaces != "":
		return p, fault.Field("replaces", "must only be given with type speed_up or void")
	case in.SignWith == "":
		return p, fault.Field("signWith", "is required")
	}
	var err error
	if p.Sender, err = s.wallets.Sender(ctx, workspaceID, in.SignWith); err != nil {
		return p, err
	}
	if in.Type == ExactBytes {
		return p, s.planExact(&p, in)
	}
	if p.Network, err = s.network(in); err != nil {
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

func (s *Planner) network(in PrepareTransactionInput) (chain.Network, error) {
	if in.Network == "" && in.ChainID == 0 {
		return chain.Network{}, fault.Field("chainId", "is required")
	}
	byID, okID := s.nodes.ByChainID(in.ChainID)
	bySlug, okSlug := s.nodes.BySlug(in.Network)
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
func (p *Plan) understand(in PrepareTransactionInput) error {
	to, err := evm.ParseAddress(in.To)
	if err != nil {
		return fault.Field("to", "must be an address (0x and 40 hex digits; mixed case must be EIP-55)")
	}
	p.To = to.String()
	switch in.Type {
	case TransferNative:
		return p.transferNative(in, to)
	case TransferToken:
		return p.transferToken(in, to)
	}
	return p.call(in, to)
}

func (p *Plan) transferNative(in PrepareTransactionInput, to evm.Address) error {
	amount, err := Units(in.Amount, p.Network.Native.Decimals)
	if err != nil {
		return err
	}
	p.Tx.To, p.Tx.Value = &to, amount
	p.Amount, p.TokenSymbol = chain.FormatUnits(amount, p.Network.Native.Decimals), p.Network.Native.Symbol
	return nil
}

func (p *Plan) transferToken(in PrepareTransactionInput, to evm.Address) error {
	token, ok := p.Network.TokenByAddress(in.TokenAddress)
	if !ok {
		return fault.Field("tokenAddress", "is not a listed token of the network; use type call for another contract")
	}
	contract, err := evm.ParseAddress(token.Address)
	if err != nil {
		return err
	}
	amount, err := Units(in.Amount, token.Decimals)
	if err != nil {
		return err
	}
	if p.Tx.Data, err = evm.EncodeTransfer(to, amount); err != nil {
		return fault.Field("amount", "is too large")
	}
	p.Tx.To, p.Tx.Value = &contract, new(big.Int)
	p.Amount, p.TokenAddress, p.TokenSymbol = chain.FormatUnits(amount, token.Decimals), contract.String(), token.Symbol
	return nil
}

func (p *Plan) call(in PrepareTransactionInput, to evm.Address) (err error) {
	value := new(big.Int)
	if in.Value != "" {
		if value, err = chain.ParseUnits(in.Value, 0); err != nil {
			return fault.Field("value", "must be a whole number of wei")
		}
	}
	if in.Data != "" {
		if p.Tx.Data, err = chain.ParseHex(in.Data); err != nil {
			return fault.Field("data", "must be 0x-prefixed hex")
		}
	}
	p.Tx.To, p.Tx.Value = &to, value
	p.Amount, p.TokenSymbol = chain.FormatUnits(value, p.Network.Native.Decimals), p.Network.Native.Symbol
	return nil
}

// Units reads a decimal amount as a whole number of the smallest units: "25.50" with 6 decimals is 25500000.
func Units(amount string, decimals int) (*big.Int, error) {
	if amount == "" {
		return nil, fault.Field("amount", "is required")
	}
	n, err := chain.ParseUnits(amount, decimals)
	if err != nil {
		return nil, fault.Field("amount", "must be a plain decimal of at most "+strconv.Itoa(decimals)+" places")
	}
	if n.Sign() == 0 {
		return nil, fault.Field("amount", "must be more than zero")
	}
	return n, nil
}

// intend writes what is stamped: everything but the nonce and the fee per gas.
func (p *Plan) intend(kind string) {
	params := wire.SignIntentParams{
		SignWith: p.From.String(), Chain: p.Network.Slug, ChainID: strconv.FormatUint(p.Network.ChainID, 10),
		To: p.Tx.To.String(), Value: p.Tx.Value.String(), Data: chain.Hex(p.Tx.Data),
		GasLimit: strconv.FormatUint(p.Tx.GasLimit, 10), MaxTotalFee: p.MaxFee.String(),
		Replaces: p.Replaced.stamped(),
	}
	if kind == TransferToken {
		e := p.Tx.Effects(p.From, p.Network)[0]
		params.Transfer = &wire.TransferParams{Token: e.Asset, To: e.To, Amount: e.Amount}
	}
	p.Kind, p.Params = wire.SignIntent, params
}
