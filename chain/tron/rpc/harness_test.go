package rpc_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/chain/tron/localnet"
	"github.com/railkit/railkit/chain/tron/rpc"
)

var (
	usdt    = chain.Token{Symbol: "USDT", Address: "TDr6eSZVxMk1CxtrCwd6VvpLQFYCowKsDK", Decimals: 6}
	trx     = chain.Token{Symbol: "TRX", Decimals: 6}
	network = chain.Network{
		Slug: "tron", Name: "Tron Nile", Kind: chain.Tron, Cluster: "nile", Confirmations: 1, DataFee: true,
		Native: trx, Tokens: []chain.Token{usdt},
	}
	alice, bob, carol = addressOf(1), addressOf(2), addressOf(3)
)

func keyOf(i byte) *secp256k1.PrivateKey {
	return secp256k1.PrivKeyFromBytes(bytes.Repeat([]byte{i}, 32))
}

func addressOf(i byte) tron.Address {
	a, err := tron.AddressOf(keyOf(i).PubKey().SerializeCompressed())
	if err != nil {
		panic(err)
	}
	return a
}

// net is a chain, and the client of two of its nodes, a and b.
type net struct {
	*testing.T
	url string
	all *rpc.Network
}

type object = map[string]any

func start(t *testing.T) *net {
	t.Helper()
	c, err := localnet.Open(t.TempDir(), network)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(c.Handler(""))
	t.Cleanup(func() {
		server.Close()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	n := &net{T: t, url: server.URL}
	n.all = n.client("a", "b")
	n.gives(alice, "native", "1000")
	n.gives(alice, "USDT", "500")
	n.mine(localnet.Solid+1, 0)
	return n
}

func (n *net) client(names ...string) *rpc.Network {
	n.Helper()
	urls := ""
	for _, name := range names {
		urls += n.url + "/node/" + name + " "
	}
	return dialTo(n.T, urls, network)
}

func dialTo(t *testing.T, urls string, network chain.Network) *rpc.Network {
	t.Helper()
	c, err := rpc.DialAll(urls, network)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// control uses one of the chain's, or one of a node's.
func (n *net) control(path string, params object) {
	n.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		n.Fatal(err)
	}
	res, err := http.Post(n.url+path, "application/json", bytes.NewReader(raw))
	if err != nil {
		n.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
		n.Fatalf("%s: %d %s %v", path, res.StatusCode, text, err)
	}
}

// mine makes blocks, so long apart.
func (n *net) mine(blocks int, apart time.Duration) {
	n.Helper()
	n.control("/dev/mine", object{"blocks": blocks, "step": apart.Milliseconds()})
}

func (n *net) gives(a tron.Address, asset, amount string) {
	n.Helper()
	n.control("/dev/faucet", object{"address": a.String(), "asset": asset, "amount": amount})
}

// sees says how a node is worse from now on.
func (n *net) sees(name string, v localnet.View) {
	n.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		n.Fatal(err)
	}
	var o object
	if err := json.Unmarshal(raw, &o); err != nil {
		n.Fatal(err)
	}
	n.control("/node/"+name+"/dev/view", o)
}

// wish is alice's payment.
func (n *net) wish(t chain.Token, to tron.Address, amount int64) node.Wish {
	n.Helper()
	call, err := tron.Family{}.Transfer(t, to.String(), big.NewInt(amount))
	if err != nil {
		n.Fatal(err)
	}
	return node.Wish{Intent: chain.Intent{From: alice.String(), Call: call}}
}

func (n *net) offer(w node.Wish) node.Offer {
	n.Helper()
	o, err := n.all.Offer(n.Context(), w)
	if err != nil {
		n.Fatal(err)
	}
	return o
}

// unsigned is the transaction of an offer, which ends so long from now.
func (n *net) unsigned(w node.Wish, o node.Offer, ends time.Duration) tron.Raw {
	n.Helper()
	o.Units, o.Expires = max(o.Used, 1), time.Now().Add(ends).UnixMilli()
	w.Gas = o.Units
	tx, err := tron.Family{}.Assemble(network, w.Intent, chain.Terms{Recent: &o.Recent})
	if err != nil {
		n.Fatal(err)
	}
	raw, err := tron.Decode(tx.Unsigned)
	if err != nil {
		n.Fatal(err)
	}
	return raw
}

// signed is what alice broadcasts.
func (n *net) signed(t tron.Raw) node.Sent {
	n.Helper()
	digest := t.Digest()
	compact := ecdsa.SignCompact(keyOf(1), digest[:], false)
	raw, err := tron.Signed{Raw: t, Signature: [65]byte(append(compact[1:], compact[0]-27))}.Encode()
	if err != nil {
		n.Fatal(err)
	}
	return node.Sent{Signed: raw}
}

// pays has alice pay, within ten minutes.
func (n *net) pays(t chain.Token, to tron.Address, amount int64) (s node.Sent, id string) {
	n.Helper()
	w := n.wish(t, to, amount)
	o := n.offer(w)
	if o.Failure != nil {
		n.Fatal(o.Failure)
	}
	raw := n.unsigned(w, o, 10*time.Minute)
	s = n.signed(raw)
	s.Since = o.Since
	return s, raw.ID()
}

func (n *net) sends(s node.Sent) {
	n.Helper()
	if err := n.all.Send(n.Context(), s.Signed); err != nil {
		n.Fatal(err)
	}
}

func (n *net) outcome(s node.Sent) node.Outcome {
	n.Helper()
	o, err := n.all.Outcome(n.Context(), s)
	if err != nil {
		n.Fatal(err)
	}
	return o
}
