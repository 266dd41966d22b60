package localnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/railkit/railkit/chain/solana"
)

// changes are the methods that change the chain or a node.
var changes = map[string]func(*Chain, call) (any, error){
	"sendTransaction": sendTransaction,
	"requestAirdrop":  requestAirdrop,

	"dev_mine":         devMine,
	"dev_expire":       devExpire,
	"dev_skip":         devSkip,
	"dev_faucet":       devFaucet,
	"dev_setAuthority": devSetAuthority,
	"dev_setAutomine":  devSetAutomine,
	"dev_setRent":      devSetRent,
	"dev_setView":      devSetView,
}

// locked writes one entry.
func (c *Chain) locked(e entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.write(e)
}

// devMine makes so many blocks. The first of them takes what waits; the others are empty.
func devMine(c *Chain, q call) (any, error) {
	var n int
	if err := q.need(0, &n); err != nil {
		return nil, err
	}
	if n < 1 || n > mostMined {
		return nil, refuse(codeParams, "1 to %d blocks", mostMined)
	}
	return nil, c.locked(entry{Blocks: n})
}

// devExpire makes empty blocks until no block can have a transaction with a blockhash any more, and says how many.
func devExpire(c *Chain, q call) (any, error) {
	hash, err := q.address(0)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.hashes[hash]
	if b == nil {
		return nil, refuse(codeParams, "no block has this hash")
	}
	n := b.height + hashLife + 1 - c.head().height
	if n <= 0 {
		return 0, nil
	}
	return n, c.write(entry{Blocks: int(n)})
}

// devSkip leaves so many slots out before the next block.
func devSkip(c *Chain, q call) (any, error) {
	var n int64
	if err := q.need(0, &n); err != nil {
		return nil, err
	}
	if n < 1 || n > mostMined {
		return nil, refuse(codeParams, "1 to %d slots", mostMined)
	}
	return nil, c.locked(entry{Skip: n})
}

// devFaucet takes address, asset ("native" or a symbol), amount in decimal text and, if it is to be given once however
// often it is asked for, a name. It answers the transaction's id, once that is in a block.
func devFaucet(c *Chain, q call) (any, error) {
	to, err := q.address(0)
	if err != nil {
		return nil, err
	}
	var asset, amount, name string
	if err := errors.Join(q.need(1, &asset), q.need(2, &amount)); err != nil {
		return nil, refuse(codeParams, "address, asset and amount: %s", err)
	}
	if len(q.params) > 3 {
		if err := q.need(3, &name); err != nil {
			return nil, err
		}
	}
	return c.given(to, asset, amount, name)
}

func (c *Chain) given(to solana.Address, asset, amount, name string) (any, error) {
	id, err := c.give(to, asset, amount, name)
	if errors.Is(err, errAsset) || errors.Is(err, errAmount) || errors.Is(err, errGiftFail) {
		return nil, refuse(codeParams, "%s", err)
	}
	return id, err
}

// requestAirdrop is the faucet of every node of a test network. It gives lamports.
func requestAirdrop(c *Chain, q call) (any, error) {
	to, err := q.address(0)
	if err != nil {
		return nil, err
	}
	var lamports uint64
	if err := q.need(1, &lamports); err != nil {
		return nil, err
	}
	return c.given(to, "native", fmt.Sprintf("%d.%09d", lamports/1e9, lamports%1e9), "")
}

// devSetAutomine says whether a transaction is put in a block of its own when it is sent, as at the start, or waits for
// dev_mine.
func devSetAutomine(c *Chain, q call) (any, error) {
	var on bool
	if err := q.need(0, &on); err != nil {
		return nil, err
	}
	byHand := !on
	return nil, c.locked(entry{ByHand: &byHand})
}

// devSetRent says what a byte of an account costs from now on, in lamports.
func devSetRent(c *Chain, q call) (any, error) {
	var n uint64
	if err := q.need(0, &n); err != nil {
		return nil, err
	}
	if n < 1 || n > 1_000_000 {
		return nil, refuse(codeParams, "%s lamports: 1 to 1,000,000", strconv.FormatUint(n, 10))
	}
	return nil, c.locked(entry{Rent: n})
}

// devSetView says how the node that is asked is worse than the chain; {} makes it whole again.
func devSetView(c *Chain, q call) (any, error) {
	var v View
	if len(q.params) != 1 {
		return nil, refuse(codeParams, "one view")
	}
	if err := json.Unmarshal(q.params[0], &v); err != nil {
		return nil, refuse(codeParams, "Invalid params: %s", err)
	}
	return nil, c.locked(entry{Node: q.node, View: &v})
}
