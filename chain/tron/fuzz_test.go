package tron_test

import (
	"bytes"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/tron"
)

func readAgain(t *testing.T, raw []byte) {
	family := tron.Family{}
	if a, err := family.ParseAddress(string(raw)); err == nil && a != string(raw) {
		t.Fatalf("%q is spelt %q", raw, a)
	}
	family.Effects(mainnet, alice.String(), chain.Call{To: usdt.String(), Data: raw})
	if tx, signature, err := family.DecodeSigned(raw, ""); err == nil {
		again, err := family.Attach(tx, tx.Signers[0], signature)
		if err != nil || !bytes.Equal(again, raw) {
			t.Fatalf("%x is %x when it is signed again: %v", raw, again, err)
		}
	}
	tx, err := family.DecodeUnsigned(raw)
	if err != nil {
		return
	}
	if !bytes.Equal(tx.Unsigned, raw) || len(tx.Signers) != 1 || tx.MaxFee.Sign() <= 0 {
		t.Fatalf("%x is read as %+v", raw, tx)
	}
	if len(family.Effects(mainnet, tx.Signers[0], tx.Call)) == 0 {
		t.Fatalf("%x does nothing", raw)
	}
	if !tx.Plain {
		return
	}
	again, err := family.Assemble(mainnet, tx.Intent(tx.Signers[0]), tx.Terms)
	if err != nil || !bytes.Equal(again.Unsigned, raw) {
		t.Fatalf("%x is %x as an intent: %v", raw, again.Unsigned, err)
	}
}
