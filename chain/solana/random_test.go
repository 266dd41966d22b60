package solana_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/railkit/railkit/chain/solana"
)

// dice make messages that are whole, and say nothing that a program understands.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 1))} }

func (d dice) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Uint32())
	}
	return b
}

func (d dice) address() solana.Address { return solana.Address(d.bytes(32)) }

// message is one of any version, with the sizes that fit.
func (d dice) message() solana.Message {
	for {
		m := d.attempt(solana.Version(d.IntN(3) - 1))
		if m.Check() == nil {
			return m
		}
	}
}

func (d dice) attempt(v solana.Version) solana.Message {
	signers := 1 + d.IntN(3)
	readOnlySigners, written, read := d.IntN(signers), d.IntN(6), 1+d.IntN(5)
	m := solana.Message{
		Version: v, Blockhash: d.address(),
		Header: solana.Header{
			Signers: uint8(signers), ReadOnlySigners: uint8(readOnlySigners), ReadOnly: uint8(read),
		},
	}
	for range signers + written + read {
		m.Keys = append(m.Keys, d.address())
	}
	places := len(m.Keys)
	if v == solana.V0 {
		for range d.IntN(3) {
			l := d.lookup()
			m.Lookups, places = append(m.Lookups, l), places+len(l.Written)+len(l.Read)
		}
	}
	if v == solana.V1 {
		m.Config = d.config()
	}
	for range d.IntN(5) {
		m.Instructions = append(m.Instructions, d.compiled(len(m.Keys), places))
	}
	return m
}

func (d dice) compiled(keys, places int) solana.Compiled {
	c := solana.Compiled{Program: uint8(1 + d.IntN(keys-1)), Data: d.bytes(d.size())}
	for range d.IntN(6) {
		c.Accounts = append(c.Accounts, uint8(d.IntN(places)))
	}
	return c
}

// size is mostly small, and sometimes one whose length takes two bytes.
func (d dice) size() int {
	if d.IntN(6) == 0 {
		return 126 + d.IntN(8)
	}
	return d.IntN(40)
}

func (d dice) lookup() solana.Lookup {
	all := d.Perm(256)[:1+d.IntN(4)]
	l := solana.Lookup{Table: d.address()}
	for _, i := range all {
		if d.IntN(2) == 0 {
			l.Written = append(l.Written, uint8(i))
		} else {
			l.Read = append(l.Read, uint8(i))
		}
	}
	return l
}

func (d dice) config() (c solana.Config) {
	fee, units, loaded, heap := d.Uint64(), d.Uint32(), d.Uint32(), uint32(32+d.IntN(225))<<10
	for _, set := range []func(){
		func() { c.PriorityFee = &fee }, func() { c.Units = &units }, func() { c.LoadedBytes = &loaded },
		func() { c.HeapBytes = &heap },
	} {
		if d.IntN(2) == 0 {
			set()
		}
	}
	return c
}

// transaction has slots of which some are zeroed.
func (d dice) transaction() solana.Transaction {
	tx := solana.Unsigned(d.message())
	for i := range tx.Signatures {
		if d.IntN(2) == 0 {
			tx.Signatures[i] = solana.Signature(d.bytes(64))
		}
	}
	return tx
}

// changed is the bytes with a mistake in them.
func (d dice) changed(raw []byte) []byte {
	b := append([]byte{}, raw...)
	switch i := d.IntN(len(b)); d.IntN(4) {
	case 0:
		return b[:i]
	case 1:
		return append(b, byte(d.Uint32()))
	case 2:
		b[i] ^= 1 << d.IntN(8)
	default:
		if i+2 < len(b) {
			binary.LittleEndian.PutUint16(b[i:], uint16(d.Uint32()))
		}
	}
	return b
}

func mustEncode(t testing.TB, tx solana.Transaction) []byte {
	t.Helper()
	raw, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
