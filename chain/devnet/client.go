// Package devnet is the client of the sandbox chain's controls: what the
// process railkit-devnet offers beyond a node's usual JSON-RPC. It links nothing
// of the node itself, which is in chain/devnet/node.
package devnet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Program is how the node names itself (web3_clientVersion begins with it), so
// that nobody takes it for another.
const Program = "railkit-devnet"

// maxAnswer bounds what is read of an answer; the controls answer in a line.
const maxAnswer = 1 << 20

// Client speaks to one railkit-devnet. Its methods may be called concurrently.
type Client struct {
	base string
	http *http.Client
}

// NewClient makes a client for a base address such as "http://127.0.0.1:8545".
func NewClient(baseURL string) *Client {
	return &Client{base: strings.TrimRight(baseURL, "/"), http: &http.Client{}}
}

// Error is what the devnet answered instead of a result.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// InvalidParams is JSON-RPC's code for a mistake of the caller.
const InvalidParams = -32602

func (e *Error) Error() string { return "devnet: " + e.Message }

// RPCURL is where the chain of a network answers JSON-RPC.
func (c *Client) RPCURL(slug string) string { return c.base + "/" + url.PathEscape(slug) }

// Open returns once the chain of a network answers. A devnet opens a chain at its first call, which on a busy machine
// takes longer than the 3 seconds that a server waits for a node.
func (c *Client) Open(ctx context.Context, slug string) error {
	var id string
	return c.call(ctx, slug, "eth_chainId", &id)
}

// Faucet gives an address an amount, in decimal text, of "native" or of a token
// that the network lists, by symbol. It returns the transaction's hash once that is mined.
func (c *Client) Faucet(ctx context.Context, slug, address, asset, amount string) (string, error) {
	var hash string
	err := c.call(ctx, slug, "dev_faucet", &hash, address, asset, amount)
	return hash, err
}

// FaucetOnce is Faucet for a call that may be repeated: under one name, which no other call has, it gives once. The
// devnet forgets names when it ends.
func (c *Client) FaucetOnce(ctx context.Context, name, slug, address, asset, amount string) (string, error) {
	var hash string
	err := c.call(ctx, slug, "dev_faucet", &hash, address, asset, amount, name)
	return hash, err
}

// Mine makes n blocks, which are empty unless transactions wait. The chain's
// clock stays near the wall clock, so that it takes up to n seconds.
func (c *Client) Mine(ctx context.Context, slug string, n int) error {
	return c.call(ctx, slug, "dev_mine", nil, n)
}

// Reorg puts as many other blocks in place of the last depth ones. The old
// branch's transactions are mined again in the new one, or forgotten with drop.
func (c *Client) Reorg(ctx context.Context, slug string, depth int, drop bool) error {
	return c.call(ctx, slug, "dev_reorg", nil, depth, drop)
}

// SetAutomine says whether transactions are mined as they come, as at the start,
// or only by Mine.
func (c *Client) SetAutomine(ctx context.Context, slug string, on bool) error {
	return c.call(ctx, slug, "dev_setAutomine", nil, on)
}

func (c *Client) call(ctx context.Context, slug, method string, result any, params ...any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("encoding %s: %w", method, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.RPCURL(slug), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("making the request for %s: %w", method, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("calling %s: %w", method, err)
	}
	defer resp.Body.Close()
	return decode(resp, method, result)
}

func decode(resp *http.Response, method string, result any) error {
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *Error          `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&answer); err != nil {
		return fmt.Errorf("decoding the answer to %s (HTTP %d): %w", method, resp.StatusCode, err)
	}
	if answer.Error != nil {
		return answer.Error
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return fmt.Errorf("decoding the result of %s: %w", method, err)
	}
	return nil
}
