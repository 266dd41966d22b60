package enclave

import (
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

func TestSigning_TransferIsSignedAsPreviewed(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))

	proof, err := w.Preview(wire.PreviewRequest{Body: body})
	if err != nil {
		t.Fatal(err)
	}
	preview := w.statement(&proof)
	effects := preview.Preview.Effects
	if len(effects) != 1 || effects[0].Display != "25.5 USDC" || effects[0].To != receiver ||
		effects[0].From != account.Address {
		t.Errorf("effects = %+v", effects)
	}
	out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)})
	if err != nil {
		t.Fatal(err)
	}
	result := w.statement(out.Proof)
	signed, err := chain.ParseHex(result.Result.Transaction.SignedTransaction)
	if err != nil {
		t.Fatal(err)
	}
	tx, _, err := evm.DecodeSigned(signed)
	if err != nil {
		t.Fatal(err)
	}
	if from, err := evm.Recover(signed); err != nil || from.String() != account.Address {
		t.Errorf("signed by %v, %v", from, err)
	}
	if got := tx.Effects(evm.Address{}, w.genesis.Networks[1])[0]; got.Amount != effects[0].Amount ||
		got.To != effects[0].To {
		t.Errorf("signed %+v, previewed %+v", got, effects[0])
	}
	before, _ := strconv.ParseUint(preview.Seq, 10, 64)
	if after, _ := strconv.ParseUint(result.Seq, 10, 64); after <= before || preview.Fingerprint != result.Fingerprint {
		t.Errorf("result %s of %s after preview %s of %s", result.Seq, result.Fingerprint,
			preview.Seq, preview.Fingerprint)
	}
}

func TestSigning_S14_BodyOfAnotherKindOrPlace(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	production := w.fresh(alice, wire.SignIntent, payment(account.Address))
	production.Environment = "production"
	other := w.fresh(alice, wire.CreateWallet, payment(account.Address))
	unknown := w.fresh(alice, "ACTIVITY_TYPE_EXPORT_WALLET", payment(account.Address))
	mainnet := payment(account.Address)
	mainnet.ChainID = "8453"
	for name, b := range map[string]wire.Body{
		"made for production":          production,
		"parameters of another type":   other,
		"unknown type":                 unknown,
		"chain id of another network":  w.fresh(alice, wire.SignIntent, mainnet),
		"registration under a stamp":   {Type: wire.CreateSubOrganization, Environment: "sandbox"},
		"no activity id":               {Type: wire.SignIntent, Environment: "sandbox", OrganizationID: alice.org},
		"transfer says something else": w.fresh(alice, wire.SignIntent, lying(account.Address)),
		"unlisted chain":               w.fresh(alice, wire.SignIntent, elsewhere(account.Address)),
		"exact bytes of a mainnet":     w.fresh(alice, wire.SignTransaction, exact(account.Address, 1, 0)),
		"exact bytes, other chain id": w.fresh(alice, wire.SignTransaction, wire.SignTransactionParams{
			SignWith:            account.Address,
			Type:                "TRANSACTION_TYPE_ETHEREUM",
			ChainID:             "1",
			UnsignedTransaction: exact(account.Address, 84532, 0).UnsignedTransaction,
		}),
		"exact bytes of another family": w.fresh(alice, wire.SignTransaction, wire.SignTransactionParams{
			SignWith:            account.Address,
			Type:                "TRANSACTION_TYPE_SOLANA",
			ChainID:             "84532",
			UnsignedTransaction: exact(account.Address, 84532, 0).UnsignedTransaction,
		}),
	} {
		body := w.body(b)
		_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)})
		refused(t, name, err, refusal.ErrBody)
	}
}

func lying(from string) wire.SignIntentParams {
	p := payment(from)
	p.Transfer = &wire.TransferParams{Token: usdc, To: receiver, Amount: "25"}
	return p
}

func elsewhere(from string) wire.SignIntentParams {
	p := payment(from)
	p.Chain = "dogecoin"
	return p
}

func exact(from string, chainID, nonce uint64) wire.SignTransactionParams {
	to, _ := evm.ParseAddress(receiver)
	tx := evm.Tx{Type: evm.Legacy, ChainID: chainID, Nonce: nonce, GasLimit: 21000, To: &to}
	return wire.SignTransactionParams{
		SignWith: from, Type: "TRANSACTION_TYPE_ETHEREUM", ChainID: strconv.FormatUint(chainID, 10),
		UnsignedTransaction: chain.Hex(tx.Unsigned()),
	}
}

func TestSigning_A03_CancelledIsNeverSigned(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	fp := wire.FingerprintRequest{Fingerprint: wire.Fingerprint(body)}
	out, err := w.Cancel(fp)
	if err != nil || out.State != wire.Cancelled {
		t.Fatalf("cancel: %v, %v", out.State, err)
	}
	late, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)})
	if err != nil || late.State != wire.Cancelled || w.statement(late.Proof).Result != nil {
		t.Errorf("a stamp after the cancel: %v, %v", late.State, err)
	}
	signed := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	if _, err := w.Submit(wire.SubmitRequest{
		Body: signed, Stamp: w.stamp(alice, signed), Volatile: volatile(0),
	}); err != nil {
		t.Fatal(err)
	}
	if out, err := w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(signed)}); err != nil ||
		out.State != wire.Done {
		t.Errorf("a cancel after the stamp: %v, %v", out.State, err)
	}
}

