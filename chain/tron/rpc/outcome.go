package rpc

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
)

// landing is a transaction in a solid block.
type landing struct {
	block
	failed string // why it did nothing, in words; "": it did what it says
	paid   int64  // sun, also by one that failed
}

func (l landing) receipt() node.Receipt {
	return node.Receipt{Succeeded: l.failed == "", BlockNumber: l.number, BlockHash: l.id}
}

// find looks for a transaction among the solid blocks.
func (c *Client) find(ctx context.Context, id string) (l landing, i wireInfo, found bool, err error) {
	err = c.call(ctx, &i, solid+"gettransactioninfobyid", params{"value": id, "visible": true})
	if err != nil || i.ID == "" {
		return l, i, false, err
	}
	if i.ID != id || i.Fee < 0 {
		return l, i, false, fmt.Errorf("%w: another transaction than the one asked for", ErrLyingNode)
	}
	if l.block, err = c.header(ctx, solid, i.Number); err != nil {
		return l, i, false, err
	}
	l.paid = i.Fee
	if r := i.Receipt.Result; i.Result != "" || r != "" && r != success {
		l.failed = sentence(r, i.Returned)
	}
	return l, i, true, nil
}

// landed looks for a signed transaction. A call that names no result was not executed. A transfer of a listed token
// that its contract tells nothing of moved nothing: what a call returns is no word for it, since that of USDT returns
// nothing at all.
func (c *Client) landed(ctx context.Context, t tron.Signed) (l landing, found bool, err error) {
	l, i, found, err := c.find(ctx, t.ID())
	if err != nil || !found || l.failed != "" || len(t.Data) == 0 {
		return l, found, err
	}
	if i.Receipt.Result != success {
		l.failed = sentence("DEFAULT", nil)
		return l, true, nil
	}
	call := chain.Call{To: t.To.String(), Value: big.NewInt(t.Amount), Data: t.Data}
	for _, e := range (tron.Family{}).Effects(c.network, t.Owner.String(), call) {
		if e.Kind != chain.Transfer || e.Symbol == "" || e.Asset != call.To || e.Amount == "0" {
			continue
		}
		told, err := i.events(map[tron.Address]string{t.To: call.To})
		if err != nil {
			return l, false, err
		}
		if !tells(told, e) {
			l.failed = "the contract tells of no transfer"
		}
	}
	return l, true, nil
}

// tells reports whether a contract told the transfer. It may have kept a fee.
func tells(all []node.Transfer, e chain.Effect) bool {
	for _, t := range all {
		if t.From == e.From && t.To == e.To && t.Amount.Sign() > 0 {
			return true
		}
	}
	return false
}

// word is what one node says of a transaction.
type word struct {
	landing
	found bool
	tip   int64 // number of the newest solid block, before it was looked for
	open  error // why the node cannot say that it expired; nil: it is found, or the node says so
}

// lag is by how much a node may be behind its own word, such as several behind one address: what it does not know in
// blocks that are older than that is not there.
const lag = time.Minute

// word has one node say what became of a transaction. That it expired the node says if, in this order:
//
//  1. its newest solid block was made after the expiration: a block takes what has not ended when the one below it was
//     made, so that no later one takes it
//  2. it has not found the transaction in any of its blocks
//  3. it still has the blocks from before the transaction was signed
//
// Another order would have a gap: a node that looks first and names its newest block later has not looked at the blocks
// that were made between.
func (c *Client) word(ctx context.Context, t tron.Signed, since int64) (w word) {
	tip, err := c.tip(ctx, solid)
	w.tip = tip.number
	var missed error
	if w.landing, w.found, missed = c.landed(ctx, t); missed == nil && w.found {
		return w
	}
	end := t.Expiration + lag.Milliseconds()
	switch {
	case err != nil:
		w.open = fmt.Errorf("does not tell its newest solid block: %w", err)
	case missed != nil:
		w.open = fmt.Errorf("does not look for the transaction: %w", missed)
	case tip.time < end:
		w.open = fmt.Errorf("%w: it is at %s, and that counts from %s on", errYet, instant(tip.time), instant(end))
	default:
		if _, err := c.header(ctx, solid, max(since, 0)); err != nil {
			w.open = fmt.Errorf("does not show block %d, from before it was signed: %w", since, err)
		}
	}
	return w
}

