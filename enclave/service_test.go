package enclave

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// A wallet's seed is made before the wallet is journaled. Whatever stops the
// second step must leave the body executable, and never under a second seed.
func TestSigning_K04_SeedOfAnUnfinishedWallet(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	body := w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{
		WalletName: "Main", MnemonicLength: "12", Accounts: ethereum(0),
	}))
	r, err := decide.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := w.readStamp(r, w.stamp(alice, body))
	if err != nil {
		t.Fatal(err)
	}
	d, err := w.judge(decide.Submission{Request: r, Signer: signer})
	if err != nil {
		t.Fatal(err)
	}
	made, err := w.materials(d.Event) // and here the first try ends
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body)})
	if err != nil {
		t.Fatalf("the second try: %v", err)
	}
	address := w.statement(out.Proof).Result.Accounts[0].Address
	if address != made.accounts[0].Address {
		t.Errorf("the second try has address %s, the seed that is loaded has %s", address, made.accounts[0].Address)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	again, err := w.Outcome(wire.FingerprintRequest{Fingerprint: r.Fingerprint})
	if err != nil || *again.Proof != *out.Proof {
		t.Errorf("after a restart: %v", err)
	}
	w.must(alice, w.fresh(alice, wire.SignIntent, payment(address)))
}

// Callers of one body do not share a judgement: each has its own stamp.
func TestSigning_S02_BadStampBesideAGoodOne(t *testing.T) {
	w := newWorld(t)
	alice, mallory := w.register("alice@example.com"), w.register("mallory@example.com")
	for range 20 {
		body := w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{
			WalletName: strconv.Itoa(int(time.Now().UnixNano())), MnemonicLength: "12", Accounts: ethereum(0),
		}))
		good, bad := w.stamp(alice, body), w.stamp(mallory, body)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { _, _ = w.Submit(wire.SubmitRequest{Body: body, Stamp: bad}) })
		}
		_, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: good})
		wg.Wait()
		if err != nil {
			t.Fatalf("alice's own stamp beside mallory's: %v", err)
		}
	}
}

// One challenge makes one sub-organization, also when two bodies answer it at once.
func TestSigning_S16_ChallengeAnsweredTwiceAtOnce(t *testing.T) {
	w := newWorld(t)
	// The long s folds to s, but is no upper case of it.
	const email, twin = "sam@example.com", "ſam@example.com"
	ch, err := w.Challenge(wire.ChallengeRequest{WorkspaceID: workspaceID, Email: email})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Submit(wire.SubmitRequest{Body: w.registrationOf(twin, ch.Challenge, passkey.New(origin))})
	refused(t, "a look-alike of the e-mail", err, refusal.ErrChallenge)

	read := func() decide.Submission {
		r, err := decide.Parse(w.registrationOf(email, ch.Challenge, passkey.New(origin)))
		if err != nil {
			t.Fatal(err)
		}
		sub := decide.Submission{Request: r}
		sub.Ceremony = w.ceremony(r)
		if err := w.readRegistration(&sub, *sub.Ceremony); err != nil {
			t.Fatal(err)
		}
		return sub
	}
	first, second := read(), read()
	if _, err := w.execute(first); err != nil {
		t.Fatal(err)
	}
	_, err = w.execute(second)
	refused(t, "the same challenge, read before it was used", err, refusal.ErrChallenge)
}

func TestSigning_ChallengeOfALongEmail(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("a", 300) + "@example.com"
	_, err := w.Challenge(wire.ChallengeRequest{WorkspaceID: workspaceID, Email: long})
	refused(t, "an e-mail that cannot be registered", err, refusal.ErrBody)
}

// K05: when the disk fails, nothing leaves any more, not even what was made before.
func TestSigning_K05_BrokenJournalEndsEverything(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	done, err := w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)})
	if err != nil {
		t.Fatal(err)
	}
	w.fail(errors.New("an entry that does not fit the state"))
	next := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	for what, call := range map[string]func() error{
		"submit": func() error {
			_, err := w.Submit(wire.SubmitRequest{Body: next, Stamp: w.stamp(alice, next), Volatile: volatile(0)})
			return err
		},
		"replay": func() error { _, err := w.Submit(wire.SubmitRequest{Body: body}); return err },
		"cancel": func() error {
			_, err := w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(next)})
			return err
		},
		"outcome": func() error {
			_, err := w.Outcome(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(body)})
			return err
		},
		"unknown": func() error {
			_, err := w.Outcome(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(next)})
			return err
		},
		"preview": func() error { _, err := w.Preview(wire.PreviewRequest{Body: next}); return err },
		"state":   func() error { _, err := w.State(wire.StateRequest{OrganizationID: alice.org}); return err },
		"challenge": func() error {
			_, err := w.Challenge(wire.ChallengeRequest{WorkspaceID: workspaceID, Email: "bob@example.com"})
			return err
		},
	} {
		refused(t, what, call(), fault.ErrUnavailable)
	}
	_ = w.Close()
	w.open()
	again, err := w.Submit(wire.SubmitRequest{Body: body})
	if err != nil || *again.Proof != *done.Proof {
		t.Errorf("after a restart: %v", err)
	}
}

// An entry that stands in the journal and not in memory: the next nonce, the
// next wallet name would be judged by a state that is not true.
func TestSigning_K04_MemoryBehindTheJournal(t *testing.T) {
	for what, bad := range map[string]decide.Event{
		"an entry that is refused": {Kind: "nonsense"},
		"an entry that panics":     {Kind: decide.EventTransaction},
	} {
		w := newWorld(t)
		alice := w.register("alice@example.com")
		_, _ = guarded(func(e decide.Event) (any, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.record(e)
		}, bad)
		_, err := w.State(wire.StateRequest{OrganizationID: alice.org})
		refused(t, what+": state", err, fault.ErrUnavailable)
		body := w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{
			WalletName: "Main", MnemonicLength: "12",
		}))
		_, err = w.Submit(wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body)})
		refused(t, what+": submit", err, fault.ErrUnavailable)
		if err := w.Serve(t.Context(), listener(t), os.Getuid()); err == nil {
			t.Errorf("%s: it goes on serving", what)
		}
	}
}

func listener(t testing.TB) net.Listener {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk") // short: a socket's path is cut at 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := Listen(filepath.Join(dir, "s"), -1)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A panic is a fault of the call that met it: the next one is answered.
func TestSigning_K08_PanicLeavesTheLockFree(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	body := w.body(w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{
		WalletName: "Main", MnemonicLength: "12", Accounts: ethereum(0),
	}))
	stamp := w.stamp(alice, body)
	whole := w.state
	w.state = nil
	for what, call := range map[string]func() error{
		"preview": func() error { return second(guarded(w.Preview, wire.PreviewRequest{Body: body})) },
		"state":   func() error { return second(guarded(w.State, wire.StateRequest{OrganizationID: alice.org})) },
		"submit":  func() error { return second(guarded(w.Submit, wire.SubmitRequest{Body: body, Stamp: stamp})) },
		"outcome": func() error {
			return second(guarded(w.Outcome, wire.FingerprintRequest{Fingerprint: wire.Fingerprint(body)}))
		},
	} {
		refused(t, what, call(), fault.ErrInternal)
		if !w.mu.TryLock() {
			t.Fatalf("%s: the lock is held for good", what)
		}
		w.mu.Unlock()
	}
	w.state = whole
	w.must(alice, w.fresh(alice, wire.CreateWallet, wire.CreateWalletParams{
		WalletName: "Main", MnemonicLength: "12", Accounts: ethereum(0),
	}))
}

func second[T any](_ T, err error) error { return err }
