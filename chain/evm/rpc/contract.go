package rpc

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/chain/node"
)

// HasCode reports whether a contract is at the address.
func (c *Client) HasCode(ctx context.Context, at evm.Address) (bool, error) {
	var code hexutil.Bytes
	err := c.call(ctx, &code, "eth_getCode", at.String(), latest)
	return len(code) > 0, err
}

// CallPending runs a call as it would run in the next block, and changes nothing. node.ErrReverts: the contract
// refuses it.
func (c *Client) CallPending(ctx context.Context, from, to evm.Address, data []byte) ([]byte, error) {
	var answer hexutil.Bytes
	err := c.call(ctx, &answer, "eth_call", callArgs{From: from.String(), To: to.String(), Data: data}, pending)
	return answer, err
}

// Call runs a call in the state of the newest block, and changes nothing.
func (c *Client) Call(ctx context.Context, asked node.ContractCall) ([]byte, error) {
	f, err := readFlight(node.Flight{From: cmp.Or(asked.From, evm.Address{}.String()), To: asked.To})
	if err != nil {
		return nil, err
	}
	var answer hexutil.Bytes
	args := tryArgs(f.from, f.to, asked.Value, asked.Data)
	err = c.call(ctx, &answer, "eth_call", args, latest)
	return answer, err
}

// Time is that of the newest block.
func (c *Client) Time(ctx context.Context) (time.Time, error) {
	var h struct {
		Time *quantity `json:"timestamp"`
	}
	if err := c.call(ctx, &h, "eth_getBlockByNumber", latest, false); err != nil {
		return time.Time{}, err
	}
	if h.Time == nil || *h.Time > 1<<40 {
		return time.Time{}, fmt.Errorf("%w: a block without a time", ErrNode)
	}
	return time.Unix(int64(*h.Time), 0).UTC(), nil
}

// maxLogs bounds the events that are read of one transaction.
const maxLogs = 1000

type wireLogs struct {
	TransactionHash *common.Hash `json:"transactionHash"`
	Status          *quantity    `json:"status"`
	Logs            []struct {
		Address *common.Address `json:"address"`
		Topics  []common.Hash   `json:"topics"`
		Data    hexutil.Bytes   `json:"data"`
	} `json:"logs"`
}

// Mined is what a mined transaction did, as the node sees the chain now: whether it succeeded, and its events. not
// found: it is in no block of this node.
func (c *Client) Mined(ctx context.Context, id string) (succeeded bool, logs []signed.Log, found bool, err error) {
	hash, err := parseHash(id)
	if err != nil {
		return false, nil, false, err
	}
	var w *wireLogs
	if err := c.call(ctx, &w, "eth_getTransactionReceipt", hash); err != nil || w == nil {
		return false, nil, false, err
	}
	if w.TransactionHash == nil || *w.TransactionHash != hash || w.Status == nil || *w.Status > 1 ||
		len(w.Logs) > maxLogs {
		return false, nil, false, fmt.Errorf("%w: a receipt with parts missing, or of another transaction", ErrNode)
	}
	for _, l := range w.Logs {
		if l.Address == nil {
			return false, nil, false, fmt.Errorf("%w: an event of no contract", ErrNode)
		}
		log := signed.Log{Contract: evm.Address(*l.Address), Data: l.Data}
		for _, t := range l.Topics {
			log.Topics = append(log.Topics, t)
		}
		logs = append(logs, log)
	}
	return *w.Status == 1, logs, true, nil
}
