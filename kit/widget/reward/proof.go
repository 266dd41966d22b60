package reward

import (
	"bytes"
	"context"
	"math/big"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/kit/widget/action"
	"github.com/railkit/railkit/kit/widget/miniapp"
)

const native = "native"

// verifiable are the actions of a mini app of which a transaction on the network shows that they were executed.
func verifiable(m miniapp.MiniApp, n chain.Network) (all []action.Action) {
	for _, a := range m.Metadata.Actions {
		if a.Chains == nil {
			continue
		}
		source, known := chain.Named([]chain.Network{n}, a.Chains.Source)
		if !known || source.ChainID != n.ChainID {
			continue
		}
		switch a.Type {
		case action.Transfer: // one that crosses networks arrives where nobody looks
			if _, listed := n.TokenByAddress(a.Token); a.Chains.Destination == "" && (a.Token == "" || listed) {
				all = append(all, a)
			}
		case action.Blockchain:
			all = append(all, a)
		case action.Dynamic:
			if len(chain.Markets(n)) > 0 {
				all = append(all, a)
			}
		}
	}
	return all
}

// proof is what the node shows of a mined transaction.
type proof struct {
	network chain.Network
	user    string
	tx      node.Transaction
	moves   []node.Transfer // of listed tokens, out of the user's address
}

// proofOf asks the node; nil: it does not have the transaction any more. What moved is read from the tokens' own events
// in that very block, since calldata says only what was asked for.
func proofOf(ctx context.Context, at Node, n chain.Network, e Execution, r node.Receipt) (*proof, error) {
	tx, found, err := at.Transaction(ctx, e.TxHash)
	if err != nil || !found {
		return nil, err
	}
	p := &proof{network: n, user: e.User, tx: tx}
	if len(n.Tokens) == 0 {
		return p, nil
	}
	tokens := make([]string, len(n.Tokens))
	for i, t := range n.Tokens {
		tokens[i] = t.Address
	}
	all, err := at.Transfers(ctx, node.Query{
		From: r.BlockNumber, To: r.BlockNumber, Hash: r.BlockHash, Tokens: tokens, Senders: []string{e.User},
	})
	for _, moved := range all {
		if strings.EqualFold(moved.Tx, e.TxHash) {
			p.moves = append(p.moves, moved)
		}
	}
	return p, err
}

// judge counts the execution where the transaction is what one of the mini app's actions makes.
func (p *proof) judge(m miniapp.MiniApp, e Execution) Execution {
	for _, a := range verifiable(m, p.network) {
		moved, is := p.of(a)
		if !is {
			continue
		}
		e.State, e.Type, e.Moved = Counted, a.Type, moved
		return e
	}
	return e.refused("the transaction is no execution of the mini app by this user")
}

// of tells whether the transaction executes an action, and what left the user by it.
func (p *proof) of(a action.Action) (Amount, bool) {
	switch a.Type {
	case action.Transfer:
		return p.pays(a)
	case action.Blockchain:
		selector, ok := a.Selector()
		return p.left(), ok && p.sent(a.Address) && bytes.HasPrefix(p.tx.Data, selector)
	}
	_, router := chain.MarketAt(p.network, p.tx.To)
	left := p.left()
	return left, router && p.sent(p.tx.To) && left.Asset != ""
}

// sent tells whether the user sent the transaction to an address.
func (p *proof) sent(to string) bool {
	return strings.EqualFold(p.tx.From, p.user) && strings.EqualFold(p.tx.To, to)
}

// pays tells whether the user paid whom the action names, and at least as much as it says.
func (p *proof) pays(a action.Action) (Amount, bool) {
	asset, paid := p.network.Native, new(big.Int)
	if a.Token != "" {
		asset, _ = p.network.TokenByAddress(a.Token)
		for _, m := range p.moves {
			if strings.EqualFold(m.Token, a.Token) && strings.EqualFold(m.To, a.To) {
				paid.Add(paid, m.Amount)
			}
		}
	} else if p.sent(a.To) {
		paid = p.tx.Value
	}
	least := big.NewInt(1)
	if a.Amount != "" {
		var err error
		if least, err = chain.ParseUnits(string(a.Amount), asset.Decimals); err != nil {
			return Amount{}, false // the asset has no such fraction
		}
	}
	return amountOf(asset, paid), paid.Cmp(least) >= 0
}

// left is what left the user: the coin that the transaction carries, else the listed token that moved first.
func (p *proof) left() Amount {
	if p.tx.Value.Sign() > 0 && strings.EqualFold(p.tx.From, p.user) {
		return amountOf(p.network.Native, p.tx.Value)
	}
	if len(p.moves) == 0 {
		return Amount{}
	}
	sum := new(big.Int)
	for _, m := range p.moves {
		if m.Token == p.moves[0].Token {
			sum.Add(sum, m.Amount)
		}
	}
	token, _ := p.network.TokenByAddress(p.moves[0].Token)
	return amountOf(token, sum)
}

func amountOf(t chain.Token, units *big.Int) Amount {
	a := Amount{Asset: t.Address, Symbol: t.Symbol, Decimals: t.Decimals, Units: units.String()}
	if a.Asset == "" {
		a.Asset = native
	}
	return a
}
