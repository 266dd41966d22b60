package chaintest

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"

	"github.com/railkit/railkit/chain"
)

// same compares two transactions.
func same(a, b chain.Tx) bool {
	return a.To == b.To && a.Value.Cmp(b.Value) == 0 && bytes.Equal(a.Data, b.Data) &&
		a.NetworkID == b.NetworkID && a.Nonce == b.Nonce && a.Gas == b.Gas &&
		a.Fee.Max.Cmp(b.Fee.Max) == 0 && a.Fee.Tip().Cmp(b.Fee.Tip()) == 0 && a.MaxFee.Cmp(b.MaxFee) == 0 &&
		a.Plain == b.Plain && a.DataBytes == b.DataBytes &&
		bytes.Equal(a.Unsigned, b.Unsigned) && bytes.Equal(a.Payload, b.Payload) &&
		a.Rent == b.Rent && reflect.DeepEqual(a.Recent, b.Recent) && slices.Equal(a.Signers, b.Signers)
}

// What was assembled is read from its bytes as it was meant, and is plain.
func assemble(b *bench) {
	for _, i := range b.intents() {
		for _, t := range b.terms() {
			tx, err := b.Family.Assemble(b.Network, i, t)
			if err != nil {
				b.Fatal(err)
			}
			read, err := b.Family.DecodeUnsigned(tx.Unsigned)
			if err != nil || !same(read, tx) {
				b.Errorf("assembled %+v, read %+v: %v", tx, read, err)
			}
			meant := tx.Intent(b.from)
			if meant.From != i.From || meant.To != i.To || meant.Value.Cmp(i.Value) != 0 || meant.Gas != i.Gas ||
				!bytes.Equal(meant.Data, i.Data) || !sameTerms(tx.Terms, t) {
				b.Errorf("meant %+v, assembled %+v", i, tx)
			}
			if !tx.Plain || (tx.NetworkID == b.Network.ID()) != b.numbered() || len(tx.Payload) == 0 {
				b.Errorf("plain %t, on %q, with %d bytes to sign", tx.Plain, tx.NetworkID, len(tx.Payload))
			}
		}
	}
}

func sameTerms(is, want chain.Terms) bool {
	if want.Recent != nil {
		return reflect.DeepEqual(is.Recent, want.Recent)
	}
	return is.Nonce == want.Nonce && is.Fee.Max.Cmp(want.Fee.Max) == 0 && is.Fee.Priority.Cmp(want.Fee.Priority) == 0
}

// payloads are what the key signs of everything that was assembled so far.
type payloads struct {
	*bench
	seen map[string]string
}

func (p payloads) add(what string, n chain.Network, i chain.Intent, t chain.Terms) {
	tx, err := p.Family.Assemble(n, i, t)
	if err != nil {
		p.Fatalf("%s: %v", what, err)
	}
	if other, ok := p.seen[string(tx.Payload)]; ok {
		p.Errorf("%s and %s are signed by the same signature", what, other)
	}
	p.seen[string(tx.Payload)] = what
}

// Everything that a payment and its terms say is in what the key signs.
func payments(b *bench) {
	p := payloads{b, map[string]string{}}
	for i, t := range b.terms() {
		p.add("terms "+strconv.Itoa(i), b.Network, b.pays(b.token), t)
	}
	unlisted, t := b.token, b.terms()[0]
	_, unlisted.Address = b.account(9)
	p.add("the coin", b.Network, b.coin(), t)
	p.add("another token", b.Network, b.pays(unlisted), t)
	for _, asset := range []chain.Token{b.Network.Native, b.token} {
		_, other := b.account(8)
		for to, amount := range map[string]int64{other: 25_500_000, b.payee: 25_500_001} {
			call, err := b.Family.Transfer(asset, to, big.NewInt(amount))
			if err != nil {
				b.Fatal(err)
			}
			p.add(asset.Symbol+" to "+to, b.Network, b.calls(call), t)
		}
	}
}

// Everything that an intent, a nonce, a fee and a network say is in what the key signs.
func fields(b *bench) {
	payments(b)
	if b.OnlyPayments {
		return
	}
	i, fee, all := b.pays(b.token), someFee, payloads{b, map[string]string{}}
	i.Value = big.NewInt(1)
	calls(b, all, i)
	if !b.numbered() {
		return
	}
	add := func(what string, n chain.Network, i chain.Intent, nonce uint64, fee chain.Fee) {
		all.add(what, n, i, chain.Terms{Nonce: nonce, Fee: fee})
	}
	network, gas, highest, priority := b.Network, i, fee, fee
	network.ChainID += min(b.Network.ChainID, 1)
	if b.Network.ChainID == 0 {
		network.Cluster += "2"
	}
	gas.Gas++
	highest.Max = big.NewInt(30_000_001)
	priority.Priority = big.NewInt(1_000_001)
	add("its network", network, i, 7, fee)
	add("its nonce", b.Network, i, 8, fee)
	add("its gas", b.Network, gas, 7, fee)
	add("its highest fee", b.Network, i, 7, highest)
	add("its priority", b.Network, i, 7, priority)
}

