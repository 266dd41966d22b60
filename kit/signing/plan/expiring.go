package plan

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
)

// ErrBlockhash is of bytes that name a block which is too old.
var ErrBlockhash = fault.Define(fault.Conflict, "blockhash_expired",
	"The recent block that the transaction names is too old: no block takes it any more. Prepare it again",
	"On Solana, a transaction is good for some 150 blocks, about a minute, on Tron for ten minutes. What was signed stays counted; whoever pays "+
		"again stamps anew")

// spread is how many units of execution an intent may use beyond what it needs, so that two payments alike can be two
// messages: each says another number of units (Choose).
const spread = 5_000

// priceExpiring asks the nodes for what stands in the place of nonce and gas where transactions name a recent block.
func (s *Planner) priceExpiring(ctx context.Context, p *Plan, in PrepareTransactionInput) error {
	if in.MaxFeePerGas != "" {
		return fault.Field("maxFeePerGas", "must not be given on "+p.Network.Slug+", where no gas is paid for")
	}
	if in.Type == ContractCall {
		return fault.Field("type", "must not be call on "+p.Network.Slug+": sign the whole transaction, with type sign")
	}
	asked, _ := strconv.ParseUint(in.GasLimit, 10, 64)
	if asked > p.Family.MaxGas() {
		return fault.Field("gasLimit", "must be at most "+strconv.FormatUint(p.Family.MaxGas(), 10))
	}
	o, err := s.Offer(ctx, *p, node.Wish{Intent: chain.Intent{From: p.From, Call: p.Tx.Call, Gas: asked}})
	if err != nil {
		return err
	}
	gas := asked
	switch {
	case asked == 0:
		gas = min(o.needs()+spread, p.Family.MaxGas())
	case asked < o.needs():
		return ErrGas
	}
	p.Window, p.MaxRent, p.MaxFee = o.Window, withRoom(o.Rent), o.maxFee()
	o.Recent.Units = gas
	if life := p.Family.Form().Lifetime; life > 0 { // for who signs by himself: the enclave goes by its own clock
		o.Recent.Expires = s.clock.Now().Add(life).UnixMilli()
	}
	call := p.Tx.Call
	call.Rent = p.MaxRent
	intent := chain.Intent{From: p.From, Call: call, Gas: gas}
	if p.Tx, err = p.Family.Assemble(p.Network, intent, chain.Terms{Recent: &o.Recent}); err != nil {
		return fault.Field("to", err.Error())
	}
	p.Tx.Call, p.Tx.Gas = call, gas
	if p.Network.DataFee { // bytes are counted beside the fee, and the nodes have held both against the balance
		p.MaxFee = p.Tx.MaxFee
		return nil
	}
	return p.within(p.mostCoin(), o.Balance, o.Held)
}

// mostCoin is the most that leaves in the network's coin: what is paid, the fee, and an account of the payee's.
func (p Plan) mostCoin() *big.Int {
	most := new(big.Int).Add(p.Tx.Value, p.MaxFee)
	return most.Add(most, new(big.Int).SetUint64(p.MaxRent))
}

// Offered is what the nodes offer for an intent.
type Offered struct{ node.Offer }

// Offer has the nodes try an intent. The balances come first: a node says of an empty account only that it fails.
func (s *Planner) Offer(ctx context.Context, p Plan, w node.Wish) (Offered, error) {
	n, ok := s.nodes.Expiring(p.Network.Slug)
	if !ok {
		return Offered{}, nodes.ErrNoNode
	}
	o, err := n.Offer(ctx, w)
	if err != nil {
		return Offered{}, nodes.ErrNode.Because(err)
	}
	least := new(big.Int).Add(p.Tx.Value, o.SignatureFee)
	if err := p.within(least.Add(least, new(big.Int).SetUint64(o.Rent)), o.Balance, o.Held); err != nil {
		return Offered{}, err
	}
	return Offered{o}, cmp.Or(failureOf(o.Failure), s.issued(ctx, p))
}

// issued refuses what moves, or lets others move, a listed token whose issuer changed. It is asked before a transaction
// is prepared and once more before it is signed, and comes last: of what fails anyway another reason says more.
func (s *Planner) issued(ctx context.Context, p Plan) error {
	for _, e := range p.effects() {
		if _, listed := p.Network.TokenByAddress(e.Asset); !listed {
			continue
		}
		if err := s.issuers.Check(ctx, p.Network.Slug, e.Asset); err != nil {
			return err
		}
	}
	return nil
}

// OfferSponsored has the nodes try a payment whose fee somebody else pays, and refuses a token whose issuer changed.
func (s *Planner) OfferSponsored(
	ctx context.Context, n chain.Network, t chain.SponsoredTransfer,
) (o node.SponsoredOffer, err error) {
	at, ok := s.nodes.Sponsoring(n.Slug)
	if !ok {
		return o, nodes.ErrNoNode
	}
	if o, err = at.OfferSponsored(ctx, t); err != nil {
		return o, nodes.ErrNode.Because(err)
	}
	if errors.Is(o.Failure, node.ErrPayee) {
		return o, nodes.ErrWouldFail.Because(o.Failure).With("reason", "the payee "+nodes.Words(o.Failure))
	}
	return o, cmp.Or(failureOf(o.Failure), s.issuers.Check(ctx, n.Slug, t.Token.Address))
}

// failureOf is why a transaction would fail, for who asked for it.
func failureOf(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, node.ErrPayee):
		return fault.Field("to", nodes.Words(err)).Because(err)
	case errors.Is(err, node.ErrReverts), errors.Is(err, node.ErrNoFunds):
		return nodes.ErrWouldFail.Because(err).With("reason", nodes.Words(err))
	case errors.Is(err, node.ErrBlockhash):
		return ErrBlockhash.Because(err)
	}
	return nodes.ErrNode.Because(err)
}

// needs is how many units are enough: accounts may change between now and the block, so a tenth is added.
func (o Offered) needs() uint64 { return o.Used + o.Used/10 + 1 }

// maxFee is what is stamped: the price of the signature, and three times the priority of now or, where that is more,
// the price of another signature. Where blocks are empty, at 5,000 lamports a signature, it is 10,000.
func (o Offered) maxFee() *big.Int {
	room := new(big.Int).SetUint64(3 * o.Priority)
	if room.Cmp(o.SignatureFee) < 0 {
		room.Set(o.SignatureFee)
	}
	return room.Add(room, o.SignatureFee)
}

// withRoom is what an account may cost until the payment is executed, since the network may change the price: a
// twentieth more than now.
func withRoom(rent uint64) uint64 { return rent + rent/20 }

// Choose says how many units of execution a message asks for: any number from what it needs to what is stamped. Two
// payments alike within one block would be one message otherwise, which the network takes once.
func (o Offered) Choose(gasLimit uint64, random func(n uint64) uint64) (uint64, error) {
	least := o.needs()
	if least > gasLimit {
		return 0, ErrGas
	}
	return least + random(gasLimit-least+1), nil
}

// TryExact has the nodes execute exact bytes that are not signed yet, where they name a recent block, and notes when
// they can be in one.
func (s *Planner) TryExact(ctx context.Context, p *Plan) error {
	if p.Family.Form().Nonces {
		return nil
	}
	n, ok := s.nodes.Expiring(p.Network.Slug)
	if !ok {
		return nodes.ErrNoNode
	}
	var err error
	if p.Window, err = n.Try(ctx, p.Tx.Unsigned); p.Tx.Durable != "" {
		p.Window.LastHeight = 0 // it never expires
	}
	return cmp.Or(failureOf(err), s.issued(ctx, *p))
}
