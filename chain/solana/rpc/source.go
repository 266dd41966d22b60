package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/follow"
)

type options = map[string]any

var final = options{"commitment": "finalized"}

// source is a client as the reader of its blocks knows it.
type source struct{ *Client }

// Tip is the newest final block: slot and height of one answer.
func (s source) Tip(ctx context.Context) (t follow.Tip, err error) {
	var info struct {
		Slot   *int64 `json:"absoluteSlot"`
		Height *int64 `json:"blockHeight"`
	}
	if err := s.call(ctx, &info, "getEpochInfo", final); err != nil {
		return t, err
	}
	if info.Slot == nil || info.Height == nil || *info.Slot < *info.Height || *info.Height < 0 {
		return t, fmt.Errorf("%w: a newest block without slot and height", ErrNode)
	}
	return follow.Tip{Slot: *info.Slot, Height: *info.Height}, nil
}

// Blocks are the slots of a range that have a final block. Nodes tell at most 500,000 at once.
func (s source) Blocks(ctx context.Context, from, to int64) (all []int64, err error) {
	if from > to {
		return nil, nil
	}
	if err := s.call(ctx, &all, "getBlocks", max(from, 0), to, final); err != nil {
		return nil, err
	}
	for i, n := range all {
		if n < from || n > to || i > 0 && n <= all[i-1] {
			return nil, fmt.Errorf("%w: slots of another range", ErrLyingNode)
		}
	}
	return all, nil
}

type wireBlock struct {
	Hash         string            `json:"blockhash"`
	ParentHash   string            `json:"previousBlockhash"`
	Parent       *int64            `json:"parentSlot"`
	Time         *int64            `json:"blockTime"`
	Transactions []wireTransaction `json:"transactions"`
}

type wireTransaction struct {
	Meta        *wireMeta       `json:"meta"`
	Version     json.RawMessage `json:"version"`
	Transaction struct {
		Signatures []string  `json:"signatures"`
		Keys       []wireKey `json:"accountKeys"`
	} `json:"transaction"`
}

type wireKey struct {
	Address string `json:"pubkey"`
	Signs   bool   `json:"signer"`
}

type wireMeta struct {
	Err        json.RawMessage `json:"err"`
	Fee        uint64          `json:"fee"`
	Pre        []uint64        `json:"preBalances"`
	Post       []uint64        `json:"postBalances"`
	PreTokens  []wireHolding   `json:"preTokenBalances"`
	PostTokens []wireHolding   `json:"postTokenBalances"`
}

type wireHolding struct {
	Key     int    `json:"accountIndex"`
	Mint    string `json:"mint"`
	Owner   string `json:"owner"`
	Program string `json:"programId"`
	Amount  struct {
		Amount string `json:"amount"`
	} `json:"uiTokenAmount"`
}

// Block asks for the block of a slot. Of its transactions only who takes part and what they had is asked for.
func (s source) Block(ctx context.Context, slot int64, full bool) (follow.Block, error) {
	details := "none"
	if full {
		details = "accounts"
	}
	var w *wireBlock
	err := s.call(ctx, &w, "getBlock", slot, options{
		"commitment": "finalized", "encoding": "json", "transactionDetails": details, "rewards": false,
		"maxSupportedTransactionVersion": maxVersion,
	})
	if err != nil {
		return follow.Block{}, err
	}
	if w == nil {
		return follow.Block{}, node.ErrNoBlock
	}
	if w.Hash == "" || w.ParentHash == "" || w.Parent == nil || slot > 0 && *w.Parent >= slot {
		return follow.Block{}, fmt.Errorf("%w: a block with parts missing", ErrNode)
	}
	b := follow.Block{Slot: slot, Parent: *w.Parent, Hash: w.Hash, ParentHash: w.ParentHash}
	if w.Time != nil {
		b.Time = *w.Time
	}
	for _, t := range w.Transactions {
		read, err := t.read()
		if err != nil {
			return follow.Block{}, fmt.Errorf("block %d: %w", slot, err)
		}
		b.Transactions = append(b.Transactions, read)
	}
	return b, nil
}

// read refuses a version that the node was told not to send.
func (w wireTransaction) read() (t follow.Transaction, err error) {
	switch string(w.Version) {
	case `"legacy"`, "0", "1":
	default:
		return t, fmt.Errorf("%w: %s", follow.ErrVersion, w.Version)
	}
	if w.Meta == nil || len(w.Transaction.Signatures) == 0 {
		return t, fmt.Errorf("%w: a transaction with parts missing", ErrNode)
	}
	t = follow.Transaction{
		ID: w.Transaction.Signatures[0], Failed: isSaid(w.Meta.Err), Pre: w.Meta.Pre, Post: w.Meta.Post,
	}
	for _, k := range w.Transaction.Keys {
		a, err := solana.ParseAddress(k.Address)
		if err != nil {
			return t, fmt.Errorf("%w: %w", ErrLyingNode, err)
		}
		t.Keys = append(t.Keys, a)
		if k.Signs {
			t.Signers = append(t.Signers, a)
		}
	}
	if t.PreTokens, err = holdings(w.Meta.PreTokens); err != nil {
		return t, err
	}
	t.PostTokens, err = holdings(w.Meta.PostTokens)
	return t, err
}

func isSaid(err json.RawMessage) bool { return len(err) > 0 && string(err) != "null" }

func holdings(all []wireHolding) ([]follow.Holding, error) {
	var some []follow.Holding
	for _, w := range all {
		h := follow.Holding{Key: w.Key}
		var errs [4]error
		h.Mint, errs[0] = solana.ParseAddress(w.Mint)
		h.Owner, errs[1] = solana.ParseAddress(w.Owner)
		h.Program, errs[2] = solana.ParseAddress(w.Program)
		h.Amount, errs[3] = strconv.ParseUint(w.Amount.Amount, 10, 64)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrLyingNode, err)
		}
		some = append(some, h)
	}
	return some, nil
}
