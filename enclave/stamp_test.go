package enclave

import (
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/sdk/go/passkey"
)

func TestSigning_S01_StampOfAnotherBody(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	stamp := w.stamp(alice, body)
	for name, other := range map[string]string{
		"one byte": strings.Replace(body, `"80000"`, `"80001"`, 1),
		"space":    strings.Replace(body, `{"type"`, `{ "type"`, 1),
		"key order": strings.Replace(
			body, `"environment":"sandbox",`, "", 1,
		)[:len(body)-len(`"environment":"sandbox",`)-1] + `,"environment":"sandbox"}`,
	} {
		if other == body {
			t.Fatalf("%s: nothing was changed", name)
		}
		_, err := w.Submit(wire.SubmitRequest{Body: other, Stamp: stamp, Volatile: volatile(0)})
		refused(t, name, err, refusal.ErrStamp)
	}
	if _, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: volatile(0)}); err != nil {
		t.Errorf("the untouched body: %v", err)
	}
}

func TestSigning_S02_SameBodyFiftyTimes(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	wallet := wire.CreateWalletParams{WalletName: "Second", MnemonicLength: "24", Accounts: ethereum(0)}
	for _, b := range []wire.Body{
		w.fresh(alice, wire.SignIntent, payment(account.Address)),
		w.fresh(alice, wire.CreateWallet, wallet),
		w.fresh(alice, wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
			WalletID: account.WalletID, Accounts: ethereum(1),
		}),
	} {
		body := w.body(b)
		stamp := w.stamp(alice, body)
		before := w.journal.Position().Seq
		proofs := make([]wire.Proof, 50)
		var wg sync.WaitGroup
		for i := range proofs {
			wg.Go(func() {
				out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: stamp, Volatile: volatile(0)})
				if err != nil {
					t.Errorf("%s: %v", b.Type, err)
					return
				}
				proofs[i] = *out.Proof
			})
		}
		wg.Wait()
		for _, p := range proofs {
			if p != proofs[0] {
				t.Fatalf("%s: two callers have two results", b.Type)
			}
		}
		if n := w.journal.Position().Seq - before; n != 1 {
			t.Errorf("%s: %d journal entries, want 1", b.Type, n)
		}
	}
}

