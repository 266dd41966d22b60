// Package rpc is the node.Client of EVM nodes. A node is not trusted: it may be down, behind,
// on another chain, or lying, so whatever can be checked against what we know
// ourselves is checked, and no answer is unbounded in time or size.
package rpc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
)

// callTimeout bounds every call. It is also the one try that a broadcast gets
// before its caller is answered.
const callTimeout = 3 * time.Second

// keptConnections stay open between calls. The default of two would have every
// third caller at once connect anew.
const keptConnections = 32

// recheck is how long a node is believed to be on the chain that it showed: what
// stands behind a URL can change.
const recheck = time.Minute

var (
	_ node.Client   = (*Client)(nil)
	_ node.Numbered = (*Client)(nil)
)

// Client asks one node of one network. It is safe for concurrent use.
type Client struct {
	conn    *gethrpc.Client
	network chain.Network
	timeout time.Duration
	observed
	checked atomic.Int64 // Unix nanoseconds when the node last showed the network's chain id; 0: ask
}

// Dial prepares a client; nothing is asked yet. Only http and https are taken.
func Dial(ctx context.Context, rawURL string, network chain.Network) (*Client, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, ErrURL // without the URL: it may hold the provider's key
	}
	if network.Kind != chain.EVM || network.ChainID == 0 {
		return nil, node.ErrWrongNetwork
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = keptConnections
	hc := &http.Client{
		Transport: capped{transport},
		// A node that answers elsewhere could send us into our own network.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	conn, err := gethrpc.DialOptions(ctx, rawURL, gethrpc.WithHTTPClient(hc))
	if err != nil {
		return nil, ErrURL
	}
	return &Client{conn: conn, network: network, timeout: callTimeout, observed: observed{unobserved}}, nil
}

// Network is the network that the client was made for.
func (c *Client) Network() chain.Network { return c.network }

// Close drops idle connections.
func (c *Client) Close() { c.conn.Close() }

// CheckNetwork asks the node for its chain id. A node of another chain is node.ErrWrongNetwork.
func (c *Client) CheckNetwork(ctx context.Context) error {
	var id quantity
	if err := c.ask(ctx, &id, "eth_chainId"); err != nil {
		return err
	}
	if uint64(id) != c.network.ChainID {
		c.checked.Store(0)
		return fmt.Errorf("%w: the node of %s says chain id %d, not %d", node.ErrWrongNetwork, c.network.Slug,
			uint64(id), c.network.ChainID)
	}
	c.checked.Store(time.Now().UnixNano())
	return nil
}

// Version is the program that a node says it is, on whatever chain.
func (c *Client) Version(ctx context.Context) (string, error) {
	var name string
	err := c.ask(ctx, &name, "web3_clientVersion")
	return name, err
}

// call asks once the node has shown that it is on the network's chain.
func (c *Client) call(ctx context.Context, result any, method string, args ...any) error {
	if err := c.onChain(ctx); err != nil {
		return err
	}
	return c.ask(ctx, result, method, args...)
}

// onChain asks for the chain id before the first question, every minute, and after
// each outage, when another node may have taken the place.
func (c *Client) onChain(ctx context.Context) error {
	if time.Since(time.Unix(0, c.checked.Load())) < recheck {
		return nil
	}
	return c.CheckNetwork(ctx)
}

func (c *Client) ask(ctx context.Context, result any, method string, args ...any) error {
	return c.askWithin(ctx, c.timeout, result, method, args...)
}

func (c *Client) askWithin(ctx context.Context, limit time.Duration, result any, method string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	err := c.conn.CallContext(ctx, result, method, args...)
	if err != nil {
		err = c.failed(method, err)
	}
	c.observe(ctx, c.network, method, time.Since(began), err)
	return err
}

func (c *Client) failed(method string, err error) error {
	err = classify(err)
	if errors.Is(err, ErrTransport) || errors.Is(err, node.ErrWrongNetwork) {
		c.checked.Store(0)
	}
	return fmt.Errorf("asking %s for %s: %w", c.network.Slug, method, err)
}

// observed has each question told.
type observed struct{ observe node.Observer }

// Observe names who is told, before the first question is put.
func (o *observed) Observe(who node.Observer) { o.observe = who }

func unobserved(context.Context, chain.Network, string, time.Duration, error) {}
