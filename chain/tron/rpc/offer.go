package rpc

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
)

// refLife is from how many of the newest blocks a transaction may name one.
const refLife = 65_536

// reference is the newest solid block that all nodes have which answer: what is signed is signed once, and with a block
// that one node alone knows it might never be in one.
func (n *Network) reference(ctx context.Context) (b block, err error) {
	tips, errs := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) (block, error) {
		return c.tip(ctx, solid)
	})
	var there []*Client
	for i, tip := range tips {
		if errs[i] != nil {
			continue
		}
		if len(there) == 0 || tip.number < b.number {
			b = tip
		}
		there = append(there, n.nodes[i])
	}
	if len(there) == 0 {
		return b, errors.Join(append(errs, node.ErrNobody)...)
	}
	same, errs := node.Each(ctx, there, func(ctx context.Context, c *Client) (bool, error) {
		other, err := c.header(ctx, solid, b.number)
		return other.id == b.id, err
	})
	if err := errors.Join(errs...); err != nil {
		return b, err
	}
	if slices.Contains(same, false) {
		return b, fmt.Errorf("%w: on block %d", node.ErrDisagree, b.number)
	}
	return b, nil
}

// Recent is a block that a transaction may name now. It is out of reach once so many are above it.
func (n *Network) Recent(ctx context.Context) (blockhash string, w node.Window, err error) {
	b, err := n.reference(ctx)
	if err != nil {
		return "", w, err
	}
	return b.ref(), node.Window{Since: b.number, LastHeight: b.number + refLife}, nil
}

// Offer has all nodes try an intent as it would be executed now. Used is in sun: what the energy of a call costs, or an
// account that a transfer of TRX is the first to name. SignatureFee is what its bytes cost now: nothing while the
// day's free ones last. When it ends whoever signs says.
func (n *Network) Offer(ctx context.Context, w node.Wish) (o node.Offer, err error) {
	ref, err := n.reference(ctx)
	if err != nil {
		return o, err
	}
	o = node.Offer{Recent: chain.Recent{Blockhash: ref.ref()}, Window: node.Window{Since: ref.number}}
	p, err := paymentOf(n.Network(), w.Intent)
	if err != nil {
		return o, fmt.Errorf("%w: %w", node.ErrRefused, err)
	}
	all, errs := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) (node.Offer, error) {
		return c.offer(ctx, p)
	})
	return merged(o, all, errs)
}

// merged is the dearest of what the nodes offer. One that says that it fails is enough; one that does not answer is
// left out, as long as another one does.
func merged(o node.Offer, all []node.Offer, errs []error) (node.Offer, error) {
	answered := false
	for i, one := range all {
		switch {
		case errs[i] != nil && isOutage(errs[i]):
			continue
		case errs[i] != nil:
			return o, errs[i]
		case !answered:
			o.SignatureFee, o.Balance, o.Held = one.SignatureFee, one.Balance, one.Held
		}
		answered = true
		o.Used = max(o.Used, one.Used)
		if o.Failure == nil {
			o.Failure = one.Failure
		}
		if one.SignatureFee.Cmp(o.SignatureFee) > 0 {
			o.SignatureFee = one.SignatureFee
		}
	}
	if !answered {
		return o, errors.Join(append(errs, node.ErrNobody)...)
	}
	return o, nil
}

// payment is a transaction that nodes are asked about.
type payment struct {
	from, to tron.Address // to is who gets TRX, or the contract that is called
	sun      int64
	data     []byte
	bytes    int64        // that it is charged for at most
	token    tron.Address // a listed one that leaves; zero: none
	refused  string       // why nobody can be paid there: "is the zero address"
}

func (p payment) calls() bool { return len(p.data) > 0 }

// paymentOf reads an intent whose limits are not known yet.
func paymentOf(n chain.Network, i chain.Intent) (p payment, err error) {
	f := tron.Family{}
	if p.from, err = tron.ParseAddress(i.From); err != nil {
		return p, err
	}
	if p.to, err = tron.ParseAddress(i.To); err != nil {
		return p, err
	}
	if i.Value != nil {
		if p.sun = i.Value.Int64(); !i.Value.IsInt64() || p.sun < 0 {
			return p, errors.New("it is more TRX than there can be")
		}
	}
	p.data, p.bytes = i.Data, int64(f.MaxDataBytes(n, i, nil))
	for _, e := range f.Effects(n, i.From, i.Call) {
		if err := f.CheckPayee(e.To); err != nil {
			p.refused = err.Error()
		}
		if e.Kind == chain.Transfer && e.Symbol != "" && e.From == i.From && p.calls() && e.Asset == i.To {
			p.token = p.to
		}
	}
	return p, nil
}

// state is what a payment meets at a node.
type state struct {
	source, payee account
	prices
	free
}

func (c *Client) state(ctx context.Context, p payment) (s state, err error) {
	if s.source, err = c.account(ctx, p.from); err != nil {
		return s, err
	}
	if s.payee, err = c.account(ctx, p.to); err != nil {
		return s, err
	}
	if s.prices, err = c.prices(ctx); err != nil {
		return s, err
	}
	s.free, err = c.free(ctx, p.from)
	return s, err
}

