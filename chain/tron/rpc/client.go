// Package rpc is the client of Tron's nodes: of one (Client), and of all that are configured for a network (Network).
// A node is asked by HTTP, at /wallet for the state of its newest block and at /walletsolidity for solid blocks, which
// are final. It is not trusted: it may be down, behind, on another network, or lying, so whatever can be checked
// against what we know ourselves is checked, and no answer is unbounded in time or size.
//
// Read network.go for what is asked of all nodes, offer.go for what is asked before anything is signed, outcome.go for
// what became of it, and transfers.go for what comes in.
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
	"strings"
	"sync/atomic"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
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
)

// How a node answers beside what package node names.
var (
	ErrTransport = errors.New("the node did not answer")         // try again, nothing is known
	ErrNode      = errors.New("the node answered with an error") // try again or look at it
	ErrLyingNode = errors.New("the node's answer contradicts itself or us")
	ErrURL       = errors.New("not an http or https URL of a node")
)

// Client asks one node of one network. It is safe for concurrent use.
type Client struct {
	url     string
	http    *http.Client
	network chain.Network
	observe node.Observer
	checked atomic.Int64 // Unix nanoseconds when the node last showed the network's first block; 0: ask
}

// Dial prepares a client; nothing is asked yet. Only http and https are taken. Methods are below the URL.
func Dial(rawURL string, network chain.Network) (*Client, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, ErrURL // without the URL: it may hold the provider's key
	}
	if network.Kind != chain.Tron || tron.Genesis(network.Cluster) == "" {
		return nil, node.ErrWrongNetwork
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = keptConnections
	return &Client{
		url: strings.TrimRight(rawURL, "/"), network: network, observe: unobserved, http: &http.Client{
			Transport: transport,
			// A node that answers elsewhere could send us into our own network.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Network is the network that the client was made for.
func (c *Client) Network() chain.Network { return c.network }

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Observe has each question told, before the first one is put.
func (c *Client) Observe(o node.Observer) { c.observe = o }

func unobserved(context.Context, chain.Network, string, time.Duration, error) {}

// CheckNetwork asks the node for its first block. A node of another cluster is node.ErrWrongNetwork.
func (c *Client) CheckNetwork(ctx context.Context) error {
	var b wireBlock
	if err := c.ask(ctx, &b, "wallet/getblockbynum", params{"num": 0}); err != nil {
		return err
	}
	if b.ID != tron.Genesis(c.network.Cluster) {
		c.checked.Store(0)
		return fmt.Errorf("%w: the node of %s is not on %s", node.ErrWrongNetwork, c.network.Slug, c.network.Cluster)
	}
	c.checked.Store(time.Now().UnixNano())
	return nil
}

// Version is the program that a node says it is, on whatever network.
func (c *Client) Version(ctx context.Context) (string, error) {
	var v struct {
		Config struct {
			Version string `json:"codeVersion"`
		} `json:"configNodeInfo"`
	}
	err := c.ask(ctx, &v, "wallet/getnodeinfo", nil)
	return v.Config.Version, err
}

// params are the members of a question.
type params = map[string]any

// call asks once the node has shown that it is on the network.
func (c *Client) call(ctx context.Context, to any, method string, p params) error {
	if time.Since(time.Unix(0, c.checked.Load())) >= recheck {
		if err := c.CheckNetwork(ctx); err != nil {
			return err
		}
	}
	return c.ask(ctx, to, method, p)
}

func (c *Client) ask(ctx context.Context, to any, method string, p params) error {
	limit := callTimeout
	if strings.Contains(method, "block") {
		limit = blockTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	err := c.askOnce(ctx, to, method, p)
	if err != nil {
		if errors.Is(err, ErrTransport) {
			c.checked.Store(0)
		}
		err = fmt.Errorf("asking %s for %s: %w", c.network.Slug, method, err)
	}
	c.observe(ctx, c.network, method, time.Since(began), err)
	return err
}

func (c *Client) askOnce(ctx context.Context, to any, method string, p params) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/"+method, bytes.NewReader(body))
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
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("%w: HTTP status %d", ErrTransport, res.StatusCode)
	}
	return read(raw, to)
}

// read takes an answer. A node that refuses a question says so in the member Error, with the status of an answer.
func read(raw []byte, to any) error {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' && raw[0] != '[' {
		return fmt.Errorf("%w: no JSON", ErrTransport)
	}
	var refused struct{ Error string }
	if raw[0] == '{' && json.Unmarshal(raw, &refused) == nil && refused.Error != "" {
		return &node.Refusal{Class: ErrNode, Words: short(refused.Error)}
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("%w: %w", ErrNode, err)
	}
	return nil
}

func short(words string) string {
	const enough = 200
	if len(words) > enough {
		return words[:enough] + "…"
	}
	return words
}

// withoutURL drops the URL, which may hold the provider's key.
func withoutURL(err error) error {
	if ue := (*url.Error)(nil); errors.As(err, &ue) {
		return ue.Err
	}
	return err
}
