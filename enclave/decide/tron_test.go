package decide

import (
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

const (
	tronUSDT  = "TDr6eSZVxMk1CxtrCwd6VvpLQFYCowKsDK"
	tronBlock = "7b3bb21ace8d6ac20e7e"
)

var (
	tronOwn   = tron.Address{1}.String()
	tronPayee = tron.Address{2}.String()
	tronOther = tron.Address{3}.String()
)

// tronClub is a club whose wallet also has an account on Tron, at the key of another than its account of EVM.
func tronClub(t testing.TB) *club {
	c := newClub(t, "ann")
	c.apply(Event{Kind: EventAccounts, OrganizationID: c.org, Accounts: []wire.Account{{
		WalletID: c.wallet, Address: tronOwn, AddressFormat: tron.Family{}.Form().AddressFormat,
	}}})
	return c
}

// tronIntent pays 1 USDT of the club's account, with energy for 20 TRX at most.
func tronIntent() wire.SignIntentParams {
	return wire.SignIntentParams{
		SignWith: tronOwn, Chain: "tron", ChainID: "nile", To: tronUSDT, Value: "0",
		Data:     tronPays(tronPayee, 1_000_000),
		GasLimit: "20000000", MaxTotalFee: "20000000",
		Transfer: &wire.TransferParams{Token: tronUSDT, To: tronPayee, Amount: "1000000"},
	}
}

// tronCoin pays 5 sun.
func tronCoin() wire.SignIntentParams {
	return wire.SignIntentParams{
		SignWith: tronOwn, Chain: "tron", ChainID: "nile", To: tronPayee, Value: "5", Data: "0x", GasLimit: "1",
		MaxTotalFee: "1100000",
	}
}

func tronPays(to string, amount int64) string {
	call, err := tron.Family{}.Transfer(chain.Token{Address: tronUSDT}, to, big.NewInt(amount))
	if err != nil {
		panic(err)
	}
	return chain.Hex(call.Data)
}

func tronTerms() wire.Volatile {
	return wire.Volatile{Blockhash: tronBlock, Units: "15000000", LoadedBytes: "0"}
}

// tronRaw sends some sun of the club's account, and ends so long from now.
func (c *club) tronRaw(ends time.Duration, change func(*tron.Raw)) wire.SignTransactionParams {
	c.t.Helper()
	own, _ := tron.ParseAddress(tronOwn)
	payee, _ := tron.ParseAddress(tronPayee)
	raw := tron.Raw{
		RefBytes: [2]byte{0x7b, 0x3b}, Expiration: c.now.Add(ends).UnixMilli(), Timestamp: c.now.UnixMilli(),
		Owner: own,
		To:    payee, Amount: 5,
	}
	change(&raw)
	b, err := raw.Encode()
	if err != nil {
		c.t.Fatal(err)
	}
	return wire.SignTransactionParams{
		SignWith: tronOwn, Type: "TRANSACTION_TYPE_TRON", UnsignedTransaction: chain.Hex(b),
	}
}

func asItIs(*tron.Raw) {}

// The signer makes the transaction of an intent out of what was stamped and what the host adds, within its bounds. It
// ends ten minutes later by the signer's clock, whatever the host says.
func TestTron_T10_IntentsAreBounded(t *testing.T) {
	c := tronClub(t)
	for name, p := range map[string]wire.SignIntentParams{"USDT": tronIntent(), "TRX": tronCoin()} {
		v := tronTerms()
		v.LastHeight = "400"
		o := c.signsOn(v, c.body(wire.SignIntent, p))
		tx, err := tron.Family{}.DecodeUnsigned(o.Unsigned)
		if err != nil || !tx.Plain || tx.To != p.To || o.LastHeight != 0 || o.Cluster != "nile" ||
			o.Expires != c.now.Add(10*time.Minute).UnixMilli() || tx.Recent.Expires != o.Expires ||
			tx.Recent.Blockhash != tronBlock || name == "USDT" && tx.MaxFee.String() != "15000000" {
			t.Errorf("%s: %+v of %+v, %v", name, o, tx, err)
		}
	}
	type (
		params   = wire.SignIntentParams
		volatile = wire.Volatile
	)
	c.now = c.now.Add(time.Second)
	for name, change := range map[string]func(*params, *volatile){
		"more energy than stamped":    func(_ *params, v *volatile) { v.Units = "20000001" },
		"no energy":                   func(_ *params, v *volatile) { v.Units = "0" },
		"more than the fee":           func(p *params, v *volatile) { p.MaxTotalFee = "14999999" },
		"activation above the fee":    func(p *params, _ *volatile) { *p = tronCoin(); p.MaxTotalFee = "1099999" },
		"more energy than nodes take": func(p *params, _ *volatile) { p.GasLimit = "15000000001" },
		"no block":                    func(_ *params, v *volatile) { v.Blockhash = "" },
		"a block of Solana":           func(_ *params, v *volatile) { v.Blockhash = solHash },
		"a priority":                  func(_ *params, v *volatile) { v.Priority = "1" },
		"rent":                        func(p *params, _ *volatile) { p.MaxRent = "1" },
		"a nonce and gas":             func(_ *params, v *volatile) { *v = volatile{NonceFloor: "0"} },
		"a payee of EVM":              func(p *params, _ *volatile) { p.To = c.address },
		"a payee in hex":              func(p *params, _ *volatile) { p.To = "41" + strings.Repeat("0", 39) + "1" },
		"a payee nobody is":           func(p *params, _ *volatile) { p.Data = tronPays(tron.Address{}.String(), 1) },
		"other words":                 func(p *params, _ *volatile) { p.Transfer.Amount = "2" },
		"another cluster":             func(p *params, _ *volatile) { p.ChainID = "mainnet" },
		"a chain of EVM":              func(p *params, _ *volatile) { p.Chain, p.ChainID = "base", "84532" },
		"an account of EVM":           func(p *params, _ *volatile) { p.SignWith = c.address },
		"nothing":                     func(p *params, _ *volatile) { *p = tronCoin(); p.Value = "0" },
	} {
		p, v := tronIntent(), tronTerms()
		change(&p, &v)
		d, err := c.judgeOn(v, c.body(wire.SignIntent, p))
		if !errors.Is(err, refusal.ErrBody) && !errors.Is(err, refusal.ErrFee) {
			t.Errorf("%s: %+v, %v", name, d.Event, err)
		}
	}
}

// One body has one transaction, and one transaction one body. Nothing takes its place.
func TestTron_T11_SignedOnce(t *testing.T) {
	c := tronClub(t)
	first := c.body(wire.SignIntent, tronIntent())
	signed := c.signsOn(tronTerms(), first)
	second := c.body(wire.SignIntent, tronIntent())
	if _, err := c.judgeOn(tronTerms(), second); !errors.Is(err, refusal.ErrAlreadySigned) ||
		!strings.Contains(err.Error(), first.Fingerprint) {
		t.Errorf("the same transaction for a second body: %v", err)
	}
	exact := c.body(wire.SignTransaction, wire.SignTransactionParams{
		SignWith: tronOwn, Type: "TRANSACTION_TYPE_TRON", UnsignedTransaction: chain.Hex(signed.Unsigned),
	})
	if _, err := c.judgeOn(wire.Volatile{}, exact); !errors.Is(err, refusal.ErrAlreadySigned) {
		t.Errorf("the same transaction as exact bytes: %v", err)
	}
	c.now = c.now.Add(time.Millisecond)
	if d, err := c.judgeOn(tronTerms(), first); err != nil || d.Past == nil {
		t.Errorf("the first body is decided again: %+v, %v", d, err)
	}
	c.signsOn(tronTerms(), second)
	p := tronIntent()
	p.Replaces = &wire.ReplacedParams{Fingerprint: first.Fingerprint, Nonce: "0"}
	if _, err := c.judgeOn(tronTerms(), c.body(wire.SignIntent, p)); !errors.Is(err, refusal.ErrNoReplacement) {
		t.Errorf("a replacement: %v", err)
	}
}

// What was signed without a passkey is listed until it has ended by the signer's own clock, with a quarter of an hour
// for the clocks of those who make blocks. No host ends it, and what lets somebody take tokens stays.
func TestTron_T14_ExposureEndsByItself(t *testing.T) {
	c := tronClub(t)
	order := func(standing bool) Event {
		return Event{Kind: EventTransaction, Transaction: &Order{
			SignWith: tronOwn, WalletID: c.wallet, Kind: chain.Tron, Chain: "tron", Cluster: "nile", Standing: standing,
			Message: wire.Fingerprint(string(rune(c.seq))), Expires: c.now.Add(10 * time.Minute).UnixMilli(),
		}}
	}
	c.sent("p", order(false))
	c.sent("p", order(true))
	q := wire.LentRequest{PolicyID: "p", Finalized: []wire.FinalizedHeight{{Chain: "tron", Height: "1900000000000"}}}
	raw, err := c.Save("p")
	if err != nil {
		t.Fatal(err)
	}
	if c.State, err = Restore(c.Constants, "p", raw); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		after time.Duration
		want  int
	}{{0, 2}, {25 * time.Minute, 2}, {time.Second, 1}, {1000 * time.Hour, 1}} {
		c.now = c.now.Add(tc.after)
		if got, _ := c.lentSeqs(q); len(got) != tc.want {
			t.Errorf("%s later: %v", tc.after, got)
		}
	}
}

