package chaintest

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/railkit/railkit/chain"
)

// Bytes that are cut or go on are no transaction.
func cut(b *bench) {
	for _, i := range b.intents() {
		tx, _, signed := b.signed(i)
		for n := range tx.Unsigned {
			if _, err := b.Family.DecodeUnsigned(tx.Unsigned[:n]); err == nil {
				b.Errorf("%d of %d unsigned bytes are read", n, len(tx.Unsigned))
			}
		}
		for n := range signed {
			if _, _, err := b.Family.DecodeSigned(signed[:n], ""); err == nil {
				b.Errorf("%d of %d signed bytes are read", n, len(signed))
			}
		}
		for end := range 256 {
			if _, err := b.Family.DecodeUnsigned(append(slices.Clone(tx.Unsigned), byte(end))); err == nil {
				b.Errorf("unsigned bytes are read with %#x behind them", end)
			}
			if _, _, err := b.Family.DecodeSigned(append(slices.Clone(signed), byte(end)), ""); err == nil {
				b.Errorf("signed bytes are read with %#x behind them", end)
			}
		}
	}
}

// Changed bytes are refused or are another transaction, in its one encoding, which nobody has signed.
func changed(b *bench) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, i := range b.intents() {
		tx, _, signed := b.signed(i)
		for range 3_000 {
			b.readsOnce(mutate(r, tx.Unsigned))
			raw := mutate(r, signed)
			if read, signature, err := b.Family.DecodeSigned(raw, b.from); err == nil && !bytes.Equal(raw, signed) {
				again, err := b.Family.Attach(read, b.from, signature)
				if err != nil || !bytes.Equal(again, raw) {
					b.Fatalf("%x is written again as %x: %v", raw, again, err)
				}
				if b.Family.Verify(b.from, read.Payload, signature) == nil {
					b.Fatalf("%x is taken as signed, and signed was %x", raw, signed)
				}
			}
		}
	}
}

// readsOnce wants that what is read is written in bytes that are read as the same.
func (b *bench) readsOnce(raw []byte) {
	b.Helper()
	read, err := b.Family.DecodeUnsigned(raw)
	if err != nil {
		return
	}
	again, err := b.Family.DecodeUnsigned(read.Unsigned)
	if err != nil || !same(again, read) {
		b.Fatalf("%x is written again as %x, which is another one: %v", raw, read.Unsigned, err)
	}
	b.plainOnce(read)
	if effects := b.Family.Effects(b.Network, b.from, read.Call); len(effects) == 0 {
		b.Fatalf("%x does nothing", raw)
	}
}

// plainOnce wants that a plain transaction has the bytes that Assemble gives it, and no others.
func (b *bench) plainOnce(read chain.Tx) {
	b.Helper()
	if !read.Plain || len(read.Signers) > 0 && !slices.Contains(read.Signers, b.from) {
		return
	}
	network := b.Network
	switch {
	case !b.numbered(): // its bytes name no network
	case network.ChainID == 0:
		network.Cluster = read.NetworkID
	default:
		network.ChainID, _ = strconv.ParseUint(read.NetworkID, 10, 64) // an id that is no number is compared below
	}
	again, err := b.Family.Assemble(network, read.Intent(b.from), read.Terms)
	if err != nil || !same(again, read) {
		b.Fatalf("%+v is assembled as %+v: %v", read, again, err)
	}
}

// Nothing panics, whatever it is given.
func garbage(b *bench) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2_000 {
		raw := make([]byte, r.IntN(200))
		for i := range raw {
			raw[i] = byte(r.Uint32()) >> r.UintN(8)
		}
		b.readsOnce(raw)
		_, _, _ = b.Family.DecodeSigned(raw, "")
		_, _ = b.Family.ParseAddress(string(raw))
		_, _ = b.Family.AddressOf(raw)
		_ = b.Family.Lookup(string(raw))
		_ = b.Family.ID(raw)
		_ = b.Family.Verify(b.from, raw, raw)
		_ = b.Family.CheckToken(string(raw))
		_ = b.Family.CheckSelector(string(raw))
		for kind := range b.Messages {
			_, _ = b.Family.ReadMessage(nil, b.from, kind, string(raw))
		}
	}
}

// mutate changes, takes away, adds or doubles a few bytes.
func mutate(r *rand.Rand, raw []byte) []byte {
	raw = slices.Clone(raw)
	for range 1 + r.IntN(3) {
		if len(raw) == 0 {
			return raw
		}
		at := r.IntN(len(raw))
		switch r.IntN(5) {
		case 0, 1:
			raw[at] ^= 1 << r.UintN(8)
		case 2:
			raw = slices.Delete(raw, at, at+1)
		case 3:
			raw = slices.Insert(raw, at, byte(r.Uint32()))
		case 4:
			raw = slices.Insert(raw, at, raw[at:min(at+r.IntN(32), len(raw))]...)
		}
	}
	return raw
}
