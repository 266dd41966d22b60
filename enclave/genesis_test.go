package enclave

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/keystore"
	"github.com/railkit/railkit/enclave/wire"
)

func TestSigning_K03_RestartAndTamperedFolder(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	stamp := w.stamp(alice, body)
	before, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: volatile(0)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.tryOpen(); err == nil {
		t.Error("a second enclave opened the same folder")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	after, err := w.Outcome(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(body)})
	if err != nil || *after.Proof != *before.Proof {
		t.Errorf("after a restart the result is another one: %v", err)
	}
	if again := w.must(alice,
		w.fresh(alice, wire.SignIntent, payment(account.Address))); again.Result.Transaction.Nonce != "1" {
		t.Errorf("after a restart the next nonce is %s", again.Result.Transaction.Nonce)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(w.dir, "journal.log")
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"truncated": whole[:len(whole)/2], "empty": {}, "a bit flipped": flip(whole, len(whole)/2),
		"first byte": flip(whole, 0),
	} {
		if err := os.WriteFile(log, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := w.tryOpen(); err == nil {
			t.Errorf("%s: the enclave started", name)
			_ = s.Close()
		}
	}
	if err := os.WriteFile(log, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
}

func flip(raw []byte, at int) []byte {
	c := append([]byte(nil), raw...)
	c[at] ^= 1
	return c
}

func TestSigning_K03_GenesisOfAnother(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	for _, w := range []*world{a, b} {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(filepath.Join(b.dir, genesisFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.dir, genesisFile), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	a.secret = b.secret
	if s, err := a.tryOpen(); err == nil {
		t.Error("a journal opened under another genesis")
		_ = s.Close()
	}
	if err := Init(InitOptions{
		Dir:         a.dir,
		Environment: "sandbox",
		RPID:        "localhost",
		Origins:     []string{origin},
		PriceKey:    priceKey,
		Secret:      a.secret,
	}); err == nil {
		t.Error("a folder was initialised twice")
	}
}

func TestSigning_GenesisRefuses(t *testing.T) {
	for name, o := range map[string]InitOptions{
		"no environment": {RPID: "localhost", Origins: []string{origin}, PriceKey: priceKey},
		"origin with a path": {Environment: "sandbox", RPID: "localhost",
			Origins: []string{origin + "/"}, PriceKey: priceKey},
		"plain http": {Environment: "sandbox", RPID: "localhost",
			Origins: []string{"http://example.com"}, PriceKey: priceKey},
		"localhost, production": {Environment: "production", RPID: "localhost",
			Origins: []string{origin}, PriceKey: priceKey},
		"no origin":    {Environment: "sandbox", RPID: "localhost", PriceKey: priceKey},
		"no price key": {Environment: "sandbox", RPID: "localhost", Origins: []string{origin}},
	} {
		o.Dir, o.Secret = filepath.Join(t.TempDir(), "enclave"), []byte("correct horse battery staple")
		if err := Init(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if _, err := os.Stat(o.Dir); err == nil {
			t.Errorf("%s: left a folder behind", name)
		}
	}
}

// Constants that were sealed before networks said that they charge for data: the signer
// takes it from its program, and the seal and its hash stay as they were.
func TestGenesisFromBeforeDataFees(t *testing.T) {
	old, err := NewGenesis(chain.Sandbox, "localhost", []string{origin}, priceKey, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range old.Networks {
		old.Networks[i].DataFee = false
	}
	secret, err := keystore.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := keystore.ParseSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := old.Save(dir, sealer); err != nil {
		t.Fatal(err)
	}
	g, err := LoadGenesis(dir, sealer)
	if err != nil || g.Hash() != old.Hash() {
		t.Fatalf("its hash is %s, sealed as %s: %v", g.Hash(), old.Hash(), err)
	}
	for _, n := range g.Networks {
		if want := n.Slug == "base" || n.Slug == "optimism"; n.DataFee != want {
			t.Errorf("%s charges for data: %v", n.Slug, n.DataFee)
		}
	}
}
