package solana_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain/solana"
)

func priority(n uint64) *uint64 { return &n }
func limit(n uint32) *uint32    { return &n }

// sound is a message of each version with one payment.
func sound(v solana.Version) solana.Message {
	m := solana.Message{
		Version: v, Header: solana.Header{Signers: 2, ReadOnlySigners: 1, ReadOnly: 1}, Blockhash: named(9),
		Keys: []solana.Address{alice, bob, carol, solana.SystemProgram},
		Instructions: []solana.Compiled{{Program: 3, Accounts: []uint8{0, 2}, Data: []byte{2, 0, 0, 0, 1, 0, 0, 0, 0,
			0, 0, 0}}},
	}
	if v == solana.V1 {
		m.Config = solana.Config{PriorityFee: priority(77), Units: limit(5_000), LoadedBytes: limit(1_000_000)}
	}
	return m
}

// Each mistake in the bytes is refused by the name of its field.
func TestDecode_Refused(t *testing.T) {
	t.Parallel()
	legacy := mustEncode(t, solana.Unsigned(sound(solana.Legacy)))
	v0 := mustEncode(t, solana.Unsigned(sound(solana.V0)))
	v1 := mustEncode(t, solana.Unsigned(sound(solana.V1)))
	message := 1 + 2*64 // where one begins behind its signatures
	put := func(raw []byte, at int, with ...byte) []byte {
		b := bytes.Clone(raw)
		copy(b[at:], with)
		return b
	}
	insert := func(raw []byte, at, instead int, with ...byte) []byte {
		return slices.Concat(raw[:at], with, raw[at+instead:])
	}
	keys := message + 3 // of legacy
	for name, c := range map[string]struct {
		raw   []byte
		field string
	}{
		"nothing":                  {nil, "signatures"},
		"cut in a signature":       {legacy[:100], "signatures"},
		"cut in the keys":          {legacy[:message+40], "keys"},
		"cut in the blockhash":     {legacy[:keys+1+4*32+3], "blockhash"},
		"cut in the data":          {legacy[:len(legacy)-1], "instructions[0].data"},
		"trailing byte":            {append(bytes.Clone(legacy), 0), "transaction"},
		"trailing byte of v0":      {append(bytes.Clone(v0), 0), "transaction"},
		"trailing byte of v1":      {append(bytes.Clone(v1), 0), "transaction"},
		"cut in a signature of v1": {v1[:len(v1)-1], "signatures[1]"},
		"no lookups in v0":         {v0[:len(v0)-1], "lookups"},
		"signatures in two bytes":  {insert(legacy, 0, 1, 0x82, 0), "version"},
		"keys in two bytes":        {insert(legacy, keys, 1, 0x84, 0), "keys"},
		"keys in three bytes":      {insert(legacy, keys, 1, 0x84, 0x80, 0), "keys"},
		"keys in four bytes":       {insert(legacy, keys, 1, 0x84, 0x80, 0x80, 0), "keys"},
		"more than 16 bits":        {insert(legacy, keys, 1, 0x84, 0x80, 0x04), "keys"},
		"a slot too few":           {insert(legacy, 0, 65, 1), "signatures"},
		"a slot too many": {insert(legacy, 0, 1, slices.Concat([]byte{3}, make([]byte, 64))...),
			"signatures"},
		"version 2 behind signatures": {put(v0, message, 0x82), "version"},
		"version 127":                 {put(v0, message, 0xff), "version"},
		"version 2 first":             {put(v1, 0, 0x82), "version"},
		"version 0 first":             {v0[message:], "version"},
		"v1 behind signatures":        {slices.Concat(v0[:message], v1[:len(v1)-128]), "signatures"},
		"no signer":                   {put(v1, 1, 0), "transaction"},
		"a payer who is read":         {put(legacy, message, 2, 2), "header.readOnlySigners"},
		"more signers than keys":      {put(v1, 1, 5), "signatures[2]"},
		"more read than there are":    {put(legacy, message+2, 3), "header.readOnly"},
		"a key twice":                 {put(legacy, keys+1+32, alice[:]...), "keys[1]"},
		"program beyond the keys":     {put(legacy, keys+1+5*32+1, 4), "instructions[0].program"},
		"who pays as program":         {put(legacy, keys+1+5*32+1, 0), "instructions[0].program"},
		"account beyond the keys":     {put(legacy, keys+1+5*32+4, 4), "instructions[0].accounts[1]"},
		"bits of no config":           {put(v1, 4, 0x2f), "config.mask"},
		"half of a fee":               {put(v1, 4, 0x0d), "config.mask"},
		"high bits of no config":      {put(v1, 7, 1), "config.mask"},
		"more keys than bytes":        {put(v1, 4+4+32+1, 255), "keys"},
		"longer than any":             {make([]byte, 4097), "transaction"},
	} {
		_, err := solana.DecodeTransaction(c.raw)
		var refused solana.FieldError
		if !errors.As(err, &refused) || refused.Field != c.field || refused.Problem == "" {
			t.Errorf("%s: %v, want one of %s", name, err, c.field)
		}
	}
}

