package decide

import (
	"errors"
	"math/big"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

const (
	solMint  = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
	solHash  = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"
	solHash2 = "11111111111111111111111111111112"
	solPayee = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"
	solOwn   = "8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR9"
	solOther = "2q7pyhPwAwZ3QMfZrnAbDhnh9mDUqycszcpf86VgQxhF"
)

// solClub is a club whose wallet also has an account on Solana.
func solClub(t testing.TB) *club {
	c := newClub(t, "ann")
	c.solAccount(solOwn)
	return c
}

func (c *club) solAccount(address string) {
	c.apply(Event{Kind: EventAccounts, OrganizationID: c.org, Accounts: []wire.Account{{
		WalletID: c.wallet, Address: address, AddressFormat: solana.Family{}.Form().AddressFormat,
	}}})
}

// solIntent pays 1 USDC of the club's account.
func solIntent() wire.SignIntentParams {
	usdc := chain.Token{Symbol: "USDC", Address: solMint, Decimals: 6}
	call, err := solana.Family{}.Transfer(usdc, solPayee, big.NewInt(1_000_000))
	if err != nil {
		panic(err)
	}
	return wire.SignIntentParams{
		SignWith: solOwn, Chain: "solana", ChainID: "devnet", To: solPayee, Value: "0", Data: chain.Hex(call.Data),
		GasLimit: "60000", MaxTotalFee: "10000", MaxRent: "2100000",
		Transfer: &wire.TransferParams{Token: solMint, To: solPayee, Amount: "1000000"},
	}
}

func solTerms() wire.Volatile {
	return wire.Volatile{
		Blockhash: solHash, Version: "v1", Units: "50000", LoadedBytes: "200000", Priority: "1000", Rent: "2039280",
		LastHeight: "500",
	}
}

// judgeOn decides about ann's body with what a host adds.
func (c *club) judgeOn(v wire.Volatile, r Request) (Decision, error) {
	id := encode([]byte("ann"))
	key, _ := c.Credential(id)
	return c.Decide(Submission{Request: r, Signer: &Signer{CredentialID: id, Key: key}, Volatile: v}, c.now)
}

func (c *club) signsOn(v wire.Volatile, r Request) *Order {
	c.t.Helper()
	d, err := c.judgeOn(v, r)
	if err != nil || d.Event.Transaction == nil {
		c.t.Fatalf("%s: %+v, %v", r.Body.Type, d.Event.Denial, err)
	}
	c.apply(d.Event)
	return d.Event.Transaction
}

// solBytes are exact bytes of instructions that the club's account pays for.
func (c *club) solBytes(payer string, all ...solana.Instruction) wire.SignTransactionParams {
	c.t.Helper()
	m, err := solana.Compile(solana.V0, solAddress(payer), solAddress(solHash), solana.Config{}, all)
	if err != nil {
		c.t.Fatal(err)
	}
	raw, err := solana.Unsigned(m).Encode()
	if err != nil {
		c.t.Fatal(err)
	}
	return wire.SignTransactionParams{
		SignWith: solOwn, Type: "TRANSACTION_TYPE_SOLANA", UnsignedTransaction: chain.Hex(raw),
	}
}

func solAddress(text string) solana.Address {
	a, err := solana.ParseAddress(text)
	if err != nil {
		panic(err)
	}
	return a
}

func solCoin(lamports uint64) solana.Instruction {
	return solana.TransferCoin(solAddress(solOwn), solAddress(solPayee), lamports)
}

// The signer makes the message of an intent out of what was stamped and what the host adds, within its bounds.
func TestSolana_L10_IntentsAreBounded(t *testing.T) {
	c := solClub(t)
	for _, version := range []string{"v0", "v1"} {
		v := solTerms()
		v.Version, v.LastHeight = version, "400"
		o := c.signsOn(v, c.body(wire.SignIntent, solIntent()))
		tx, err := solana.Family{}.DecodeUnsigned(o.Unsigned)
		if err != nil || !tx.Plain || tx.To != solPayee || tx.MaxFee.String() != "6000" || o.LastHeight != 400 ||
			o.Cluster != "devnet" || o.Nonce != 0 || tx.Recent.Version != version || tx.Recent.Blockhash != solHash {
			t.Errorf("%s: %+v of %+v, %v", version, o, tx, err)
		}
		effects := solana.Family{}.Effects(c.network(), solOwn, tx.Call)
		if len(effects) != 2 || effects[1].To != solPayee || effects[1].Display != "1 USDC" {
			t.Errorf("%s: %+v", version, effects)
		}
	}
	type (
		params   = wire.SignIntentParams
		volatile = wire.Volatile
	)
	for name, change := range map[string]func(*wire.SignIntentParams, *wire.Volatile){
		"more than the fee":        func(_ *params, v *volatile) { v.Priority = "5001" },
		"more than the rent":       func(_ *params, v *volatile) { v.Rent = "2100001" },
		"more than the units":      func(_ *params, v *volatile) { v.Units = "60001" },
		"legacy":                   func(_ *params, v *volatile) { v.Version = "legacy" },
		"no blockhash":             func(_ *params, v *volatile) { v.Blockhash = "" },
		"no units":                 func(_ *params, v *volatile) { v.Units = "" },
		"a height that is none":    func(_ *params, v *volatile) { v.LastHeight = "-1" },
		"a nonce and gas":          func(_ *params, v *volatile) { *v = volatile{NonceFloor: "0"} },
		"a payee that is a mint":   func(p *params, _ *volatile) { p.To = solMint },
		"a payee that is the own":  func(p *params, _ *volatile) { p.To = solOwn },
		"a payee that is a system": func(p *params, _ *volatile) { p.To = solana.TokenProgram.String() },
		"a payee of EVM":           func(p *params, _ *volatile) { p.To = c.address },
		"SOL and a token":          func(p *params, _ *volatile) { p.Value = "1" },
		"rent for SOL":             func(p *params, _ *volatile) { p.Value, p.Data, p.Transfer = "1", "0x", nil },
		"no rent that was stamped": func(p *params, _ *volatile) { p.MaxRent = "" },
		"rent of zero":             func(p *params, _ *volatile) { p.MaxRent = "0" },
		"other words":              func(p *params, _ *volatile) { p.Transfer.Amount = "2" },
		"another cluster":          func(p *params, _ *volatile) { p.ChainID = "mainnet" },
		"nothing":                  func(p *params, _ *volatile) { p.Data, p.Transfer, p.MaxRent = "0x", nil, "" },
	} {
		p, v := solIntent(), solTerms()
		v.Blockhash = solHash2
		change(&p, &v)
		d, err := c.judgeOn(v, c.body(wire.SignIntent, p))
		if !errors.Is(err, refusal.ErrBody) && !errors.Is(err, refusal.ErrFee) {
			t.Errorf("%s: %+v, %v", name, d.Event, err)
		}
	}
}

func (c *club) network() chain.Network { n, _ := chain.WithSlug(c.Networks, "solana"); return n }

// A body is signed once: whatever the host says later, it has its first message.
func TestSolana_L11_OneBodyOneMessage(t *testing.T) {
	c := solClub(t)
	r := c.body(wire.SignIntent, solIntent())
	c.signsOn(solTerms(), r)
	v := solTerms()
	v.Blockhash, v.Version, v.LastHeight = solHash2, "v0", "900"
	c.now = c.now.Add(5 * time.Minute)
	if d, err := c.judgeOn(v, r); err != nil || d.Past == nil || d.Event.Kind != "" {
		t.Errorf("the body is decided again: %+v, %v", d, err)
	}
}

// A second body for the message of a first would pay nothing, and its owner would think that it did. It names the
// first, and an intent is signed as soon as the host takes another blockhash.
func TestSolana_L12_OneMessageOneBody(t *testing.T) {
	c := solClub(t)
	first := c.body(wire.SignIntent, solIntent())
	signed := c.signsOn(solTerms(), first)
	second := c.body(wire.SignIntent, solIntent())
	_, err := c.judgeOn(solTerms(), second)
	if !errors.Is(err, refusal.ErrAlreadySigned) || !strings.Contains(err.Error(), first.Fingerprint) {
		t.Errorf("the same message for a second body: %v", err)
	}
	exact := c.body(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: solOwn, Type: "TRANSACTION_TYPE_SOLANA", UnsignedTransaction: chain.Hex(signed.Unsigned),
	})
	if _, err := c.judgeOn(wire.Volatile{}, exact); !errors.Is(err, refusal.ErrAlreadySigned) {
		t.Errorf("the same message as exact bytes: %v", err)
	}
	if _, err := c.Preview(exact, c.now); !errors.Is(err, refusal.ErrAlreadySigned) {
		t.Errorf("its preview: %v", err)
	}
	v := solTerms()
	v.Blockhash = solHash2
	c.signsOn(v, second)
	raw, err := c.Save("p")
	if err != nil {
		t.Fatal(err)
	}
	again, err := Restore(c.Constants, "p", raw)
	if err != nil || again.messageHolder(nonceKey{"solana", solOwn}, digest{}) != "" ||
		len(again.messages[nonceKey{"solana", solOwn}]) != 2 {
		t.Errorf("saved and restored: %+v, %v", again, err)
	}
	c.State = again
	if _, err := c.judgeOn(wire.Volatile{}, exact); !errors.Is(err, refusal.ErrAlreadySigned) {
		t.Errorf("after a restart: %v", err)
	}
}

