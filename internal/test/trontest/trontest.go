// Package trontest is a chain of Tron for tests of the server and of the watcher. It links the machine for contracts,
// which apptest is kept free of.
package trontest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/tron/localnet"
	"github.com/railkit/railkit/chain/tron/rpc"
	"github.com/railkit/railkit/internal/test/apptest"
)

// Chain is one of a test's own. It has two nodes, a and b.
type Chain struct {
	URL  string // of node a with /node/a, of node b with /node/b
	USDT string // its contract

	t testing.TB
}

// New starts a chain, which ends with the test.
func New(t testing.TB) *Chain {
	t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, "tron")
	c, err := localnet.Open(t.TempDir(), n)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(c.Handler("/" + n.Slug))
	t.Cleanup(func() {
		server.Close()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	usdt, _ := n.TokenBySymbol("USDT")
	x := &Chain{URL: server.URL + "/" + n.Slug, USDT: usdt.Address, t: t}
	x.Mine(localnet.Solid + 1)
	return x
}

// Nodes has the server ask both nodes.
func (x *Chain) Nodes(c *apptest.Config) { c.RPCURLs["tron"] = x.URL + "/node/a " + x.URL + "/node/b" }

// Sandbox has the server's faucet and its control of blocks be those of this chain, which are no other network's then.
func (x *Chain) Sandbox(c *apptest.Config) { c.DevnetURL = strings.TrimSuffix(x.URL, "/tron") }

// Control uses one of the chain's controls below /dev, or one of a node's.
func (x *Chain) Control(node, method string, params map[string]any) {
	x.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		x.t.Fatal(err)
	}
	at := x.URL
	if node != "" {
		at += "/node/" + node
	}
	res, err := http.Post(at+"/dev/"+method, "application/json", bytes.NewReader(raw))
	if err != nil {
		x.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		x.t.Fatalf("%s: %d", method, res.StatusCode)
	}
}

// Mine makes blocks, a millisecond apart.
func (x *Chain) Mine(blocks int) {
	x.t.Helper()
	x.Control("", "mine", map[string]any{"blocks": blocks})
}

// Settle makes all that was sent solid.
func (x *Chain) Settle() {
	x.t.Helper()
	x.Mine(localnet.Solid + 1)
}

// Pass lets minutes pass on the chain, so that what ended before is no longer taken, and solid blocks say so.
func (x *Chain) Pass(minutes int) {
	x.t.Helper()
	x.Control("", "mine", map[string]any{"blocks": minutes + localnet.Solid, "step": 60_000})
}

// Gives is the faucet, of TRX ("native") or of a token.
func (x *Chain) Gives(to, asset, amount string) {
	x.t.Helper()
	x.Control("", "faucet", map[string]any{"address": to, "asset": asset, "amount": amount})
}

// Held is what the chain says that an address has: sun, and micro-USDT.
func (x *Chain) Held(address string) (sun, micro int64) {
	x.t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, "tron")
	c, err := rpc.DialAll(x.URL, n)
	if err != nil {
		x.t.Fatal(err)
	}
	defer c.Close()
	all, err := c.Balances(x.t.Context(), []string{address}, []string{x.USDT})
	if err != nil {
		x.t.Fatal(err)
	}
	return all[0].Coin.Int64(), all[0].Tokens[0].Int64()
}
