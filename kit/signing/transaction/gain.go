package transaction

import (
	"context"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
)

// ErrBringsLess is a swap of a token that keeps a part of what is sent. The exchange holds itself to the stamped
// minimum in what it pays out, and nobody else looks at what arrives.
var ErrBringsLess = fault.Define(fault.Conflict, "swap_brings_less",
	"The swap would bring less than its stamped minimum: the token keeps a part of what is sent",
	"A swap was tried at the node before it was signed; details have what its receiver would get, and the minimum")

// coin is how effects name the network's own.
const coin = "native"

// bought are what the swaps of a call bring: to whom, what, and how much at least.
func bought(f chain.Family, n chain.Network, from string, c chain.Call) (all []chain.Effect) {
	for _, e := range f.Effects(n, from, c) {
		if e.Ends > 0 {
			all = append(all, e)
		}
	}
	return all
}

// bringsEnough tries a swap before it is signed, and refuses it where its receiver gets less than the minimum. That the
// swap fails the node says elsewhere. One that cannot try it like this is no reason to refuse: what the swap brought is
// told once it is mined.
func bringsEnough(ctx context.Context, n nodes.Node, p plan.Plan) error {
	for _, e := range bought(p.Family, p.Network, p.From, p.Tx.Call) {
		token := e.Asset
		if token == coin {
			token = ""
		}
		gain, tried := nodes.Gain(ctx, n, node.ContractCall{
			From: p.From, To: p.Tx.To, Value: p.Tx.Value, Data: p.Tx.Data,
		}, token, e.To)
		least, ok := new(big.Int).SetString(e.Amount, 10)
		if tried && ok && gain.Cmp(least) < 0 {
			return ErrBringsLess.With("received", gain.String()).With("minimum", e.Amount)
		}
	}
	return nil
}

// Brought is what the transfers of a mined transaction gave to the receiver of its swap, and whether that is less than
// the stamped minimum. "": it is no swap, or one for the network's coin, of which no transfer tells.
func (t Transaction) Brought(
	ctx context.Context, network chain.Network, n nodes.Node, r node.Receipt,
) (received string, less bool, err error) {
	tx, err := unsigned(t)
	if err != nil {
		return "", false, nil // of a family that is read no more
	}
	family, err := t.family()
	if err != nil {
		return "", false, nil
	}
	all := bought(family, network, t.From, tx.Call)
	if len(all) != 1 || all[0].Asset == coin {
		return "", false, nil
	}
	e := all[0]
	moved, err := n.Transfers(ctx, node.Query{
		From: int64(r.BlockNumber), To: int64(r.BlockNumber), Hash: r.BlockHash, Tokens: []string{e.Asset},
		Receivers: []string{e.To},
	})
	if err != nil {
		return "", false, err
	}
	sum := new(big.Int)
	for _, m := range moved {
		if family.Lookup(m.Tx) == family.Lookup(t.TxHash) {
			sum.Add(sum, m.Amount)
		}
	}
	least, ok := new(big.Int).SetString(e.Amount, 10)
	return sum.String(), ok && sum.Cmp(least) < 0, nil
}
