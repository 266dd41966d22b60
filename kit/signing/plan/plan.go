package plan

import (
	"context"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/wallet"
	"github.com/railkit/railkit/rest"
)

// The kinds of a prepared transaction.
const (
	TransferNative = "transfer_native"
	TransferToken  = "transfer_token"
	ContractCall   = "call"
	ExactBytes     = "sign"
	AgentPayment   = "agent_payment" // asked for by an agent, under its own signature
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
	ChainID             uint64 `json:"chainId,omitempty" doc:"Chain id of the network, such as 8453; or network"`
	Network             string `json:"network,omitempty" doc:"Slug of the network, such as base; or chainId"`
	To                  string `json:"to,omitempty" doc:"Recipient, or the contract of a call"`
	Amount              string `json:"amount,omitempty" maxLength:"80" doc:"Decimal, in units of the asset: 25.50"`
	TokenAddress        string `json:"tokenAddress,omitempty" doc:"Of transfer_token"`
	Value               string `json:"value,omitempty" maxLength:"80" doc:"Of call: wei"`
	Data                string `json:"data,omitempty" maxLength:"65536" pattern:"^0x([0-9a-fA-F]{2})*$" patternDescription:"0x-prefixed hex" doc:"Of call: calldata"`
	GasLimit            string `json:"gasLimit,omitempty" pattern:"^[1-9][0-9]{0,8}$" patternDescription:"a positive number" doc:"Default: the node's estimate and a fifth more"`
	MaxFeePerGas        string `json:"maxFeePerGas,omitempty" pattern:"^[1-9][0-9]{0,30}$" patternDescription:"a positive number" doc:"Wei; default: what the network asks"`
	UnsignedTransaction string `json:"unsignedTransaction,omitempty" maxLength:"131074" doc:"Of sign: exactly these bytes are signed, hex"`
	Replaces            string `json:"replaces,omitempty" maxLength:"64" doc:"Of speed_up and void: id of the signed transaction whose nonce is taken; all but maxFeePerGas comes from it"`
	AllowContract       bool   `json:"allowContract,omitempty" doc:"Goes on where money is sent to what gives nothing back: a token's contract, a router, a lending pool, Permit2, a precompile, a burn address, the sender. It is no part of what is stamped, and no policy lets such a transfer pass"`
	Broadcast           *bool  `json:"broadcast,omitempty" doc:"What confirm will say of it; the passkey page, which says nothing, goes by this. Default true. One that confirm repeats is written once"`
	rest.ReturnTo
}

// Held says that what is signed is not to be sent unless confirm says otherwise.
func (in PrepareTransactionInput) Held() bool { return in.Broadcast != nil && !*in.Broadcast }

// CallOf asks for a call of a contract.
func CallOf(signWith string, n chain.Network, c chain.Call) PrepareTransactionInput {
	return PrepareTransactionInput{
		Type: ContractCall, SignWith: signWith, Network: n.Slug, To: c.To, Value: c.Value.String(),
		Data: chain.Hex(c.Data),
	}
}

// Plan is the transaction that a request asks for.
type Plan struct {
	wallet.Sender
	Asset
	Network  chain.Network
	Tx       chain.Tx // with the nonce and the fee that it would have now
	MaxFee   *big.Int
	Params   any // what is stamped
	Kind     wire.ActivityType
	Replaced *Replaced // the transaction whose nonce it takes; nil: it has one of its own

	// Of a network without nonces:
	Window  node.Window // when it can be in a block
	MaxRent uint64      // most that an account of the payee's may cost; 0: it is there, or none is needed
}

// Asset is what leaves, in words: the enclave reads it out of the transaction itself.
type Asset struct {
	To, Amount                string // To: who gets the asset. Amount: decimal, in units of the asset
	TokenAddress, TokenSymbol string
}

// Plan turns a request into a transaction: its sender, network, call, nonce and fee.
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
		if err := s.planExact(&p, in); err != nil {
			return p, err
		}
		return p, p.strands(in)
	}
	if p.Network, err = s.network(in); err != nil {
		return p, err
	}
	if p.Network.Kind != p.Family.Kind() {
		return p, fault.Field("signWith", "is an address of another kind of network")
	}
	if err := p.understand(in); err != nil {
		return p, err
	}
	if err := p.strands(in); err != nil {
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
		return byID, fault.Field("chainId", chain.Unknown(s.nodes.Networks()))
	case in.Network != "" && !okSlug:
		return bySlug, fault.Field("network", chain.Unknown(s.nodes.Networks()))
	case okID && okSlug && byID.Slug != bySlug.Slug:
		return byID, fault.Field("network", "is not that of chainId")
	case okID:
		return byID, nil
	}
	return bySlug, nil
}

