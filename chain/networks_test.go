package chain_test

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/crypto/sha3"

	"github.com/railkit/railkit/chain"
)

var environments = []chain.Environment{chain.Sandbox, chain.Production}

func keccak(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// checksummed is EIP-55, written a second time because chain imports nothing.
func checksummed(address string) string {
	digits := []byte(strings.ToLower(address[2:]))
	sum := hex.EncodeToString(keccak(digits))
	for i, c := range digits {
		if c >= 'a' && sum[i] >= '8' {
			digits[i] = c - 'a' + 'A'
		}
	}
	return "0x" + string(digits)
}

func TestNetworksOfBothEnvironments(t *testing.T) {
	chainIDs := map[chain.Environment]map[string]uint64{
		chain.Production: {"ethereum": 1, "base": 8453, "polygon": 137, "arbitrum": 42161, "optimism": 10,
			"avalanche_c_chain": 43114},
		chain.Sandbox: {"ethereum": 11155111, "base": 84532, "polygon": 80002, "arbitrum": 421614, "optimism": 11155420,
			"avalanche_c_chain": 43113},
	}
	seen := map[uint64]bool{}
	for env, want := range chainIDs {
		if got := chain.OfKind(chain.EVM, chain.Networks(env)); len(got) != len(want) {
			t.Fatalf("%s: %d networks, want %d", env, len(got), len(want))
		}
		for slug, id := range want {
			n, ok := chain.BySlug(env, slug)
			if !ok || n.ChainID != id || n.Slug != slug || n.Name == "" || n.Kind != chain.EVM {
				t.Errorf("%s %s: got %+v", env, slug, n)
			}
			if byID, ok := chain.ByChainID(env, id); !ok || byID.Slug != slug {
				t.Errorf("%s %d: got %q", env, id, byID.Slug)
			}
			if seen[id] {
				t.Errorf("chain id %d is in both environments", id)
			}
			seen[id] = true
		}
	}
}

// The mints are those that Circle and Tether name on their pages; USDT of the sandbox is nobody's.
func TestNetworksOfSolana(t *testing.T) {
	for env, want := range map[chain.Environment][]string{
		chain.Sandbox: {"devnet", "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
			"7wTgMzn2aMt3uf9BJyp7U4BPnUzd1nG12cmgwCK8VNeD"},
		chain.Production: {"mainnet", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
			"Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"},
	} {
		all := chain.OfKind(chain.Solana, chain.Networks(env))
		if len(all) != 1 || all[0].Slug != "solana" || all[0].ChainID != 0 || all[0].Native.Decimals != 9 {
			t.Fatalf("%s: %+v", env, all)
		}
		n := all[0]
		got := []string{n.Cluster, n.Tokens[0].Address, n.Tokens[1].Address}
		if !slices.Equal(got, want) || n.Tokens[0].Symbol != "USDC" || n.Tokens[1].Symbol != "USDT" {
			t.Errorf("%s: %q", env, got)
		}
	}
}

// USDT of mainnet is at the address that Tether names on its page; that of the sandbox is nobody's.
func TestNetworksOfTron(t *testing.T) {
	for env, want := range map[chain.Environment][]string{
		chain.Sandbox:    {"nile", "TDr6eSZVxMk1CxtrCwd6VvpLQFYCowKsDK"},
		chain.Production: {"mainnet", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"},
	} {
		all := chain.OfKind(chain.Tron, chain.Networks(env))
		if len(all) != 1 || all[0].Slug != "tron" || all[0].ChainID != 0 || !all[0].DataFee {
			t.Fatalf("%s: %+v", env, all)
		}
		token, _ := all[0].TokenBySymbol("USDT")
		if got := []string{all[0].Cluster, token.Address}; !slices.Equal(got, want) || token.Decimals != 6 {
			t.Errorf("%s: %q", env, got)
		}
	}
}

func TestNetworksConfirmations(t *testing.T) {
	for _, env := range environments {
		for _, n := range chain.Networks(env) {
			if n.Confirmations < 1 || env == chain.Sandbox && n.Confirmations != 1 {
				t.Errorf("%s %s: %d confirmations", env, n.Slug, n.Confirmations)
			}
			if n.Explorer != "" && !strings.HasSuffix(n.Explorer, "/%s") {
				t.Errorf("%s %s: explorer without a place for the hash", env, n.Slug)
			}
		}
	}
}

func TestNetworksTokensAreWellFormed(t *testing.T) {
	for _, env := range environments {
		for _, n := range chain.OfKind(chain.EVM, chain.Networks(env)) {
			if n.Native.Symbol == "" || n.Native.Decimals != 18 || n.Native.Address != "" {
				t.Errorf("%s %s: native %+v", env, n.Slug, n.Native)
			}
			for _, token := range n.Tokens {
				if len(token.Address) != 42 || token.Address != checksummed(token.Address) {
					t.Errorf("%s %s %s: not an EIP-55 address", env, n.Slug, token.Symbol)
				}
				decimals := 6
				if token.Wraps != "" {
					decimals = 18
				}
				if token.Decimals != decimals || (token.DomainName == "") != (token.DomainVersion == "") {
					t.Errorf("%s %s: %+v", env, n.Slug, token)
				}
			}
		}
	}
}

func TestNetworksWhichTokens(t *testing.T) {
	withUSDT := map[chain.Environment][]string{
		chain.Production: {"ethereum", "polygon", "arbitrum", "avalanche_c_chain", "solana", "tron"},
		chain.Sandbox:    {"polygon", "arbitrum", "solana", "tron"},
	}
	for _, env := range environments {
		for _, n := range chain.Networks(env) {
			if _, ok := n.TokenBySymbol("USDC"); ok == (n.Slug == "tron") {
				t.Errorf("%s %s: USDC %v", env, n.Slug, ok)
			}
			_, got := n.TokenBySymbol("USDT")
			if want := slices.Contains(withUSDT[env], n.Slug); got != want {
				t.Errorf("%s %s: USDT %v, want %v", env, n.Slug, got, want)
			}
		}
	}
}

// The published separators hold name, version, chain id and address at once.
func TestNetworksDomainSeparators(t *testing.T) {
	raw, err := os.ReadFile("testdata/domain_separators.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Separators []struct{ Environment, Slug, Symbol, Separator string }
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors.Separators {
		n, _ := chain.BySlug(chain.Environment(v.Environment), v.Slug)
		token, ok := n.TokenBySymbol(v.Symbol)
		if !ok {
			t.Errorf("%s %s %s is not listed", v.Environment, v.Slug, v.Symbol)
			continue
		}
		if got := separator(t, n.ChainID, token); got != v.Separator {
			t.Errorf("%s %s %s: separator %s, want %s", v.Environment, v.Slug, v.Symbol, got, v.Separator)
		}
	}
}

func separator(t *testing.T, chainID uint64, token chain.Token) string {
	t.Helper()
	address, err := hex.DecodeString(token.Address[2:])
	if err != nil {
		t.Fatal(err)
	}
	word := func(b []byte) []byte { return append(make([]byte, 32-len(b)), b...) }
	return hex.EncodeToString(keccak(
		keccak([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")),
		keccak([]byte(token.DomainName)), keccak([]byte(token.DomainVersion)),
		word(new(big.Int).SetUint64(chainID).Bytes()), word(address)))
}

func TestNetworksOwnTokenAddressesAreDerived(t *testing.T) {
	for _, slug := range []string{"polygon", "arbitrum"} {
		n, _ := chain.BySlug(chain.Sandbox, slug)
		token, _ := n.TokenBySymbol("USDT")
		sum := keccak([]byte("railkit sandbox USDT " + strconv.FormatUint(n.ChainID, 10)))
		if want := "0x" + hex.EncodeToString(sum[12:]); strings.ToLower(token.Address) != want {
			t.Errorf("%s: %s, want %s", slug, token.Address, want)
		}
	}
}

func TestNetworksLookups(t *testing.T) {
	base, _ := chain.BySlug(chain.Sandbox, "base")
	usdc := base.Tokens[0]
	for _, address := range []string{
		usdc.Address, strings.ToLower(usdc.Address), "0x" + strings.ToUpper(usdc.Address[2:]),
	} {
		if got, ok := base.TokenByAddress(address); !ok || got != usdc {
			t.Errorf("token not found by its address in another case")
		}
	}
	for _, address := range []string{"", "0x", usdc.Address[2:], usdc.Address + "0"} {
		if _, ok := base.TokenByAddress(address); ok {
			t.Errorf("token found by %q", address)
		}
	}
	for symbol, want := range map[string]bool{
		"USDC": true, "usdc": true, "Usdc": false, "u\u017fdc": false, "": false, "USDT": false, "ETH": false,
	} {
		if _, ok := base.TokenBySymbol(symbol); ok != want {
			t.Errorf("symbol %q: found %v", symbol, ok)
		}
	}
	if _, ok := chain.BySlug(chain.Sandbox, "Base"); ok {
		t.Error("a slug in another case was found")
	}
	if _, ok := chain.ByChainID(chain.Sandbox, 0); ok {
		t.Error("chain id 0 was found")
	}
	if _, ok := chain.ByChainID(chain.Sandbox, 1); ok {
		t.Error("a mainnet was found in the sandbox")
	}
	if got := chain.Networks("staging"); len(got) != 0 {
		t.Error("an unknown environment has networks")
	}
}

func TestNetworksAreCopies(t *testing.T) {
	n := chain.Networks(chain.Sandbox)
	n[0].Slug, n[0].Tokens[0].Address = "mine", "mine"
	if again := chain.Networks(chain.Sandbox); again[0].Slug == "mine" || again[0].Tokens[0].Address == "mine" {
		t.Error("a caller changed the table")
	}
}