// Without nonces nothing takes the place of a transaction.
func TestSolana_L13_NothingIsReplaced(t *testing.T) {
	c := solClub(t)
	first := c.body(wire.SignIntent, solIntent())
	c.signsOn(solTerms(), first)
	p := solIntent()
	p.Replaces = &wire.ReplacedParams{Fingerprint: first.Fingerprint, Nonce: "0"}
	v := solTerms()
	v.Blockhash = solHash2
	if _, err := c.judgeOn(v, c.body(wire.SignIntent, p)); !errors.Is(err, refusal.ErrNoReplacement) {
		t.Errorf("a replacement: %v", err)
	}
	if _, err := c.Preview(c.body(wire.SignIntent, p), c.now); !errors.Is(err, refusal.ErrNoReplacement) {
		t.Errorf("its preview: %v", err)
	}
}

// What was signed is listed until the host names a finalized height above its last one, which the answer repeats. No
// clock ends it, and what has no last height, or lets somebody take tokens, stays.
func TestSolana_L14_ExposureEndsByHeight(t *testing.T) {
	c := solClub(t)
	order := func(height uint64, standing bool) Event {
		return Event{Kind: EventTransaction, Transaction: &Order{
			SignWith: solOwn, WalletID: c.wallet, Kind: chain.Solana, Chain: "solana", Cluster: "devnet",
			Message: wire.Fingerprint(string(rune(c.seq))), LastHeight: height, Standing: standing,
		}}
	}
	for _, e := range []Event{order(500, false), order(0, false), order(500, true)} {
		c.sent("p", e)
	}
	c.now = c.now.Add(1000 * time.Hour)
	at := func(height string) wire.LentRequest {
		return wire.LentRequest{PolicyID: "p", Finalized: []wire.FinalizedHeight{{Chain: "solana", Height: height}}}
	}
	for _, tc := range []struct {
		q    wire.LentRequest
		want int
	}{
		{wire.LentRequest{PolicyID: "p"}, 3}, {at("500"), 3}, {at("501"), 2},
		{wire.LentRequest{PolicyID: "p", Mined: []wire.MinedNonce{
			{Chain: "solana", Address: solOwn, Nonce: "999"}, {Chain: "solana", Nonce: "999"},
		}}, 3},
		{wire.LentRequest{PolicyID: "p", Finalized: []wire.FinalizedHeight{{Chain: "base", Height: "501"}}}, 3},
	} {
		r, err := c.Describe(wire.StateRequest{OrganizationID: c.org, Lent: &tc.q}, c.now)
		if err != nil || len(r.Lent.Signed) != tc.want || !slices.Equal(r.Lent.Finalized, tc.q.Finalized) {
			t.Errorf("%+v: %+v, %v, want %d", tc.q, r.Lent, err, tc.want)
		}
	}
	for _, q := range []wire.LentRequest{at("x"), {PolicyID: "p", Finalized: []wire.FinalizedHeight{{Chain: "mars",
		Height: "1"}}}} {
		if _, err := c.Describe(wire.StateRequest{OrganizationID: c.org, Lent: &q}, c.now); err == nil {
			t.Errorf("%+v is taken", q)
		}
	}
}

