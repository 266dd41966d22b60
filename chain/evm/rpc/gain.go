package rpc

import (
	"cmp"
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/node"
)

// Gain is what an address would have more of a token after a call than before it. For this one question the caller's
// address has code that asks for the balance, makes the call, and asks again: to the contract it is the same sender,
// with the same allowances, and nodes of every make can do it. Whoever pays the caller coin meanwhile may.
func (c *Client) Gain(ctx context.Context, q node.ContractCall, token, owner string) (*big.Int, error) {
	f, err := readFlight(node.Flight{From: q.From, To: q.To, Token: token})
	if err != nil {
		return nil, err
	}
	of, err := evm.ParseAddress(owner)
	if err != nil {
		return nil, err
	}
	code := probe(f, cmp.Or(q.Value, new(big.Int)), of)
	args := callArgs{From: f.from.String(), To: f.from.String(), Data: q.Data}
	instead := map[string]map[string]hexutil.Bytes{f.from.String(): {"code": code}}
	var answer hexutil.Bytes
	if err := c.call(ctx, &answer, "eth_call", args, latest, instead); err != nil {
		return nil, err
	}
	if len(answer) != 32 {
		return nil, fmt.Errorf("%w: a call was tried, and %d bytes came back", ErrNode, len(answer))
	}
	gain := new(big.Int).SetBytes(answer)
	if answer[0]&0x80 != 0 { // less than before
		gain.Sub(gain, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	return gain, nil
}

// What the code is made of.
const (
	opSub                                          = 0x03
	opShl                                          = 0x1b
	opAddress, opBalance, opCaller                 = 0x30, 0x31, 0x33
	opCalldataSize, opCalldataCopy                 = 0x36, 0x37
	opReturndataSize, opReturndataCopy             = 0x3d, 0x3e
	opMload, opMstore, opJumpi, opGas, opJumpdest  = 0x51, 0x52, 0x57, 0x5a, 0x5b
	opPush1, opPush2                               = 0x60, 0x61
	opCall, opReturn, opStaticcall, opRevert, opEq = 0xf1, 0xf3, 0xfa, 0xfd, 0x14
	opStop                                         = 0x00
)

// assembly is code that is being written.
type assembly []byte

func (a *assembly) op(all ...byte) { *a = append(*a, all...) }

// push writes the shortest push of some bytes.
func (a *assembly) push(b ...byte) {
	a.op(byte(opPush1 + len(b) - 1))
	a.op(b...)
}

// unless goes on behind what is written next where the top of the stack is not zero.
func (a *assembly) unless(otherwise func()) {
	a.op(opPush2, 0, 0)
	at := len(*a) - 2
	a.op(opJumpi)
	otherwise()
	(*a)[at], (*a)[at+1] = byte(len(*a)>>8), byte(len(*a))
	a.op(opJumpdest)
}

// probe is the code of the caller's address: it does with its calldata what the caller would do.
func probe(f flight, value *big.Int, owner evm.Address) []byte {
	var a assembly
	a.op(opCaller, opAddress, opEq)
	a.unless(func() { a.op(opStop) }) // somebody pays it
	a.balance(f.token, owner)
	a.op(opCalldataSize)
	a.push(0)
	a.push(0)
	a.op(opCalldataCopy)
	a.push(0) // of what it answers: nothing is kept
	a.push(0)
	a.op(opCalldataSize)
	a.push(0)
	a.push(value.FillBytes(make([]byte, 32))...)
	a.push(f.to[:]...)
	a.op(opGas, opCall)
	a.unless(a.failed)
	a.balance(f.token, owner)
	a.op(opSub)
	a.push(0)
	a.op(opMstore)
	a.push(32)
	a.push(0)
	a.op(opReturn)
	return a
}

// failed says what the called contract said.
func (a *assembly) failed() {
	a.op(opReturndataSize)
	a.push(0)
	a.push(0)
	a.op(opReturndataCopy, opReturndataSize)
	a.push(0)
	a.op(opRevert)
}

// balanceOfSelector is that of balanceOf(address).
var balanceOfSelector = []byte{0x70, 0xa0, 0x82, 0x31}

// balance puts what the owner has onto the stack: of the token, or of the network's coin.
func (a *assembly) balance(token *evm.Address, owner evm.Address) {
	if token == nil {
		a.push(owner[:]...)
		a.op(opBalance)
		return
	}
	a.push(balanceOfSelector...)
	a.push(224)
	a.op(opShl)
	a.push(0)
	a.op(opMstore)
	a.push(owner[:]...)
	a.push(4)
	a.op(opMstore)
	a.push(32)
	a.push(0)
	a.push(36)
	a.push(0)
	a.push(token[:]...)
	a.op(opGas, opStaticcall)
	a.unless(a.failed)
	a.push(0)
	a.op(opMload)
}
