package decide

import (
	"testing"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// A wallet whose name shows nothing, or shows another wallet's, would be taken for that one in a preview.
func TestNamesThatCannotBeSeen(t *testing.T) {
	c := newClub(t, "ann")
	create := func(name string) Request {
		return c.body(wire.CreateWallet, wire.CreateWalletParams{
			WalletName: name, MnemonicLength: "12", Accounts: []wire.AccountParams{{
				Curve: "CURVE_SECP256K1", PathFormat: "PATH_FORMAT_BIP32", AddressFormat: "ADDRESS_FORMAT_ETHEREUM",
				Path: "m/44'/60'/0'/0/0",
			}},
		})
	}
	c.must(EventWallet, "ann", create("Ana Pérez"))
	for what, name := range map[string]string{
		"empty Braille pattern": "Main\u2800", "Hangul filler": "Main\u3164", "joiner": "Ma\u200din",
		"turn of direction": "\u202eMain", "line": "Ma\nin", "another space": "Main\u00a0wallet",
		"tag": "Main\U000e0041",
	} {
		c.refused(what, refusal.ErrBody, "ann", create(name))
	}
}
