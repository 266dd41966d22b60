package apptest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/localnet"
)

// Solana is a chain of Solana of a test's own. It has two nodes, a and b.
type Solana struct {
	URL  string // of node a with /a, of node b with /b
	Mint string // of USDC

	t testing.TB
}

// NewSolana starts a chain, which ends with the test.
func NewSolana(t testing.TB) *Solana {
	t.Helper()
	n, _ := chain.BySlug(chain.Sandbox, "solana")
	net, err := localnet.Open(t.TempDir(), n)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(net.Handler(""))
	t.Cleanup(func() {
		server.Close()
		if err := net.Close(); err != nil {
			t.Error(err)
		}
	})
	usdc, _ := n.TokenBySymbol("USDC")
	return &Solana{URL: server.URL, Mint: usdc.Address, t: t}
}

// Nodes has the server ask both nodes.
func (s *Solana) Nodes(c *Config) { c.RPCURLs["solana"] = s.URL + "/a " + s.URL + "/b" }

// Control asks a node of the chain, and may change it.
func (s *Solana) Control(node, method string, params ...any) json.RawMessage {
	s.t.Helper()
	body := JSON(s.t, map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	res, err := http.Post(s.URL+"/"+node, "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	var a struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil || a.Error != nil {
		s.t.Fatalf("%s: %v %v", method, err, a.Error)
	}
	return a.Result
}

// Faucet gives an owner SOL ("native") or a token.
func (s *Solana) Faucet(owner, asset, amount string) {
	s.t.Helper()
	s.Control("a", "dev_faucet", owner, asset, amount)
}

// Held is what the chain says that an owner has: lamports, and micro-USDC.
func (s *Solana) Held(owner string) (lamports, micro uint64) {
	s.t.Helper()
	var coin struct{ Value uint64 }
	if err := json.Unmarshal(s.Control("a", "getBalance", owner), &coin); err != nil {
		s.t.Fatal(err)
	}
	var tokens struct {
		Value []struct {
			Account struct {
				Data struct {
					Parsed struct {
						Info struct{ TokenAmount struct{ Amount string } }
					}
				}
			}
		}
	}
	raw := s.Control("a", "getTokenAccountsByOwner", owner, map[string]any{"mint": s.Mint},
		map[string]any{"encoding": "jsonParsed"})
	if err := json.Unmarshal(raw, &tokens); err != nil {
		s.t.Fatal(err)
	}
	for _, v := range tokens.Value {
		n, err := strconv.ParseUint(v.Account.Data.Parsed.Info.TokenAmount.Amount, 10, 64)
		if err != nil {
			s.t.Fatal(err)
		}
		micro += n
	}
	return coin.Value, micro
}

// Die lets the blockhash of signed bytes die, so that no block takes them any more.
func (s *Solana) Die(signed string) {
	s.t.Helper()
	raw, err := chain.ParseHex(signed)
	if err != nil {
		s.t.Fatal(err)
	}
	read, err := solana.DecodeTransaction(raw)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Control("a", "dev_expire", solana.Address(read.Blockhash).String())
}