// Each mistake in a message is refused when it is written, by the name of its field.
func TestCheck_Refused(t *testing.T) {
	t.Parallel()
	many := func(n int) (all []solana.Address) {
		for i := range n {
			all = append(all, solana.Address{0: 9, 1: byte(i), 2: byte(i >> 8)})
		}
		return all
	}
	for name, c := range map[string]struct {
		version solana.Version
		change  func(*solana.Message)
		field   string
	}{
		"unknown version": {solana.V0, func(m *solana.Message) { m.Version = 2 }, "version"},
		"lookups of legacy": {solana.Legacy,
			func(m *solana.Message) { m.Lookups = []solana.Lookup{{Read: []uint8{1}}} }, "lookups"},
		"lookups of v1": {solana.V1, func(m *solana.Message) { m.Lookups = []solana.Lookup{{Read: []uint8{1}}} },
			"lookups"},
		"config of v0": {solana.V0, func(m *solana.Message) { m.Config.Units = limit(1) }, "config"},
		"empty lookup": {solana.V0, func(m *solana.Message) { m.Lookups = []solana.Lookup{{}} }, "lookups[0]"},
		"key of a table twice": {solana.V0, func(m *solana.Message) {
			m.Lookups = []solana.Lookup{{Read: []uint8{1}}, {Written: []uint8{1}}}
		}, "lookups[1]"},
		"more keys than an index names": {solana.V0, func(m *solana.Message) {
			m.Lookups = []solana.Lookup{{Read: slices.Collect(indexes(253))}}
		}, "keys"},
		"small heap": {solana.V1, func(m *solana.Message) { m.Config.HeapBytes = limit(31 << 10) },
			"config.heapBytes"},
		"large heap": {solana.V1, func(m *solana.Message) { m.Config.HeapBytes = limit(257 << 10) },
			"config.heapBytes"},
		"uneven heap": {solana.V1, func(m *solana.Message) { m.Config.HeapBytes = limit(32<<10 + 1) },
			"config.heapBytes"},
		"65 keys of v1": {solana.V1, func(m *solana.Message) { m.Keys = append(m.Keys, many(61)...) }, "keys"},
		"13 signers of v1": {solana.V1, func(m *solana.Message) {
			m.Keys, m.Header.Signers = append(m.Keys, many(20)...), 13
		}, "header.signers"},
		"65 instructions": {solana.V1, func(m *solana.Message) {
			m.Instructions = slices.Repeat(m.Instructions, 65)
		}, "instructions"},
		"1,233 bytes": {solana.V0, func(m *solana.Message) {
			m.Instructions[0].Data = make([]byte,
				1233-1-128-1-3-1-4*32-32-1-1-3-2-1)
		}, "message"},
		"4,097 bytes": {solana.V1, func(m *solana.Message) {
			m.Instructions[0].Data = make([]byte,
				4097-128-40-2-4*32-16-4-2)
		}, "message"},
		"data of 5,000 bytes": {solana.V1, func(m *solana.Message) { m.Instructions[0].Data = make([]byte, 5000) },
			"instructions[0].data"},
		"256 accounts": {solana.V1, func(m *solana.Message) {
			m.Instructions[0].Accounts = make([]uint8,
				256)
		}, "instructions[0].accounts"},
	} {
		m := sound(c.version)
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		c.change(&m)
		_, err := m.Encode()
		var refused solana.FieldError
		if !errors.As(err, &refused) || refused.Field != c.field {
			t.Errorf("%s: %v, want one of %s", name, err, c.field)
		}
	}
}

