package tron_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/internal/test/npmtest"
	"github.com/railkit/railkit/internal/test/testenv"
)

// form is what a transaction says, in words that each reader can write.
type form struct {
	RefBytes, RefHash, Expiration, Timestamp, FeeLimit, Owner, To, Amount, Data string

	Raw, ID, Error string // as the reader writes it again
}

func formOf(t testing.TB, tx tron.Raw) form {
	t.Helper()
	decimal := func(n int64) string { return strconv.FormatInt(n, 10) }
	return form{
		RefBytes: hex.EncodeToString(tx.RefBytes[:]), RefHash: hex.EncodeToString(tx.RefHash[:]),
		Expiration: decimal(tx.Expiration), Timestamp: decimal(tx.Timestamp), FeeLimit: decimal(tx.FeeLimit),
		Owner: tx.Owner.String(), To: tx.To.String(), Amount: decimal(tx.Amount), Data: hex.EncodeToString(tx.Data),
		Raw: hex.EncodeToString(mustEncode(t, tx)), ID: tx.ID(),
	}
}

func typeOf(tx tron.Raw) string {
	if len(tx.Data) > 0 {
		return "TriggerSmartContract"
	}
	return "TransferContract"
}

type asking = func(q, a any) error

// TestOracle has one process answer all questions: to start it takes a second of a processor.
func TestOracle(t *testing.T) {
	t.Parallel()
	d := newDice(testenv.Seed(t))
	err := npmtest.InstallTron(t).Ask(func(ask asking) error {
		for _, part := range []func(*testing.T, dice, asking) error{reads, signedElsewhere, signs, texts, addresses} {
			if err := part(t, d, ask); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rounds are 300 of something, 30,000 at night.
func rounds() int {
	if testenv.Nightly() {
		return 30_000
	}
	return 300
}

// compare asks both libraries for a transaction that this package reads.
func compare(t *testing.T, ask asking, tx tron.Raw) error {
	want := formOf(t, tx)
	var got struct{ TronWeb, Core form }
	err := ask(map[string]string{"ask": "read", "type": typeOf(tx), "raw": want.Raw, "id": want.ID}, &got)
	if err == nil && (got.TronWeb != want || got.Core != form{ID: want.ID}) {
		err = fmt.Errorf("tronweb reads %s as\n%+v, wallet-core as %+v, and this package as\n%+v", want.Raw,
			got.TronWeb, got.Core, want)
	}
	return err
}

// reads: two libraries read what this package writes, and write it again, byte by byte. What this package still reads
// after a mistake was put in, they read as the same.
func reads(t *testing.T, d dice, ask asking) error {
	changed := 0
	for range rounds() {
		tx := d.raw()
		if err := compare(t, ask, tx); err != nil {
			return err
		}
		other, err := tron.Decode(d.changed(mustEncode(t, tx)))
		if err != nil || max(other.Amount, other.Expiration, other.Timestamp) > 1<<53 {
			continue
		}
		changed++
		if err := compare(t, ask, other); err != nil {
			return err
		}
	}
	if changed < rounds()/10 {
		t.Errorf("only %d changed transactions are read: nothing is compared", changed)
	}
	return nil
}

func (d dice) secret() *secp256k1.PrivateKey { return secp256k1.PrivKeyFromBytes(d.bytes(32)) }

// signedElsewhere: another wallet makes and signs a transaction out of a block's header. This package reads what was
// asked for, and finds id and signature right.
func signedElsewhere(t *testing.T, d dice, ask asking) error {
	for range rounds() / 3 {
		secret, tx := d.secret(), d.raw()
		tx.Owner = addressOf(t, secret)
		want := formOf(t, tx)
		var got struct{ Raw, ID, Signature string }
		err := ask(map[string]any{
			"ask": "core", "secret": hex.EncodeToString(secret.Serialize()), "owner": want.Owner, "to": want.To,
			"amount": want.Amount, "data": want.Data, "expiration": want.Expiration, "timestamp": want.Timestamp,
			"feeLimit": want.FeeLimit, "number": d.IntN(1 << 30), "parent": hex.EncodeToString(d.bytes(32)),
		}, &got)
		if err != nil {
			return err
		}
		read, err := tron.Decode(unhex(t, got.Raw))
		if err != nil {
			return fmt.Errorf("wallet-core writes %s: %w", got.Raw, err)
		}
		tx.RefBytes, tx.RefHash = read.RefBytes, read.RefHash // of the header
		signature := unhex(t, got.Signature)
		if !same(read, tx) || read.ID() != got.ID || tron.Verify(tx.Owner, unhex(t, got.ID), signature) != nil {
			return fmt.Errorf("wallet-core makes %+v of %+v", got, tx)
		}
	}
	return nil
}

// signs: the signature of a transaction is that of tronweb, byte by byte, and tronweb finds its owner in ours.
func signs(t *testing.T, d dice, ask asking) error {
	for range rounds() / 10 {
		secret, tx := d.secret(), d.raw()
		tx.Owner = addressOf(t, secret)
		signed, err := tron.Signed{Raw: tx, Signature: [65]byte(sign(secret, unhex(t, tx.ID())))}.Encode()
		if err != nil {
			return err
		}
		ours := hex.EncodeToString(signed[len(signed)-65:])
		var got struct{ Address, Signature, Recovered string }
		if err := ask(map[string]string{
			"ask": "sign", "secret": hex.EncodeToString(secret.Serialize()), "id": tx.ID(), "signature": ours,
		}, &got); err != nil {
			return err
		}
		if owner := tx.Owner.String(); got.Address != owner || got.Recovered != owner || got.Signature != ours {
			return fmt.Errorf("%s is signed %+v, and here %s by %s", tx.ID(), got, ours, owner)
		}
	}
	return nil
}

// texts: the signature of a text is that of both libraries.
func texts(t *testing.T, d dice, ask asking) error {
	for i := range rounds() / 10 {
		secret, text := d.secret(), "Grüß Gott: "+hex.EncodeToString(d.bytes(i))
		owner := addressOf(t, secret).String()
		m, err := tron.Family{}.ReadMessage(nil, owner, "EIP191_TEXT", text)
		if err != nil {
			return err
		}
		ours := tron.Family{}.EncodeSignature(sign(secret, m.Payload))
		var got struct{ TronWeb, Core, Signer string }
		if err := ask(map[string]string{
			"ask": "text", "secret": hex.EncodeToString(secret.Serialize()), "text": text, "signature": ours,
		}, &got); err != nil {
			return err
		}
		if got.TronWeb != ours || "0x"+got.Core != ours || got.Signer != owner {
			return fmt.Errorf("%q is signed %+v, and here %s by %s", text, got, ours, owner)
		}
	}
	return nil
}

// addresses: what is an address, and what is a typing error, is so for both libraries.
func addresses(t *testing.T, d dice, ask asking) error {
	for range rounds() {
		text := d.address().String()
		if d.IntN(2) == 0 {
			text = string(d.changed([]byte(text)))
		}
		var got struct{ TronWeb, Core bool }
		if err := ask(map[string]string{"ask": "address", "text": hexless(text)}, &got); err != nil {
			return err
		}
		_, err := tron.ParseAddress(text)
		if ok := err == nil; got.TronWeb != ok || got.Core != ok {
			return errors.Join(fmt.Errorf("%q: %+v", text, got), err)
		}
	}
	return nil
}

// hexless is a text without bytes that JSON would write as others.
func hexless(text string) string { return string([]rune(text)) }
