package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
)

const (
	// loadedBytes is for how large the accounts may be that a payment names: the programs among them have some 250 kB.
	loadedBytes = 1 << 20
	// againV1 is how long v1 is not tried again after a node did not take one.
	againV1 = 10 * time.Minute
)

// Offer has all nodes try an intent as it would be executed now.
func (n *Network) Offer(ctx context.Context, w node.Wish) (o node.Offer, err error) {
	b, err := n.nodes.Blockhash(ctx)
	if err != nil {
		return o, err
	}
	o = node.Offer{Window: b.window(), SignatureFee: big.NewInt(solana.FeePerSignature)}
	o.Recent = chain.Recent{
		Blockhash: solana.Address(b.Hash).String(), Version: n.nodes.Version().Name(), LoadedBytes: loadedBytes,
	}
	p, err := n.parties(ctx, w)
	if err != nil {
		return o, err
	}
	o.Balance, o.Held = new(big.Int).SetUint64(p.source.Lamports), p.held()
	if o.Failure = p.refusal(); o.Failure != nil {
		return o, nil
	}
	if p.opens() {
		if o.Rent, err = n.nodes.Rent(ctx, TokenAccount); err != nil {
			return o, err
		}
	}
	if err := n.coins(ctx, p, w, &o); err != nil || o.Failure != nil {
		return o, err
	}
	price, err := n.price(ctx, p.addresses()...)
	if err != nil {
		return o, err
	}
	err = n.try(ctx, w, &o)
	o.Priority = priority(price, o.Used, w)
	return o, err
}

// parties are the accounts that a payment is about, as they are now.
type parties struct {
	source, payee       Holder // the owners
	from, to            solana.Address
	mint                solana.Address // zero: SOL
	sourceHeld, payeeAt Holder         // their token accounts
	fromAt, toAt        solana.Address
	amount              uint64
}

func (n *Network) parties(ctx context.Context, w node.Wish) (p parties, err error) {
	var errs [3]error
	p.from, errs[0] = solana.ParseAddress(w.From)
	p.to, errs[1] = solana.ParseAddress(w.To)
	p.mint, p.amount, errs[2] = solana.Paid(w.Call)
	if err := errors.Join(errs[:]...); err != nil {
		return p, fmt.Errorf("%w: %w", node.ErrRefused, err)
	}
	at := []solana.Address{p.from, p.to}
	if p.mint != (solana.Address{}) {
		p.fromAt = solana.AssociatedAddress(p.from, p.mint, solana.TokenProgram)
		p.toAt = solana.AssociatedAddress(p.to, p.mint, solana.TokenProgram)
		at = append(at, p.fromAt, p.toAt)
	}
	all, err := n.accounts(ctx, at...)
	if err != nil {
		return p, err
	}
	p.source, p.payee = all[0], all[1]
	if len(all) == 4 {
		p.sourceHeld, p.payeeAt = all[2], all[3]
	}
	return p, nil
}

func (p parties) inTokens() bool { return p.mint != (solana.Address{}) }

// held is what the source has of the token; nil where SOL is paid.
func (p parties) held() *big.Int {
	if !p.inTokens() {
		return nil
	}
	return p.sourceHeld.heldBy(p.from)
}

// refusal is why the payee cannot be paid. An owner may have given his token account away: what is sent there is the
// new owner's.
func (p parties) refusal() error {
	if what := p.payee.Kind.What(); what != "" {
		return &node.Refusal{Class: node.ErrPayee, Words: what}
	}
	if p.inTokens() && p.payeeAt.Kind == Token && p.payeeAt.Owner != p.to {
		return &node.Refusal{Class: node.ErrPayee, Words: "has given his token account to " + p.payeeAt.Owner.String()}
	}
	return nil
}

// opens says that the payee has no token account yet. SOL may lie at its address.
func (p parties) opens() bool { return p.inTokens() && p.payeeAt.Kind != Token }

// addresses are the accounts that the payment writes to: who else writes to them is whom it competes with.
func (p parties) addresses() []solana.Address {
	if p.inTokens() {
		return []solana.Address{p.from, p.fromAt, p.toAt}
	}
	return []solana.Address{p.from, p.to}
}