func indexes(n int) func(func(uint8) bool) {
	return func(yield func(uint8) bool) {
		for i := range n {
			if !yield(uint8(i)) {
				return
			}
		}
	}
}

// The largest ones of each version are read.
func TestCheck_Largest(t *testing.T) {
	t.Parallel()
	for v, size := range map[solana.Version]int{solana.Legacy: 1232, solana.V0: 1232, solana.V1: 4096} {
		m := sound(v)
		m.Instructions[0].Data = make([]byte, 500) // its length is written in two bytes
		m.Instructions[0].Data = make([]byte, 500+size-len(mustEncode(t, solana.Unsigned(m))))
		raw := mustEncode(t, solana.Unsigned(m))
		tx, err := solana.DecodeTransaction(raw)
		if err != nil || len(raw) != size || !bytes.Equal(mustEncode(t, tx), raw) {
			t.Errorf("%s of %d bytes: %v", v.Name(), len(raw), err)
		}
	}
}

// What is written is read as the same, also a message alone.
func TestEncode(t *testing.T) {
	t.Parallel()
	d := newDice(1)
	for range 2_000 {
		tx := d.transaction()
		again, err := solana.DecodeTransaction(mustEncode(t, tx))
		if err != nil || !bytes.Equal(mustEncode(t, again), mustEncode(t, tx)) {
			t.Fatalf("%+v is read as %+v: %v", tx, again, err)
		}
		raw, err := tx.Message.Encode()
		if err != nil {
			t.Fatal(err)
		}
		m, err := solana.DecodeMessage(raw)
		if err != nil || !reflect.DeepEqual(m, again.Message) {
			t.Fatalf("%x is read as %+v: %v", raw, m, err)
		}
		if err := solana.CheckPayload(raw); err == nil {
			t.Fatalf("%x may be signed as a text", raw)
		}
	}
}

