package keystore

import (
	"bytes"
	"errors"
	"testing"
)

func TestCreatedWalletOpensAgain(t *testing.T) {
	t.Parallel()
	for _, words := range []int{12, 24} {
		k := newKeys(t, "sandbox")
		sealed, err := k.Create("org", "wallet", words)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.PublicKey("wallet", Secp256k1, "m/0"); !errors.Is(err, ErrWallet) {
			t.Errorf("Create has loaded the wallet: %v", err)
		}
		mustLoad(t, k, "wallet", sealed)
		first, err := k.PublicKey("wallet", Secp256k1, "m/44'/60'/0'/0/0")
		if err != nil {
			t.Fatal(err)
		}
		restarted := newKeys(t, "sandbox")
		mustLoad(t, restarted, "wallet", sealed)
		second, err := restarted.PublicKey("wallet", Secp256k1, "m/44'/60'/0'/0/0")
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("after a restart the key is another one: %v", err)
		}
	}
}

func TestCreateMakesNewSeeds(t *testing.T) {
	t.Parallel()
	k := newKeys(t, "sandbox")
	seen := map[string]bool{}
	for _, id := range []string{"a", "b", "c", "d"} {
		sealed, err := k.Create("org", id, 12)
		if err != nil {
			t.Fatal(err)
		}
		mustLoad(t, k, id, sealed)
		public, err := k.PublicKey(id, Ed25519, "m/0'")
		if err != nil {
			t.Fatal(err)
		}
		if seen[string(public)] {
			t.Fatal("two wallets have one key")
		}
		seen[string(public)] = true
	}
}

// A sealed seed is of one wallet: nothing of its context can be another.
func TestSigning_K03_SealedSeedMoved(t *testing.T) {
	t.Parallel()
	entropy := bytes.Repeat([]byte{5}, 16)
	own := seedOf("sandbox", "org", "wallet")
	moved := map[string]func(r *record){
		"environment":          func(r *record) { r.environment = "production" },
		"organization":         func(r *record) { r.organization = "org2" },
		"wallet":               func(r *record) { r.owner = "wallet2" },
		"type":                 func(r *record) { r.kind = "key" },
		"version":              func(r *record) { r.version = 2 },
		"border between names": func(r *record) { r.organization, r.owner = "orgw", "allet" },
		"names swapped":        func(r *record) { r.organization, r.owner = r.owner, r.organization },
	}
	for name, change := range moved {
		t.Run(name, func(t *testing.T) {
			k := newKeys(t, own.environment)
			other := own
			change(&other)
			if err := k.Load("org", "wallet", k.seal(other, entropy)); !errors.Is(err, ErrSealed) {
				t.Errorf("the record of another context: %v", err)
			}
			// The version byte itself is authenticated too.
			sealed := k.seal(other, entropy)
			sealed[0] = own.version
			if err := k.Load("org", "wallet", sealed); !errors.Is(err, ErrSealed) {
				t.Errorf("with its version byte changed: %v", err)
			}
		})
	}
	k := newKeys(t, own.environment)
	mustLoad(t, k, "wallet", k.seal(own, entropy))
}

func TestSigning_K03_SealedSeedChanged(t *testing.T) {
	t.Parallel()
	k := newKeys(t, "sandbox")
	sealed, err := k.Create("org", "wallet", 24)
	if err != nil {
		t.Fatal(err)
	}
	for at := range sealed {
		b := bytes.Clone(sealed)
		b[at] ^= 1
		if err := k.Load("org", "wallet", b); !errors.Is(err, ErrSealed) {
			t.Errorf("byte %d flipped: %v", at, err)
		}
		if err := k.Load("org", "wallet", sealed[:at]); !errors.Is(err, ErrSealed) {
			t.Errorf("cut to %d: %v", at, err)
		}
	}
	if err := k.Load("org", "wallet", append(sealed, 0)); !errors.Is(err, ErrSealed) {
		t.Errorf("a byte more: %v", err)
	}
	stranger, err := New(bytes.Repeat([]byte{1}, 32), "sandbox")
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	if err := stranger.Load("org", "wallet", sealed); !errors.Is(err, ErrSealed) {
		t.Errorf("under another key: %v", err)
	}
}

func TestOneSeedPerWallet(t *testing.T) {
	t.Parallel()
	k := newKeys(t, "sandbox")
	sealed, err := k.Create("org", "wallet", 12)
	if err != nil {
		t.Fatal(err)
	}
	mustLoad(t, k, "wallet", sealed)
	mustLoad(t, k, "wallet", sealed)
	other, err := k.Create("org", "wallet", 12)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Load("org", "wallet", other); !errors.Is(err, ErrTaken) {
		t.Errorf("another seed of the same wallet: %v", err)
	}
	other, err = k.Create("org2", "wallet", 12)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Load("org2", "wallet", other); !errors.Is(err, ErrTaken) {
		t.Errorf("the same wallet of another organization: %v", err)
	}
}

// Load keeps its own copy: the caller may use its buffer again.
func TestLoadCopiesTheSealedSeed(t *testing.T) {
	t.Parallel()
	k := newKeys(t, "sandbox")
	sealed, err := k.Create("org", "wallet", 12)
	if err != nil {
		t.Fatal(err)
	}
	mustLoad(t, k, "wallet", sealed)
	clear(sealed)
	if _, err := k.PublicKey("wallet", Secp256k1, "m/0"); err != nil {
		t.Error(err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	if _, err := New(make([]byte, 16), "sandbox"); !errors.Is(err, ErrBadKEK) {
		t.Errorf("short key: %v", err)
	}
	if _, err := New(testKEK, ""); !errors.Is(err, ErrUnnamed) {
		t.Errorf("no environment: %v", err)
	}
	k := withWallet(t)
	for _, words := range []int{0, -12, 11, 15, 18, 48} {
		if _, err := k.Create("org", "w", words); !errors.Is(err, ErrWords) {
			t.Errorf("%d words: %v", words, err)
		}
	}
	if _, err := k.Create("", "w", 12); !errors.Is(err, ErrUnnamed) {
		t.Errorf("no organization: %v", err)
	}
	if _, err := k.PublicKey("other", Secp256k1, "m/0"); !errors.Is(err, ErrWallet) {
		t.Errorf("unknown wallet: %v", err)
	}
	if _, err := k.PublicKey("wallet", "CURVE_P256", "m/0"); !errors.Is(err, ErrCurve) {
		t.Errorf("unknown curve: %v", err)
	}
	if _, err := k.PublicKey("wallet", Ed25519, "m/0"); !errors.Is(err, ErrPath) {
		t.Errorf("unhardened ed25519: %v", err)
	}
}
