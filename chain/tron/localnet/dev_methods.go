package localnet

import (
	"encoding/json"
	"errors"
	"fmt"
)

// controls are the methods below /dev.
var controls = map[string]func(*Chain, call) (any, error){
	"mine":     devMine,
	"faucet":   devFaucet,
	"automine": devAutomine,
	"solid":    devSolid,
	"prices":   devPrices,
	"view":     devView,
}

// devMine makes so many blocks, the first of which takes what waits, so many milliseconds apart.
func devMine(c *Chain, q call) (any, error) {
	n, err := q.number("blocks")
	step, also := q.number("step")
	if err := errors.Join(err, also); err != nil {
		return nil, err
	}
	if n < 1 || n > mostMined || step < 0 || step > mostAhead {
		return nil, fmt.Errorf("1 to %d blocks, with a step of 0 to %d milliseconds", mostMined, mostAhead)
	}
	return object{}, c.locked(entry{Blocks: int(n), Step: max(step, 1)})
}

// devFaucet takes address, asset ("native" or a symbol), amount in decimal text and, if it is to be given once however
// often it is asked for, a name. It answers the transaction's id, once that is in a block.
func devFaucet(c *Chain, q call) (any, error) {
	id, err := c.give(q.text("address"), q.text("asset"), q.text("amount"), q.text("name"))
	if err != nil {
		return nil, err
	}
	return object{"txid": id}, nil
}

// devAutomine says whether a transaction is put in a block of its own when it is sent, as at the start, or waits.
func devAutomine(c *Chain, q call) (any, error) {
	on, ok := q.members["on"].(bool)
	if !ok {
		return nil, errors.New("on is not true or false")
	}
	byHand := !on
	return object{}, c.locked(entry{ByHand: &byHand})
}

// devSolid says how many blocks are above a solid one from now on.
func devSolid(c *Chain, q call) (any, error) {
	n, err := q.number("blocks")
	if err != nil || n < 0 || n > mostMined {
		return nil, fmt.Errorf("blocks is not 0 to %d", mostMined)
	}
	return object{}, c.locked(entry{Solid: &n})
}

// devPrices changes those prices that it names.
func devPrices(c *Chain, q call) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed := c.ledger.prices
	if err := q.into(&changed); err != nil {
		return nil, err
	}
	const most = 1_000_000_000
	for _, n := range []int64{changed.Energy - 1, changed.Byte, changed.Account, changed.Opening, changed.Penalty} {
		if n < 0 || n > most {
			return nil, fmt.Errorf("a price is negative or above %d, or energy costs nothing", most)
		}
	}
	return changed, c.write(entry{Prices: &changed})
}

// devView says how the node that is asked is worse than the chain; {} makes it whole again.
func devView(c *Chain, q call) (any, error) {
	var v View
	if err := q.into(&v); err != nil {
		return nil, err
	}
	return object{}, c.locked(entry{Node: q.node, View: &v})
}

// into reads all members.
func (q call) into(v any) error {
	raw, err := json.Marshal(q.members)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}
