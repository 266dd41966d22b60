package rpc_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/localnet"
	"github.com/railkit/railkit/chain/solana/rpc"
)

const usdcMint = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"

var (
	network = chain.Network{
		Slug: "solana", Kind: chain.Solana, Cluster: "devnet", Native: chain.Token{Symbol: "SOL", Decimals: 9},
		Tokens: []chain.Token{{Symbol: "USDC", Address: usdcMint, Decimals: 6}},
	}
	usdc, _    = solana.ParseAddress(usdcMint)
	alice, bob = addressOf(keyOf(1)), addressOf(keyOf(2))
)

func keyOf(i int) ed25519.PrivateKey { return ed25519.NewKeyFromSeed(fmt.Appendf(nil, "%032d", i)) }

func addressOf(k ed25519.PrivateKey) solana.Address {
	return solana.Address(k.Public().(ed25519.PublicKey))
}

// nodes are two nodes of one chain, a and b.
type nodes struct {
	*testing.T
	url string
	all rpc.Nodes
}

func start(t *testing.T) *nodes {
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
	n := &nodes{T: t, url: server.URL}
	for _, name := range []string{"a", "b"} {
		client, err := rpc.Dial(server.URL+"/"+name, network)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		n.all = append(n.all, client)
	}
	n.control("a", "requestAirdrop", alice.String(), 1_000_000_000)
	n.control("a", "dev_faucet", alice.String(), "USDC", "10")
	return n
}

type view = map[string]any

// control changes the chain, or what one node says of it.
func (n *nodes) control(node, method string, params ...any) {
	n.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		n.Fatal(err)
	}
	res, err := http.Post(n.url+"/"+node, "application/json", bytes.NewReader(body))
	if err != nil {
		n.Fatal(err)
	}
	defer res.Body.Close()
	var a struct{ Error *struct{ Message string } }
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil || a.Error != nil {
		n.Fatalf("%s: %v %v", method, err, a.Error)
	}
}

func (n *nodes) blockhash() rpc.Blockhash {
	n.Helper()
	b, err := n.all.Blockhash(n.Context())
	if err != nil {
		n.Fatal(err)
	}
	return b
}

// pays is alice's message that pays bob.
func (n *nodes) pays(v solana.Version, b rpc.Blockhash, mint solana.Address, amount uint64) solana.Message {
	n.Helper()
	i := solana.Intent{
		Source: alice, Destination: bob, Mint: mint, Amount: amount, MaxFee: 10_000,
	}
	t := solana.Terms{Version: v, Blockhash: b.Hash, Units: 100_000, LoadedBytes: 1_000_000}
	if mint != (solana.Address{}) {
		i.Decimals, i.MaxRent, t.Rent = 6, 2_000_000, 1_488_440
	}
	m, err := i.Message(t)
	if err != nil {
		n.Fatal(err)
	}
	return m
}

func (n *nodes) signed(m solana.Message) (solana.Transaction, []byte) {
	n.Helper()
	raw, err := m.Encode()
	if err != nil {
		n.Fatal(err)
	}
	tx, err := solana.Unsigned(m).Attach(alice, solana.Signature(ed25519.Sign(keyOf(1), raw)))
	if err != nil {
		n.Fatal(err)
	}
	if raw, err = tx.Encode(); err != nil {
		n.Fatal(err)
	}
	return tx, raw
}

// untried sends what no node would pass on if it tried it.
func (n *nodes) untried(raw []byte) {
	n.Helper()
	n.control("a", "sendTransaction", base64.StdEncoding.EncodeToString(raw),
		view{"encoding": "base64", "skipPreflight": true})
}
