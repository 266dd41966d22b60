package railkit_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"math/big"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/tamper"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

func TestStory(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	if h, err := w.client.Health(ctx); err != nil || h.Status != "ok" {
		t.Fatalf("Health = %+v, %v", h, err)
	}
	account := w.payer(t)
	sent, err := w.client.Transactions.Send(ctx, w.pk, transfer(account.Address))
	if err != nil {
		t.Fatal(err)
	}
	done, err := w.client.Transactions.WaitConfirmed(ctx, sent.TransactionID, 50*time.Millisecond)
	if err != nil || done.TxHash != sent.TxHash || done.Status != railkit.StatusConfirmed {
		t.Fatalf("WaitConfirmed = %+v, %v", done, err)
	}
	w.reads(t, account, sent)
}

// reads calls what only reads.
func (w *world) reads(t *testing.T, account *railkit.Address, sent *railkit.Transaction) {
	t.Helper()
	ctx := t.Context()
	got, err := w.client.Addresses.Get(ctx, account.WalletID, account.Address)
	if err != nil || got.Path != account.Path {
		t.Fatalf("GetAddress = %+v, %v", got, err)
	}
	if _, err := w.client.Addresses.GetFresh(ctx, account.WalletID, account.AddressID); err != nil {
		t.Fatal(err)
	}
	list, err := w.client.Addresses.List(ctx, account.WalletID)
	if err != nil || len(list) != 2 {
		t.Fatalf("ListAddresses = %d, %v", len(list), err)
	}
	wallet, err := w.client.Wallets.Get(ctx, account.WalletID)
	if err != nil || len(wallet.Addresses) != 2 || !wallet.Addresses[0].Proven || wallet.Addresses[1].Proven {
		t.Fatalf("GetWallet = %+v, %v: only the first address is in the wallet's own proof", wallet, err)
	}
	if detail, err := w.client.Wallets.GetDetail(ctx, account.WalletID); err != nil ||
		detail.WalletName != wallet.WalletName {
		t.Fatalf("GetWalletDetail = %+v, %v", detail, err)
	}
	if sent, err := w.client.Transactions.Broadcast(ctx, sent.TransactionID); err != nil ||
		sent.Status != railkit.StatusConfirmed {
		t.Fatalf("BroadcastTransaction = %+v, %v", sent, err)
	}
	for one, err := range w.client.Wallets.All(ctx, railkit.WalletListOptions{}) {
		if err != nil || one.WalletID != account.WalletID {
			t.Fatalf("AllWallets gave %+v, %v", one, err)
		}
	}
	tx, err := w.client.Transactions.Get(ctx, sent.TransactionID)
	if err != nil || tx.TxHash != sent.TxHash {
		t.Fatalf("GetTransaction = %+v, %v", tx, err)
	}
	page, err := w.client.Transactions.List(ctx, railkit.TransactionListOptions{Status: railkit.StatusConfirmed})
	if err != nil || len(page.Items) != 1 || page.Meta.Total != 1 {
		t.Fatalf("ListTransactions = %+v, %v", page, err)
	}
	apptest.Eventually(t, "what the faucet gave in the wallet's history", func() bool {
		history, err := w.client.Wallets.ListTransactions(ctx, account.WalletID, railkit.ListOptions{Limit: 5})
		return err == nil && slices.ContainsFunc(history.Items, func(l railkit.WalletTransaction) bool {
			return l.Type == "receive" && l.TokenSymbol == "USDC"
		})
	})
	keys, err := w.client.Passkeys.List(ctx, "")
	if err != nil || len(keys) != 1 {
		t.Fatalf("ListPasskeys = %+v, %v", keys, err)
	}
	if renamed, err := w.client.Passkeys.Rename(ctx, keys[0].ID, "Laptop"); err != nil || renamed.Label != "Laptop" {
		t.Fatalf("RenamePasskey = %+v, %v", renamed, err)
	}
}

