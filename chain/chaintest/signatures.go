package chaintest

import (
	"bytes"
	"slices"
)

// What is broadcast is read back as what was signed.
func sign(b *bench) {
	for _, i := range b.intents() {
		tx, signature, signed := b.signed(i)
		read, readSignature, err := b.Family.DecodeSigned(signed, b.from)
		if err != nil || !same(read, tx) || !bytes.Equal(readSignature, signature) {
			b.Errorf("signed %+v, read %+v: %v", tx, read, err)
		}
		if _, err := b.Family.DecodeUnsigned(signed); err == nil {
			b.Error("signed bytes are read as unsigned")
		}
		if _, _, err := b.Family.DecodeSigned(tx.Unsigned, b.from); err == nil {
			b.Error("unsigned bytes are read as signed")
		}
		for _, wrong := range [][]byte{nil, signature[1:], append(slices.Clone(signature), 0)} {
			if _, err := b.Family.Attach(tx, b.from, wrong); err == nil {
				b.Errorf("a signature of %d bytes is attached", len(wrong))
			}
		}
		tx.Unsigned = tx.Unsigned[1:]
		if _, err := b.Family.Attach(tx, b.from, signature); err == nil {
			b.Error("a signature is attached to bytes that are no transaction")
		}
	}
}

// A signature is one account's over one payload, and has one spelling.
func verify(b *bench) {
	tx, signature, _ := b.signed(b.coin())
	if err := b.Family.Verify(b.from, tx.Payload, signature); err != nil {
		b.Fatal(err)
	}
	other, _ := b.account(3)
	for what, err := range map[string]error{
		"another account":  b.Family.Verify(b.payee, tx.Payload, signature),
		"another key":      b.Family.Verify(b.from, tx.Payload, other.sign(tx.Payload)),
		"another payload":  b.Family.Verify(b.from, b.assembled(b.pays(b.token)).Payload, signature),
		"no payload":       b.Family.Verify(b.from, nil, signature),
		"a longer payload": b.Family.Verify(b.from, append(slices.Clone(tx.Payload), 0), signature),
		"no signature":     b.Family.Verify(b.from, tx.Payload, nil),
		"a cut one":        b.Family.Verify(b.from, tx.Payload, signature[:len(signature)-1]),
		"a longer one":     b.Family.Verify(b.from, tx.Payload, append(slices.Clone(signature), 0)),
		"its twin":         b.Family.Verify(b.from, tx.Payload, b.key.twin(signature)),
		"zeros":            b.Family.Verify(b.from, tx.Payload, make([]byte, len(signature))),
	} {
		if err == nil {
			b.Errorf("%s is taken", what)
		}
	}
	for bit := range 8 * len(signature) {
		if b.Family.Verify(b.from, tx.Payload, flipped(signature, bit)) == nil {
			b.Errorf("the signature is taken with bit %d changed", bit)
		}
	}
	for bit := range 8 * len(tx.Payload) {
		if b.Family.Verify(b.from, flipped(tx.Payload, bit), signature) == nil {
			b.Errorf("the payload is taken with bit %d changed", bit)
		}
	}
}

func flipped(raw []byte, bit int) []byte {
	raw = slices.Clone(raw)
	raw[bit/8] ^= 1 << (bit % 8)
	return raw
}

// The bytes alone name a transaction, and other bytes have another name.
func ids(b *bench) {
	seen := map[string]bool{}
	for _, i := range b.intents()[:2] {
		_, _, signed := b.signed(i)
		id := b.Family.ID(signed)
		if id == "" || seen[id] || id != b.Family.ID(bytes.Clone(signed)) {
			b.Errorf("%x has the id %q", signed, id)
		}
		seen[id] = true
		for _, bit := range []int{0, 4 * len(signed), 8*len(signed) - 1} {
			other := b.Family.ID(flipped(signed, bit))
			if other == "" { // the network would not name it
				continue
			}
			if seen[other] {
				b.Errorf("with bit %d changed it has an id that was there before", bit)
			}
			seen[other] = true
		}
	}
}