// Exact bytes are read as a whole: what they do, who else has to sign, and whether they ever end.
func TestSolana_L15_ExactBytes(t *testing.T) {
	c := solClub(t)
	own, payee, other := solAddress(solOwn), solAddress(solPayee), solAddress(solOther)
	advance := solana.Instruction{Program: solana.SystemProgram, Accounts: []solana.Account{
		{Address: other, Written: true}, {Address: payee}, {Address: own, Signs: true},
	}, Data: []byte{4, 0, 0, 0}}
	pays := func(a solana.Address) solana.Instruction { return solana.TransferCoin(a, payee, 7) }
	for name, tc := range map[string]struct {
		p      wire.SignTransactionParams
		effect string // of the only one
		words  string // of a warning
		fee    string
	}{
		"a transfer": {c.solBytes(solOwn, solCoin(5)), "transfer", "", "5000"},
		"a durable nonce": {c.solBytes(solOwn, advance, solCoin(5)), "unknown_call",
			"until nonce account " + solOther + " advances", "5000"},
		"somebody else pays": {c.solBytes(solOther, solCoin(5)), "transfer",
			"others have to sign it too: " + solOther, "0"},
		"a program of strangers": {c.solBytes(solOwn, solana.Instruction{Program: other}), "unknown_call",
			"unknown call", "5000"},
	} {
		r := c.body(wire.SignTransaction, tc.p)
		shown, err := c.Preview(r, c.now)
		if err != nil || len(shown.Effects) != 1 || string(shown.Effects[0].Kind) != tc.effect || shown.Nonce != "" ||
			shown.MaxTotalFee != tc.fee || tc.words != "" && !warned(shown, tc.words) {
			t.Errorf("%s: %+v, %v", name, shown, err)
			continue
		}
		o := c.signsOn(wire.Volatile{LastHeight: "77"}, r)
		if (o.LastHeight == 77) == strings.Contains(name, "durable") {
			t.Errorf("%s: the last height is %d", name, o.LastHeight)
		}
	}
	c.solAccount(solOther)
	both := c.body(wire.SignTransaction, c.solBytes(solOwn, solCoin(6), pays(other)))
	if shown, err := c.Preview(both, c.now); err != nil || shown.Effects[0].Kind != chain.UnknownCall {
		t.Errorf("two of ours sign: %+v, %v", shown, err)
	}
	named := c.solBytes(solOwn, solCoin(8))
	named.ChainID = "devnet"
	c.signsOn(wire.Volatile{}, c.body(wire.SignTransaction, named))
	for name, change := range map[string]func(*wire.SignTransactionParams){
		"another cluster":          func(p *wire.SignTransactionParams) { p.ChainID = "mainnet" },
		"base64":                   func(p *wire.SignTransactionParams) { p.UnsignedTransaction = "AQAB" },
		"cut":                      func(p *wire.SignTransactionParams) { p.UnsignedTransaction = "0x0100" },
		"a type of EVM":            func(p *wire.SignTransactionParams) { p.Type = "TRANSACTION_TYPE_ETHEREUM" },
		"a key that signs nowhere": func(p *wire.SignTransactionParams) { p.SignWith = solOther },
	} {
		p := c.solBytes(solOwn, solCoin(9))
		change(&p)
		if _, err := c.judgeOn(wire.Volatile{}, c.body(wire.SignTransaction, p)); !errors.Is(err, refusal.ErrBody) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No signature over a text is one over a transaction.
func TestSolana_L16_TextIsNoTransaction(t *testing.T) {
	c := solClub(t)
	m, err := solana.Compile(solana.V0, solAddress(solOwn), solAddress(solHash), solana.Config{},
		[]solana.Instruction{solCoin(1)})
	raw, also := m.Encode()
	if err != nil || also != nil {
		t.Fatal(err, also)
	}
	say := wire.SignMessageParams{SignWith: solOwn, Type: wire.MessageText, Payload: "hello"}
	as := func(f chain.Family) {
		c.organizations[c.org].accounts[solOwn] = account{Account: wire.Account{Address: solOwn}, family: f}
	}
	c.must(EventMessage, "ann", c.body(wire.SignMessage, say))
	as(careless{payload: raw})
	c.refused("a message of a transaction", refusal.ErrBody, "ann", c.body(wire.SignMessage, say))
	as(solana.Family{})
	for _, kind := range []string{wire.MessageHex, wire.MessageRawDigest, wire.MessageTypedData} {
		say.Type, say.Payload = kind, chain.Hex(raw)
		c.refused(kind, refusal.ErrBody, "ann", c.body(wire.SignMessage, say))
	}
}

// careless signs what it is given.
type careless struct {
	solana.Family
	payload []byte
}

func (f careless) ReadMessage(_ []chain.Network, _, _, text string) (chain.Message, error) {
	return chain.Message{Payload: f.payload, Text: text}, nil
}

// A message names no cluster, so that a signer has one network of Solana: at genesis, and whatever its operator adds.
func TestSolana_L17_OneNetwork(t *testing.T) {
	for _, env := range []chain.Environment{chain.Sandbox, chain.Production} {
		all := chain.Networks(env)
		if err := CheckClusters(all); err != nil {
			t.Error(err)
		}
		n, ok := chain.WithSlug(all, "solana")
		if _, also := n.TokenBySymbol("USDC"); !ok || !also || n.Native.Symbol != "SOL" {
			t.Fatalf("%s lists %+v", env, n)
		}
		if err := (solana.Family{}).CheckNetwork(n); err != nil {
			t.Error(err)
		}
		for _, token := range n.Tokens {
			if err := (solana.Family{}).CheckToken(token.Address); err != nil {
				t.Errorf("%s of %s: %v", token.Symbol, env, err)
			}
		}
		n.Slug, n.Name, n.Cluster, n.Tokens = "solana_two", "Solana Two", "testnet", nil
		if CheckClusters(append(all, n)) == nil {
			t.Errorf("%s: a genesis has two", env)
		}
		s, later := sealedState(env), time.UnixMilli(1_800_000_000_000)
		if _, _, err := s.DecideAmendment(Amendment{Networks: []chain.Network{n}}, later); err == nil ||
			!strings.Contains(err.Error(), "has a network already, solana") {
			t.Errorf("%s: a second one by an amendment: %v", env, err)
		}
	}
}

// What docs/solana.md shows is what these tests stamp and hand in.
func TestSolana_L10_Documentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/solana.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, block := range strings.Split(string(text), "```json\n")[1:] {
		json, _, _ := strings.Cut(block, "```")
		shown = append(shown, json)
	}
	var body wire.SignIntentParams
	var host wire.Volatile
	if len(shown) != 2 || strict([]byte(shown[0]), &body) != nil || strict([]byte(shown[1]), &host) != nil ||
		!reflect.DeepEqual(body, solIntent()) || host != solTerms() {
		t.Errorf("the page shows %+v and %+v, and not\n%+v and %+v", body, host, solIntent(), solTerms())
	}
}
