package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/chain/evm"
)

// incoming is a token transfer that a chain tells of. Seq numbers those of one
// transaction, token and receiver: unlike the log's place in its block it stays
// the same when the transaction is mined again elsewhere.
type incoming struct {
	token, from, to evm.Address
	amount          *big.Int
	hash            string
	seq             int
}

// transferTopic is the signature of ERC-20's Transfer event.
var transferTopic = evm.Hex(func() []byte { sum := evm.Keccak256([]byte("Transfer(address,address,uint256)")); return sum[:] }())

// asker asks a chain what package rpc has no question for.
type asker struct{ url string }

var askClient = &http.Client{Timeout: 5 * time.Second}

var errChain = errors.New("the chain does not answer as a chain does")

// mostTopics is how many addresses a question names.
const mostTopics = 500

// maxLogs bounds an answer.
const maxLogs = 16 << 20

func (a asker) ask(ctx context.Context, result any, method string, params ...any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("encoding %s: %w", method, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("asking for %s: %w", method, err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := askClient.Do(req)
	if err != nil {
		return fmt.Errorf("asking for %s: %w", method, err)
	}
	defer res.Body.Close()
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  any             `json:"error"`
	}
	if json.NewDecoder(io.LimitReader(res.Body, maxLogs)).Decode(&answer) != nil || answer.Error != nil || json.Unmarshal(answer.Result, result) != nil {
		return fmt.Errorf("%s: %w", method, errChain)
	}
	return nil
}

// head is the newest block.
type head struct{ Number, Hash string }

func (a asker) head(ctx context.Context) (number int64, hash string, err error) {
	var h head
	if err = a.ask(ctx, &h, "eth_getBlockByNumber", "latest", false); err != nil {
		return 0, "", err
	}
	number, err = strconv.ParseInt(strings.TrimPrefix(h.Number, "0x"), 16, 64)
	if err != nil || h.Hash == "" {
		return 0, "", errChain
	}
	return number, h.Hash, nil
}

// transfers are those of the tokens to any of the addresses.
func (a asker) transfers(ctx context.Context, from, to int64, tokens []string, addresses []evm.Address) ([]incoming, error) {
	if len(addresses) > mostTopics {
		addresses = nil // to anybody: the caller sorts them out
	}
	var topics []string
	for _, address := range addresses {
		topics = append(topics, evm.Hex(append(make([]byte, 12), address[:]...)))
	}
	var logs []struct {
		Address, Data, TransactionHash string
		Topics                         []string
		Removed                        bool
	}
	err := a.ask(ctx, &logs, "eth_getLogs", map[string]any{
		"fromBlock": fmt.Sprintf("0x%x", from), "toBlock": fmt.Sprintf("0x%x", to), "address": tokens,
		"topics": []any{transferTopic, nil, topics},
	})
	if err != nil {
		return nil, err
	}
	var all []incoming
	seen := map[string]int{}
	for _, l := range logs {
		in, err := readLog(l.Address, l.Data, l.Topics)
		if err != nil || l.Removed {
			return nil, errChain
		}
		in.hash = strings.ToLower(l.TransactionHash)
		place := in.hash + in.token.String() + in.to.String()
		in.seq = seen[place]
		seen[place]++
		all = append(all, in)
	}
	return all, nil
}

func readLog(token, data string, topics []string) (in incoming, err error) {
	if len(topics) != 3 {
		return in, errChain
	}
	var from, to, amount []byte
	for _, part := range []struct {
		to   *[]byte
		text string
	}{{&from, topics[1]}, {&to, topics[2]}, {&amount, data}} {
		if *part.to, err = evm.ParseHex(part.text); err != nil || len(*part.to) != 32 {
			return in, errChain
		}
	}
	if in.token, err = evm.ParseAddress(strings.ToLower(token)); err != nil {
		return in, err
	}
	in.from, in.to, in.amount = evm.Address(from[12:]), evm.Address(to[12:]), new(big.Int).SetBytes(amount)
	return in, nil
}