// calls adds an intent and others that differ in one part of the call.
func calls(b *bench, all payloads, i chain.Intent) {
	to, value, data, t := i, i, i, b.terms()[0]
	_, to.To = b.account(9)
	value.Value = big.NewInt(2)
	data.Data = append([]byte{7}, i.Data[1:]...)
	all.add("the transaction", b.Network, i, t)
	all.add("its payee", b.Network, to, t)
	all.add("its value", b.Network, value, t)
	all.add("its data", b.Network, data, t)
}

// What no network would take is not assembled.
func refused(b *bench) {
	to, value, big256 := b.coin(), b.coin(), new(big.Int).Lsh(big.NewInt(1), 256)
	to.To, value.Value = b.typo(), big.NewInt(-1)
	for what, i := range map[string]chain.Intent{"no address": to, "a negative value": value} {
		if tx, err := b.Family.Assemble(b.Network, i, b.terms()[0]); err == nil {
			b.Errorf("%s: %+v", what, tx)
		}
	}
	wrong := map[string]chain.Terms{
		"a negative fee":    {Fee: chain.Fee{Max: big.NewInt(-1), Priority: big.NewInt(-1)}},
		"priority over max": {Fee: chain.Fee{Max: big.NewInt(1), Priority: big.NewInt(2)}},
		"a fee that large":  {Fee: chain.Fee{Max: big256, Priority: new(big.Int)}},
	}
	intent := b.coin()
	if !b.numbered() {
		wrong = b.NoTerms
	}
	if !b.OnlyPayments { // terms of execution mean nothing where nothing is called
		intent = b.intents()[2]
	}
	for what, t := range wrong {
		if tx, err := b.Family.Assemble(b.Network, intent, t); err == nil {
			b.Errorf("%s: %+v", what, tx)
		}
	}
}

// The whole fee is what its gas costs at most, and the cost is that and the value.
func maxFee(b *bench) {
	for _, i := range b.intents() {
		if i.Gas > b.Family.MaxGas() {
			b.Errorf("%d of gas are more than %d", i.Gas, b.Family.MaxGas())
		}
		tx := b.assembled(i)
		want := new(big.Int).Mul(new(big.Int).SetUint64(i.Gas), someFee.Max)
		if !b.numbered() {
			want = b.MaxFee(i, b.terms()[0])
		}
		if tx.MaxFee.Cmp(want) != 0 || tx.MaxCost().Cmp(want.Add(want, i.Value)) != 0 {
			b.Errorf("at most %s, %s with the value of %s", tx.MaxFee, tx.MaxCost(), i.Value)
		}
	}
}

// No nonce and no fee makes a transaction longer than what was said of its intent, and no signature longer than what
// is said of it.
func dataBytes(b *bench) {
	r, fitting := rand.New(rand.NewPCG(5, 6)), 0
	for range 1_000 {
		i := b.intents()[r.IntN(3)]
		highest := new(big.Int).Lsh(big.NewInt(1), uint(r.IntN(60)))
		perGas := new(big.Int).SetUint64(r.Uint64N(highest.Uint64()) + 1)
		fee := chain.Fee{Max: perGas, Priority: new(big.Int).Sub(perGas, big.NewInt(1))}
		whole := new(big.Int).Mul(highest, new(big.Int).SetUint64(i.Gas))
		t := chain.Terms{Nonce: r.Uint64() >> r.UintN(64), Fee: fee}
		if !b.numbered() {
			t = b.Terms[r.IntN(len(b.Terms))]
		}
		tx, err := b.Family.Assemble(b.Network, i, t)
		if err != nil {
			continue
		}
		fitting++
		if most := b.Family.MaxDataBytes(b.Network, i, whole); tx.DataBytes > most {
			b.Errorf("%d bytes under nonce %d and %s per gas, more than %d", tx.DataBytes, tx.Nonce, perGas, most)
		}
		signed, err := b.Family.Attach(tx, b.from, b.key.sign(tx.Payload))
		if err != nil || len(signed) > tx.DataBytes {
			b.Errorf("%d bytes are signed, more than %d: %v", len(signed), tx.DataBytes, err)
		}
	}
	if fitting < 500 {
		b.Errorf("only %d were assembled", fitting)
	}
}
