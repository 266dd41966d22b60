// Package rpc is the client of Solana's nodes: of one (Client), and of all that are configured for a network (Nodes).
// A node is not trusted: it may be down, behind, on another network, or lying, so whatever can be checked against what
// we know ourselves is checked, and no answer is unbounded in time or size. What it says of the chain
// is final; only what others have signed is tried as of the newest confirmed block.
//
// Where a method is one of chain/node's port it has its form. The port's nonces and prices of gas have no meaning here;
// in their place are Blockhash, Rent, Simulate and Accounts.
package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/follow"
)

const (
	callTimeout = 3 * time.Second
	// blockTimeout is more than that of other calls: a block may be large.
	blockTimeout = 15 * time.Second
	maxAnswer    = 64 << 20
	// keptConnections stay open between calls.
	keptConnections = 32
	// recheck is how long a node is believed to be on the network that it showed.
	recheck = time.Minute
	// maxVersion is of the transactions that are read here.
	maxVersion = 1
)

// How a node answers beside what package node names.
var (
	ErrTransport = errors.New("the node did not answer")         // try again, nothing is known
	ErrNode      = errors.New("the node answered with an error") // try again or look at it
	ErrLyingNode = errors.New("the node's answer contradicts itself or us")
	ErrURL       = errors.New("not an http or https URL of a node")
	// ErrFails says that the transaction would not do what it says, as the chain is now.
	ErrFails = errors.New("the transaction would fail")
)

// Client asks one node of one network. It is safe for concurrent use.
type Client struct {
	follow.Reader

	url     string
	http    *http.Client
	network chain.Network
	id      atomic.Int64
	observe node.Observer
	checked atomic.Int64 // Unix nanoseconds when the node last showed the network's genesis hash; 0: ask
	v1      atomic.Bool  // it has simulated a v1 transaction
}

var (
	_ node.BlockLister = (*Client)(nil)
	_ follow.Witness   = (*Client)(nil)
)

// Dial prepares a client; nothing is asked yet. Only http and https are taken.
func Dial(rawURL string, network chain.Network) (*Client, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, ErrURL // without the URL: it may hold the provider's key
	}
	if network.Kind != chain.Solana || solana.Genesis(network.Cluster) == "" {
		return nil, node.ErrWrongNetwork
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = keptConnections
	c := &Client{url: rawURL, network: network, observe: unobserved, http: &http.Client{
		Transport: transport,
		// A node that answers elsewhere could send us into our own network.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	c.Reader = follow.Reader{Source: source{c}}
	return c, nil
}

// Network is the network that the client was made for.
func (c *Client) Network() chain.Network { return c.network }

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// CheckNetwork asks the node for its genesis hash. A node of another cluster is node.ErrWrongNetwork.
func (c *Client) CheckNetwork(ctx context.Context) error {
	var hash string
	if err := c.ask(ctx, &hash, "getGenesisHash"); err != nil {
		return err
	}
	if hash != solana.Genesis(c.network.Cluster) {
		c.checked.Store(0)
		return fmt.Errorf("%w: the node of %s is not on %s", node.ErrWrongNetwork, c.network.Slug, c.network.Cluster)
	}
	c.checked.Store(time.Now().UnixNano())
	return nil
}

// Version is the program that a node says it is, on whatever network.
func (c *Client) Version(ctx context.Context) (string, error) {
	var v struct {
		Core string `json:"solana-core"`
	}
	err := c.ask(ctx, &v, "getVersion")
	return v.Core, err
}

// call asks once the node has shown that it is on the network.
func (c *Client) call(ctx context.Context, to any, method string, params ...any) error {
	if time.Since(time.Unix(0, c.checked.Load())) >= recheck {
		if err := c.CheckNetwork(ctx); err != nil {
			return err
		}
	}
	return c.ask(ctx, to, method, params...)
}

func (c *Client) ask(ctx context.Context, to any, method string, params ...any) error {
	limit := callTimeout
	if method == "getBlock" {
		limit = blockTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	err := c.askOnce(ctx, to, method, params)
	if err != nil {
		if errors.Is(err, ErrTransport) {
			c.checked.Store(0)
		}
		err = fmt.Errorf("asking %s for %s: %w", c.network.Slug, method, err)
	}
	c.observe(ctx, c.network, method, time.Since(began), err)
	return err
}

// Observe has each question told, before the first one is put.
func (c *Client) Observe(o node.Observer) { c.observe = o }

func unobserved(context.Context, chain.Network, string, time.Duration, error) {}

type answer struct {
	ID     int64           `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *wireError      `json:"error"`
}

func (c *Client) askOnce(ctx context.Context, to any, method string, params []any) error {
	id := c.id.Add(1)
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return ErrURL
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrTransport, withoutURL(err))
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrTransport, withoutURL(err))
	case len(raw) > maxAnswer:
		return fmt.Errorf("%w: more than %d bytes", ErrNode, maxAnswer)
	}
	return read(res.StatusCode, id, raw, to)
}

// read takes the answer to a question. Some nodes have an HTTP status of their own for errors.
func read(status int, id int64, raw []byte, to any) error {
	var a answer
	switch err := json.Unmarshal(raw, &a); {
	case err != nil || a.Error == nil && a.Result == nil:
		return fmt.Errorf("%w: HTTP status %d", ErrTransport, status)
	case a.Error != nil:
		return a.Error.refusal()
	case a.ID != id:
		return fmt.Errorf("%w: the answer to another question", ErrLyingNode)
	}
	if err := json.Unmarshal(a.Result, to); err != nil {
		return fmt.Errorf("%w: %w", ErrNode, err)
	}
	return nil
}

// withoutURL drops the URL, which may hold the provider's key.
func withoutURL(err error) error {
	if ue := (*url.Error)(nil); errors.As(err, &ue) {
		return ue.Err
	}
	return err
}
