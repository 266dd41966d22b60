package rpc

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
)

// Calls are the transfers of tokens that the programs of a transaction would call, inside its instructions, as the
// first node says that answers. A node that lies has somebody pay a fee for nothing: what was moved Arrived tells.
func (n *Network) Calls(ctx context.Context, unsigned []byte) ([]solana.Instruction, error) {
	tx, err := solana.DecodeTransaction(unsigned)
	if err != nil {
		return nil, fmt.Errorf("%w: it is no transaction", node.ErrRefused)
	}
	return node.First(ctx, n.nodes, func(ctx context.Context, c *Client) ([]solana.Instruction, error) {
		return c.calls(ctx, tx.Message)
	})
}

// wireCall is an instruction inside another one: taken apart, or with the names of its accounts.
type wireCall struct {
	ProgramID string
	Parsed    struct {
		Type string
		Info struct {
			Source, Mint, Destination, Authority, MultisigAuthority string
			TokenAmount                                             struct {
				Amount   string
				Decimals uint8
			}
		}
	}
}

func (c *Client) calls(ctx context.Context, m solana.Message) (all []solana.Instruction, err error) {
	raw, err := solana.Unsigned(m).Encode()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", node.ErrRefused, err)
	}
	var a struct {
		Value struct {
			Err               json.RawMessage
			InnerInstructions []struct{ Instructions []json.RawMessage }
		}
	}
	err = c.call(ctx, &a, "simulateTransaction", base64.StdEncoding.EncodeToString(raw), options{
		"encoding": "base64", "commitment": confirmed, "sigVerify": false, "innerInstructions": true,
	})
	if err != nil {
		return nil, err
	}
	if why := a.Value.Err; isSaid(why) {
		return nil, &node.Refusal{Class: classOf(why), Code: codeSimulation, Words: Sentence(why, &m)}
	}
	for _, group := range a.Value.InnerInstructions {
		for _, one := range group.Instructions {
			var w wireCall
			if json.Unmarshal(one, &w) != nil || w.Parsed.Type != "transferChecked" {
				continue // of another form, or no transfer that says its mint
			}
			i, err := w.instruction()
			if err != nil {
				return nil, err
			}
			all = append(all, i)
		}
	}
	return all, nil
}

func (w wireCall) instruction() (i solana.Instruction, err error) {
	info := w.Parsed.Info
	if i.Program, err = solana.ParseAddress(w.ProgramID); err != nil {
		return i, fmt.Errorf("%w: %w", ErrNode, err)
	}
	authority := info.Authority
	if authority == "" {
		authority = info.MultisigAuthority
	}
	for _, text := range []string{info.Source, info.Mint, info.Destination, authority} {
		a, err := solana.ParseAddress(text)
		if err != nil {
			return i, fmt.Errorf("%w: %w", ErrNode, err)
		}
		i.Accounts = append(i.Accounts, solana.Account{Address: a})
	}
	amount, err := strconv.ParseUint(info.TokenAmount.Amount, 10, 64)
	if err != nil {
		return i, fmt.Errorf("%w: %w", ErrNode, err)
	}
	i.Data = binary.LittleEndian.AppendUint64([]byte{solana.TokenTransferChecked}, amount)
	i.Data = append(i.Data, info.TokenAmount.Decimals)
	return i, nil
}

// Arrived is how much more of a token an owner's associated account has by a transaction in a final block.
func (n *Network) Arrived(ctx context.Context, id, address, token string) (*big.Int, error) {
	owner, err := solana.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	mint, err := solana.ParseAddress(token)
	if err != nil {
		return nil, err
	}
	return node.First(ctx, n.nodes, func(ctx context.Context, c *Client) (*big.Int, error) {
		all, err := c.moved(ctx, id, owner, mint)
		sum := new(big.Int)
		for _, m := range all {
			if m.To == owner.String() {
				sum.Add(sum, m.Amount)
			}
		}
		return sum, err
	})
}

// Held is what a token account has.
func (n *Network) Held(ctx context.Context, at solana.Address) (*big.Int, error) {
	all, err := n.accounts(ctx, at)
	if err != nil {
		return nil, err
	}
	return new(big.Int).SetUint64(all[0].Tokens), nil
}
