package enclave

import (
	"math/big"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/tron"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

const tronUSDT = "TDr6eSZVxMk1CxtrCwd6VvpLQFYCowKsDK"

// tronAccount asks for an account on Tron at a path.
func (w *world) tronAccount(o owner, walletID, path string) wire.SubmitRequest {
	form := tron.Family{}.Form()
	body := w.body(w.fresh(o, wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
		WalletID: walletID, Accounts: []wire.AccountParams{{
			Curve: form.Curve, PathFormat: form.PathFormat, Path: path, AddressFormat: form.AddressFormat,
		}},
	}))
	return wire.SubmitRequest{Body: body, Stamp: w.stamp(o, body)}
}

// What is signed on Tron is what was previewed, it verifies under the account's address, and it ends ten minutes after
// the signer signed it. A restart signs nothing anew.
func TestTron_T10_SignedAsPreviewed(t *testing.T) {
	w := newWorld(t)
	w.prices(time.Now(), map[string]string{"TRX": "0.3", "USDT": "1"})
	alice := w.register("alice@example.com")
	wallet := w.wallet(alice, "Main").WalletID
	_, err := w.Submit(w.tronAccount(alice, wallet, "m/44'/60'/0'/0/7"))
	refused(t, "a key of EVM for Tron", err, refusal.ErrBody)
	out, err := w.Submit(w.tronAccount(alice, wallet, tron.Family{}.Form().PathOf(0)))
	if err != nil {
		t.Fatal(err)
	}
	account := w.statement(out.Proof).Result.Accounts[0].Address
	payee := tron.Address{7}.String()
	call, err := tron.Family{}.Transfer(chain.Token{Address: tronUSDT}, payee, big.NewInt(1e6))
	if err != nil {
		t.Fatal(err)
	}
	body := w.body(w.fresh(alice, wire.SignIntent, wire.SignIntentParams{
		SignWith: account, Chain: "tron", ChainID: "nile", To: tronUSDT, Value: "0", Data: chain.Hex(call.Data),
		GasLimit: "20000000", MaxTotalFee: "20000000",
	}))
	shown, err := w.preview(body)
	if err != nil || len(shown.Effects) != 1 || shown.Effects[0].Display != "1 USDT" || shown.FeeDisplay != "20 TRX" ||
		shown.DataDisplay != "0.346 TRX" || shown.ChainName != "Tron Nile" || len(shown.Warnings) != 0 {
		t.Fatalf("the preview is %+v, %v", shown, err)
	}
	submit := wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: &wire.Volatile{
		Blockhash: "7b3bb21ace8d6ac20e7e", Units: "15000000", LoadedBytes: "0", LastHeight: "9",
	}}
	before := time.Now()
	if out, err = w.Submit(submit); err != nil {
		t.Fatal(err)
	}
	made := w.statement(out.Proof).Result.Transaction
	raw, err := chain.ParseHex(made.SignedTransaction)
	if err != nil {
		t.Fatal(err)
	}
	tx, _, err := tron.Family{}.DecodeSigned(raw, account)
	if err != nil || made.TxHash != (tron.Family{}).ID(raw) || made.TxHash == "" || made.ChainID != "nile" ||
		made.LastHeight != "" || made.Nonce != "" {
		t.Fatalf("signed %+v as %+v, %v", tx, made, err)
	}
	ends := time.UnixMilli(tx.Recent.Expires)
	if made.Expires != big.NewInt(tx.Recent.Expires).String() || ends.Before(before.Add(599*time.Second)) ||
		ends.After(time.Now().Add(10*time.Minute)) {
		t.Errorf("it ends at %s, and is told to at %s", ends, made.Expires)
	}
	w.checkpointNow()
	w.reopen()
	submit.Volatile.Blockhash = "00000000000000000000"
	if again, err := w.Submit(submit); err != nil || *again.Proof != *out.Proof {
		t.Errorf("after a restart, with another block: %+v, %v", again, err)
	}
}
