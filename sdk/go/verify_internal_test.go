package railkit

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"math/big"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
)

const (
	alice = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
	bob   = "0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF"

	aliceMistyped = "0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf" // against the checksum
)

// plain is a network without a chain id, whose coin has other decimals than those of EVM.
var plain = chain.Network{
	Slug: "plain", Kind: chain.EVM, Cluster: "plain-main", Native: chain.Token{Symbol: "PLN", Decimals: 9},
}

func TestClient_Network(t *testing.T) {
	own := []chain.Network{plain, {Slug: "base", Kind: chain.EVM, ChainID: 77}}
	for _, tc := range []struct {
		what, environment, slug string
		own                     []chain.Network
		chainID, want           uint64
		err                     error
	}{
		{what: "by chain id", chainID: 84532, want: 84532},
		{what: "by both", chainID: 84532, slug: "base", want: 84532},
		{what: "a chain id that is not listed", chainID: 4711, want: 4711},
		{what: "by both, which differ", chainID: 84532, slug: "polygon", err: errOtherNetwork},
		{what: "by slug in one environment", environment: "production", slug: "base", want: 8453},
		{what: "by slug in both environments", slug: "base", err: errNoNetwork},
		{what: "by the slug of none", environment: "sandbox", slug: "plain", err: errNoNetwork},
		{what: "by nothing", environment: "sandbox", err: errNoNetwork},
		{what: "by slug, of the caller's", own: own, slug: "plain"},
		{what: "by slug, of the caller's in place of ours", own: own, slug: "base", want: 77},
	} {
		c := &Client{networks: networksOf(tc.environment, tc.own)}
		n, err := c.network(tc.chainID, tc.slug)
		if !errors.Is(err, tc.err) || err == nil && (n.ChainID != tc.want || tc.slug != "" && n.Slug != tc.slug) {
			t.Errorf("%s: %+v, %v", tc.what, n, err)
		}
	}
}

func TestClient_Sender(t *testing.T) {
	c := &Client{networks: networksOf("sandbox", []chain.Network{{Slug: "sol", Kind: chain.Solana, Cluster: "main"}})}
	for _, tc := range []struct {
		what, slug    string
		chainID       uint64
		address, want string
	}{
		{"an address", "base", 0, alice, alice},
		{"an address in lower case", "", 84532, "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", alice},
		{"on a network that is not listed", "", 4711, alice, alice},
		{"with a typing error", "base", 0, aliceMistyped, ""},
		{"of another family than the network's", "sol", 0, alice, ""},
	} {
		s, err := c.sender(tc.chainID, tc.slug, tc.address)
		if tc.want == "" && !errors.Is(err, errNoAddress) ||
			tc.want != "" && (err != nil || s.from != tc.want || s.family == nil || s.network.Kind != chain.EVM) {
			t.Errorf("%s: %+v, %v", tc.what, s, err)
		}
	}
}

// ExpectFrom is who signs where SignWith is an account's id. It stands in for no address, also not for a mistyped one.
func TestExpectation_Sender(t *testing.T) {
	s := &TransactionsService{c: &Client{networks: networksOf("sandbox", nil), verify: &verifier{}}}
	for _, tc := range []struct{ what, signWith, expectFrom, want string }{
		{"an address", alice, "", alice},
		{"an address, and another expected", alice, bob, alice},
		{"an account's id", "0b7c1a52-6d0e-4a0c-9f3e-0d5f1f0f3b11", bob, bob},
		{"an account's id, and nobody expected", "0b7c1a52-6d0e-4a0c-9f3e-0d5f1f0f3b11", "", ""},
		{"an address with a typing error", aliceMistyped, bob, ""},
		{"nothing", "", bob, ""},
	} {
		e, err := s.expectation(PrepareTransactionRequest{
			Type: TransferNative, ChainID: 84532, SignWith: tc.signWith, ExpectFrom: tc.expectFrom,
		})
		if tc.want == "" && !errors.Is(err, errNoAddress) || tc.want != "" && (err != nil || e.from != tc.want) {
			t.Errorf("%s: %+v, %v", tc.what, e, err)
		}
	}
}

