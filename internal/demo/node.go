package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
)

// node is the chain's own node, asked without the server in between.
type node struct {
	url       string
	transport http.RoundTripper
}

func (n node) balance(ctx context.Context, address string) (*big.Int, error) {
	return n.number(ctx, "eth_getBalance", address, "latest")
}

// tokenBalance calls balanceOf(address).
func (n node) tokenBalance(ctx context.Context, contract, address string) (*big.Int, error) {
	data := "0x70a08231" + strings.Repeat("0", 24) + strings.ToLower(strings.TrimPrefix(address, "0x"))
	return n.number(ctx, "eth_call", map[string]string{"to": contract, "data": data}, "latest")
}

func (n node) number(ctx context.Context, method string, params ...any) (*big.Int, error) {
	text := ""
	if err := n.call(ctx, method, params, &text); err != nil {
		return nil, fmt.Errorf("asking the node (%s): %w", method, err)
	}
	v, ok := new(big.Int).SetString(strings.TrimPrefix(text, "0x"), 16)
	if !ok {
		return nil, fmt.Errorf("asking the node (%s): the answer is not a number", method)
	}
	return v, nil
}

// block is the number of the block that has a transaction, if it did not fail there.
func (n node) block(ctx context.Context, hash string) (*big.Int, error) {
	var receipt struct{ BlockNumber, Status string }
	if err := n.call(ctx, "eth_getTransactionReceipt", []any{hash}, &receipt); err != nil {
		return nil, fmt.Errorf("asking the node for transaction %s: %w", hash, err)
	}
	number, ok := new(big.Int).SetString(strings.TrimPrefix(receipt.BlockNumber, "0x"), 16)
	if !ok || receipt.Status != "0x1" {
		return nil, fmt.Errorf("the node has no transaction %s that succeeded", hash)
	}
	return number, nil
}

// call reads the node's answer into result.
func (n node) call(ctx context.Context, method string, params []any, result any) error {
	var answer struct {
		Result any                       `json:"result"`
		Error  *struct{ Message string } `json:"error"`
	}
	answer.Result = result
	asked := map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
	if err := n.post(ctx, "", asked, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return errors.New(answer.Error.Message)
	}
	return nil
}

// post asks a node that speaks no JSON-RPC.
func (n node) post(ctx context.Context, path string, asked, answer any) error {
	raw, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := (&http.Client{Transport: n.transport}).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	return json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(answer)
}

// formatUnits writes an amount without trailing zeros: 25500000 as 25.5.
func formatUnits(units *big.Int, decimals int) string {
	text := units.String()
	if len(text) <= decimals {
		text = strings.Repeat("0", decimals-len(text)+1) + text
	}
	whole, fraction := text[:len(text)-decimals], strings.TrimRight(text[len(text)-decimals:], "0")
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}
