package railkit_test

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/enclavetest"
	"github.com/railkit/railkit/internal/test/tamper"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

func TestMain(m *testing.M) {
	os.Exit(apptest.Keep(m, func(t testing.TB) apptest.Option { return apptest.WithPartner(t) }))
}

type object = map[string]any

const (
	receiver = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	baseID   = 84532 // chain id of base's sandbox
)

var ada = railkit.RegisterParams{Email: "ada@example.com", Name: "Ada"}

var usdc = apptest.USDC().Address

// world is a workspace of the real server, a host between it and the client that can change every answer, and a user
// with a passkey.
type world struct {
	*apptest.App
	host      *tamper.Proxy
	signerKey *ecdsa.PrivateKey
	client    *railkit.Client
	change    []func(*railkit.Config)
	pk        railkit.Passkey
	reg       *railkit.Registration // of register
}

func newWorld(t *testing.T, change ...func(*railkit.Config)) *world {
	t.Helper()
	return worldOf(t, apptest.Shared(t), change...)
}

func worldOf(t *testing.T, a *apptest.App, change ...func(*railkit.Config)) *world {
	t.Helper()
	w := &world{
		App: a, change: change, pk: railkit.FromAuthenticator(passkey.New(a.Origin)), host: tamper.New(t, a.Handler),
	}
	w.client = w.newClient(t, change...)
	return w
}

func (w *world) newClient(t *testing.T, change ...func(*railkit.Config)) *railkit.Client {
	t.Helper()
	cfg := railkit.Config{
		BaseURL: w.host.URL, APIKey: w.Keys.BenchKey, EnclaveKey: w.EnclaveKey, Environment: "sandbox",
		RPID: "localhost", StrictDecoding: true,
		Retry: railkit.Retry{Sleep: func(context.Context, time.Duration) error { return nil }},
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := railkit.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// restart gives the world another client, which knows the owners and has seen one head of the journal: that of the
// registration.
func (w *world) restart(t *testing.T) {
	t.Helper()
	w.client = w.newClient(t, w.change...)
	if w.reg == nil {
		return
	}
	w.client.SubOrganizations.TrustOwners(w.reg.SubOrganizationID, w.reg.Owners)
	if _, err := w.client.VerifyProof(*w.reg.Proof); err != nil {
		t.Fatal(err)
	}
}

func (w *world) register(t *testing.T) *railkit.Registration {
	t.Helper()
	reg, err := w.client.SubOrganizations.Create(t.Context(), w.pk, ada)
	if err != nil {
		t.Fatal(err)
	}
	w.reg = reg
	return reg
}

func (w *world) wallet(t *testing.T) *railkit.CreatedWallet {
	t.Helper()
	reg := w.register(t)
	made, err := w.client.Wallets.Create(t.Context(), w.pk, railkit.PrepareWalletRequest{
		WalletName: "Main", Chain: "ethereum", SubOrganizationID: reg.SubOrganizationID,
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// account is a wallet's address that can send.
func (w *world) account(t *testing.T) *railkit.Address {
	t.Helper()
	a, err := w.client.Addresses.Create(t.Context(), w.pk, railkit.PrepareAccountRequest{
		WalletID: w.wallet(t).WalletID, Chain: "base",
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// payer is an account with money on base.
func (w *world) payer(t *testing.T) *railkit.Address {
	t.Helper()
	a := w.account(t)
	w.fund(t, "base", a.Address)
	return a
}

func (w *world) fund(t *testing.T, chain, address string) {
	t.Helper()
	for asset, amount := range map[string]string{"native": "10", "USDC": "10000"} {
		if _, err := w.client.Sandbox.Faucet(t.Context(), railkit.FaucetRequest{
			Chain: chain, Address: address, Asset: asset, Amount: amount,
		}); err != nil {
			t.Fatal(err)
		}
	}
}

func transfer(from string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, SignWith: from, ChainID: baseID, To: receiver, Amount: "25.50",
		TokenAddress: usdc, PayAgain: true,
	}
}

// again changes a statement and has the enclave's own key sign it: what a host
// can get by asking the enclave at another time or for another body.
func (w *world) again(proof any, change func(*wire.Statement)) any {
	st := statement(proof)
	change(&st)
	p := w.sign(st)
	return object{"payload": p.Payload, "signature": p.Signature, "publicKey": p.PublicKey}
}

// sign signs a statement with the key of the enclave.
func (w *world) sign(st wire.Statement) wire.Proof {
	if w.signerKey == nil {
		dir, secret := w.EnclaveFolder()
		w.signerKey = enclavetest.IdentityKey(apptest.Example{}, dir, secret)
	}
	p, err := wire.SignStatement(w.signerKey, st)
	if err != nil {
		panic(err)
	}
	return p
}

func statement(proof any) wire.Statement {
	var st wire.Statement
	payload, _ := proof.(object)["payload"].(string)
	_ = json.Unmarshal([]byte(payload), &st)
	return st
}

// onData is a change of an answer's data, or of the last item where it is a list.
func onData(do func(data object)) tamper.Change {
	return func(a *tamper.Answer) {
		data := a.Body["data"]
		if items, ok := data.([]any); ok {
			data = items[len(items)-1]
		}
		do(data.(object))
	}
}

// calls counts the requests with a method and path.
func (w *world) calls(method, path string) (n int) {
	for _, c := range w.host.Calls() {
		if c.Method == method && c.Path == path {
			n++
		}
	}
	return n
}