// What no family knows as an address has one spelling, in rules too, and an account's id is the one thing that is
// asked for without saying the address.
func TestSameAddress(t *testing.T) {
	lower := "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
	if !sameAddress(alice, lower) || sameAddress(alice, bob) || sameAddress("AbC", "abc") || sameAddress(alice, "") {
		t.Error("addresses are compared otherwise than their families spell them")
	}
	if !isOther(alice, bob) || isOther(lower, alice) || isOther("0b7c1a52-6d0e-4a0c-9f3e-0d5f1f0f3b11", bob) {
		t.Error("an address that was asked for is taken for another, or another for it")
	}
	if !isOther(aliceMistyped, bob) {
		t.Error("an address with a typing error is taken for an account's id")
	}
	if sameBytes("zz", "zz") || sameBytes("0x01", "0x0100") || !sameBytes("0xAB", "ab") || !sameBytes("", "0x") {
		t.Error("hex is not compared by its bytes")
	}
}

func TestAgree(t *testing.T) {
	for _, tc := range []struct {
		what, id, slug, answered string
		chainID                  uint64
		want                     bool
	}{
		{"the chain id", "84532", "base", "base", 84532, true},
		{"another chain id", "84532", "base", "base", 1, false},
		{"no chain id, where there is one", "84532", "base", "base", 0, false},
		{"the slug", "plain-main", "plain", "plain", 0, true},
		{"another slug", "plain-main", "plain", "other", 0, false},
		{"a chain id, where there is none", "plain-main", "plain", "plain", 1, false},
		{"nothing", "", "", "", 0, false},
	} {
		if got := agree(tc.id, tc.slug, tc.chainID, tc.answered); got != tc.want {
			t.Errorf("%s: %t", tc.what, got)
		}
	}
}

// On a network without a chain id all that was told by the id is told by cluster and slug.
func TestMatch_NamedNetwork(t *testing.T) {
	c := &Client{networks: networksOf("", []chain.Network{plain})}
	by, err := c.sender(0, "plain", alice)
	if err != nil {
		t.Fatal(err)
	}
	e := &expectation{sender: by, limit: big.NewInt(100), PrepareTransactionRequest: PrepareTransactionRequest{
		Type: TransferNative, Network: "plain", To: bob, Amount: "1.5",
	}}
	type said struct {
		params wire.SignIntentParams
		shown  Preview
		answer PreparedTransaction
	}
	for what, lie := range map[string]func(*said){
		"":                                    func(*said) {},
		"shown on another cluster":            func(s *said) { s.shown.ChainID = "plain-test" },
		"shown on another network":            func(s *said) { s.shown.Chain, s.params.Chain = "other", "other" },
		"a body for another cluster":          func(s *said) { s.params.ChainID = "plain-test" },
		"a body for another network":          func(s *said) { s.params.Chain = "other" },
		"an answer with a chain id":           func(s *said) { s.answer.ChainID = 1 },
		"an answer on another network":        func(s *said) { s.answer.Network = "other" },
		"an amount in the decimals of others": func(s *said) { s.params.Value = "1500000000000000000" },
		"a call besides":                      func(s *said) { s.params.Data = "0x01" },
		"words of a token's transfer":         func(s *said) { s.params.Transfer = &wire.TransferParams{} },
	} {
		s := said{
			params: wire.SignIntentParams{
				SignWith: alice, Chain: "plain", ChainID: "plain-main", To: bob, Value: "1500000000", MaxTotalFee: "1",
			},
			shown: Preview{
				SignWith: alice, Chain: "plain", ChainID: "plain-main", MaxTotalFee: "1",
				Effects: []chain.Effect{
					{Kind: chain.Transfer, Asset: nativeAsset, From: alice, To: bob, Amount: "1500000000"},
				},
			},
			answer: PreparedTransaction{From: alice, Network: "plain"},
		}
		lie(&s)
		raw, err := json.Marshal(s.params)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.match(&wire.Body{Parameters: raw}, &s.shown, &s.answer); (err != nil) != (what != "") {
			t.Errorf("%q: %v", what, err)
		}
	}
}

