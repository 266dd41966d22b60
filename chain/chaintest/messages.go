package chaintest

import (
	"bytes"
	"slices"

	"github.com/railkit/railkit/chain"
)

func (b *bench) reads(kind, payload string) (chain.Message, error) {
	return b.Family.ReadMessage([]chain.Network{b.Network}, b.from, kind, payload)
}

// The kinds that the case names are read, for an address of the family; all others are refused.
func kinds(b *bench) {
	if b.Messages[chain.MessageText] == "" {
		b.Fatal("the case has no text")
	}
	for kind, payload := range b.Messages {
		m, err := b.reads(kind, payload)
		if err != nil || len(m.Payload) == 0 {
			b.Errorf("%s: %+v %v", kind, m, err)
		}
		if m, err := b.Family.ReadMessage(nil, b.typo(), kind, payload); err == nil {
			b.Errorf("%s is read for %s: %+v", kind, b.typo(), m)
		}
	}
	for _, kind := range []string{
		"", "eip191_text", "TEXT ", "TRANSACTION", b.Family.TransactionType(),
		chain.MessageText, chain.MessageHex, chain.MessageTypedData, chain.MessageRawDigest,
	} {
		if b.Messages[kind] != "" {
			continue
		}
		for _, payload := range b.Messages {
			if m, err := b.reads(kind, payload); err == nil {
				b.Errorf("the kind %q is read: %+v", kind, m)
			}
		}
	}
}

// A text for people moves nothing and belongs to no network. Its signature is over that text alone.
func texts(b *bench) {
	seen := map[string]string{}
	for _, text := range []string{b.Messages[chain.MessageText], "Hello", "hello", "Hello\n", "Grüß Gott"} {
		m, err := b.reads(chain.MessageText, text)
		if err != nil {
			b.Fatal(err)
		}
		if len(m.Effects) > 0 || m.Raw || m.Consent != nil || m.Network.Slug != "" || m.Text != text {
			b.Errorf("%q: %+v", text, m)
		}
		if string(m.Payload) == text {
			b.Errorf("%q is signed as it is, which may be a transaction", text)
		}
		if other, ok := seen[string(m.Payload)]; ok && other != text {
			b.Errorf("%q and %q are signed by the same signature", text, other)
		}
		seen[string(m.Payload)] = text
		if err := b.Family.Verify(b.from, m.Payload, b.key.sign(m.Payload)); err != nil {
			b.Error(err)
		}
	}
}

// No text, whatever it says, is a transaction: neither the bytes of one nor what is signed of it. A digest that the
// caller made may be, and says so.
func apart(b *bench) {
	for _, i := range b.intents() {
		tx, _, signed := b.signed(i)
		for _, raw := range [][]byte{tx.Unsigned, tx.Payload, signed} {
			for kind, payload := range map[string]string{
				chain.MessageText: string(raw),
				chain.MessageHex:  chain.Hex(raw), chain.MessageRawDigest: chain.Hex(raw),
			} {
				m, err := b.reads(kind, payload)
				if err != nil {
					continue
				}
				_, err = b.Family.DecodeUnsigned(m.Payload)
				if !m.Raw && (err == nil || bytes.Equal(m.Payload, tx.Payload)) {
					b.Errorf("a message of the kind %s is signed as a transaction", kind)
				}
			}
		}
	}
}

// Two signatures are written differently.
func encoded(b *bench) {
	var seen []string
	for number := byte(1); number < 10; number++ {
		k, _ := b.account(number)
		text := b.Family.EncodeSignature(k.sign(b.assembled(b.coin()).Payload))
		if text == "" || slices.Contains(seen, text) {
			b.Errorf("a signature is written as %q", text)
		}
		seen = append(seen, text)
	}
}

// A consent that a family cannot take back is at least said to be one.
func voids(b *bench) {
	if how, calls := b.Family.Void(chain.Consent{Type: "Unheard", Contract: b.payee}); how == "" || len(calls) > 0 {
		b.Errorf("%q %v", how, calls)
	}
}
