package decide

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/stamp"
)

const (
	usdx        = "0x1111111111111111111111111111111111111111"
	firstPrice  = recipient
	secondPrice = "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978" // twice the generator of P-256
)

// ledgerChain is a network that no list has.
func ledgerChain() chain.Network {
	return chain.Network{
		Slug: "ledger", Name: "Ledger Test", Kind: chain.EVM, ChainID: 99_001, Confirmations: 3,
		Native: chain.Token{Symbol: "LDG", Decimals: 18}, Explorer: "https://ledger.example/tx/%s",
	}
}

func tokenOn(slug string) NewToken {
	return NewToken{slug, chain.Token{Symbol: "USDX", Address: usdx, Decimals: 6, DomainName: "USD X",
		DomainVersion: "1"}}
}

func sealedState(env chain.Environment) *State {
	rp := stamp.RelyingParty{ID: "example.com", Origins: []string{"https://stamp.example.com"}}
	if env == chain.Sandbox {
		rp = stamp.RelyingParty{ID: "localhost", Origins: []string{"http://localhost:8081"}}
	}
	return NewState(Constants{Environment: env, RP: rp, PriceKey: firstPrice, Networks: chain.Networks(env)})
}

// amendWith takes an amendment into a state, as an entry of that number.
func amendWith(t *testing.T, s *State, a Amendment, seq uint64, at time.Time) Event {
	t.Helper()
	e, wanted, err := s.DecideAmendment(a, at)
	if err != nil || !wanted {
		t.Fatalf("%+v: %v, %v", a, wanted, err)
	}
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var read Event
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(read, seq); err != nil {
		t.Fatal(err)
	}
	return read
}

func TestAmendmentAdds(t *testing.T) {
	at := time.UnixMilli(1_800_000_000_000).UTC()
	s, other := sealedState(chain.Sandbox), sealedState(chain.Sandbox)
	before := other.Constants
	all := Amendment{
		Networks: []chain.Network{ledgerChain()}, Tokens: []NewToken{tokenOn("base"), tokenOn("ledger")},
		Origins: []string{"http://localhost:9999"}, PriceKey: secondPrice,
	}
	e := amendWith(t, s, all, 7, at)
	if n, ok := chain.WithSlug(s.Networks, "ledger"); !ok || len(n.Tokens) != 1 {
		t.Errorf("the network is %+v", n)
	}
	if n, _ := chain.WithSlug(s.Networks, "base"); len(n.Tokens) != 3 || n.Tokens[2] != tokenOn("base").Token {
		t.Errorf("base has %+v", n.Tokens)
	}
	if s.PriceKey != secondPrice || !reflect.DeepEqual(s.RP.Origins, []string{"http://localhost:8081",
		"http://localhost:9999"}) {
		t.Errorf("price key %s, origins %v", s.PriceKey, s.RP.Origins)
	}
	if !reflect.DeepEqual(other.Constants, before) || !reflect.DeepEqual(sealedState(chain.Sandbox).Constants, before) {
		t.Error("another state has changed with it")
	}
	told := s.Amendments()
	want := []string{
		"add network ledger with chain id 99001: Ledger Test, coin LDG of 18 decimals, final at 3 confirmations, no data fee, explorer https://ledger.example/tx/%s",
		"add token USDX on base " + usdx + `: 6 decimals, EIP-712 domain "USD X" version "1"`,
		"add token USDX on ledger " + usdx + `: 6 decimals, EIP-712 domain "USD X" version "1"`,
		"add origin http://localhost:9999", "change price key to " + secondPrice,
	}
	if len(told) != 1 || told[0].Seq != "7" || told[0].Time != "2027-01-15T08:00:00.000Z" ||
		!reflect.DeepEqual(told[0].Changes, want) {
		t.Errorf("it tells %+v", told)
	}
	if _, wanted, err := s.DecideAmendment(all, at); wanted || err != nil {
		t.Errorf("again it is %v, %v", wanted, err)
	}
	if err := other.Apply(e, 7); err != nil || !reflect.DeepEqual(s, other) {
		t.Errorf("a replay makes another state: %v", err)
	}
	raw, err := s.Save("p")
	if err != nil {
		t.Fatal(err)
	}
	restored, err := Restore(before, "p", raw)
	if err != nil || !reflect.DeepEqual(restored.Constants, s.Constants) || !reflect.DeepEqual(restored.Amendments(),
		told) ||
		!reflect.DeepEqual(restored.pastPriceKeys, s.pastPriceKeys) {
		t.Errorf("a checkpoint makes another state: %v", err)
	}
}

