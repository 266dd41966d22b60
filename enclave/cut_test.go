package enclave

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/wire"
)

// cutLast takes the last record off a journal.log.
func cutLast(log []byte) []byte {
	at, last := len("railkit journal 1\n"), 0
	for at < len(log) {
		last = at
		at += 4 + int(binary.BigEndian.Uint32(log[at:]))
	}
	return log[:last]
}

// A body was cancelled. Without that entry its stamp would be good again.
func TestSigning_K03_CancelledBodyWhoseEntryIsCutOff(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	q := w.submission(alice, account.Address)
	if _, err := w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(q.Body)}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	log, head := w.read("journal.log"), w.read("journal.head")
	w.write("journal.log", cutLast(log))
	for _, slot := range []int{0, 4096} {
		spoiled := slices.Clone(head)
		spoiled[slot+3] ^= 1
		w.write("journal.head", spoiled)
		if s, err := w.tryOpen(); err == nil {
			w.Service = s
			out, err := w.Submit(q)
			t.Fatalf("slot at %d: the signer started, and the cancelled body is %s, %v", slot, out.State, err)
		}
	}

	// Both slots are gone: only the operator can say that the log is whole.
	w.write("journal.log", log)
	w.write("journal.head", nil)
	if _, err := w.tryOpen(); err == nil || !strings.Contains(err.Error(), "--accept-journal-end") {
		t.Errorf("without a head: %v", err)
	}
	if string(w.read("journal.log")) != string(log) {
		t.Error("a refused start has changed the journal")
	}
	w.opts.AcceptEnd = true
	w.open()
	out, err := w.Outcome(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(q.Body)})
	if err != nil || out.State != wire.Cancelled {
		t.Errorf("with the operator's word: %s, %v", out.State, err)
	}
	accepted := func() (n int) {
		for seq := uint64(1); seq <= w.journal.Durable().Seq; seq++ {
			if e, _, err := readEvent(w.journal, seq); err == nil && e.Kind == decide.EventEndAccepted {
				n++
			}
		}
		return n
	}
	if n := accepted(); n != 1 {
		t.Errorf("%d entries of the operator's word", n)
	}
	w.reopen()
	if n := accepted(); n != 1 {
		t.Errorf("%d entries of the operator's word after a start that did not need it", n)
	}
}
