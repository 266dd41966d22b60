package enclave

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/sdk/go/passkey"
)

const (
	origin      = "http://localhost:9090"
	workspaceID = "11111111-1111-4111-8111-111111111111"
	usdc        = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
	receiver    = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
)

// world is an enclave in a folder, and what a client of it keeps.
type world struct {
	*Service
	t      testing.TB
	dir    string
	secret []byte
	opts   Options // beside folder and secret
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return newWorldWith(t, Options{})
}

func newWorldWith(t testing.TB, o Options) *world {
	t.Helper()
	secret, err := keystore.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "enclave"), secret: secret, opts: o}
	err = Init(InitOptions{
		Dir: w.dir, Environment: chain.Sandbox, RPID: "localhost", Origins: []string{origin},
		PriceKey: priceKey, Secret: secret,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.open()
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// priceKey is the generator of P-256: the public key of the private key 1.
const priceKey = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"

// signSheet is the price signer.
func signSheet(t testing.TB, private byte, s wire.Sheet) wire.SignedSheet {
	t.Helper()
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), append(make([]byte, 31), private))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := wire.SignSheet(key, s)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// sheet is one of that time that lives as long as one may. Data costs next to nothing.
func sheet(asOf time.Time, usd map[string]string) wire.Sheet {
	s := wire.Sheet{
		Environment: "sandbox", AsOfMs: strconv.FormatInt(asOf.UnixMilli(), 10),
		ExpiresAtMs: strconv.FormatInt(asOf.Add(wire.MaxSheetLife).UnixMilli(), 10),
	}
	for _, asset := range slices.Sorted(maps.Keys(usd)) {
		s.Prices = append(s.Prices, wire.Price{Asset: asset, USD: usd[asset]})
	}
	for _, slug := range []string{"base", "optimism", "tron"} {
		s.DataFees = append(s.DataFees, wire.DataFee{Chain: slug, WeiPerByte: strconv.Itoa(wire.MinWeiPerByte)})
	}
	return s
}

// prices hands a good sheet in. The next one of a test has to be ten seconds newer.
func (w *world) prices(asOf time.Time, usd map[string]string) map[string]wire.AssetPrice {
	w.t.Helper()
	reply, err := w.Prices(wire.PricesRequest{Sheet: signSheet(w.t, 1, sheet(asOf, usd))})
	if err != nil {
		w.t.Fatalf("handing in prices: %v", err)
	}
	return byAsset(reply.Assets)
}

func byAsset(all []wire.AssetPrice) map[string]wire.AssetPrice {
	found := map[string]wire.AssetPrice{}
	for _, p := range all {
		found[p.Asset] = p
	}
	return found
}

func (w *world) tryOpen() (*Service, error) {
	sealer, err := keystore.ParseSecret(w.secret)
	if err != nil {
		w.t.Fatal(err)
	}
	o := w.opts
	o.Dir, o.Sealer = w.dir, sealer
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return Open(o)
}

func (w *world) open() {
	w.t.Helper()
	s, err := w.tryOpen()
	if err != nil {
		w.t.Fatal(err)
	}
	w.Service = s
}

// owner is a sub-organization and its passkey.
type owner struct {
	*passkey.Authenticator
	org string
}

func (w *world) registration(email string, key *passkey.Authenticator) string {
	w.t.Helper()
	ch, err := w.Challenge(wire.ChallengeRequest{WorkspaceID: workspaceID, Email: email})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.registrationOf(email, ch.Challenge, key)
}

func (w *world) registrationOf(email, challenge string, key *passkey.Authenticator) string {
	w.t.Helper()
	att, err := key.Create(passkey.CreationOptions{
		Challenge: challenge, RP: passkey.RelyingParty{ID: "localhost", Name: "Railkit"},
		User:             passkey.User{ID: "dXNlcg", Name: email, DisplayName: email},
		PubKeyCredParams: []passkey.CredentialParameter{{Type: "public-key", Alg: -7}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.body(wire.Body{
		Type: wire.CreateSubOrganization, Environment: "sandbox", ActivityID: uuid.NewString(),
		Parameters: w.json(wire.CreateSubOrganizationParams{
			WorkspaceID: workspaceID, Email: email, Challenge: challenge, Attestation: att,
		}),
	})
}

func (w *world) register(email string) owner {
	w.t.Helper()
	key := passkey.New(origin)
	out, err := w.Submit(wire.SubmitRequest{Body: w.registration(email, key)})
	if err != nil {
		w.t.Fatalf("registering: %v", err)
	}
	return owner{key, w.statement(out.Proof).Result.SubOrganization.ID}
}

func (w *world) json(v any) json.RawMessage {
	w.t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		w.t.Fatal(err)
	}
	return raw
}

func (w *world) body(b wire.Body) string { return string(w.json(b)) }

// fresh is a body of now.
func (w *world) fresh(o owner, kind wire.ActivityType, params any) wire.Body {
	now := w.clock.Now()
	return wire.Body{
		Type: kind, Environment: "sandbox", OrganizationID: o.org, ActivityID: uuid.NewString(),
		TimestampMs: strconv.FormatInt(now.UnixMilli(), 10),
		ExpiresAtMs: strconv.FormatInt(now.Add(15*time.Minute).UnixMilli(), 10), Parameters: w.json(params),
	}
}

func (w *world) stamp(o owner, body string) *wire.Stamp {
	w.t.Helper()
	s, err := o.Stamp(body)
	if err != nil {
		w.t.Fatal(err)
	}
	return &s
}

func (w *world) statement(p *wire.Proof) wire.Statement {
	w.t.Helper()
	if p == nil {
		w.t.Fatal("no proof")
	}
	st, err := p.Open(w.Info().IdentityKey)
	if err != nil {
		w.t.Fatal(err)
	}
	return st
}

func (w *world) must(o owner, b wire.Body) wire.Statement {
	w.t.Helper()
	body := w.body(b)
	out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(o, body), Volatile: volatile(0)})
	if err != nil {
		w.t.Fatalf("%s: %v", b.Type, err)
	}
	return w.statement(out.Proof)
}

func volatile(floor int) *wire.Volatile {
	return &wire.Volatile{MaxFeePerGas: "2000000000", MaxPriorityFeePerGas: "1000000", NonceFloor: strconv.Itoa(floor)}
}

func ethereum(index int) []wire.AccountParams {
	return []wire.AccountParams{{
		Curve: "CURVE_SECP256K1", PathFormat: "PATH_FORMAT_BIP32", Path: fmt.Sprintf("m/44'/60'/%d'/0/0", index),
		AddressFormat: "ADDRESS_FORMAT_ETHEREUM",
	}}
}

// wallet makes a wallet with one address.
func (w *world) wallet(o owner, name string) wire.Account {
	w.t.Helper()
	st := w.must(o, w.fresh(o, wire.CreateWallet, wire.CreateWalletParams{
		WalletName: name, MnemonicLength: "12", Accounts: ethereum(0),
	}))
	return st.Result.Accounts[0]
}

// payment is a transfer of 25.50 USDC.
func payment(from string) wire.SignIntentParams {
	return wire.SignIntentParams{
		SignWith: from, Chain: "base", ChainID: "84532", To: usdc, Value: "0",
		GasLimit: "80000", MaxTotalFee: "199999999000000",
		Data:     "0xa9059cbb00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c80000000000000000000000000000000000000000000000000000000001851960",
		Transfer: &wire.TransferParams{Token: usdc, To: receiver, Amount: "25500000"},
	}
}

func refused(t testing.TB, what string, err error, want *fault.Error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %s", what, err, want.Code)
	}
}