// Whatever would change, hide or take away what is sealed is refused, and what is malformed.
func TestAmendmentRefuses(t *testing.T) {
	now := time.UnixMilli(1_800_000_000_000)
	network := func(change func(*chain.Network)) Amendment {
		n := ledgerChain()
		change(&n)
		return Amendment{Networks: []chain.Network{n}}
	}
	token := func(change func(*NewToken)) Amendment {
		n := tokenOn("base")
		change(&n)
		return Amendment{Tokens: []NewToken{n}}
	}
	origin := func(o string) Amendment { return Amendment{Origins: []string{o}} }
	base, _ := chain.BySlug(chain.Production, "base")
	for name, tc := range map[string]struct {
		a    Amendment
		want string
	}{
		"a token that says it wraps a coin": {token(func(n *NewToken) { n.Wraps = "ETH" }), "wraps is only"},
		"a sealed network with another field": {network(func(n *chain.Network) {
			*n = base
			n.Tokens,
				n.Confirmations = nil, 1
		}), "never changes"},
		"a sealed slug": {network(func(n *chain.Network) { n.Slug = "base" }), "never changes"},
		"a sealed chain id": {network(func(n *chain.Network) { n.ChainID = 8453 }),
			"has this chainId"},
		"chain id 0": {network(func(n *chain.Network) { n.ChainID = 0 }), "chainId is not"},
		"a chain id that EIP-155 has not": {network(func(n *chain.Network) { n.ChainID = 1 << 63 }),
			"chainId is not"},
		"a chain id of the sandbox": {network(func(n *chain.Network) { n.ChainID = 84532 }),
			"belongs to the sandbox"},
		"an unknown kind": {network(func(n *chain.Network) { n.Kind = "cosmos" }),
			"kind is not evm"},
		"a Tron whose bytes cost nothing": {network(func(n *chain.Network) {
			n.Kind, n.ChainID, n.Cluster, n.Native.Decimals = chain.Tron, 0, "c", 6
		}), "no dataFee"},
		"a slug of other letters": {network(func(n *chain.Network) { n.Slug = "Ledger" }), "slug is not"},
		"the name of another": {network(func(n *chain.Network) { n.Name = "ARBITRUM One" }),
			"has this name"},
		"a name that turns around":   {network(func(n *chain.Network) { n.Name = "a\u202eb" }), "not seen"},
		"a name with a blank letter": {network(func(n *chain.Network) { n.Name = "Base\u3164" }), "not seen"},
		"no name":                    {network(func(n *chain.Network) { n.Name = "" }), "name is empty"},
		"no confirmations": {network(func(n *chain.Network) { n.Confirmations = 0 }),
			"confirmations"},
		"a coin of six decimals": {network(func(n *chain.Network) { n.Native.Decimals = 6 }),
			"18 decimals"},
		"a coin with a contract": {network(func(n *chain.Network) { n.Native.Address = usdx }),
			"native is not"},
		"a coin with a token's symbol": {network(func(n *chain.Network) { n.Native.Symbol = "USDC" }),
			"of a coin and of a token"},
		"a coin that looks like another": {network(func(n *chain.Network) { n.Native.Symbol = "Eth" }),
			"in case alone"},
		"a coin without a symbol": {network(func(n *chain.Network) { n.Native.Symbol = "" }),
			"symbol is not"},
		"a network with its tokens": {network(func(n *chain.Network) { n.Tokens = base.Tokens }),
			"by its own name"},
		"an explorer without https": {network(func(n *chain.Network) { n.Explorer = "http://x/%s" }),
			"explorer"},
		"an explorer of two places": {network(func(n *chain.Network) { n.Explorer = "https://x/%s%d" }),
			"explorer"},
		"two networks of one chain id": {Amendment{Networks: []chain.Network{ledgerChain(), func() chain.Network {
			n := ledgerChain()
			n.Slug, n.Name = "ledger2", "Second"
			return n
		}()}}, "has this chainId"},
		"a token of no network": {token(func(n *NewToken) { n.Chain = "nowhere" }), "no such network"},
		"a wrong checksum": {token(func(n *NewToken) { n.Address = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914" }),
			"checksum"},
		"no checksum": {token(func(n *NewToken) { n.Address = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02914" }),
			"EIP-55"},
		"no address": {token(func(n *NewToken) { n.Address = "" }), "not an address"},
		"the zero address": {token(func(n *NewToken) { n.Address = "0x" + strings.Repeat("0", 40) }),
			"of no token"},
		"Permit2": {token(func(n *NewToken) { n.Address = "0x000000000022D473030F116dDEE9F6B43aC78BA3" }),
			"of no token"},
		"a contract that is there": {token(func(n *NewToken) { n.Address = base.Tokens[0].Address }),
			"as USDC, which never changes"},
		"a token with other decimals": {token(func(n *NewToken) { n.Token = base.Tokens[0]; n.Decimals = 18 }),
			"never changes"},
		"a symbol that is there": {token(func(n *NewToken) { n.Symbol = "USDC" }),
			"another token of this symbol"},
		"a symbol in another case": {token(func(n *NewToken) { n.Symbol = "UsdC" }),
			"another token of this symbol"},
		"a symbol of elsewhere's case": {token(func(n *NewToken) { n.Symbol = "Usdt" }), "in case alone"},
		"a coin's symbol":              {token(func(n *NewToken) { n.Symbol = "POL" }), "of a coin and of a token"},
		"a symbol that is an address":  {token(func(n *NewToken) { n.Symbol = "0xabc" }), "symbol is not"},
		"a symbol of look-alikes":      {token(func(n *NewToken) { n.Symbol = "USDС" }), "symbol is not"},
		"decimals that were left out":  {token(func(n *NewToken) { n.Decimals = 0 }), "decimals"},
		"decimals out of range":        {token(func(n *NewToken) { n.Decimals = 19 }), "decimals"},
		"half of a domain":             {token(func(n *NewToken) { n.DomainVersion = "" }), "domainName"},
		"one token twice": {Amendment{Tokens: []NewToken{tokenOn("base"), tokenOn("base")}},
			"never changes"},
		"a page without https":          {origin("http://stamp2.example.com"), "https is required"},
		"localhost in production":       {origin("http://localhost:8081"), "https is required"},
		"a page of another site":        {origin("https://example.org"), "no page of example.org"},
		"a page that only ends so":      {origin("https://evil-example.com"), "no page of"},
		"an origin with a path":         {origin("https://a.example.com/"), "scheme://host"},
		"an origin in capitals":         {origin("https://A.example.com"), "as browsers do"},
		"an origin with the usual port": {origin("https://a.example.com:443"), "as browsers do"},
		"one origin twice": {Amendment{Origins: []string{"https://a.example.com",
			"https://a.example.com"}}, "cannot be added"},
		"a price key that is none": {Amendment{PriceKey: "02ff"}, "not a compressed"},
		"a price key in capitals":  {Amendment{PriceKey: strings.ToUpper(secondPrice)}, "not a compressed"},
		"too much at once":         {Amendment{Origins: make([]string, 101)}, "at most 100"},
	} {
		s := sealedState(chain.Production)
		if _, _, err := s.DecideAmendment(tc.a, now); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, not %q", name, err, tc.want)
		}
		if !reflect.DeepEqual(s, sealedState(chain.Production)) {
			t.Errorf("%s: the state has changed", name)
		}
	}
	s := sealedState(chain.Production)
	amendWith(t, s, Amendment{PriceKey: secondPrice}, 1, now)
	if _, _, err := s.DecideAmendment(Amendment{PriceKey: firstPrice}, now); err == nil ||
		!strings.Contains(err.Error(), "does not come back") {
		t.Errorf("back to the first price key: %v", err)
	}
}

// Where this program lists a network or a token, it cannot be added as anything else.
func TestAmendmentAsTheProgramLists(t *testing.T) {
	s := sealedState(chain.Sandbox)
	full := s.Networks
	s.Networks = full[:1] // ethereum alone
	if got := s.Lacking(Listed(chain.Sandbox)); len(got.Networks) != len(full)-1 || len(got.Tokens) < len(full)-1 ||
		got.Networks[0].Tokens != nil {
		t.Errorf("lacking: %+v", got)
	}
	for name, change := range map[string]func(n *chain.Network){
		"another chain id": func(n *chain.Network) { n.ChainID = 99_001 },
		"another slug":     func(n *chain.Network) { n.Slug = "base2" },
		"no data fee":      func(n *chain.Network) { n.DataFee = false },
	} {
		n, _ := chain.WithSlug(full, "base")
		n.Tokens = nil
		change(&n)
		if _, _, err := s.DecideAmendment(Amendment{Networks: []chain.Network{n}}, time.UnixMilli(1)); err == nil ||
			!strings.Contains(err.Error(), "this program lists base") {
			t.Errorf("%s: %v", name, err)
		}
	}
	amendWith(t, s, s.Lacking(Listed(chain.Sandbox)), 1, time.UnixMilli(1))
	if !reflect.DeepEqual(s.Networks, full) {
		t.Errorf("the networks are %+v", s.Networks)
	}
	s.Networks[0].Tokens = nil
	other := tokenOn("ethereum")
	other.Symbol = "USDC"
	if _, _, err := s.DecideAmendment(Amendment{Tokens: []NewToken{other}}, time.UnixMilli(1)); err == nil ||
		!strings.Contains(err.Error(), "this program lists USDC at") {
		t.Errorf("another USDC: %v", err)
	}
}

func TestAmendmentIsReadStrictly(t *testing.T) {
	n, err := ParseNetwork(`{"slug":"ledger","name":"Ledger Test","kind":"evm","chainId":99001,"confirmations":3,
		"native":{"symbol":"LDG","decimals":18},"explorer":"https://ledger.example/tx/%s"}`)
	if err != nil || !reflect.DeepEqual(n, ledgerChain()) {
		t.Errorf("%+v, %v", n, err)
	}
	want := tokenOn("base")
	got, err := ParseToken(`{"chain":"base","symbol":"USDX","address":"` + usdx + `","decimals":6,
		"domainName":"USD X","domainVersion":"1"}`)
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{`{"chain":"base","Symbol":"USDX"}`, `{"symbol":"A","symbol":"B"}`, `{"colour":1}`,
		`{} {}`, ``, `[]`} {
		if _, err := ParseToken(text); err == nil {
			t.Errorf("token %s", text)
		}
		if _, err := ParseNetwork(text); err == nil {
			t.Errorf("network %s", text)
		}
	}
}

// An entry that an amendment cannot have made does not open a journal.
func TestAmendmentThatIsNone(t *testing.T) {
	for name, a := range map[string]*Amendment{
		"nothing":                 nil,
		"a network that is there": {Networks: []chain.Network{{Slug: "base"}}},
		"a token of no network":   {Tokens: []NewToken{tokenOn("nowhere")}},
	} {
		if err := sealedState(chain.Sandbox).Apply(Event{Kind: EventAmended, Amendment: a}, 3); err == nil ||
			!strings.Contains(err.Error(), "entry 3") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
