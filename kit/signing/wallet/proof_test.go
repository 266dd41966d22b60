package wallet_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/kit/signing/wallet"
)

// proven is a wallet with an address, and the enclave's statement of its making.
func proven() (wallet.Wallet, wallet.Address, wire.Statement) {
	w := wallet.Wallet{ID: "local", EnclaveID: "enclave", SubOrganizationID: "sub"}
	a := wallet.Address{
		WalletID: "local", Address: "0xAA", Path: "m/44'/60'/0'/0/0", PublicKey: "02aa", AddressFormat: "ETHEREUM",
	}
	return w, a, wire.Statement{
		Kind: wire.KindResult, Environment: "sandbox", OrganizationID: "sub", Seq: "1", Head: "aa",
		Result: &wire.Result{Accounts: []wire.Account{{
			WalletID: "enclave", Address: "0xAA", Path: a.Path, PublicKey: "02aa", AddressFormat: "ETHEREUM",
		}}},
	}
}

// An address counts only as the enclave made it: no row and no proof of anything else makes another one pass.
func TestSigning_AddressIsProved(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*wallet.Wallet, *wallet.Address, *wire.Statement){
		"another address": func(_ *wallet.Wallet, a *wallet.Address, _ *wire.Statement) { a.Address = "0xBB" },
		"another key":     func(_ *wallet.Wallet, a *wallet.Address, _ *wire.Statement) { a.PublicKey = "02bb" },
		"another path":    func(_ *wallet.Wallet, a *wallet.Address, _ *wire.Statement) { a.Path = "m/1" },
		"another form":    func(_ *wallet.Wallet, a *wallet.Address, _ *wire.Statement) { a.AddressFormat = "X" },
		"another wallet":  func(w *wallet.Wallet, _ *wallet.Address, _ *wire.Statement) { w.EnclaveID = "other" },
		"another owner": func(w *wallet.Wallet, _ *wallet.Address, _ *wire.Statement) {
			w.SubOrganizationID = "o"
		},
		"another row":         func(_ *wallet.Wallet, a *wallet.Address, _ *wire.Statement) { a.WalletID = "other" },
		"another environment": func(_ *wallet.Wallet, _ *wallet.Address, s *wire.Statement) { s.Environment = "x" },
		"a preview": func(_ *wallet.Wallet, _ *wallet.Address, s *wire.Statement) {
			s.Kind = wire.KindPreview
		},
		"a denial":  func(_ *wallet.Wallet, _ *wallet.Address, s *wire.Statement) { s.Outcome = wire.Denied },
		"no result": func(_ *wallet.Wallet, _ *wallet.Address, s *wire.Statement) { s.Result = nil },
		"":          func(*wallet.Wallet, *wallet.Address, *wire.Statement) {},
	} {
		w, a, s := proven()
		change(&w, &a, &s)
		p, err := wire.SignStatement(key, s)
		if err != nil {
			t.Fatal(err)
		}
		if a.Proof, err = signer.Text(p); err != nil {
			t.Fatal(err)
		}
		err = a.Proved(w, wire.CompressP256(&key.PublicKey), "sandbox")
		if errors.Is(err, wallet.ErrUnproved) != (what != "") {
			t.Errorf("%q: %v", what, err)
		}
		if err := a.Proved(w, "02"+a.PublicKey, "sandbox"); !errors.Is(err, wallet.ErrUnproved) {
			t.Errorf("%q, by another key: %v", what, err)
		}
	}
}
