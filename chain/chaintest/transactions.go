package chaintest

import (
	"bytes"
	"math/big"
	"math/rand/v2"

	"github.com/railkit/railkit/chain"
)

// same compares two transactions.
func same(a, b chain.Tx) bool {
	return a.To == b.To && a.Value.Cmp(b.Value) == 0 && bytes.Equal(a.Data, b.Data) &&
		a.NetworkID == b.NetworkID && a.Nonce == b.Nonce && a.Gas == b.Gas &&
		a.Fee.Max.Cmp(b.Fee.Max) == 0 && a.Fee.Tip().Cmp(b.Fee.Tip()) == 0 && a.MaxFee.Cmp(b.MaxFee) == 0 &&
		a.Plain == b.Plain && a.DataBytes == b.DataBytes &&
		bytes.Equal(a.Unsigned, b.Unsigned) && bytes.Equal(a.Payload, b.Payload)
}

// What was assembled is read from its bytes as it was meant, and is plain.
func assemble(b *bench) {
	for _, i := range b.intents() {
		for _, nonce := range []uint64{0, 1, 127, 128, 1 << 32, 1 << 62} {
			tx, err := b.Family.Assemble(b.Network, i, nonce, someFee)
			if err != nil {
				b.Fatal(err)
			}
			read, err := b.Family.DecodeUnsigned(tx.Unsigned)
			if err != nil || !same(read, tx) {
				b.Errorf("assembled %+v, read %+v: %v", tx, read, err)
			}
			meant := tx.Intent(b.from)
			if meant.From != i.From || meant.To != i.To || meant.Value.Cmp(i.Value) != 0 || meant.Gas != i.Gas ||
				!bytes.Equal(meant.Data, i.Data) || tx.Nonce != nonce {
				b.Errorf("meant %+v, assembled %+v", i, tx)
			}
			if !tx.Plain || tx.NetworkID != b.Network.ID() || len(tx.Payload) == 0 {
				b.Errorf("plain %t, on %q, with %d bytes to sign", tx.Plain, tx.NetworkID, len(tx.Payload))
			}
			if tx.Fee.Max.Cmp(someFee.Max) != 0 || tx.Fee.Priority.Cmp(someFee.Priority) != 0 {
				b.Errorf("the fee is %+v", tx.Fee)
			}
		}
	}
}

// Everything that an intent, a nonce, a fee and a network say is in what the key signs.
func fields(b *bench) {
	i, fee := b.pays(b.token), someFee
	i.Value = big.NewInt(1)
	seen := map[string]string{}
	add := func(what string, n chain.Network, i chain.Intent, nonce uint64, fee chain.Fee) {
		tx, err := b.Family.Assemble(n, i, nonce, fee)
		if err != nil {
			b.Fatalf("%s: %v", what, err)
		}
		if other, ok := seen[string(tx.Payload)]; ok {
			b.Errorf("%s and %s are signed by the same signature", what, other)
		}
		seen[string(tx.Payload)] = what
	}
	network, to, value, data, gas, highest, priority := b.Network, i, i, i, i, fee, fee
	network.ChainID += min(b.Network.ChainID, 1)
	if b.Network.ChainID == 0 {
		network.Cluster += "2"
	}
	_, to.To = b.account(9)
	value.Value = big.NewInt(2)
	data.Data = append([]byte{7}, i.Data[1:]...)
	gas.Gas++
	highest.Max = big.NewInt(30_000_001)
	priority.Priority = big.NewInt(1_000_001)
	add("the transaction", b.Network, i, 7, fee)
	add("its network", network, i, 7, fee)
	add("its nonce", b.Network, i, 8, fee)
	add("its payee", b.Network, to, 7, fee)
	add("its value", b.Network, value, 7, fee)
	add("its data", b.Network, data, 7, fee)
	add("its gas", b.Network, gas, 7, fee)
	add("its highest fee", b.Network, i, 7, highest)
	add("its priority", b.Network, i, 7, priority)
}

// What no network would take is not assembled.
func refused(b *bench) {
	i := b.coin()
	to, value, big256 := i, i, new(big.Int).Lsh(big.NewInt(1), 256)
	to.To, value.Value = b.typo(), big.NewInt(-1)
	for what, try := range map[string]struct {
		chain.Intent
		chain.Fee
	}{
		"no address":        {to, someFee},
		"a negative value":  {value, someFee},
		"a negative fee":    {i, chain.Fee{Max: big.NewInt(-1), Priority: big.NewInt(-1)}},
		"priority over max": {i, chain.Fee{Max: big.NewInt(1), Priority: big.NewInt(2)}},
		"a fee that large":  {i, chain.Fee{Max: big256, Priority: new(big.Int)}},
	} {
		if tx, err := b.Family.Assemble(b.Network, try.Intent, 0, try.Fee); err == nil {
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
		tx, err := b.Family.Assemble(b.Network, i, r.Uint64()>>r.UintN(64), fee)
		if err != nil {
			continue
		}
		fitting++
		if most := b.Family.MaxDataBytes(b.Network, i, whole); tx.DataBytes > most {
			b.Errorf("%d bytes under nonce %d and %s per gas, more than %d", tx.DataBytes, tx.Nonce, perGas, most)
		}
		signed, err := b.Family.Attach(tx, b.key.sign(tx.Payload))
		if err != nil || len(signed) > tx.DataBytes {
			b.Errorf("%d bytes are signed, more than %d: %v", len(signed), tx.DataBytes, err)
		}
	}
	if fitting < 500 {
		b.Errorf("only %d were assembled", fitting)
	}
}
