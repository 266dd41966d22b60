// Package chaintest says what a chain.Family must do, whichever it is. What the signer, the kits, the store and the SDK
// rely on is here. Begin with Case, which is what a family brings along; each other file is one part of the interface.
package chaintest

import (
	"cmp"
	"math/big"
	"testing"

	"github.com/railkit/railkit/chain"
)

// Case is a family under test, with what only the family itself knows.
type Case struct {
	Family  chain.Family
	Network chain.Network // of the family, with at least one token

	Spellings [][]string // each the spellings of one address, the canonical one first
	Typos     []string   // texts that are no address
	Nobody    []string   // canonical addresses that CheckPayee refuses; none where the family knows none
	NoToken   []string   // texts that CheckToken refuses

	Selectors   []string // texts that CheckSelector takes
	NoSelectors []string

	NoNetworks map[string]func(*chain.Network) // what makes Network one that CheckNetwork refuses

	Messages map[string]string // by each kind that ReadMessage takes: a payload of it

	Gas uint64 // that intents have; 0: 100,000

	// Of a family without nonces, whose transactions name no network: terms that it takes for that gas, each with other
	// bytes, terms that it refuses, and its highest fee.
	Terms   []chain.Terms
	NoTerms map[string]chain.Terms
	MaxFee  func(chain.Intent, chain.Terms) *big.Int
	// OnlyPayments says that it has no other intents.
	OnlyPayments bool
	// Blockhashes are two that a sponsored transfer may name; none of a family whose transactions have one signer.
	Blockhashes []string
}

// numbered says that transactions have nonces, and name their network.
func (b *bench) numbered() bool { return len(b.Terms) == 0 }

// terms are those of the case, or else some nonces.
func (b *bench) terms() []chain.Terms {
	if !b.numbered() {
		return b.Terms
	}
	var all []chain.Terms
	for _, nonce := range []uint64{7, 0, 1, 127, 128, 1 << 32, 1 << 62} {
		all = append(all, chain.Terms{Nonce: nonce, Fee: someFee})
	}
	return all
}

// Run holds the family to all of it.
func Run(t *testing.T, c Case) {
	for name, test := range map[string]func(*bench){
		"Form": form, "Spellings": spellings, "Typos": typos, "AddressOf": addressOf,
		"Payees": payees, "Networks": networks, "Tokens": tokens, "Selectors": selectors,
		"Transfers": transfers, "NoTransfers": noTransfers, "Beside": beside, "Unknown": unknownCalls,
		"Creation": creation,
		"Assemble": assemble, "Fields": fields, "Refused": refused, "MaxFee": maxFee, "DataBytes": dataBytes,
		"Sign": sign, "Verify": verify, "IDs": ids,
		"Cut": cut, "Changed": changed, "Garbage": garbage, "ChangedCalls": changedCalls,
		"Sponsored": sponsored, "NotSponsored": notSponsored,
		"Kinds": kinds, "Texts": texts, "Apart": apart, "Encoded": encoded, "Voids": voids,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newBench(t, c))
		})
	}
}

// bench is a family with an account that pays another.
type bench struct {
	Case
	*testing.T
	key         key
	from, payee string
	token       chain.Token
}

func newBench(t *testing.T, c Case) *bench {
	t.Helper()
	if len(c.Network.Tokens) == 0 || len(c.Spellings) == 0 || len(c.Typos) == 0 || len(c.NoNetworks) == 0 {
		t.Fatal("the case has no tokens, spellings, typing errors or networks that are none")
	}
	b := &bench{Case: c, T: t, token: c.Network.Tokens[0]}
	b.Gas = cmp.Or(c.Gas, 100_000)
	b.key, b.from = b.account(1)
	_, b.payee = b.account(2)
	return b
}

// account is the same key and address for the same number.
func (b *bench) account(number byte) (key, string) {
	b.Helper()
	k := newKey(b.T, b.Family.Form().Curve, number)
	address, err := b.Family.AddressOf(k.public)
	if err != nil {
		b.Fatal(err)
	}
	return k, address
}

// coin pays some of the network's coin.
func (b *bench) coin() chain.Intent { return b.pays(b.Network.Native) }

// pays moves 25.5 of an asset with six decimals.
func (b *bench) pays(t chain.Token) chain.Intent {
	b.Helper()
	call, err := b.Family.Transfer(t, b.payee, big.NewInt(25_500_000))
	if err != nil {
		b.Fatal(err)
	}
	return b.calls(call)
}

func (b *bench) calls(c chain.Call) chain.Intent {
	return chain.Intent{From: b.from, Call: c, Gas: b.Gas}
}

var someFee = chain.Fee{Max: big.NewInt(30_000_000), Priority: big.NewInt(1_000_000)}

func (b *bench) assembled(i chain.Intent) chain.Tx {
	b.Helper()
	tx, err := b.Family.Assemble(b.Network, i, b.terms()[0])
	if err != nil {
		b.Fatal(err)
	}
	return tx
}

// signed is what is broadcast of an intent.
func (b *bench) signed(i chain.Intent) (tx chain.Tx, signature, signed []byte) {
	b.Helper()
	tx = b.assembled(i)
	signature = b.key.sign(tx.Payload)
	signed, err := b.Family.Attach(tx, b.from, signature)
	if err != nil {
		b.Fatal(err)
	}
	return tx, signature, signed
}

// intents are one of the coin, one of a token, and one of neither, which is no payment.
func (b *bench) intents() []chain.Intent {
	neither := b.pays(b.token)
	switch {
	case b.OnlyPayments:
	case b.numbered():
		neither = b.coin()
		neither.Value = new(big.Int)
	default:
		neither.Data = []byte{0xde, 0xad, 0xbe, 0xef, 1}
	}
	return []chain.Intent{b.coin(), b.pays(b.token), neither}
}