func TestKindsOfTransactions(t *testing.T) {
	w := newWorld(t)
	from := w.payer(t).Address
	to, _ := evm.ParseAddress(receiver)
	exact := evm.Tx{
		Type: evm.DynamicFee, ChainID: baseID, Nonce: 2, MaxFeePerGas: big.NewInt(2e9),
		MaxPriorityFeePerGas: big.NewInt(1), GasLimit: 21000, To: &to, Value: big.NewInt(1),
	}
	no := false
	for _, req := range []railkit.PrepareTransactionRequest{
		{Type: railkit.TransferNative, To: receiver, Amount: "0.000000000000000001"},
		{Type: railkit.Call, To: receiver, Data: "0xdeadbeef", Value: "7"},
		{Type: railkit.SignExact, UnsignedTransaction: chain.Hex(exact.Unsigned())},
	} {
		req.SignWith, req.ChainID = from, baseID
		p, err := w.client.Transactions.Prepare(t.Context(), req)
		if err != nil {
			t.Errorf("%s: %v", req.Type, err)
			continue
		}
		stamp, err := w.pk.Stamp(p.UnsignedActivity.Body)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := w.client.Transactions.Confirm(t.Context(), railkit.ConfirmTransactionRequest{
			TransactionID: p.TransactionID, SignedActivity: p.Signed(stamp), Broadcast: &no,
		})
		if err != nil || signed.Status != railkit.StatusPending {
			t.Errorf("%s: %+v, %v", req.Type, signed, err)
		}
	}
}

// A network that is named by its slug is the one of the client's environment, from the first call to the last.
func TestNetworkByName(t *testing.T) {
	w := newWorld(t)
	from := w.payer(t).Address
	named := func(from string) railkit.PrepareTransactionRequest {
		req := transfer(from)
		req.ChainID, req.Network, req.PayAgain = 0, "base", false
		return req
	}
	sent, err := w.client.Transactions.Send(t.Context(), w.pk, named(from))
	if err != nil || sent.ChainID != baseID {
		t.Fatalf("Send = %+v, %v", sent, err)
	}
	if _, err := w.client.Transactions.WaitConfirmed(t.Context(), sent.TransactionID, time.Millisecond); err != nil {
		t.Error(err)
	}
	secret, own := ownKey(t)
	w.fund(t, "base", own.String())
	p, err := w.client.Transactions.PrepareExternal(t.Context(), named(own.String()))
	if err != nil {
		t.Fatal(err)
	}
	if sent, err = w.client.Transactions.ConfirmSigned(t.Context(), railkit.ConfirmSignedRequest{
		TransactionID: p.TransactionID, SignedTransaction: chain.Hex(signed(t, p.Tx, secret)),
	}); err != nil || sent.ChainID != baseID {
		t.Errorf("ConfirmSigned = %+v, %v", sent, err)
	}
	req := named(from)
	req.Network = "polygon"
	req.ChainID = baseID
	if _, err := w.client.Transactions.Prepare(t.Context(), req); err == nil {
		t.Error("a slug and a chain id of two networks are taken")
	}
}

func TestCancelAndPending(t *testing.T) {
	w := newWorld(t)
	p, err := w.client.Transactions.Prepare(t.Context(), transfer(w.payer(t).Address))
	if err != nil {
		t.Fatal(err)
	}
	waiting, err := w.client.Transactions.ListPendingSignature(t.Context(), railkit.ListOptions{})
	if err != nil || len(waiting.Items) != 1 {
		t.Fatalf("PendingSignature = %+v, %v", waiting, err)
	}
	if tx, err := w.client.Transactions.Cancel(t.Context(), p.TransactionID); err != nil ||
		tx.Status != railkit.StatusCancelled {
		t.Fatalf("CancelTransaction = %+v, %v", tx, err)
	}
	stamp, err := w.pk.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.client.Transactions.Confirm(t.Context(), railkit.ConfirmTransactionRequest{
		TransactionID: p.TransactionID, SignedActivity: p.Signed(stamp),
	})
	if !railkit.IsConflict(err) {
		t.Fatalf("confirming a cancelled transaction: %v", err)
	}
}

