package localnet

import (
	"strconv"

	"github.com/railkit/railkit/chain/solana"
)

// The rights over a mint, by the names that the control takes and the numbers of SetAuthority.
var mintRights = map[string]byte{"mint": 0, "freeze": 1}

// devSetAuthority takes a mint, a right ("mint" or "freeze") and who has it from now on, null for nobody. Once somebody
// else may make tokens, the faucet has none to give.
func devSetAuthority(c *Chain, q call) (any, error) {
	mint, err := q.address(0)
	if err != nil {
		return nil, err
	}
	var name string
	var next *string
	if err := q.need(1, &name); err != nil {
		return nil, err
	}
	if err := q.need(2, &next); err != nil {
		return nil, err
	}
	right, known := mintRights[name]
	if !known {
		return nil, refuse(codeParams, "the right is mint or freeze")
	}
	data := []byte{solana.TokenSetAuthority, right, 0}
	if next != nil {
		to, err := address(*next)
		if err != nil {
			return nil, err
		}
		data = append(data[:2], 1)
		data = append(data, to[:]...)
	}
	id, err := c.setAuthority(mint, data)
	if err != nil {
		return nil, refuse(codeParams, "%s", err)
	}
	return id, nil
}

// setAuthority has the key of all mints sign the change, in a block of its own.
func (c *Chain) setAuthority(mint solana.Address, data []byte) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	raw, err := c.signed("authority "+strconv.Itoa(len(c.landed)), solana.Instruction{
		Program: solana.TokenProgram,
		Accounts: []solana.Account{
			{Address: mint, Written: true}, {Address: addressOf(mintKey), Signs: true},
		},
		Data: data,
	})
	if err != nil {
		return "", err
	}
	return c.put(raw, "")
}
