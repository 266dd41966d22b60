package rpc

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
)

// A node lists the blockhashes that count in an account, the newest first, as an item of a blockhash and a fee each.
const (
	hashList = "SysvarRecentB1ockHashes11111111111111111111"
	hashItem = 32 + 8
)

// left is for how many blocks more the nodes have a blockhash count: the least that any of them says, 1 where those
// that have a list do not list it, and 0 where nobody has a list, so that nobody knows.
func (n Nodes) left(ctx context.Context, hash [32]byte) (least int64) {
	all, errs := node.Each(ctx, n, func(ctx context.Context, c *Client) (int64, error) { return c.left(ctx, hash) })
	listed, missing := int64(0), false
	for i, blocks := range all {
		switch {
		case errs[i] != nil || blocks < 0:
		case blocks == 0: // its newest may be older
			missing = true
		case listed == 0 || blocks < listed:
			listed = blocks
		}
	}
	if listed == 0 && missing {
		return 1
	}
	return listed
}

// left is 0 where the node does not list the blockhash, and below that where it has no list.
func (c *Client) left(ctx context.Context, hash [32]byte) (int64, error) {
	var a struct{ Value *wireAccount }
	err := c.call(ctx, &a, "getAccountInfo", hashList, options{"commitment": confirmed, "encoding": "base64"})
	if err != nil || a.Value == nil {
		return -1, err
	}
	if len(a.Value.Data) == 0 {
		return -1, fmt.Errorf("%w: an account without data", ErrNode)
	}
	data, err := base64.StdEncoding.DecodeString(a.Value.Data[0])
	if err != nil || len(data) < 8 || uint64(len(data)-8)/hashItem < binary.LittleEndian.Uint64(data) {
		return -1, fmt.Errorf("%w: a list of blockhashes that cannot be read", ErrNode)
	}
	items := slices.Collect(slices.Chunk(data[8:], hashItem))[:binary.LittleEndian.Uint64(data)]
	at := slices.IndexFunc(items, func(item []byte) bool { return solana.Address(item[:32]) == hash })
	if at < 0 {
		return 0, nil
	}
	return max(blockhashLife-int64(at), 1), nil
}