// offer is what one node says of a payment.
func (c *Client) offer(ctx context.Context, p payment) (o node.Offer, err error) {
	s, err := c.state(ctx, p)
	if err != nil {
		return o, err
	}
	o.Balance, o.SignatureFee = big.NewInt(s.source.sun), new(big.Int)
	if p.bytes > max(s.free.free, s.staked) {
		o.SignatureFee.SetInt64(p.bytes * s.byte)
	}
	if p.token != (tron.Address{}) {
		if o.Held, err = c.held(ctx, p.from, p.token); err != nil {
			return o, err
		}
	}
	switch {
	case p.refused != "":
		o.Failure = &node.Refusal{Class: node.ErrPayee, Words: p.refused}
	case !s.source.there:
		o.Failure = &node.Refusal{Class: node.ErrNoFunds, Words: "the wallet is not on the chain yet: TRX opens it"}
	case p.calls():
		err = c.offerCall(ctx, p, s, &o)
	default:
		offerCoins(&o, p, s)
	}
	return o, err
}

// offerCoins is a transfer of TRX, which may be the first to name an account.
func offerCoins(o *node.Offer, p payment, s state) {
	switch {
	case s.payee.contract:
		o.Failure = &node.Refusal{Class: node.ErrPayee, Words: "is a contract, which takes no plain transfer of TRX"}
		return
	case !s.payee.there && s.opening > tron.Activation:
		o.Failure = &node.Refusal{Class: node.ErrReverts, Words: "opening an account costs more than is counted for it"}
		return
	case !s.payee.there:
		o.Used = uint64(s.opening)
		o.SignatureFee.SetInt64(0) // it is part of that
	}
	o.Failure = lacks(*o, p.sun, int64(o.Used))
}

// offerCall has the node try a call.
func (c *Client) offerCall(ctx context.Context, p payment, s state, o *node.Offer) error {
	t, err := c.constant(ctx, p.from, p.to, p.sun, p.data)
	switch {
	case errors.Is(err, node.ErrReverts), errors.Is(err, node.ErrNoFunds):
		o.Failure = err
		return nil
	case err != nil:
		return err
	case t.energy > tron.MaxFeeLimit/s.prices.energy:
		o.Failure = &node.Refusal{Class: node.ErrReverts, Words: "it takes more energy than a transaction can pay for"}
		return nil
	}
	o.Used = uint64(t.energy * s.prices.energy)
	o.Failure = lacks(*o, p.sun, max(t.energy-s.free.energy, 0)*s.prices.energy)
	return nil
}

// lacks is why a wallet cannot pay, beside what it sends and the price of its bytes, what is burnt.
func lacks(o node.Offer, sent, burnt int64) error {
	needed := new(big.Int).Add(big.NewInt(sent), big.NewInt(burnt))
	if needed.Add(needed, o.SignatureFee).Cmp(o.Balance) <= 0 {
		return nil
	}
	trx := func(n *big.Int) string { return chain.FormatUnits(n, tron.Family{}.Form().CoinDecimals) }
	return &node.Refusal{
		Class: node.ErrNoFunds, Words: trx(needed) + " TRX are needed, and the wallet has " + trx(o.Balance),
	}
}

// lead is how far a transaction may end behind the newest block.
const lead = 24 * time.Hour

// Try has all nodes look at exact bytes that are not signed yet: whether the block that they name is there, whether
// they have not ended, and what their call does.
func (n *Network) Try(ctx context.Context, unsigned []byte) (w node.Window, err error) {
	t, err := tron.Decode(unsigned)
	if err != nil {
		return w, fmt.Errorf("%w: %w", node.ErrRefused, err)
	}
	tip, err := n.reference(ctx)
	if err != nil {
		return w, err
	}
	w = node.Window{Since: tip.number, Ends: t.Expiration}
	_, errs := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) (bool, error) {
		return true, c.try(ctx, t)
	})
	var outages []error
	for _, err := range errs {
		if err != nil && !isOutage(err) || errors.Is(err, node.ErrBlockhash) {
			return w, err
		}
		outages = append(outages, err)
	}
	if !slices.Contains(outages, nil) {
		return w, errors.Join(append(outages, node.ErrNobody)...)
	}
	return w, nil
}

// try is what one node says.
func (c *Client) try(ctx context.Context, t tron.Raw) error {
	head, err := c.tip(ctx, newest)
	if err != nil {
		return err
	}
	if t.Expiration <= head.time || t.Expiration > head.time+lead.Milliseconds() {
		return &node.Refusal{Class: node.ErrBlockhash, Words: "it ended, or ends more than a day from now"}
	}
	end := int64(t.RefBytes[0])<<8 | int64(t.RefBytes[1])
	number := head.number - (head.number-end)&(refLife-1) // the newest with that end
	named, err := c.header(ctx, newest, max(number, 0))
	switch {
	case err != nil:
		return err
	case number < 0 || named.ref()[4:] != hex.EncodeToString(t.RefHash[:]):
		return &node.Refusal{Class: node.ErrBlockhash, Words: "the block that it names is not there"}
	case len(t.Data) == 0:
		return nil
	}
	price, err := c.prices(ctx)
	if err != nil {
		return err
	}
	tried, err := c.constant(ctx, t.Owner, t.To, t.Amount, t.Data)
	if err == nil && tried.energy*price.energy > t.FeeLimit {
		err = &node.Refusal{Class: node.ErrReverts, Words: "its energy costs more than fee_limit: " +
			strconv.FormatInt(tried.energy*price.energy, 10) + " sun"}
	}
	return err
}