// Exact bytes are one transaction of their own account, and end as soon as those that the signer makes.
func TestTron_T15_ExactBytes(t *testing.T) {
	c := tronClub(t)
	for name, tc := range map[string]struct {
		p      wire.SignTransactionParams
		effect chain.EffectKind
		fee    string
	}{
		"TRX": {c.tronRaw(10*time.Minute, asItIs), chain.Transfer, "1100000"},
		"a call of strangers": {c.tronRaw(time.Minute, func(r *tron.Raw) {
			r.Amount, r.Data, r.FeeLimit = 0, []byte{1, 2, 3, 4}, 7
		}), chain.UnknownCall, "7"},
	} {
		r := c.body(wire.SignTransaction, tc.p)
		shown, err := c.Preview(r, c.now)
		if err != nil || len(shown.Effects) != 1 || shown.Effects[0].Kind != tc.effect || shown.MaxTotalFee != tc.fee {
			t.Errorf("%s: %+v, %v", name, shown, err)
			continue
		}
		if o := c.signsOn(wire.Volatile{LastHeight: "1"}, r); o.Expires <= c.now.UnixMilli() || o.LastHeight != 0 {
			t.Errorf("%s: %+v", name, o)
		}
	}
	late := c.tronRaw(10*time.Minute+time.Millisecond, asItIs)
	if _, err := c.Preview(c.body(wire.SignTransaction, late), c.now); !errors.Is(err, refusal.ErrBody) ||
		!strings.Contains(err.Error(), "lasts longer than 10m0s") {
		t.Errorf("a preview of one that lasts longer: %v", err)
	}
	for name, change := range map[string]func(*wire.SignTransactionParams){
		"one that lasts longer": func(p *wire.SignTransactionParams) { *p = late },
		"another's": func(p *wire.SignTransactionParams) {
			*p = c.tronRaw(time.Minute, func(r *tron.Raw) { r.Owner[19] = 9 })
		},
		"another cluster":     func(p *wire.SignTransactionParams) { p.ChainID = "mainnet" },
		"an account of EVM":   func(p *wire.SignTransactionParams) { p.SignWith = c.address },
		"a type of EVM":       func(p *wire.SignTransactionParams) { p.Type = "TRANSACTION_TYPE_ETHEREUM" },
		"a memo":              func(p *wire.SignTransactionParams) { p.UnsignedTransaction += "520161" },
		"a type without Tron": func(p *wire.SignTransactionParams) { p.Type = "" },
	} {
		p := c.tronRaw(time.Minute, asItIs)
		change(&p)
		if _, err := c.judgeOn(wire.Volatile{}, c.body(wire.SignTransaction, p)); !errors.Is(err, refusal.ErrBody) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A text is signed as wallets of Tron do. Nothing else is: 32 bytes may be a transaction's id, which is all that a key
// signs of one, and typed data is of EVM.
func TestTron_X01_TextAlone(t *testing.T) {
	c := tronClub(t)
	say := wire.SignMessageParams{SignWith: tronOwn, Type: wire.MessageText, Payload: "hello"}
	c.must(EventMessage, "ann", c.body(wire.SignMessage, say))
	c.rules(wire.Rules{AllowRawDigests: true})
	for kind, payload := range map[string]string{
		wire.MessageRawDigest: "0x" + strings.Repeat("11", 32), wire.MessageHex: "0x0a02", wire.MessageTypedData: "{}",
		wire.MessageText: strings.Repeat("a", 32),
	} {
		say.Type, say.Payload = kind, payload
		c.refused(kind, refusal.ErrBody, "ann", c.body(wire.SignMessage, say))
	}
}

// An account has a path of its own family: one key would sign for two kinds of chains otherwise.
func TestTron_X01_PathsOfAnotherFamily(t *testing.T) {
	account := func(format, path string) wire.AccountParams {
		return wire.AccountParams{
			Curve: "CURVE_SECP256K1", PathFormat: "PATH_FORMAT_BIP32", AddressFormat: format, Path: path,
		}
	}
	const eth, trx = "ADDRESS_FORMAT_ETHEREUM", "ADDRESS_FORMAT_TRON"
	for name, tc := range map[string]struct {
		a  wire.AccountParams
		ok bool
	}{
		"EVM":                {account(eth, "m/44'/60'/0'/0/0"), true},
		"Tron":               {account(trx, "m/44'/195'/0'/0/3"), true},
		"a path of nobody's": {account(eth, "m/0/1"), true},
		"EVM's key on Tron":  {account(trx, "m/44'/60'/0'/0/0"), false},
		"Tron's key on EVM":  {account(eth, "m/44'/195'/0'/0/0"), false},
		"deeper":             {account(eth, "m/44'/195'/7"), false},
		"the purpose alone":  {account(eth, "m/44'"), true},
	} {
		if err := checkAccount(tc.a); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := tronClub(t)
	both := wire.CreateWalletAccountsParams{WalletID: c.wallet, Accounts: []wire.AccountParams{
		account(eth, "m/0/1"), account(trx, "m/0/1"),
	}}
	c.refused("one path twice", refusal.ErrPathTaken, "ann", c.body(wire.CreateWalletAccounts, both))
}
