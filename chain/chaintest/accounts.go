package chaintest

import (
	"math/big"
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/keystore"
)

// The keystore takes the paths of a form, no two accounts have one, and no other family has the form's name.
func form(b *bench) {
	f := b.Family.Form()
	if f.PathFormat == "" || f.AddressFormat == "" || f.Typed == "" || f.Canonical == "" {
		b.Errorf("the form leaves something out: %+v", f)
	}
	seen := map[string]bool{}
	for i := range 20 {
		path := f.PathOf(i)
		if _, err := keystore.ParsePath(f.Curve, path); err != nil || seen[path] {
			b.Errorf("account %d has the path %s: %v, seen before: %t", i, path, err, seen[path])
		}
		seen[path] = true
	}
	for what, of := range map[string]func() (chain.Family, bool){
		"kind":             func() (chain.Family, bool) { return families.Of(b.Family.Kind()) },
		"address format":   func() (chain.Family, bool) { return families.OfFormat(f.AddressFormat) },
		"transaction type": func() (chain.Family, bool) { return families.OfType(b.Family.TransactionType()) },
	} {
		if is, ok := of(); !ok || is.Kind() != b.Family.Kind() {
			b.Errorf("by its %s another family is found, or none: %v", what, is)
		}
	}
}

// All spellings of an address are parsed into one, and the store finds the address under each of them.
func spellings(b *bench) {
	looked := map[string]string{}
	for _, same := range b.Spellings {
		canonical := same[0]
		for _, text := range same {
			if got, err := b.Family.ParseAddress(text); err != nil || got != canonical {
				b.Errorf("%s is parsed into %s: %v", text, got, err)
			}
			if got := b.Family.Lookup(text); got != b.Family.Lookup(canonical) || got != families.Lookup(text) {
				b.Errorf("%s is looked up as %s", text, got)
			}
		}
		found := b.Family.Lookup(canonical)
		if other, ok := looked[found]; ok || b.Family.Lookup(found) != found {
			b.Errorf("%s is looked up as %s, which is that of %q too, or not the last", canonical, found, other)
		}
		looked[found] = canonical
	}
}

// What is no address is refused by all that take addresses, and is looked up as it is.
func typos(b *bench) {
	for _, text := range append(slices.Clone(b.Typos), "", " ", b.payee+" ", " "+b.payee, b.payee+b.payee,
		b.payee[:len(b.payee)/2], "\x00\xff") {
		if got, err := b.Family.ParseAddress(text); err == nil {
			b.Errorf("%q is parsed into %q", text, got)
		}
		if err := b.Family.CheckToken(text); err == nil {
			b.Errorf("%q counts as a token", text)
		}
		if _, err := b.Family.Transfer(b.Network.Native, text, someFee.Max); err == nil {
			b.Errorf("the coin is sent to %q", text)
		}
		if err := b.Family.Verify(text, b.assembled(b.coin()).Payload, make([]byte, 64)); err == nil {
			b.Errorf("%q has signed", text)
		}
	}
	for _, text := range []string{"", "Ab", "ETH", "Robert'); DROP", "Ünı"} {
		if got := b.Family.Lookup(text); got != text {
			b.Errorf("%q is looked up as %q", text, got)
		}
	}
}

// The address of a key is canonical, another key has another, and what is no key has none.
func addressOf(b *bench) {
	seen := map[string]bool{}
	for number := byte(1); number < 50; number++ {
		_, address := b.account(number)
		if got, err := b.Family.ParseAddress(address); err != nil || got != address || seen[address] {
			b.Errorf("the address of a key is %s, parsed %s: %v, seen before: %t", address, got, err, seen[address])
		}
		if _, f, ok := families.ParseAddress(address); !ok || f.Kind() != b.Family.Kind() {
			b.Errorf("%s is also an address of %v", address, f)
		}
		seen[address] = true
	}
	for _, public := range [][]byte{nil, b.key.public[1:], append(slices.Clone(b.key.public), 0), make([]byte, 33)} {
		if address, err := b.Family.AddressOf(public); err == nil {
			b.Errorf("the key %x has the address %s", public, address)
		}
	}
}

func payees(b *bench) {
	if err := b.Family.CheckPayee(b.payee); err != nil {
		b.Error(err)
	}
	for _, address := range b.Nobody {
		if got, err := b.Family.ParseAddress(address); err != nil || got != address {
			b.Errorf("%s is no canonical address: %v", address, err)
		}
		if b.Family.CheckPayee(address) == nil {
			b.Errorf("%s may be paid", address)
		}
	}
}

func networks(b *bench) {
	if err := b.Family.CheckNetwork(b.Network); err != nil || b.Network.Kind != b.Family.Kind() {
		b.Errorf("%s: %v", b.Network.Kind, err)
	}
	if is, want := b.Network.Native.Decimals, b.Family.Form().CoinDecimals; is != want {
		b.Errorf("the network's coin has %d decimals, those of the family %d", is, want)
	}
	if fee, ok := new(big.Int).SetString(b.Family.Form().HighFee, 10); !ok || fee.Sign() <= 0 {
		b.Errorf("no fee is too high")
	}
	for what, change := range b.NoNetworks {
		n := b.Network
		change(&n)
		if b.Family.CheckNetwork(n) == nil {
			b.Errorf("%s: %+v is taken", what, n)
		}
	}
}

// Genesis lists a token under its canonical address only: signed rules name it so.
func tokens(b *bench) {
	for _, listed := range b.Network.Tokens {
		if err := b.Family.CheckToken(listed.Address); err != nil {
			b.Errorf("%s: %v", listed.Symbol, err)
		}
	}
	for _, same := range b.Spellings {
		for _, text := range same[1:] {
			if b.Family.CheckToken(text) == nil {
				b.Errorf("%s is listed, and canonical is %s", text, same[0])
			}
		}
	}
	for _, text := range b.NoToken {
		if b.Family.CheckToken(text) == nil {
			b.Errorf("%s counts as a token", text)
		}
	}
}

func selectors(b *bench) {
	for _, text := range b.Selectors {
		if err := b.Family.CheckSelector(text); err != nil {
			b.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range append(slices.Clone(b.NoSelectors), "", " ", "*", b.payee) {
		if b.Family.CheckSelector(text) == nil {
			b.Errorf("%q names a function", text)
		}
	}
}
