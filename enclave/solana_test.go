package enclave

import (
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

const (
	solanaUSDC  = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAERYPJgZJDncDU1"
	solanaPayee = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"
	solanaBlock = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"
)

// onSolana adds an account on Solana to a wallet.
func (w *world) onSolana(o owner, walletID string) wire.Account {
	w.t.Helper()
	form := solana.Family{}.Form()
	return w.must(o, w.fresh(o, wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
		WalletID: walletID, Accounts: []wire.AccountParams{{
			Curve: form.Curve, PathFormat: form.PathFormat, Path: form.PathOf(0), AddressFormat: form.AddressFormat,
		}},
	})).Result.Accounts[0]
}

// paysOnSolana is a payment of 1 USDC, with an account for the payee.
func paysOnSolana(from string) wire.SignIntentParams {
	call, err := solana.Family{}.Transfer(chain.Token{Address: solanaUSDC, Decimals: 6}, solanaPayee, big.NewInt(1e6))
	if err != nil {
		panic(err)
	}
	return wire.SignIntentParams{
		SignWith: from, Chain: "solana", ChainID: "devnet", To: solanaPayee, Value: "0", Data: chain.Hex(call.Data),
		GasLimit: "60000", MaxTotalFee: "10000", MaxRent: "2100000",
	}
}

func recently() *wire.Volatile {
	return &wire.Volatile{
		Blockhash: solanaBlock, Version: "v1", Units: "50000", LoadedBytes: "200000", Priority: "1000",
		Rent: "2039280", LastHeight: "500",
	}
}

// What is signed on Solana is what was previewed, it verifies under the account's address, and the proof says which
// heights it can land at, also after a restart.
func TestSolana_L10_SignedAsPreviewed(t *testing.T) {
	w := newWorld(t)
	w.prices(time.Now(), map[string]string{"SOL": "150", "USDC": "1"})
	alice := w.register("alice@example.com")
	account := w.onSolana(alice, w.wallet(alice, "Main").WalletID)
	body := w.body(w.fresh(alice, wire.SignIntent, paysOnSolana(account.Address)))
	shown, err := w.preview(body)
	if err != nil || len(shown.Effects) != 2 || shown.Effects[1].Display != "1 USDC" ||
		shown.ChainName != "Solana Devnet" || shown.FeeDisplay != "0.00001 SOL" || shown.DataFee != "" ||
		shown.Nonce != "" || len(shown.Warnings) != 0 {
		t.Fatalf("the preview is %+v, %v", shown, err)
	}
	submit := wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: recently()}
	out, err := w.Submit(submit)
	if err != nil {
		t.Fatal(err)
	}
	made := w.statement(out.Proof).Result.Transaction
	raw, err := chain.ParseHex(made.SignedTransaction)
	if err != nil {
		t.Fatal(err)
	}
	tx, _, err := solana.Family{}.DecodeSigned(raw, "")
	if err != nil || made.LastHeight != "500" || made.Nonce != "" || made.ChainID != "devnet" ||
		made.TxHash != (solana.Family{}).ID(raw) || tx.Signers[0] != account.Address {
		t.Errorf("signed %+v as %+v, %v", tx, made, err)
	}
	n, _ := chain.WithSlug(w.genesis.Networks, "solana")
	if got := (solana.Family{}).Effects(n, account.Address, tx.Call); got[1] != shown.Effects[1] {
		t.Errorf("signed %+v, previewed %+v", got, shown.Effects)
	}
	w.checkpointNow()
	w.reopen()
	submit.Volatile.Blockhash = solanaPayee
	if again, err := w.Submit(submit); err != nil || *again.Proof != *out.Proof {
		t.Errorf("after a restart, with another blockhash: %+v, %v", again, err)
	}
}

