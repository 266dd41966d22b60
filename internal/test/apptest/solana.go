package apptest

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/test/solanatest"
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
	c, _ := solanatest.New(t)
	return &Solana{URL: c.URL, Mint: solanatest.Mint("USDC").String(), t: t}
}

// Nodes has the server ask both nodes.
func (s *Solana) Nodes(c *Config) { c.RPCURLs["solana"] = s.URL + "/a " + s.URL + "/b" }

// Control asks a node of the chain, and may change it.
func (s *Solana) Control(node, method string, params ...any) (result json.RawMessage) {
	s.t.Helper()
	solanatest.At(s.t, s.URL+"/"+node).Ask(&result, method, params...)
	return result
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