// Callers write hex, and nothing else.
func TestParseTransaction(t *testing.T) {
	t.Parallel()
	raw := mustEncode(t, solana.Unsigned(sound(solana.V0)))
	for _, text := range []string{fmt.Sprintf("%x", raw), fmt.Sprintf("0x%x", raw), fmt.Sprintf("%X", raw)} {
		if tx, err := solana.ParseTransaction(text); err != nil || !bytes.Equal(mustEncode(t, tx), raw) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"", "0x", fmt.Sprintf("0x0x%x", raw), fmt.Sprintf("%x", raw)[1:], fmt.Sprintf(" %x", raw),
		base64.StdEncoding.EncodeToString(raw),
	} {
		if _, err := solana.ParseTransaction(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// A slot takes the signature of its signer over this message, once; the others stay as they are.
func TestAttach(t *testing.T) {
	t.Parallel()
	first, other := ed25519.NewKeyFromSeed(make([]byte, 32)), ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32))
	address := func(k ed25519.PrivateKey) solana.Address { return solana.Address(k.Public().(ed25519.PublicKey)) }
	for _, v := range []solana.Version{solana.Legacy, solana.V0, solana.V1} {
		pay := solana.TransferCoin(address(other), bob, 5)
		tx := solana.Unsigned(message(t, v, address(first), pay))
		payload, err := tx.Message.Encode()
		if err != nil {
			t.Fatal(err)
		}
		sign := func(k ed25519.PrivateKey) solana.Signature { return solana.Signature(ed25519.Sign(k, payload)) }
		half, err := tx.Attach(address(other), sign(other))
		if err != nil || half.ID() != "" || !slices.Equal(half.Missing(), []solana.Address{address(first)}) {
			t.Fatalf("%v, id %q, missing %v", err, half.ID(), half.Missing())
		}
		whole, err := half.Attach(address(first), sign(first))
		if err != nil || whole.ID() != sign(first).String() || whole.Signatures[1] != sign(other) ||
			whole.Verify() != nil {
			t.Fatalf("%v, id %q: %v", err, whole.ID(), whole.Verify())
		}
		if id, err := solana.ParseSignature(whole.ID()); err != nil || id != whole.Signatures[0] {
			t.Errorf("%s is read as %s: %v", whole.ID(), id, err)
		}
		for what, got := range map[error]error{
			solana.ErrNoSigner:  second(tx.Attach(bob, sign(first))),
			solana.ErrSigned:    second(whole.Attach(address(first), sign(first))),
			solana.ErrSignature: second(tx.Attach(address(first), sign(other))),
		} {
			if !errors.Is(got, what) {
				t.Errorf("%v, want %v", got, what)
			}
		}
		whole.Signatures[1][5]++
		if err := whole.Verify(); err == nil || !strings.HasPrefix(err.Error(), "signatures[1]") {
			t.Errorf("a changed signature: %v", err)
		}
	}
}

// A key never signs as a text what anybody could read as a transaction.
func TestCheckPayload(t *testing.T) {
	t.Parallel()
	legacy, err := sound(solana.Legacy).Encode()
	if err != nil {
		t.Fatal(err)
	}
	text, err := solana.OffchainText(alice, "hello")
	if err != nil {
		t.Fatal(err)
	}
	lax := slices.Concat(legacy[:3], []byte{0x84, 0x80, 0}, legacy[4:]) // a length in three bytes
	for name, c := range map[string]struct {
		payload []byte
		want    error
	}{
		"legacy": {legacy, solana.ErrTransaction}, "with bytes behind": {append(bytes.Clone(legacy), 1, 2),
			solana.ErrTransaction},
		"length in three bytes": {lax, solana.ErrTransaction}, "version 5": {[]byte{0x85}, solana.ErrTransaction},
		"half of the domain": {[]byte("\xffsolana offchai"), solana.ErrTransaction}, "nothing": {nil, solana.ErrText},
		"the envelope": {text, nil}, "plain text": {[]byte(strings.Repeat("Sign in to example.com\n", 100)), nil},
		"few bytes": {[]byte{1, 0, 1}, nil},
	} {
		if err := solana.CheckPayload(c.payload); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for _, bad := range []string{"", "\xff"} {
		if _, err := solana.OffchainText(alice, bad); !errors.Is(err, solana.ErrText) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Whatever the bytes are: no panic, and what is read is written as the same bytes.
func FuzzDecode(f *testing.F) {
	d := newDice(2)
	for range 30 {
		f.Add(mustEncode(f, d.transaction()))
	}
	for _, v := range []solana.Version{solana.Legacy, solana.V0, solana.V1} {
		f.Add(mustEncode(f, solana.Unsigned(sound(v))))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if m, err := solana.DecodeMessage(raw); err == nil {
			again, err := m.Encode()
			if err != nil || !bytes.Equal(again, raw) {
				t.Fatalf("%x is written as %x: %v", raw, again, err)
			}
			if solana.CheckPayload(raw) == nil {
				t.Fatalf("%x may be signed as a text", raw)
			}
			asked.Effects(m)
			_, _ = m.MaxFee()
		}
		tx, err := solana.DecodeTransaction(raw)
		if err != nil {
			return
		}
		if again, err := tx.Encode(); err != nil || !bytes.Equal(again, raw) {
			t.Fatalf("%x is written as %x: %v", raw, again, err)
		}
	})
}
