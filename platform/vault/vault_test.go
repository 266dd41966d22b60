package vault

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func newFile(t *testing.T) []byte {
	t.Helper()
	file, err := NewSandboxKey()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func open(t *testing.T, files ...[]byte) *Vault {
	t.Helper()
	v, err := Parse(bytes.Join(files, nil), false)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var (
	here   = Place{"ws-1", "bank_accounts", "a-1", "details"}
	secret = []byte("032180000118359719")
)

func TestPlatform_Vault(t *testing.T) {
	v := open(t, newFile(t))
	sealed, again := v.Seal(here, secret), v.Seal(here, secret)
	if sealed == again || strings.Contains(sealed, string(secret)) {
		t.Errorf("%s and %s", sealed, again)
	}
	for _, text := range []string{sealed, again} {
		if got, err := v.Open(here, text); err != nil || !bytes.Equal(got, secret) {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// A text opens in its own place alone, with its own key, and as it was written.
func TestPlatform_VaultPlaces(t *testing.T) {
	v := open(t, newFile(t))
	sealed := v.Seal(here, secret)
	for _, other := range []Place{
		{"ws-2", "bank_accounts", "a-1", "details"}, {"ws-1", "quotes", "a-1", "details"},
		{"ws-1", "bank_accounts", "a-2", "details"}, {"ws-1", "bank_accounts", "a-1", "wanted"},
		{"ws-1bank", "_accounts", "a-1", "details"}, {"", "ws-1bank_accounts", "a-1", "details"},
	} {
		if got, err := v.Open(other, sealed); !errors.Is(err, ErrSealed) || got != nil {
			t.Errorf("at %+v: %q, %v", other, got, err)
		}
	}
	if _, err := open(t, newFile(t)).Open(here, sealed); !errors.Is(err, ErrSealed) {
		t.Errorf("with another key: %v", err)
	}
	for i := range sealed {
		changed := sealed[:i] + string(sealed[i]^1) + sealed[i+1:]
		if _, err := v.Open(here, changed); !errors.Is(err, ErrSealed) {
			t.Errorf("changed at %d: %v", i, err)
		}
	}
	for _, text := range []string{
		"", ".", "..", "v1", "v1.x", sealed[:len(sealed)-1], sealed + "A", "v2" + sealed[2:], string(secret),
	} {
		if _, err := v.Open(here, text); !errors.Is(err, ErrSealed) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A key that is put before another seals from then on; what the other has sealed
// opens, and has its fingerprint.
func TestPlatform_VaultKeys(t *testing.T) {
	first, second := newFile(t), newFile(t)
	old, both, late := open(t, first), open(t, []byte("# made later\n\n"), second, first), open(t, second)
	before, after := old.Seal(here, secret), both.Seal(here, secret)
	if got, err := both.Open(here, before); err != nil || !bytes.Equal(got, secret) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := old.Open(here, after); err == nil {
		t.Error("the first key still seals")
	}
	if got, err := late.Open(here, after); err != nil || !bytes.Equal(got, secret) {
		t.Errorf("%q, %v", got, err)
	}
	print := old.Fingerprint("ws-1", "bank_accounts", string(secret))
	if both.Fingerprint("ws-1", "bank_accounts", string(secret)) != print {
		t.Error("a new key changes fingerprints")
	}
	for _, other := range []string{
		late.Fingerprint("ws-1", "bank_accounts", string(secret)),
		old.Fingerprint("ws-2", "bank_accounts", string(secret)),
		old.Fingerprint("ws-1", "bank_account", "s"+string(secret)), old.Fingerprint("ws-1", "bank_accounts", "1"),
	} {
		if other == print {
			t.Error("two secrets have one fingerprint")
		}
	}
}

func TestPlatform_VaultFiles(t *testing.T) {
	const good = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="
	for file, want := range map[string]error{
		good: nil, good + "\r\n": nil, "# mine\n" + good + "\n\n" + good: nil, "": errKey, "#\n": errKey,
		"hunter2": errKey, good[:40]: errKey, good + good: errKey, good + "\nhunter2": errKey,
		sandbox + good: errSandbox, good + "\n" + sandbox + good: errSandbox,
	} {
		v, err := Parse([]byte(file), true)
		if !errors.Is(err, want) || (v == nil) != (want != nil) {
			t.Errorf("%q: %v", file, err)
		}
	}
	if _, err := Parse(newFile(t), true); !errors.Is(err, errSandbox) {
		t.Errorf("production takes a sandbox's key: %v", err)
	}
}
