// Package solanatest sends what people send on the sandbox's Solana, and what deceivers do: tests of the watcher, of
// payouts and of the sandbox's partner are about both.
package solanatest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/localnet"
)

// Chain is one that answers at a URL.
type Chain struct {
	t   testing.TB
	URL string
	// Node is the node, by its path below the URL, whose word is asked: of a chain of the test's own only.
	node atomic.Pointer[string]
}

// At is the chain behind the URL of a node, such as the shared devnet's.
func At(t testing.TB, url string) *Chain { return &Chain{t: t, URL: url} }

// New is a chain of the test's own. Devnet is the base address under which it answers as the devnet's does.
func New(t testing.TB) (c *Chain, devnet string) {
	t.Helper()
	n := Network()
	net, err := localnet.Open(t.TempDir(), n)
	if err != nil {
		t.Fatal(err)
	}
	c = &Chain{t: t}
	nodes := net.Handler("/" + n.Slug)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := c.node.Load(); name != nil && r.URL.Path == "/"+n.Slug {
			r.URL.Path += "/" + *name
		}
		nodes.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.Close()
		if err := net.Close(); err != nil {
			t.Error(err)
		}
	})
	c.URL = server.URL + "/" + n.Slug
	return c, server.URL
}

// Network is the sandbox's.
func Network() chain.Network {
	n, _ := chain.BySlug(chain.Sandbox, "solana")
	return n
}

// Mint is a listed token's.
func Mint(symbol string) solana.Address {
	t, _ := Network().TokenBySymbol(symbol)
	a, err := solana.ParseAddress(t.Address)
	if err != nil {
		panic("solanatest: no token " + symbol)
	}
	return a
}

// SetView makes the node worse that a chain of the test's own shows, from now on.
func (c *Chain) SetView(v localnet.View) {
	c.t.Helper()
	name := "worse"
	c.node.Store(&name)
	c.Ask(nil, "dev_setView", v)
}

// Ask puts a question to the node, or uses one of the chain's controls.
func (c *Chain) Ask(to any, method string, params ...any) {
	c.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := http.Post(c.URL, "application/json", bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	var a struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil || a.Error != nil {
		c.t.Fatalf("%s: %v %v", method, err, a.Error)
	}
	if to == nil {
		return
	}
	if err := json.Unmarshal(a.Result, to); err != nil {
		c.t.Fatal(err)
	}
}

// Person has a key.
type Person struct {
	key ed25519.PrivateKey
	solana.Address
}

// NewPerson has nothing yet.
func NewPerson() Person {
	public, key, _ := ed25519.GenerateKey(rand.Reader) // it never fails
	return Person{key, solana.Address(public)}
}

// Rich is somebody with SOL, and 1,000 of each listed token.
func (c *Chain) Rich() Person {
	c.t.Helper()
	p := NewPerson()
	c.Gives(p.String(), "native", "10")
	for _, t := range Network().Tokens {
		c.Gives(p.String(), t.Symbol, "1000")
	}
	return p
}

// Gives is the faucet.
func (c *Chain) Gives(to, asset, amount string) (id string) {
	c.t.Helper()
	c.Ask(&id, "dev_faucet", to, asset, amount)
	return id
}

// Holds is what the associated account of an owner has of a listed token, in its smallest unit.
func (c *Chain) Holds(owner, symbol string) int64 {
	c.t.Helper()
	a, err := solana.ParseAddress(owner)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.HeldAt(Associated(a, Mint(symbol)))
}

// HeldAt is what is in a token account; nothing where there is none.
func (c *Chain) HeldAt(account solana.Address) int64 {
	c.t.Helper()
	var all struct{ Value []*struct{ Data []string } }
	c.Ask(&all, "getMultipleAccounts", []string{account.String()},
		map[string]any{"commitment": "finalized", "encoding": "base64"})
	if all.Value[0] == nil {
		return 0
	}
	data, err := base64.StdEncoding.DecodeString(all.Value[0].Data[0])
	if err != nil || len(data) < 72 {
		c.t.Fatalf("%s is no token account: %v", account, err)
	}
	return int64(binary.LittleEndian.Uint64(data[64:]))
}

// Associated is the account of an owner for a mint.
func Associated(owner, mint solana.Address) solana.Address {
	return solana.AssociatedAddress(owner, mint, solana.TokenProgram)
}

// Send has a person pay for a transaction, which others may sign as well, and gives its id. One that fails is in a
// block all the same.
func (c *Chain) Send(by Person, all []solana.Instruction, others ...Person) (id string) {
	c.t.Helper()
	var latest struct{ Value struct{ Blockhash string } }
	c.Ask(&latest, "getLatestBlockhash")
	hash, err := solana.ParseAddress(latest.Value.Blockhash)
	if err != nil {
		c.t.Fatal(err)
	}
	m, err := solana.Compile(solana.V0, by.Address, hash, solana.Config{}, all)
	if err != nil {
		c.t.Fatal(err)
	}
	message, err := m.Encode()
	if err != nil {
		c.t.Fatal(err)
	}
	tx := solana.Unsigned(m)
	for _, p := range append([]Person{by}, others...) {
		if tx, err = tx.Attach(p.Address, solana.Signature(ed25519.Sign(p.key, message))); err != nil {
			c.t.Fatal(err)
		}
	}
	raw, err := tx.Encode()
	if err != nil {
		c.t.Fatal(err)
	}
	c.Ask(&id, "sendTransaction", base64.StdEncoding.EncodeToString(raw),
		map[string]any{"encoding": "base64", "skipPreflight": true})
	return id
}

// Rent is what an account of so many bytes has to have.
func (c *Chain) Rent(size int) (lamports uint64) {
	c.t.Helper()
	c.Ask(&lamports, "getMinimumBalanceForRentExemption", size)
	return lamports
}
