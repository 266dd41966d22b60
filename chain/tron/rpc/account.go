package rpc

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/big"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
)

// account is what lies at an address.
type account struct {
	there    bool // something opened it; tokens do not
	contract bool
	sun      int64
}

func (c *Client) account(ctx context.Context, a tron.Address) (account, error) {
	var w struct {
		Address string `json:"address"`
		Balance int64  `json:"balance"`
		Type    string `json:"type"`
	}
	err := c.call(ctx, &w, newest+"getaccount", params{"address": a.String(), "visible": true})
	if err != nil || w.Address == "" {
		return account{}, err
	}
	if at, err := parseAny(w.Address); err != nil || at != a || w.Balance < 0 {
		return account{}, fmt.Errorf("%w: another account than the one asked for", ErrLyingNode)
	}
	return account{there: true, contract: w.Type == "Contract", sun: w.Balance}, nil
}

// free is what an account can use without burning TRX.
type free struct {
	free, staked int64 // bytes: those of every day, and those for which TRX is staked
	energy       int64
}

func (c *Client) free(ctx context.Context, a tron.Address) (f free, err error) {
	var w struct {
		FreeLimit   int64 `json:"freeNetLimit"`
		FreeUsed    int64 `json:"freeNetUsed"`
		Limit       int64 `json:"NetLimit"`
		Used        int64 `json:"NetUsed"`
		EnergyLimit int64
		EnergyUsed  int64
	}
	err = c.call(ctx, &w, newest+"getaccountresource", params{"address": a.String(), "visible": true})
	return free{
		free: max(w.FreeLimit-w.FreeUsed, 0), staked: max(w.Limit-w.Used, 0),
		energy: max(w.EnergyLimit-w.EnergyUsed, 0),
	}, err
}

// prices are what the network takes today, in sun. Witnesses vote on them.
type prices struct {
	energy, byte, opening int64
}

func (c *Client) prices(ctx context.Context) (p prices, err error) {
	var w struct {
		Parameters []struct {
			Key   string `json:"key"`
			Value int64  `json:"value"`
		} `json:"chainParameter"`
	}
	if err := c.call(ctx, &w, newest+"getchainparameters", nil); err != nil {
		return p, err
	}
	said := map[string]int64{}
	for _, one := range w.Parameters {
		said[one.Key] = one.Value
	}
	p = prices{
		energy: said["getEnergyFee"], byte: said["getTransactionFee"],
		opening: said["getCreateNewAccountFeeInSystemContract"] + said["getCreateAccountFee"],
	}
	const most = 1_000_000_000 // nothing costs a thousand TRX
	if p.energy <= 0 || p.byte <= 0 || p.energy > most || p.byte > most || p.opening < 0 || p.opening > most {
		return p, missing("a price that can be, among the chain's parameters,")
	}
	return p, nil
}

// tried is what a call would do now.
type tried struct {
	energy   int64
	returned []byte
}

// constant has the node run a call that changes nothing. node.ErrReverts: the contract refuses it.
func (c *Client) constant(
	ctx context.Context, from, contract tron.Address, value int64, data []byte,
) (t tried, err error) {
	var w struct {
		Result struct {
			Result  bool   `json:"result"`
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"result"`
		Energy      *int64   `json:"energy_used"`
		Returned    []string `json:"constant_result"`
		Transaction struct {
			Ret []struct {
				Ret string `json:"ret"`
			} `json:"ret"`
		} `json:"transaction"`
	}
	err = c.call(ctx, &w, newest+"triggerconstantcontract", params{
		"owner_address": from.String(), "contract_address": contract.String(), "data": hex.EncodeToString(data),
		"call_value": value, "visible": true,
	})
	switch {
	case err != nil:
		return t, err
	case !w.Result.Result:
		return t, refusal(orOther(w.Result.Code), plain(w.Result.Message))
	case len(w.Transaction.Ret) > 0 && w.Transaction.Ret[0].Ret == "FAILED":
		return t, &node.Refusal{Class: node.ErrReverts, Words: sentence("REVERT", w.Returned)}
	case w.Energy == nil || *w.Energy < 0 || len(w.Returned) != 1:
		return t, missing("what a call did")
	}
	t.energy = *w.Energy
	if t.returned, err = hex.DecodeString(w.Returned[0]); err != nil {
		return t, fmt.Errorf("%w: %w", ErrNode, err)
	}
	return t, nil
}

// orOther names a failure that the node gives no name: it ran into something of its own, or the call did.
func orOther(code string) string {
	if code == "" || code == "OTHER_ERROR" {
		return "CONTRACT_EXE_ERROR"
	}
	return code
}

// held is what an address has of a token.
func (c *Client) held(ctx context.Context, a, token tron.Address) (*big.Int, error) {
	hash := evm.Keccak256([]byte("balanceOf(address)"))
	data := append(append(hash[:4:4], make([]byte, 12)...), a[:]...)
	t, err := c.constant(ctx, a, token, 0, data)
	if err != nil {
		return nil, err
	}
	if len(t.returned) != 32 {
		return nil, fmt.Errorf("%w: a balance of %d bytes", ErrLyingNode, len(t.returned))
	}
	return new(big.Int).SetBytes(t.returned), nil
}

// balance is what an address has of TRX and of tokens.
func (c *Client) balance(ctx context.Context, a tron.Address, tokens []tron.Address) (b node.Balance, err error) {
	has, err := c.account(ctx, a)
	if err != nil {
		return b, err
	}
	b.Coin = big.NewInt(has.sun)
	b.Tokens, err = parallel(ctx, tokens, func(ctx context.Context, t tron.Address) (*big.Int, error) {
		return c.held(ctx, a, t)
	})
	return b, err
}