// A caller that keeps the key of an operation gets one transaction, however
// often it starts over.
func TestCallersKeyMakesOneTransaction(t *testing.T) {
	w := newWorld(t)
	account := w.payer(t)
	ctx := railkit.WithIdempotencyKey(t.Context(), uuid.NewString())
	first, err := w.client.Transactions.Send(ctx, w.pk, transfer(account.Address))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.client.Transactions.Send(t.Context(), w.pk, transfer(account.Address)); err != nil {
		t.Fatal(err)
	}
	again, err := w.client.Transactions.Send(ctx, w.pk, transfer(account.Address))
	if err != nil {
		t.Fatalf("the replayed preview is old, and that is fine: %v", err)
	}
	if again.TransactionID != first.TransactionID || again.TxHash != first.TxHash {
		t.Fatal("a repeated operation made a second transaction")
	}
}

// The server confirms, and its answer is lost: the client asks again under the same key and gets the one transaction.
func TestLostAnswerIsAskedForAgain(t *testing.T) {
	w := newWorld(t)
	from := w.payer(t).Address
	w.host.On("POST /v1/transactions/confirm", tamper.Cut(2))
	sent, err := w.client.Transactions.Send(t.Context(), w.pk, transfer(from))
	if err != nil {
		t.Fatal(err)
	}
	page, err := w.client.Transactions.List(t.Context(), railkit.TransactionListOptions{})
	if err != nil || len(page.Items) != 1 || page.Items[0].TxHash != sent.TxHash ||
		w.calls("POST", "/v1/transactions/confirm") != 3 {
		t.Errorf("%+v, %v", page, err)
	}
}

