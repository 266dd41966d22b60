package enclave

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
)

func (w *world) heads(seqs ...string) []wire.JournalHead {
	w.t.Helper()
	p, err := w.Heads(wire.HeadsRequest{Seqs: seqs})
	if err != nil {
		w.t.Fatal(err)
	}
	st := w.statement(&p)
	if st.Kind != wire.KindJournal || st.Environment != "sandbox" || st.OrganizationID != "" ||
		st.Preview != nil || st.State != nil {
		w.t.Errorf("%+v", st)
	}
	return st.Heads
}

// What the signer once said of its journal it says again, also after restarts and
// out of a checkpoint.
func TestSigning_HeadsOfEarlierEntries(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	var seen []wire.JournalHead
	var seqs []string
	for range 3 {
		st := w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address)))
		seen, seqs = append(seen, wire.JournalHead{Seq: st.Seq, Head: st.Head}), append(seqs, st.Seq)
	}
	for _, restart := range []func(){func() {}, w.reopen, func() { w.checkpointNow(); w.reopen() }} {
		restart()
		if got := w.heads(seqs...); !slices.Equal(got, seen) {
			t.Errorf("%v, want %v", got, seen)
		}
	}
	if got := w.heads(seqs[2], seqs[0], seqs[0]); !slices.Equal(got, []wire.JournalHead{seen[2], seen[0], seen[0]}) {
		t.Errorf("in another order: %v", got)
	}
	if got := w.heads(); len(got) != 0 {
		t.Errorf("of no entry: %v", got)
	}
}

func TestSigning_HeadsRefused(t *testing.T) {
	w := newWorld(t)
	last := w.journal.Durable().Seq
	for _, seq := range []uint64{last + 1, 1 << 63, 1<<64 - 1} {
		_, err := w.Heads(wire.HeadsRequest{Seqs: []string{"1", strconv.FormatUint(seq, 10)}})
		refused(t, strconv.FormatUint(seq, 10), err, refusal.ErrJournalShort)
	}
	for _, bad := range []string{"", "-1", "01", "+1", "1.0", "0x1", " 1", "18446744073709551616"} {
		_, err := w.Heads(wire.HeadsRequest{Seqs: []string{bad}})
		refused(t, bad, err, fault.ErrValidation)
	}
	many := slices.Repeat([]string{"1"}, wire.MaxHeads+1)
	_, err := w.Heads(wire.HeadsRequest{Seqs: many})
	refused(t, "too many", err, fault.ErrValidation)
	if n := len(w.heads(many[1:]...)); n != wire.MaxHeads {
		t.Errorf("%d heads", n)
	}
}

// The folder is put back to a copy, and the signer passes the numbers that clients
// remember. It cannot say of them what it said before.
func TestSigning_HeadsOfARestoredFolder(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "backup")
	w.copyTo(backup)
	w.open()
	st := w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address)))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(w.dir); err != nil {
		t.Fatal(err)
	}
	w.dir = backup
	w.open()
	for w.journal.Durable().Seq < mustUint(t, st.Seq) {
		_, err := w.Heads(wire.HeadsRequest{Seqs: []string{st.Seq}})
		refused(t, "not reached", err, refusal.ErrJournalShort)
		w.reopen() // each start journals the time
	}
	if got := w.heads(st.Seq); got[0].Head == st.Head {
		t.Error("another journal has the same head")
	}
}

// Of many bodies that wait, those are named that something came of: also over a restart, and no more at once than a
// call may ask about.
func TestSigning_KnownBodies(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	done, cancelled, waits := w.submission(alice, account.Address), w.submission(alice, account.Address), "sha256:00"
	if _, err := w.Submit(done); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(cancelled.Body)}); err != nil {
		t.Fatal(err)
	}
	want := []string{wire.Fingerprint(done.Body), wire.Fingerprint(cancelled.Body)}
	for range 2 {
		got, err := w.Known(wire.KnownRequest{Fingerprints: []string{want[0], waits, want[1]}})
		if err != nil || !slices.Equal(got.Known, want) {
			t.Errorf("%q, %v", got.Known, err)
		}
		w.reopen()
	}
	_, err := w.Known(wire.KnownRequest{Fingerprints: make([]string, wire.MaxKnown+1)})
	if f, ok := fault.As(err); !ok || f.Kind != fault.Invalid {
		t.Errorf("too many: %v", err)
	}
}