// ErrKnownContract is a transfer to an address that gives nothing back.
var ErrKnownContract = fault.Define(fault.Unprocessable, "known_contract", "Money would be lost: %s",
	"A transfer to a contract that cannot return it, to nobody or to the sender; allowContract of prepare goes on")

// ErrNoKey is a transfer to an address that is a program's, and not somebody's.
var ErrNoKey = fault.Define(fault.Unprocessable, "payee_without_key", "The payee has no key: %s",
	"On Solana, a transfer to an address that is no point of the curve, such as the vault of several people; "+
		"allowContract of prepare goes on")

// strands refuses a transfer whose receiver is known to give nothing back, unless it is meant.
func (p *Plan) strands(in PrepareTransactionInput) error {
	if in.AllowContract {
		return nil
	}
	for _, e := range p.effects() {
		if words := p.Family.WarnPayee(e.To); e.Kind == chain.Transfer && words != "" {
			return ErrNoKey.Msg(words).With("address", e.To)
		}
		if k, stranded := chain.Stranded(p.Network, e); stranded {
			return ErrKnownContract.Msg(k.Said(e.To)).With("address", e.To).With("kind", k.Kind).With("name", k.Name)
		}
	}
	return nil
}

// understand reads recipient and amount.
func (p *Plan) understand(in PrepareTransactionInput) (err error) {
	if p.To, err = p.Family.ParseAddress(in.To); err != nil {
		return fault.Field("to", "must be an address ("+p.Family.Form().Typed+")")
	}
	switch in.Type {
	case TransferNative:
		return p.transfer(in.Amount, p.Network.Native)
	case TransferToken:
		token, ok := p.Network.TokenByAddress(in.TokenAddress)
		if !ok {
			return fault.Field("tokenAddress",
				"is not a listed token of the network ("+p.Network.Symbols()+"); use type call for another contract")
		}
		return p.transfer(in.Amount, token)
	}
	return p.call(in)
}

func (p *Plan) transfer(text string, t chain.Token) error {
	amount, err := Units(text, t.Decimals)
	if err != nil {
		return err
	}
	if p.Tx.Call, err = p.Family.Transfer(t, p.To, amount); err != nil {
		return fault.Field("amount", "is too large").Because(err)
	}
	p.Amount, p.TokenAddress, p.TokenSymbol = chain.FormatUnits(amount, t.Decimals), t.Address, t.Symbol
	return nil
}

func (p *Plan) call(in PrepareTransactionInput) (err error) {
	p.Tx.Call = chain.Call{To: p.To, Value: new(big.Int)}
	if in.Value != "" {
		if p.Tx.Value, err = chain.ParseUnits(in.Value, 0); err != nil {
			return fault.Field("value", "must be a whole number of wei")
		}
	}
	if in.Data != "" {
		if p.Tx.Data, err = chain.ParseHex(in.Data); err != nil {
			return fault.Field("data", "must be 0x-prefixed hex")
		}
	}
	p.Amount, p.TokenSymbol = chain.FormatUnits(p.Tx.Value, p.Network.Native.Decimals), p.Network.Native.Symbol
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

// RentText is MaxRent as bodies have it: "" where no account has to be made.
func (p Plan) RentText() string {
	if p.MaxRent == 0 {
		return ""
	}
	return strconv.FormatUint(p.MaxRent, 10)
}

// intend writes the parameters to stamp: all but the nonce and the current fee per gas.
func (p *Plan) intend(kind string) {
	params := wire.SignIntentParams{
		SignWith: p.From, Chain: p.Network.Slug, ChainID: p.Network.ID(), To: p.Tx.To, Value: p.Tx.Value.String(),
		Data: chain.Hex(p.Tx.Data), GasLimit: strconv.FormatUint(p.Tx.Gas, 10), MaxTotalFee: p.MaxFee.String(),
		Replaces: p.Replaced.stamped(), MaxRent: p.RentText(),
	}
	if kind == TransferToken {
		e, _ := p.spent() // on Solana an account of the payee's comes before it
		params.Transfer = &wire.TransferParams{Token: e.Asset, To: e.To, Amount: e.Amount}
	}
	p.Kind, p.Params = wire.SignIntent, params
}