func TestSigning_S03_StrictBodies(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	good := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	cut := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for name, body := range map[string]string{
		"duplicate key":      cut(`"to":`, `"to":"`+account.Address+`","to":`),
		"duplicate at top":   cut(`"type":`, `"type":"ACTIVITY_TYPE_CREATE_WALLET","type":`),
		"another case":       cut(`"gasLimit"`, `"GasLimit"`),
		"another case, top":  cut(`"type"`, `"Type"`),
		"unknown key":        cut(`"gasLimit"`, `"extra":"1","gasLimit"`),
		"unknown key, top":   cut(`"type"`, `"extra":"1","type"`),
		"trailing bytes":     good + " x",
		"two values":         good + "{}",
		"byte order mark":    "\ufeff" + good,
		"lone surrogate":     cut(`"base"`, `"\ud800"`),
		"invalid UTF-8":      cut(`"base"`, "\"ba\xffse\""),
		"number for text":    cut(`"80000"`, `80000`),
		"exponent":           cut(`"80000"`, `"8e4"`),
		"leading zero":       cut(`"80000"`, `"080000"`),
		"negative":           cut(`"value":"0"`, `"value":"-1"`),
		"over 256 bits":      cut(`"value":"0"`, `"value":"1`+strings.Repeat("0", 78)+`"`),
		"hexadecimal amount": cut(`"value":"0"`, `"value":"0x0"`),
		"deep nesting": cut(`"parameters":{`,
			`"parameters":{"x":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+`,`),
		"not JSON":  "stamp me",
		"empty":     "",
		"too large": cut(`"chain":`, `"chain":"`+strings.Repeat("a", 200_000)+`","chain":`),
	} {
		if body == good {
			t.Fatalf("%s: nothing was changed", name)
		}
		_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)})
		refused(t, name, err, refusal.ErrBody)
		_, err = w.Preview(wire.PreviewRequest{Body: body})
		refused(t, name+", previewed", err, refusal.ErrBody)
	}
	if _, err := w.Submit(wire.SubmitRequest{
		Body: good, Stamp: w.stamp(alice, good), Volatile: volatile(0),
	}); err != nil {
		t.Errorf("the untouched body: %v", err)
	}
}

func TestSigning_S09_CounterSeenTwice(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	path := filepath.Join(t.TempDir(), "passkey")
	if err := alice.Save(path); err != nil {
		t.Fatal(err)
	}
	copied, err := passkey.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	clone := owner{copied, alice.org}
	wallet := func(name string) string {
		return w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{
			WalletName: name, MnemonicLength: "12",
		}))
	}
	first, second := wallet("first"), wallet("second")
	one, two := w.stamp(alice, first), w.stamp(alice, second)
	if _, err := w.Submit(wire.SubmitRequest{Body: second, Stamp: two}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Submit(wire.SubmitRequest{Body: first, Stamp: one}); err != nil {
		t.Errorf("a stamp that arrives late: %v", err)
	}
	third := wallet("third")
	_, err = w.Submit(wire.SubmitRequest{Body: third, Stamp: w.stamp(clone, third)})
	refused(t, "a copied passkey", err, refusal.ErrCounter)
}

// A passkey that comes into a synced keychain, or out of one, goes on signing. The entry that it stamped says so, also
// after a restart, and only that one.
func TestSigning_S09_BackupKindChanges(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com") // its passkey says that it can be backed up
	bound := owner{alice.Misbehaving(passkey.Tamper{NotEligible: true}), alice.org}
	made := func(by owner, name string) *wire.PasskeyChange {
		t.Helper()
		wallet := wire.CreateWalletParams{WalletName: name, MnemonicLength: "12"}
		body := w.body(w.fresh(alice, wire.CreateWallet, wallet))
		st := w.in(wire.Done, body, by)
		if again := w.in(wire.Done, body, by); !reflect.DeepEqual(again.PasskeyChanged, st.PasskeyChanged) {
			t.Errorf("%s, repeated: %+v", name, again.PasskeyChanged)
		}
		return st.PasskeyChanged
	}
	want := func(name string, got *wire.PasskeyChange, eligible bool) {
		t.Helper()
		if got == nil || got.BackupEligible != eligible || got.Email != "alice@example.com" ||
			got.WorkspaceID != workspaceID || got.CredentialID == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := made(alice, "as registered"); got != nil {
		t.Errorf("nothing changed: %+v", got)
	}
	want("one device", made(bound, "one"), false)
	w.reopen()
	if got := made(bound, "two"); got != nil {
		t.Errorf("told twice: %+v", got)
	}
	want("synced", made(alice, "three"), true)
	w.reopen()
	if got := made(alice, "four"); got != nil {
		t.Errorf("told twice: %+v", got)
	}
	forged := w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{WalletName: "x", MnemonicLength: "12"}))
	stamp := w.stamp(owner{alice.Misbehaving(passkey.Tamper{
		NotEligible: true, Signature: func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
	}), alice.org}, forged)
	_, err := w.Submit(wire.SubmitRequest{Body: forged, Stamp: stamp})
	refused(t, "a forged stamp", err, refusal.ErrStamp)
	if got := made(alice, "five"); got != nil {
		t.Errorf("a forged stamp changed it: %+v", got)
	}
}

func TestSigning_S10_CredentialOfAnother(t *testing.T) {
	w := newWorld(t)
	alice, bob := w.register("alice@example.com"), w.register("bob@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(bob, body), Volatile: volatile(0)})
	refused(t, "bob stamps for alice", err, refusal.ErrStamp)

	stolen := w.body(w.fresh(bob, wire.SignIntent, payment(account.Address)))
	_, err = w.Submit(wire.SubmitRequest{Body: stolen, Stamp: w.stamp(bob, stolen), Volatile: volatile(0)})
	refused(t, "bob names alice's address", err, refusal.ErrAccount)

	unknown := passkey.New(origin)
	w.registration("carol@example.com", unknown) // made, never registered
	_, err = w.Submit(wire.SubmitRequest{
		Body: body, Stamp: w.stamp(owner{unknown, alice.org}, body), Volatile: volatile(0),
	})
	refused(t, "an unregistered passkey", err, refusal.ErrStamp)
	_, err = w.Submit(wire.SubmitRequest{Body: body, Volatile: volatile(0)})
	refused(t, "no stamp", err, refusal.ErrUnstamped)

	accounts := w.body(w.fresh(bob, wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
		WalletID: account.WalletID, Accounts: ethereum(1),
	}))
	_, err = w.Submit(wire.SubmitRequest{Body: accounts, Stamp: w.stamp(bob, accounts)})
	refused(t, "bob adds to alice's wallet", err, refusal.ErrAccount)
}

func TestSigning_S10_UnknownOrganization(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	ghost := owner{alice.Authenticator, "99999999-9999-4999-8999-999999999999"}
	body := w.body(w.fresh(ghost, wire.CreateWallet, wire.CreateWalletParams{WalletName: "w", MnemonicLength: "12"}))
	_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body)})
	refused(t, "an organization that is not there", err, refusal.ErrOrganization)
	_, err = w.State(wire.StateRequest{OrganizationID: ghost.org})
	refused(t, "its state", err, refusal.ErrOrganization)
	_, err = w.State(wire.StateRequest{OrganizationID: alice.org, WalletID: ghost.org})
	refused(t, "a wallet that is not there", err, refusal.ErrAccount)
	_, err = w.State(wire.StateRequest{OrganizationID: alice.org, Address: receiver})
	refused(t, "an address that is not there", err, refusal.ErrAccount)
}