var errYet = errors.New("has not found it, and does not say yet that it expired")

func instant(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// Outcome tells what became of signed bytes. It landed if one node has it in a solid block; it expired by the word of
// all. One that has read as far and does not know it, or says otherwise what came of it, denies that it landed.
func (n *Network) Outcome(ctx context.Context, s node.Sent) (o node.Outcome, err error) {
	t, err := tron.DecodeSigned(s.Signed)
	if err != nil {
		return o, fmt.Errorf("%w: %w", node.ErrRefused, err)
	}
	if len(n.nodes) == 0 {
		return o, node.ErrNobody
	}
	words, _ := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) (word, error) {
		return c.word(ctx, t, s.Since), nil
	})
	if err := ctx.Err(); err != nil {
		return o, err
	}
	return judged(t.ID(), words), nil
}

func judged(id string, words []word) (o node.Outcome) {
	var first *landing
	var open []string
	for i, w := range words {
		switch {
		case w.found && first == nil:
			first = &words[i].landing
		case w.open != nil:
			open = append(open, fmt.Sprintf("node %d %s", i+1, w.open))
		}
	}
	switch {
	case first != nil:
		o = node.Outcome{
			Landed: true, ID: id, Receipt: first.receipt(), Failed: first.failed, Paid: big.NewInt(first.paid),
		}
		for _, w := range words {
			o.Denied = o.Denied || w.denies(*first)
		}
	case len(open) > 0:
		o.Open = strings.Join(open, "; ")
	default:
		o.Expired = true
	}
	return o
}

// blockTime is how many milliseconds are between two blocks.
const blockTime = 3_000

// denies reports whether a node contradicts that a transaction landed so.
func (w word) denies(l landing) bool {
	if w.found {
		return w.id != l.id || (w.failed == "") != (l.failed == "")
	}
	return w.open == nil || errors.Is(w.open, errYet) && w.tip > l.number+lag.Milliseconds()/blockTime
}

// Send hands signed bytes to the node, which checks them and passes them on. Nil where it has them already. A node that
// names another id has done something else with the bytes, so nothing is known.
func (c *Client) Send(ctx context.Context, signed []byte) error {
	t, err := tron.DecodeSigned(signed)
	if err != nil || t.Verify() != nil {
		return fmt.Errorf("%w: it is not a signed transaction", node.ErrRefused)
	}
	var w struct {
		Result  bool   `json:"result"`
		Code    string `json:"code"`
		Message string `json:"message"`
		ID      string `json:"txid"`
	}
	err = c.call(ctx, &w, newest+"broadcasthex", params{"transaction": hex.EncodeToString(signed)})
	if err == nil && !w.Result {
		err = refusal(w.Code, plain(w.Message))
	}
	if errors.Is(err, errKnown) {
		return nil
	}
	if err == nil && w.ID != t.ID() {
		return fmt.Errorf("%w: another id than the transaction's", ErrLyingNode)
	}
	return err
}

// LookFor asks every node for its newest solid block, and then for the transaction.
func (n *Network) LookFor(ctx context.Context, id string) (r node.Receipt, found bool, height int64, err error) {
	if !isID(id) {
		return r, false, 0, fmt.Errorf("%w: %q is no id", node.ErrRefused, id)
	}
	all, errs := node.Each(ctx, n.nodes, func(ctx context.Context, c *Client) (s node.Seen, err error) {
		if s.Height, err = c.Head(ctx); err != nil {
			return s, err
		}
		l, _, found, err := c.find(ctx, id)
		if s.Found = found; found {
			s.Receipt = l.receipt()
		}
		return s, err
	})
	return node.Together(all, errs)
}
