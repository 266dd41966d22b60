package railkit_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/tamper"
	railkit "github.com/railkit/railkit/sdk/go"
)

// paid is a client that has paid since the signer's folder was copied. restore puts the signer back to the copy, whose
// journal goes on from there by some entries.
func paid(t *testing.T) (w *world, from string, restore func(entries int)) {
	t.Helper()
	memory := railkit.NewMemory()
	w = worldOf(t, apptest.Rig(t), func(c *railkit.Config) { c.Memory = memory })
	from = w.payer(t).Address
	dir, _ := w.EnclaveFolder()
	backup, before := filepath.Join(t.TempDir(), "backup"), memory.Highest()
	if err := os.CopyFS(backup, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.client.Transactions.Send(t.Context(), w.pk, transfer(from)); err != nil {
		t.Fatal(err)
	}
	if memory.Highest() == before {
		t.Fatal("the payment is not in the journal")
	}
	return w, from, func(entries int) {
		w.StopEnclave()
		if err := errors.Join(os.Rename(dir, dir+".newer"), os.Rename(backup, dir)); err != nil {
			t.Fatal(err)
		}
		w.StartEnclave()
		signer := client.New(w.EnclaveSock, w.EnclaveKey)
		defer signer.Close()
		for n := range entries {
			if _, err := signer.Cancel(t.Context(), railkit.Fingerprint(strconv.Itoa(n))); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The signer is put back to a copy from before the payment, and its journal passes
// the numbers that the client remembers.
func TestJournal_RestoredSigner(t *testing.T) {
	w, from, restore := paid(t)
	restore(20)
	for range 2 {
		_, err := w.client.Transactions.Prepare(t.Context(), transfer(from))
		wantReason(t, "prepare", err, railkit.ReasonFork)
		_, err = w.client.Wallets.Prepare(t.Context(), railkit.PrepareWalletRequest{
			WalletName: "Second", Chain: "ethereum", SubOrganizationID: w.reg.SubOrganizationID,
		})
		wantReason(t, "another prepare", err, railkit.ReasonFork)
		wantReason(t, "asked for", w.client.Journal.Check(t.Context()), railkit.ReasonFork)
	}
	if _, err := w.newClient(t).Transactions.Prepare(t.Context(), transfer(from)); err != nil {
		t.Errorf("a client that remembers nothing: %v", err)
	}
}

func TestJournal_RestoredSignerIsBehind(t *testing.T) {
	w, from, restore := paid(t)
	for range 3 { // the signer's start is an entry too
		if _, err := w.client.Transactions.Send(t.Context(), w.pk, transfer(from)); err != nil {
			t.Fatal(err)
		}
	}
	restore(0)
	wantReason(t, "asked for", w.client.Journal.Check(t.Context()), railkit.ReasonStale)
}

// What a client saw of a forked journal does not become what it compares with.
func TestJournal_ForkIsNotForgotten(t *testing.T) {
	w, from, restore := paid(t)
	restore(20)
	state, err := w.newClient(t).Journal.Heads(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.client.VerifyProof(w.sign(*state)); err != nil {
		t.Fatal(err)
	}
	_, err = w.client.Transactions.Prepare(t.Context(), transfer(from))
	wantReason(t, "prepare", err, railkit.ReasonFork)
}

// A journal that only goes on is believed, and asked about where there is something
// new to compare.
func TestJournal_OnlyNewEntriesAreAsked(t *testing.T) {
	w, from, _ := paid(t)
	asked := func() int { return w.calls("GET", "/v1/signing/journal") }
	first := asked()
	if err := w.client.Journal.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := asked()
	for range 3 { // the journal stands still
		if _, err := w.client.Transactions.Prepare(t.Context(), transfer(from)); err != nil {
			t.Fatal(err)
		}
	}
	if first == 0 || second != first+1 || asked() != second {
		t.Errorf("asked %d, %d, then %d times", first, second, asked())
	}
	st, err := w.client.Journal.Heads(t.Context(), 1, 0)
	if err != nil || len(st.Heads) != 2 || st.Heads[0].Seq != "1" || st.Kind != wire.KindJournal {
		t.Errorf("%+v, %v", st, err)
	}
}

// The host answers for the signer.
func TestTamperedJournal(t *testing.T) {
	under(t, "GET /v1/signing/journal", func(w *world) []attack {
		again := func(change func(*wire.Statement)) func(object) {
			return func(d object) { d["proof"] = w.again(d["proof"], change) }
		}
		return append(proofAttacks(w, "proof", wire.KindState),
			attack{"left out", railkit.ReasonKind, again(func(st *wire.Statement) { st.Heads = st.Heads[:1] })},
			attack{"none", railkit.ReasonKind, again(func(st *wire.Statement) { st.Heads = nil })},
			attack{"of others", railkit.ReasonKind, again(func(st *wire.Statement) { slices.Reverse(st.Heads) })},
			attack{"one more", railkit.ReasonKind, again(func(st *wire.Statement) {
				st.Heads = append(st.Heads, st.Heads[0])
			})},
			attack{
				"another head", railkit.ReasonFork, again(func(st *wire.Statement) { st.Heads[0].Head = "another" }),
			},
		)
	}, func(t *testing.T, w *world) func() error {
		from := w.payer(t).Address
		return func() error {
			_, err := w.client.Transactions.Prepare(t.Context(), transfer(from))
			return err
		}
	})
}

// A host that does not answer keeps the preview from being believed.
func TestJournal_NoAnswer(t *testing.T) {
	w := newWorld(t)
	from := w.payer(t).Address
	w.host.On("GET /v1/signing/journal", tamper.Set("data", nil))
	if _, err := w.client.Transactions.Prepare(t.Context(), transfer(from)); err == nil {
		t.Error("an empty answer was taken")
	}
}
