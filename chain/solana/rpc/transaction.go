package rpc

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/follow"
)

// Send hands signed bytes to the node, which tries them first and sends them on once: whoever follows the transaction
// sends it again. It tries them in its newest confirmed block: others sign with blockhashes that no final block has
// yet. Nil where the node has it in a block already. A node that names another id has done something else with the
// bytes, so nothing is known.
func (c *Client) Send(ctx context.Context, signed []byte) error {
	tx, err := solana.DecodeTransaction(signed)
	if err != nil || len(tx.Missing()) > 0 || tx.Verify() != nil {
		return fmt.Errorf("%w: it is not a signed transaction", node.ErrRefused)
	}
	var id string
	err = c.call(ctx, &id, "sendTransaction", base64.StdEncoding.EncodeToString(signed), options{
		"encoding": "base64", "preflightCommitment": confirmed, "maxRetries": 0,
	})
	if errors.Is(err, errKnown) {
		return nil
	}
	if err == nil && id != tx.ID() {
		return fmt.Errorf("%w: another id than the transaction's", ErrLyingNode)
	}
	return err
}

type wireStatus struct {
	Slot   *int64          `json:"slot"`
	Err    json.RawMessage `json:"err"`
	Status string          `json:"confirmationStatus"`
}

// Status looks for a transaction in all that the node has.
func (c *Client) Status(ctx context.Context, id string) (s follow.Status, found bool, looked int64, err error) {
	if _, err := solana.ParseSignature(id); err != nil {
		return s, false, 0, err
	}
	var a struct {
		Context struct{ Slot int64 }
		Value   []*wireStatus
	}
	err = c.call(ctx, &a, "getSignatureStatuses", []string{id}, options{"searchTransactionHistory": true})
	switch {
	case err != nil:
		return s, false, 0, err
	case len(a.Value) != 1:
		return s, false, 0, fmt.Errorf("%w: %d answers to one question", ErrLyingNode, len(a.Value))
	case a.Value[0] == nil:
		return s, false, a.Context.Slot, nil
	}
	w := a.Value[0]
	if w.Slot == nil {
		return s, false, 0, fmt.Errorf("%w: a status without a slot", ErrNode)
	}
	s = follow.Status{ID: id, Slot: *w.Slot, Final: w.Status == "finalized"}
	if isSaid(w.Err) {
		s.Failed = string(w.Err)
	}
	return s, true, a.Context.Slot, nil
}

// BlockhashLives asks a node that is at a slot at least; one that is not refuses the question.
func (c *Client) BlockhashLives(ctx context.Context, hash string, slot int64) (bool, error) {
	var a struct {
		Context struct{ Slot int64 }
		Value   *bool
	}
	err := c.call(ctx, &a, "isBlockhashValid", hash, options{"commitment": "finalized", "minContextSlot": slot})
	switch {
	case err != nil:
		return false, err
	case a.Value == nil || a.Context.Slot < slot:
		return false, fmt.Errorf("%w: the state of another block", ErrLyingNode)
	}
	return *a.Value, nil
}

// FirstBlock is the oldest slot of which the node has the block.
func (c *Client) FirstBlock(ctx context.Context) (slot int64, err error) {
	err = c.call(ctx, &slot, "getFirstAvailableBlock")
	return slot, err
}

// Head is the slot of the newest final block.
func (c *Client) Head(ctx context.Context) (int64, error) {
	t, err := c.Tip(ctx)
	return t.Slot, err
}

// BlockHash is that of the final block of a slot.
func (c *Client) BlockHash(ctx context.Context, slot int64) (hash string, found bool, err error) {
	b, err := c.Block(ctx, slot, false)
	if errors.Is(err, node.ErrNoBlock) {
		return "", false, nil
	}
	return b.Hash, err == nil, err
}

// Receipt is what became of a transaction. Not found: it is in no final block of this node.
func (c *Client) Receipt(ctx context.Context, id string) (r node.Receipt, found bool, err error) {
	s, found, _, err := c.Status(ctx, id)
	if err != nil || !found || !s.Final {
		return r, false, err
	}
	hash, found, err := c.BlockHash(ctx, s.Slot)
	if err == nil && !found { // it is final, and "not found" would say that nothing was sent
		err = fmt.Errorf("%w: slot %d, of a final transaction", node.ErrNoBlock, s.Slot)
	}
	if err != nil {
		return r, false, err
	}
	return node.Receipt{Succeeded: s.Failed == "", BlockNumber: s.Slot, BlockHash: hash}, true, nil
}

// Known tells whether the node has the transaction in a block, final or not. What waits no node tells.
func (c *Client) Known(ctx context.Context, id string) (bool, error) {
	_, found, _, err := c.Status(ctx, id)
	return found, err
}

// Landing is a transaction in a final block.
type Landing struct {
	Slot   int64
	Fee    uint64 // lamports that were paid, also by one that failed
	Failed string // why it did nothing, in words; "": it did what it says
}

// Landing tells what a transaction cost, and why it failed.
func (c *Client) Landing(ctx context.Context, tx solana.Transaction) (l Landing, found bool, err error) {
	return c.landing(ctx, tx.ID(), tx)
}

// landing is of the transaction of an id, in which those may have signed who had not when tx was last seen.
func (c *Client) landing(ctx context.Context, id string, tx solana.Transaction) (l Landing, found bool, err error) {
	var w *struct {
		Slot        *int64
		Meta        *wireMeta
		Transaction []string
	}
	err = c.call(ctx, &w, "getTransaction", id, options{
		"commitment": "finalized", "encoding": "base64", "maxSupportedTransactionVersion": maxVersion,
	})
	if err != nil || w == nil {
		return l, false, err
	}
	if w.Slot == nil || w.Meta == nil || len(w.Transaction) == 0 || !completes(w.Transaction[0], id, tx) {
		return l, false, fmt.Errorf("%w: another transaction than the one asked for", ErrLyingNode)
	}
	l = Landing{Slot: *w.Slot, Fee: w.Meta.Fee}
	if isSaid(w.Meta.Err) {
		l.Failed = Sentence(w.Meta.Err, &tx.Message)
	}
	return l, true, nil
}

// completes reports whether base64 is of a transaction with the id that has all its signatures, and is tx but for those
// that were missing there.
func completes(text, id string, tx solana.Transaction) bool {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return false
	}
	is, err := solana.DecodeTransaction(raw)
	if err != nil || is.ID() != id || len(is.Missing()) > 0 || is.Verify() != nil ||
		len(is.Signatures) != len(tx.Signatures) {
		return false
	}
	for i, s := range tx.Signatures {
		if s == (solana.Signature{}) {
			is.Signatures[i] = s
		}
	}
	got, err := is.Encode()
	want, also := tx.Encode()
	return err == nil && also == nil && bytes.Equal(got, want)
}
