package localnet_test

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
)

const usdcMint = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"

var network = chain.Network{
	Slug: "solana", Name: "Solana Devnet", Kind: chain.Solana, Cluster: "devnet", Confirmations: 1,
	Native: chain.Token{Symbol: "SOL", Decimals: 9},
	Tokens: []chain.Token{{Symbol: "USDC", Address: usdcMint, Decimals: 6}},
}

// net is a chain behind HTTP.
type net struct {
	*testing.T
	dir, url string
	chain    *localnet.Chain
	server   *httptest.Server
}

func start(t *testing.T) *net {
	t.Helper()
	n := &net{T: t, dir: t.TempDir()}
	n.open()
	t.Cleanup(n.close)
	return n
}

func (n *net) open() {
	n.Helper()
	c, err := localnet.Open(n.dir, network)
	if err != nil {
		n.Fatal(err)
	}
	n.chain, n.server = c, httptest.NewServer(c.Handler(""))
	n.url = n.server.URL
}

func (n *net) close() {
	n.server.Close()
	if err := n.chain.Close(); err != nil {
		n.Error(err)
	}
}

type rpcError struct {
	Code    int
	Message string
	Data    struct{ Err any }
}

func (e *rpcError) Error() string { return fmt.Sprintf("%d %s", e.Code, e.Message) }

// ask puts a question to a node; "" is the one that knows everything.
func ask(url, node string, to any, method string, params ...any) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	res, err := http.Post(url+"/"+node, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP %d", res.StatusCode)
	}
	var a struct {
		Result json.RawMessage
		Error  *rpcError
	}
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil {
		return err
	}
	if a.Error != nil {
		return a.Error
	}
	if to == nil {
		return nil
	}
	return json.Unmarshal(a.Result, to)
}

func (n *net) node(node string, to any, method string, params ...any) {
	n.Helper()
	if err := ask(n.url, node, to, method, params...); err != nil {
		n.Fatalf("%s: %v", method, err)
	}
}

func (n *net) ask(to any, method string, params ...any) {
	n.Helper()
	n.node("", to, method, params...)
}

// refused expects an error with a code.
func (n *net) refused(code int, node, method string, params ...any) *rpcError {
	n.Helper()
	err := ask(n.url, node, nil, method, params...)
	e, ok := err.(*rpcError)
	if !ok || e.Code != code {
		n.Fatalf("%s: %v, want the code %d", method, err, code)
	}
	return e
}

func keyOf(i int) ed25519.PrivateKey { return ed25519.NewKeyFromSeed(fmt.Appendf(nil, "%032d", i)) }

func addressOf(k ed25519.PrivateKey) solana.Address {
	return solana.Address(k.Public().(ed25519.PublicKey))
}

var alice, bob = addressOf(keyOf(1)), addressOf(keyOf(2))

type object = map[string]any

func (n *net) blockhash() (hash [32]byte, last int64) {
	n.Helper()
	var a struct {
		Value struct {
			Blockhash            string
			LastValidBlockHeight int64
		}
	}
	n.ask(&a, "getLatestBlockhash")
	h, err := solana.ParseAddress(a.Value.Blockhash)
	if err != nil {
		n.Fatal(err)
	}
	return h, a.Value.LastValidBlockHeight
}

// signed is alice's transaction, in base64, and its id.
func (n *net) signed(v solana.Version, hash [32]byte, all ...solana.Instruction) (text, id string) {
	n.Helper()
	c, loaded := solana.Config{}, uint32(1_000_000)
	if v == solana.V1 {
		c = solana.Config{LoadedBytes: &loaded, Units: &loaded}
	}
	m, err := solana.Compile(v, alice, hash, c, all)
	if err != nil {
		n.Fatal(err)
	}
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
	return base64.StdEncoding.EncodeToString(raw), tx.ID()
}

var inBase64 = object{"encoding": "base64"}

func (n *net) send(text string) {
	n.Helper()
	n.ask(nil, "sendTransaction", text, inBase64)
}

func (n *net) lamports(node string, a solana.Address) uint64 {
	n.Helper()
	var b struct{ Value uint64 }
	n.node(node, &b, "getBalance", a.String())
	return b.Value
}

type status struct {
	Slot               int64
	Err                any
	ConfirmationStatus string
}

func (n *net) status(node, id string) *status {
	n.Helper()
	var a struct{ Value []*status }
	n.node(node, &a, "getSignatureStatuses", []string{id}, object{"searchTransactionHistory": true})
	return a.Value[0]
}

func (n *net) height(node string) (h int64) {
	n.Helper()
	n.node(node, &h, "getBlockHeight")
	return h
}

// transaction is what a node tells of one.
type transaction struct {
	Slot    int64
	Version any
	Meta    struct {
		Err                                 any
		Fee                                 uint64
		PreBalances, PostBalances           []uint64
		PreTokenBalances, PostTokenBalances []tokenBalance
	}
}

type tokenBalance struct {
	AccountIndex  int
	Mint, Owner   string
	UITokenAmount struct{ Amount, UIAmountString string }
}