// try has the nodes execute the message of an intent, in v1 where they take that, and else in v0.
func (n *Network) try(ctx context.Context, w node.Wish, o *node.Offer) error {
	if n.nodes.Version() != solana.V1 && time.Since(time.Unix(0, n.refused.Load())) > againV1 {
		err := n.simulate(ctx, w, o, solana.V1)
		if err == nil || !errors.Is(err, node.ErrRefused) {
			return err
		}
		n.refused.Store(time.Now().UnixNano())
	}
	return n.simulate(ctx, w, o, n.nodes.Version())
}

func (n *Network) simulate(ctx context.Context, w node.Wish, o *node.Offer, v solana.Version) error {
	o.Version, o.Failure, o.Units = v.Name(), nil, cmp.Or(w.Gas, uint64(solana.MaxUnits))
	i := w.Intent
	i.Gas, i.Rent = o.Units, max(i.Rent, o.Rent)
	tx, err := (solana.Family{}).Assemble(n.Network(), i, chain.Terms{Recent: &o.Recent})
	if err != nil {
		return fmt.Errorf("%w: %w", node.ErrRefused, err)
	}
	decoded, err := solana.DecodeTransaction(tx.Unsigned)
	if err != nil {
		return err
	}
	o.Used, err = n.nodes.Simulate(ctx, decoded.Message)
	switch {
	case errors.Is(err, ErrFails):
		o.Failure = fmt.Errorf("%w: %w", node.ErrReverts, err)
	case errors.Is(err, node.ErrNoFunds):
		o.Failure = err
	default:
		return err
	}
	return nil
}

// coins refuses what would leave somebody with a little SOL, which the network does not let be.
func (n *Network) coins(ctx context.Context, p parties, w node.Wish, o *node.Offer) error {
	minimum, err := n.nodes.Rent(ctx, CoinAccount)
	if err != nil {
		return err
	}
	out := solana.FeePerSignature + o.Rent
	if w.MaxFee != nil && w.MaxFee.IsUint64() {
		out = w.MaxFee.Uint64() + max(o.Rent, w.Rent)
	}
	amount := uint64(0)
	if !p.inTokens() {
		amount = p.amount
	}
	if err := CheckCoins(p.source.Lamports, out+amount, p.payee.Lamports, amount, minimum); err != nil {
		class := node.ErrReverts
		if errors.Is(err, node.ErrNoFunds) {
			class = node.ErrNoFunds
		}
		o.Failure = &node.Refusal{Class: class, Words: err.Error()}
	}
	return nil
}

// microLamports is how many of them are a lamport: prices of a unit are given in them.
const microLamports = 1_000_000

// priority is what the price of a unit makes for a payment, within what is stamped. 2,500 millionths for each of 30,000
// units, a fifth added, are 90 lamports.
func priority(price, used uint64, w node.Wish) uint64 {
	units := used + used/5
	most := uint64(maxPriority)
	if w.MaxFee != nil {
		most = 0
		if left := new(big.Int).Sub(w.MaxFee, big.NewInt(solana.FeePerSignature)); left.IsUint64() {
			most = left.Uint64()
		}
	}
	return min((min(price, maxPrice)*units+microLamports-1)/microLamports, most)
}

const (
	// maxPrice bounds what nodes can talk us into: ten lamports a unit.
	maxPrice    = 10 * microLamports
	maxPriority = 10_000_000 // 0.01 SOL
)

// price is what three quarters of the latest blocks were content with, in millionths of a lamport a unit, from a
// payment that writes to the accounts. Of several nodes the one that says the most is believed: too little is not put
// in a block, and the payment is signed once.
func (n *Network) price(ctx context.Context, writes ...solana.Address) (uint64, error) {
	all, errs := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) (uint64, error) {
		return c.price(ctx, writes)
	})
	if !slices.Contains(errs, nil) {
		return 0, errors.Join(errs...)
	}
	return slices.Max(all), nil // of one that does not answer it is 0
}

// price is what one node says of the last 150 blocks.
func (c *Client) price(ctx context.Context, writes []solana.Address) (uint64, error) {
	texts := make([]string, len(writes))
	for i, a := range writes {
		texts[i] = a.String()
	}
	var blocks []struct {
		Fee uint64 `json:"prioritizationFee"`
	}
	if err := c.call(ctx, &blocks, "getRecentPrioritizationFees", texts); err != nil {
		return 0, err
	}
	if len(blocks) == 0 {
		return 0, nil
	}
	prices := make([]uint64, len(blocks))
	for i, b := range blocks {
		prices[i] = b.Fee
	}
	slices.Sort(prices)
	return prices[len(prices)*3/4], nil
}