// A text is signed in its envelope, which names the signer, and its proof tells the bytes that were.
func TestSolana_L16_TextIsSignedInItsEnvelope(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.onSolana(alice, w.wallet(alice, "Main").WalletID)
	made := w.must(alice, w.fresh(alice, wire.SignMessage, wire.SignMessageParams{
		SignWith: account.Address, Type: wire.MessageText, Payload: "hello",
	})).Result.Signature
	payload, err := chain.ParseHex(made.Digest)
	signature, also := solana.ParseSignature(made.Signature)
	if err != nil || also != nil || !strings.HasPrefix(string(payload), "\xffsolana offchain") ||
		!strings.HasSuffix(string(payload), "hello") ||
		(solana.Family{}).Verify(account.Address, payload, signature[:]) != nil {
		t.Errorf("%+v, %v, %v", made, err, also)
	}
}

// While a recovery waits, a payment on Solana that needs votes is refused, and what waited for votes before is void.
func TestSolana_L18_Recovery(t *testing.T) {
	w := newTimed(t)
	code := newCode(t)
	alice := w.registerWith("alice@example.com", code)
	account := w.onSolana(alice, w.wallet(alice, "Main").WalletID)
	w.consent(alice, "1")
	pays := func() string { return w.body(w.fresh(alice, wire.SignIntent, paysOnSolana(account.Address))) }
	submit := func(body string) (wire.OutcomeReply, error) {
		return w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: recently()})
	}
	waited := pays()
	if a, err := submit(waited); err != nil || a.State != wire.Held {
		t.Fatalf("%s, %v", a.State, err)
	}
	r := w.rescue(alice, "alice@example.com").by(code)
	pending := w.in(wire.Held, r.body(), r.org).RecoveryPending
	if _, err := w.vote(waited, alice); err == nil {
		t.Error("what waited has a vote")
	}
	_, err := w.Submit(wire.SubmitRequest{Body: waited, Volatile: recently()})
	refused(t, "what waited", err, refusal.ErrApprovalVoid)
	_, err = submit(pays())
	refused(t, "a payment that needs votes", err, refusal.ErrRecovering)
	w.in(wire.Done, w.cancellation(alice, pending.RecoveryID), alice)
	if a, err := submit(pays()); err != nil || a.State != wire.Held {
		t.Errorf("after the recovery: %s, %v", a.State, err)
	}
}

// A preview warns of what only people can judge, on Solana as on EVM.
func TestSolana_L10_PreviewWarns(t *testing.T) {
	w := newWorld(t)
	w.prices(time.Now(), map[string]string{"SOL": "150", "USDC": "1"})
	alice := w.register("alice@example.com")
	account := w.onSolana(alice, w.wallet(alice, "Main").WalletID)
	derived := solana.AssociatedAddress(mustSolana(solanaPayee), mustSolana(solanaUSDC), solana.TokenProgram)
	unlisted := chain.Token{Address: solanaBlock, Decimals: 6}
	transfer, err := solana.Family{}.Transfer(unlisted, solanaPayee, big.NewInt(1))
	if err != nil {
		t.Fatal(err)
	}
	for what, tc := range map[string]struct {
		change func(p *wire.SignIntentParams)
		want   []string // how the warnings begin
	}{
		"a listed token": {func(*wire.SignIntentParams) {}, nil},
		"a token nobody listed": {
			func(p *wire.SignIntentParams) { p.Data = chain.Hex(transfer.Data) }, []string{"unlisted token"},
		},
		"an owner without a key": {
			func(p *wire.SignIntentParams) { p.To = derived.String() }, []string{derived.String() + ": no key can"},
		},
	} {
		p := paysOnSolana(account.Address)
		tc.change(&p)
		shown, err := w.preview(w.body(w.fresh(alice, wire.SignIntent, p)))
		if err != nil || !slices.EqualFunc(shown.Warnings, tc.want, strings.HasPrefix) {
			t.Errorf("%s: warnings %q, want %q: %v", what, shown.Warnings, tc.want, err)
		}
	}
}

func mustSolana(text string) solana.Address {
	a, err := solana.ParseAddress(text)
	if err != nil {
		panic(err)
	}
	return a
}
