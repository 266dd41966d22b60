package tron_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain/tron"
)

// dice make transactions that are whole.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 1))} }

func (d dice) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Uint32())
	}
	return b
}

func (d dice) address() tron.Address { return tron.Address(d.bytes(20)) }

// positive is a number of any length up to 2^bits.
func (d dice) positive(bits int) int64 { return 1 + d.Int64N(1<<d.IntN(bits+1)) }

// raw is a transfer of TRX, a transfer of a token, or a call of something else. Its numbers are those that libraries
// which have them as floats can read.
func (d dice) raw() tron.Raw {
	t := tron.Raw{
		RefBytes: [2]byte(d.bytes(2)), RefHash: [8]byte(d.bytes(8)),
		Expiration: d.positive(41), Timestamp: d.positive(41),
		Owner: d.address(), To: d.address(), Amount: d.positive(52),
	}
	if d.IntN(3) == 0 {
		return t
	}
	t.Data, t.FeeLimit = d.bytes(4+d.IntN(200)), d.positive(33)
	if d.IntN(2) == 0 {
		t.Data = calldata(transferOf, d.address(), d.positive(62))
	}
	if d.IntN(2) == 0 {
		t.Amount = 0
	}
	return t
}

// changed is the bytes with a mistake in them.
func (d dice) changed(raw []byte) []byte {
	raw = bytes.Clone(raw)
	at := d.IntN(len(raw))
	switch d.IntN(4) {
	case 0:
		raw[at] ^= 1 << d.UintN(8)
	case 1:
		raw = slices.Delete(raw, at, at+1)
	case 2:
		raw = slices.Insert(raw, at, byte(d.Uint32()))
	case 3:
		raw = slices.Insert(raw, at, raw[at:min(at+d.IntN(32), len(raw))]...)
	}
	return raw
}

func mustEncode(t testing.TB, raw tron.Raw) []byte {
	t.Helper()
	b, err := raw.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is written is read as the same. What is read after a mistake was put in is another transaction, in its one
// encoding.
func TestEncode(t *testing.T) {
	t.Parallel()
	d, changed := newDice(1), 0
	for range 5_000 {
		tx := d.raw()
		raw := mustEncode(t, tx)
		again, err := tron.Decode(raw)
		if err != nil || !same(again, tx) {
			t.Fatalf("%+v is read as %+v: %v", tx, again, err)
		}
		mistaken := d.changed(raw)
		if bytes.Equal(mistaken, raw) {
			continue
		}
		other, err := tron.Decode(mistaken)
		if err != nil {
			continue
		}
		changed++
		if same(other, tx) || !bytes.Equal(mustEncode(t, other), mistaken) {
			t.Fatalf("%x is read as %+v", mistaken, other)
		}
	}
	if changed < 500 {
		t.Errorf("only %d changed transactions are read: nothing is compared", changed)
	}
}

// Whatever the bytes are: no panic, what is read is written as the same bytes, and what is said to be an intent is what
// the signer makes of that intent.
func FuzzFamily(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(unhex(f, v.Raw))
	}
	d, secret := newDice(3), secretOf(f, "2d8f68944bdbfbc0769542fba8fc2d2a3de67393334471624364c7006da2aa54")
	for range 20 {
		tx := d.raw()
		digest := tx.Digest()
		signed, err := tron.Signed{Raw: tx, Signature: [65]byte(sign(secret, digest[:]))}.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(signed)
		tx.Timestamp = max(1, tx.Expiration-600_000) // often plain
		f.Add(mustEncode(f, tx))
	}
	for _, p := range []parts{transfer(), trigger()} {
		f.Add(p.raw())
	}
	f.Fuzz(func(t *testing.T, raw []byte) { readAgain(t, raw) })
}