func TestSigning_NoncesAndFees(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	sign := func(floor int) (string, error) {
		body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
		out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(floor)})
		if err != nil {
			return "", err
		}
		return w.statement(out.Proof).Result.Transaction.Nonce, nil
	}
	for i, c := range []struct {
		floor int
		want  string
	}{{0, "0"}, {0, "1"}, {1, "2"}, {3, "3"}, {0, "4"}} {
		if got, err := sign(c.floor); err != nil || got != c.want {
			t.Errorf("%d: nonce %s, %v, want %s", i, got, err, c.want)
		}
	}
	taken := w.body(w.fresh(alice, wire.SignTransaction, exact(account.Address, 84532, 3)))
	_, err := w.Submit(wire.SubmitRequest{Body: taken, Stamp: w.stamp(alice, taken)})
	refused(t, "exact bytes for a signed nonce", err, refusal.ErrNonceTaken)
	for _, nonce := range []uint64{6, 65535} {
		ahead := w.body(w.fresh(alice, wire.SignTransaction, exact(account.Address, 84532, nonce)))
		_, err = w.Submit(wire.SubmitRequest{Body: ahead, Stamp: w.stamp(alice, ahead), Volatile: volatile(5)})
		refused(t, "exact bytes that leave a nonce out", err, refusal.ErrNonceNotNext)
	}
	_, err = sign(6)
	refused(t, "a floor that only they would have made true", err, refusal.ErrFloor)
	w.must(alice, w.fresh(alice, wire.SignTransaction, exact(account.Address, 84532, 5)))
	if got, err := sign(6); err != nil || got != "6" {
		t.Errorf("after exact bytes: nonce %s, %v", got, err)
	}

	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	dear := volatile(0)
	dear.MaxFeePerGas = "2499999988" // × 80,000 gas is just over the stamped maximum
	_, err = w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: dear})
	refused(t, "a fee over the maximum", err, refusal.ErrFee)
	dear.MaxFeePerGas = "2499999987"
	if _, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: dear}); err != nil {
		t.Errorf("the same body with a fee within it: %v", err)
	}
}

func TestSigning_A03_PreviewOfCancelled(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	body := w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{WalletName: "w", MnemonicLength: "12"}))
	if _, err := w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(body)}); err != nil {
		t.Fatal(err)
	}
	_, err := w.Preview(wire.PreviewRequest{Body: body})
	refused(t, "a preview after the cancel", err, refusal.ErrCancelled)
	for _, odd := range []string{"", "sha256:", "sha256:" + strings.Repeat("A", 64), strings.Repeat("a", 64)} {
		_, err := w.Cancel(wire.FingerprintRequest{Fingerprint: odd})
		refused(t, "cancel "+odd, err, refusal.ErrBody)
	}
}

// A node that lies about the mined count would park a payment behind a gap.
func TestSigning_NonceFloorThatNobodySigned(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	stamp := w.stamp(alice, body)
	_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: volatile(1)})
	refused(t, "nothing signed, one mined", err, refusal.ErrFloor)
	out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: volatile(0)})
	if err != nil || w.statement(out.Proof).Result.Transaction.Nonce != "0" {
		t.Fatalf("the same stamp with the true floor: %v", err)
	}

	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sealer, err := keystore.ParseSecret(w.secret)
	if err != nil {
		t.Fatal(err)
	}
	restored, err := Open(Options{Dir: w.dir, Sealer: sealer, AcceptNonces: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	w.Service = restored
	body = w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	out, err = w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(50)})
	if err != nil || w.statement(out.Proof).Result.Transaction.Nonce != "50" {
		t.Errorf("after a restore: %v", err)
	}
}

// K01: an order under an account whose key is another one is not signed for.
func TestSigning_K01_KeyIsNotTheAccounts(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account, other := w.wallet(alice, "Main"), w.wallet(alice, "Other")
	st := w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address)))
	e, _, err := w.entry(mustUint(t, st.Seq))
	if err != nil {
		t.Fatal(err)
	}
	good := *e.Transaction
	if signed, err := w.sign(good); err != nil || *signed != *st.Result.Transaction {
		t.Errorf("the order itself: %v", err)
	}
	for what, change := range map[string]func(*decide.Order){
		"another address": func(o *decide.Order) { o.SignWith = other.Address },
		"another wallet":  func(o *decide.Order) { o.WalletID = other.WalletID },
		"another path":    func(o *decide.Order) { o.Path = "m/44'/60'/1'/0/0" },
		"no transaction":  func(o *decide.Order) { o.Unsigned = o.Unsigned[1:] },
	} {
		bad := good
		change(&bad)
		if signed, err := w.sign(bad); err == nil || signed != nil {
			t.Errorf("%s: signed", what)
		}
	}
}
