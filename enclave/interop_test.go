package enclave

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/npmtest"
)

// apiKey is a key as the field's API-key stamper wants it.
func apiKey(t testing.TB) npmtest.APIKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := key.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return npmtest.APIKey{PublicKey: wire.CompressP256(&key.PublicKey), PrivateKey: hex.EncodeToString(secret)}
}

// The field's stampers, as they come from npm, are believed; and what is signed
// for them, ethers reads as what was asked for.
func TestCompatibility_StampersFromNPM(t *testing.T) {
	packages := npmtest.Install(t)
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	made, err := packages.PasskeyStamp("localhost", npmtest.Browser(alice.Authenticator, body), body)
	if err != nil {
		t.Fatal(err)
	}
	st := wire.Stamp{HeaderName: made.HeaderName, HeaderValue: made.HeaderValue}
	_, err = w.Submit(wire.SubmitRequest{
		Body: strings.Replace(body, `"80000"`, `"80001"`, 1), Stamp: &st, Volatile: volatile(0),
	})
	refused(t, "another body", err, refusal.ErrStamp)
	out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: &st, Volatile: volatile(0)})
	if err != nil {
		t.Fatalf("the npm passkey stamper's %s: %v", made.HeaderName, err)
	}
	checkByEthers(t, packages, *w.statement(out.Proof).Result.Transaction, account.Address)

	w.prices(time.Now(), market)
	key, l := apiKey(t), &lent{world: w, alice: alice, account: account, nonce: 1}
	d := l.delegation(false)
	d.AnyRequest = false
	d.PublicKey = new(key.PublicKey)
	w.policy(alice, account.WalletID, wire.Rules{Delegation: d})
	body = l.transfer(receiver, 1)
	if made, err = packages.KeyStamp(key, body); err != nil {
		t.Fatal(err)
	}
	st = wire.Stamp{HeaderName: made.HeaderName, HeaderValue: made.HeaderValue}
	_, err = w.Submit(wire.SubmitRequest{Body: l.transfer(receiver, 1), Stamp: &st})
	refused(t, "the key's stamp on another body", err, refusal.ErrStamp)
	l.becomes("the npm API-key stamper's "+made.HeaderName, wire.Done, body, &st)
}

func checkByEthers(t *testing.T, packages npmtest.Packages, signed wire.Transaction, from string) {
	t.Helper()
	read, err := packages.Recover(signed.SignedTransaction)
	if err != nil {
		t.Fatal(err)
	}
	asked := payment(from)
	if read.From != from || read.Hash != signed.TxHash || read.To != usdc || read.Data != asked.Data ||
		read.ChainID != asked.ChainID ||
		read.Value != asked.Value || read.GasLimit != asked.GasLimit || read.Type != int(evm.DynamicFee) ||
		read.Serialized != signed.SignedTransaction {
		t.Errorf("ethers reads %+v", read)
	}
}
