package rpc

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
)

// The two halves of a node.
const (
	newest = "wallet/"         // the state of the newest block
	solid  = "walletsolidity/" // that of the newest solid block, which is final
)

type wireBlock struct {
	ID     string `json:"blockID"`
	Header struct {
		Raw struct {
			Number    int64  `json:"number"`
			Timestamp int64  `json:"timestamp"`
			Parent    string `json:"parentHash"`
		} `json:"raw_data"`
	} `json:"block_header"`
	Transactions []wireTransaction `json:"transactions"`
}

// block is one of a node's, without what is in it.
type block struct {
	number, time int64 // millisecond since 1970
	id, parent   string
}

// read refuses a block whose id is not that of its number, or whose parent's is not that of the number below.
func (w *wireBlock) read() (b block, err error) {
	raw := w.Header.Raw
	b = block{raw.Number, raw.Timestamp, w.ID, raw.Parent}
	switch {
	case w.ID == "":
		return b, node.ErrNoBlock
	case !names(b.id, b.number) || b.number > 0 && !names(b.parent, b.number-1):
		return b, fmt.Errorf("%w: a block whose id is of another number", ErrLyingNode)
	case b.time < 0:
		return b, fmt.Errorf("%w: a block without a time", ErrLyingNode)
	}
	return b, nil
}

// names reports whether an id is one of a block with the number: 8 bytes of it are the number.
func names(id string, number int64) bool {
	raw, err := hex.DecodeString(id)
	return err == nil && len(raw) == 32 && strings.ToLower(id) == id && number >= 0 &&
		binary.BigEndian.Uint64(raw) == uint64(number)
}

func (b block) header() node.Header {
	return node.Header{Number: b.number, Hash: b.id, Parent: b.parent, ParentNumber: b.number - 1, Time: b.time / 1000}
}

// ref is what a transaction names of the block: the end of its number, and of its id.
func (b block) ref() string { return b.id[12:16] + b.id[16:32] }

// tip is the newest block of a half.
func (c *Client) tip(ctx context.Context, half string) (block, error) {
	var w wireBlock
	if err := c.call(ctx, &w, half+"getblock", params{"detail": false}); err != nil {
		return block{}, err
	}
	return w.read()
}

// header is the block of a number in a half. node.ErrNoBlock: it does not reach so far.
func (c *Client) header(ctx context.Context, half string, number int64) (block, error) {
	var w wireBlock
	err := c.call(ctx, &w, half+"getblock", params{"id_or_num": fmt.Sprint(number), "detail": false})
	if err != nil {
		return block{}, err
	}
	return w.at(number)
}

// at reads the block of a number.
func (w *wireBlock) at(number int64) (block, error) {
	b, err := w.read()
	if err == nil && b.number != number {
		err = fmt.Errorf("%w: block %d for %d", ErrLyingNode, b.number, number)
	}
	return b, err
}

// Head is the number of the newest solid block.
func (c *Client) Head(ctx context.Context) (int64, error) {
	b, err := c.tip(ctx, solid)
	return b.number, err
}

// Latest is the newest solid block.
func (c *Client) Latest(ctx context.Context) (node.Header, error) {
	b, err := c.tip(ctx, solid)
	return b.header(), err
}

// Headers are those of the solid blocks with these numbers.
func (c *Client) Headers(ctx context.Context, numbers []int64) ([]node.Header, error) {
	return parallel(ctx, numbers, func(ctx context.Context, n int64) (node.Header, error) {
		b, err := c.header(ctx, solid, n)
		return b.header(), err
	})
}

// parseAny reads an address in whichever form a node writes it: base58check, or hex with its 0x41 or without.
func parseAny(text string) (tron.Address, error) {
	raw, err := hex.DecodeString(text)
	switch {
	case err != nil:
		return tron.ParseAddress(text)
	case len(raw) == 21 && raw[0] == 0x41:
		return tron.Address(raw[1:]), nil
	case len(raw) == 20:
		return tron.Address(raw), nil
	}
	return tron.Address{}, tron.ErrAddress
}