// Calls that overlap must not take each other's proofs for stale or forked.
func TestManyAtOnce(t *testing.T) {
	w := newWorld(t)
	from := w.payer(t).Address
	failed := make(chan error)
	const callers, calls = 8, 5
	for range callers {
		go func() {
			for range calls {
				_, err := w.client.Transactions.Send(t.Context(), w.pk, transfer(from))
				failed <- err
			}
		}()
	}
	for range callers * calls {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	page, err := w.client.Transactions.List(t.Context(), railkit.TransactionListOptions{})
	if err != nil || len(page.Items) != callers*calls {
		t.Fatalf("%d transactions, %v", len(page.Items), err)
	}
}

func TestKeyMustBeUUIDv4(t *testing.T) {
	w := newWorld(t)
	_, err := w.client.SubOrganizations.Challenge(railkit.WithIdempotencyKey(t.Context(), "mine"), "ada@example.com")
	if err == nil || len(w.host.Calls()) != 0 {
		t.Fatalf("err %v after %d calls", err, len(w.host.Calls()))
	}
}

// After a restart the client knows nobody, and makes nothing that it could not check.
func TestOwnersAfterRestart(t *testing.T) {
	w := newWorld(t)
	reg := w.register(t)
	w.client = w.newClient(t)
	ask := railkit.PrepareWalletRequest{WalletName: "Main", SubOrganizationID: reg.SubOrganizationID}
	if _, err := w.client.Wallets.Create(t.Context(), w.pk, ask); !errors.Is(err, railkit.ErrOwnersUnknown) {
		t.Fatalf("an unknown sub-organization: %v", err)
	}
	if w.calls("POST", "/v1/signing/wallets/confirm") > 0 {
		t.Fatal("it was confirmed all the same")
	}
	w.client.SubOrganizations.TrustOwners(reg.SubOrganizationID, reg.Owners)
	if known, ok := w.client.SubOrganizations.KnownOwners(reg.SubOrganizationID); !ok ||
		!reflect.DeepEqual(known, reg.Owners) {
		t.Fatalf("KnownOwners = %+v, %v", known, ok)
	}
	if _, err := w.client.Wallets.Create(t.Context(), w.pk, ask); err != nil {
		t.Fatal(err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	good := railkit.Config{BaseURL: "https://api.example.com/", EnclaveKey: wire.CompressP256(&key.PublicKey)}
	if _, err := railkit.New(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*railkit.Config){
		"no key":          func(c *railkit.Config) { c.EnclaveKey = "" },
		"no point":        func(c *railkit.Config) { c.EnclaveKey = "02" + "ff" },
		"no address":      func(c *railkit.Config) { c.BaseURL = "" },
		"not http":        func(c *railkit.Config) { c.BaseURL = "ftp://api.example.com" },
		"password in url": func(c *railkit.Config) { c.BaseURL = "https://user:secret@api.example.com" },
	} {
		bad := good
		change(&bad)
		if _, err := railkit.New(bad); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := railkit.New(railkit.Config{BaseURL: "http://localhost:1", InsecureSkipProofs: true}); err != nil {
		t.Errorf("without proofs, said out loud: %v", err)
	}
}

func TestWithoutProofs(t *testing.T) {
	w := newWorld(t, func(c *railkit.Config) { c.EnclaveKey, c.InsecureSkipProofs = "", true })
	w.host.On("POST /v1/transactions/prepare", tamper.Drop("data.preview"))
	p, err := w.client.Transactions.Prepare(t.Context(), transfer(w.payer(t).Address))
	if err != nil || p.Shown != nil {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := w.client.VerifyProof(p.Preview); err == nil {
		t.Fatal("a client without a key verified a proof")
	}
}

func TestAuthenticatorErrorsReachTheCaller(t *testing.T) {
	w := newWorld(t)
	account := w.payer(t)
	stranger := railkit.FromAuthenticator(passkey.New(w.Origin))
	if _, err := w.client.Transactions.Send(t.Context(), stranger,
		transfer(account.Address)); !errors.Is(err, passkey.ErrNoCredential) {
		t.Fatalf("err = %v", err)
	}
	elsewhere := railkit.FromAuthenticator(passkey.New("https://elsewhere.example"))
	if _, err := w.client.SubOrganizations.Create(t.Context(),
		elsewhere, railkit.RegisterParams{Email: "bob@example.com"}); !errors.Is(err, passkey.ErrSecurity) {
		t.Fatalf("err = %v", err)
	}
}

func TestFeeLimit(t *testing.T) {
	w := newWorld(t)
	req := transfer(w.payer(t).Address)
	dearer(w, "42000000000000", "7000")
	req.FeeLimit = "42000000007000"
	if _, err := w.client.Transactions.Prepare(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	req.FeeLimit = "42000000006999"
	_, err := w.client.Transactions.Prepare(t.Context(), req)
	wantReason(t, "fee above the limit", err, railkit.ReasonFee)
}

func TestStampedByAccountID(t *testing.T) {
	w := newWorld(t)
	req := transfer(w.payer(t).AddressID)
	if _, err := w.client.Transactions.Prepare(t.Context(), req); err == nil || railkit.IsTampered(err) {
		t.Fatalf("without ExpectFrom nothing can be compared: %v", err)
	}
}

func TestNoRedirects(t *testing.T) {
	elsewhere := roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host == "elsewhere.example" {
			t.Error("followed to another origin")
		}
		return &http.Response{
			StatusCode: http.StatusTemporaryRedirect, Header: http.Header{"Location": {"https://elsewhere.example/"}},
			Body: http.NoBody, Request: r,
		}, nil
	})
	w := newWorld(t, func(c *railkit.Config) { c.HTTPClient = &http.Client{Transport: elsewhere} })
	_, err := w.client.Health(t.Context())
	var e *railkit.Error
	if !errors.As(err, &e) || e.Status != http.StatusTemporaryRedirect {
		t.Fatalf("err = %v", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestWaitEndsWithItsContext(t *testing.T) {
	w := newWorld(t, func(c *railkit.Config) { c.Retry.Sleep = nil })
	p, err := w.client.Transactions.Prepare(t.Context(), transfer(w.payer(t).Address))
	if err != nil {
		t.Fatal(err)
	}
	stamp, err := w.pk.Stamp(p.UnsignedActivity.Body)
	if err != nil {
		t.Fatal(err)
	}
	no := false
	if _, err := w.client.Transactions.Confirm(t.Context(), railkit.ConfirmTransactionRequest{
		TransactionID: p.TransactionID, SignedActivity: p.Signed(stamp), Broadcast: &no,
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // given up: what never comes
	defer cancel()
	if _, err := w.client.Transactions.WaitConfirmed(ctx,
		p.TransactionID, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("err = %v", err)
	}
}
