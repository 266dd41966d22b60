package enclave

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/keystore"
)

// An unseal secret that is there already opens some other enclave: writing over
// it would lose that one's keys.
func TestSigning_K04_InitKeepsAnOldSecret(t *testing.T) {
	secret, err := keystore.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	o := InitOptions{
		Dir: filepath.Join(dir, "enclave"), Environment: chain.Sandbox, RPID: "localhost", Origins: []string{origin},
		PriceKey: priceKey, Secret: secret, SecretFile: filepath.Join(dir, "unseal.key"),
	}
	if err := os.WriteFile(o.SecretFile, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Init(o); !errors.Is(err, os.ErrExist) {
		t.Errorf("over an old secret: %v", err)
	}
	if kept, err := os.ReadFile(o.SecretFile); err != nil || string(kept) != "old" {
		t.Errorf("the old secret is now %q, %v", kept, err)
	}
	if _, err := os.Stat(o.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder without its secret: %v", err)
	}
	o.SecretFile = filepath.Join(o.Dir, "unseal.key")
	if err := Init(o); err != nil {
		t.Fatalf("with a secret in the folder: %v", err)
	}
	if made, err := os.ReadFile(o.SecretFile); err != nil || !bytes.Equal(made, secret) {
		t.Errorf("the secret in the folder: %v", err)
	}
}

// The journal is bound to the sealed bytes, not to how this version would write
// them: a field that a later version adds must not lock anybody out.
func TestSigning_K03_GenesisOfAnotherVersion(t *testing.T) {
	secret, err := keystore.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := keystore.ParseSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGenesis(chain.Sandbox, "localhost", []string{origin}, priceKey, time.Now().UnixMilli())
	if err != nil {
		t.Fatal(err)
	}
	plain, err := json.MarshalIndent(g, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := sealer.Seal(plain)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: t.TempDir(), secret: secret}
	if err := os.WriteFile(filepath.Join(w.dir, genesisFile), sealed, 0o600); err != nil {
		t.Fatal(err)
	}
	g.hash = hashOf(plain)
	if err := begin(w.dir, g); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.open()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