// A tenth of a coin has other numbers where the coin has other decimals.
func TestFeeLimit_OfTheCoin(t *testing.T) {
	c := &Client{networks: []chain.Network{plain}}
	for _, tc := range []struct {
		slug, want, gasToo string
		chainID            uint64
	}{
		{slug: "plain", want: "100000000", gasToo: "100042000"},
		{chainID: 4711, want: DefaultFeeLimit, gasToo: "100000000000042000"},
	} {
		by, err := c.sender(tc.chainID, tc.slug, alice)
		if err != nil {
			t.Fatal(err)
		}
		for want, req := range map[string]PrepareTransactionRequest{
			tc.want: {Type: TransferNative}, tc.gasToo: {Type: TransferNative, GasLimit: "21000", MaxFeePerGas: "2"},
			"5": {Type: SignExact, FeeLimit: "5"},
		} {
			e := expectation{PrepareTransactionRequest: req, sender: by}
			if err := e.bound(); err != nil || e.limit.String() != want {
				t.Errorf("%s%d, %+v: %s, %v", tc.slug, tc.chainID, req, e.limit, err)
			}
		}
	}
}

// To a family a token without an address is the coin: a request that forgets the address must not become a transfer
// of as many coins.
func TestTokenWithoutAddress(t *testing.T) {
	e := expectation{PrepareTransactionRequest: PrepareTransactionRequest{Type: TransferToken, To: bob, Amount: "1"}}
	if e.bound() == nil {
		t.Error("a transfer of no token is prepared")
	}
}

// Decimals are those of the effect on the very asset, so that an effect on another one does not change an amount.
func TestDecimals(t *testing.T) {
	e := expectation{sender: sender{family: evm.Family{}}}
	shown := &Preview{Effects: []chain.Effect{{Asset: bob, Symbol: "USDC", Decimals: 6}}}
	if d, err := e.decimals(shown, bob); err != nil || d != 6 {
		t.Errorf("of the asset: %d, %v", d, err)
	}
	if _, err := e.decimals(shown, alice); !IsTampered(err) {
		t.Errorf("of another asset: %v", err)
	}
}

// The signer may know a network that this package does not list. Its coin has the decimals of its family, whatever the
// signer shows of it.
func TestMatch_CoinOfUnlistedNetwork(t *testing.T) {
	by, err := (&Client{}).sender(4711, "", alice)
	if err != nil {
		t.Fatal(err)
	}
	f := evm.Family{}
	value, _ := new(big.Int).SetString("1500000000000000000", 10)
	for _, req := range []PrepareTransactionRequest{
		{Type: TransferNative, ChainID: 4711, To: bob, Amount: "1.5"},
		{Type: Call, ChainID: 4711, To: bob, Amount: "1.5", Data: "0x12345678"},
	} {
		data, err := chain.ParseHex(req.Data)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := f.Assemble(by.network, chain.Intent{
			From: alice, Call: chain.Call{To: bob, Value: value, Data: data}, Gas: 50_000,
		}, chain.Terms{Nonce: 7, Fee: chain.Fee{Max: big.NewInt(2e9), Priority: big.NewInt(1e9)}})
		if err != nil {
			t.Fatal(err)
		}
		answer := &PreparedTransaction{From: alice, ChainID: 4711, UnsignedTransaction: chain.Hex(tx.Unsigned)}
		e := &expectation{PrepareTransactionRequest: req, sender: by}
		if _, err := e.matchBytes(answer); err != nil {
			t.Errorf("%s: %v", req.Type, err)
		}
		e.Amount = "0.15"
		if _, err := e.matchBytes(answer); !IsTampered(err) {
			t.Errorf("%s of another amount: %v", req.Type, err)
		}
	}
	shown := &Preview{Effects: []chain.Effect{{Asset: nativeAsset, Symbol: "NEW", Decimals: 6}}}
	if d, err := (&expectation{sender: by}).decimals(shown, nativeAsset); err != nil || d != 18 {
		t.Errorf("%d decimals, %v", d, err)
	}
}

// Addresses and symbols in rules have more than one spelling.
func TestMatchRules_Spelling(t *testing.T) {
	asked := PolicyRules{AllowedDestinations: []string{alice}, AllowedTokens: []string{"usdc"}, DailyUSD: "1.50"}
	is := wire.Rules{
		AllowedDestinations: []string{"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"}, AllowedTokens: []string{"USDC"},
		DailyUSD: "1.50",
	}
	if err := matchRules(is, asked); err != nil {
		t.Errorf("other spellings: %v", err)
	}
	is.AllowedDestinations = []string{bob}
	if err := matchRules(is, asked); !IsTampered(err) {
		t.Errorf("another destination: %v", err)
	}
}

// What was signed without a nonce is listed until the host names a finalized height above it, which the enclave repeats
// on each page: whoever reads the list compares it with a node of his own.
func TestOutstanding_Finalized(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	const owner = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"
	page := func(before, more, height, fingerprint string) Proof {
		p, err := wire.SignStatement(key, wire.Statement{
			Kind: wire.KindState, Seq: "7", Head: "h", State: &wire.Result{Lent: &wire.Lent{
				PolicyID: "p", Before: before, More: more,
				Finalized: []wire.FinalizedHeight{{Chain: "solana", Height: height}},
				Signed: []wire.LentSigning{{Fingerprint: fingerprint, Standing: true, Transaction: &wire.Transaction{
					SignWith: owner, Chain: "solana", TxHash: "x" + fingerprint, LastHeight: "500",
				}}},
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, lie := range map[string]func(*OutstandingList){
		"":                              func(*OutstandingList) {},
		"a nonce":                       func(l *OutstandingList) { l.Transactions[1].Nonce = new(uint64(1)) },
		"another final height":          func(l *OutstandingList) { l.Finalized[0].Height = 300 },
		"another height":                func(l *OutstandingList) { l.Transactions[1].LastHeight = new(int64(400)) },
		"no height":                     func(l *OutstandingList) { l.Transactions[1].LastHeight = nil },
		"no allowance":                  func(l *OutstandingList) { l.Transactions[1].Standing = false },
		"one of them left out":          func(l *OutstandingList) { l.Transactions = l.Transactions[:1] },
		"the page of another height":    func(l *OutstandingList) { l.Proofs[1] = page("4", "", "900", "b") },
		"the second page is the first":  func(l *OutstandingList) { l.Proofs[1] = l.Proofs[0] },
		"mined nonces on such networks": func(l *OutstandingList) { l.Mined = []MinedNonce{{Network: "solana"}} },
	} {
		v := &verifier{key: wire.CompressP256(&key.PublicKey), memory: NewMemory()}
		l := OutstandingList{
			Complete: true, Finalized: []FinalizedHeight{{Network: "solana", Height: 400}},
			Proofs: []Proof{page("", "4", "400", "a"), page("4", "", "400", "b")},
		}
		for _, f := range []string{"a", "b"} {
			l.Transactions = append(l.Transactions, OutstandingTransaction{
				Network: "solana", From: owner, TxHash: "x" + f, Fingerprint: f, AmountUSDC: "0",
				LastHeight: new(int64(500)), Standing: true,
			})
		}
		lie(&l)
		err := v.outstanding(&l, wire.LentRequest{PolicyID: "p"})
		if (err != nil) != (name != "") || err != nil && !IsTampered(err) {
			t.Errorf("%q: %v", name, err)
		}
		if err == nil && (l.Finalized[0].Height != 400 || len(l.Signed()) != 2 ||
			l.Signed()[1].Transaction.LastHeight != "500") {
			t.Errorf("the list says %+v, %+v", l.Finalized, l.Signed())
		}
	}
}
