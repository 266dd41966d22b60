package enclave

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/railkit/railkit/enclave/decide"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/testlog"
)

const checkpointFile = "journal.checkpoint"

func (w *world) file(name string) string { return filepath.Join(w.dir, name) }

func (w *world) read(name string) []byte {
	w.t.Helper()
	raw, err := os.ReadFile(w.file(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return raw
}

func (w *world) write(name string, raw []byte) {
	w.t.Helper()
	if err := os.WriteFile(w.file(name), raw, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) reopen() {
	w.t.Helper()
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
}

// checkpointNow writes one of all that was decided so far.
func (w *world) checkpointNow() {
	w.t.Helper()
	if _, err := w.checkpoint(w.journal.Durable().Seq); err != nil {
		w.t.Fatal(err)
	}
}

// logged is a log whose lines a test looks for.
type logged struct{ testlog.Log }

func (l *logged) says(text string) bool { return strings.Contains(l.String(), text) }

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// history is a random life of an enclave, and what it answered.
type history struct {
	*world
	rand    *rand.Rand
	owners  []owner
	account map[string][]string // addresses by organization
	answers map[string]wire.Proof
	bodies  map[string]wire.SubmitRequest
}

func newHistory(t *testing.T, seed uint64) *history {
	return &history{
		world: newWorldWith(t, Options{every: 7}), rand: rand.New(rand.NewPCG(seed, 1)),
		account: map[string][]string{}, answers: map[string]wire.Proof{}, bodies: map[string]wire.SubmitRequest{},
	}
}

func (h *history) step(i int) {
	h.t.Helper()
	if len(h.owners) == 0 || h.rand.IntN(12) == 0 {
		o := h.register("user" + strconv.Itoa(i) + "@example.com")
		h.owners = append(h.owners, o)
		return
	}
	o := h.owners[h.rand.IntN(len(h.owners))]
	addresses := h.account[o.org]
	if len(addresses) == 0 || h.rand.IntN(8) == 0 {
		h.account[o.org] = append(addresses, h.wallet(o, "Wallet "+strconv.Itoa(i)).Address)
		return
	}
	body := h.body(h.fresh(o, wire.SignIntent, payment(addresses[h.rand.IntN(len(addresses))])))
	q := wire.SubmitRequest{Body: body, Stamp: h.stamp(o, body), Volatile: volatile(0)}
	if h.rand.IntN(4) == 0 {
		h.keep(q, func() (wire.OutcomeReply, error) {
			return h.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(body)})
		})
		return
	}
	h.keep(q, func() (wire.OutcomeReply, error) { return h.Submit(q) })
}

func (h *history) keep(q wire.SubmitRequest, call func() (wire.OutcomeReply, error)) {
	h.t.Helper()
	out, err := call()
	if err != nil {
		h.t.Fatal(err)
	}
	fp := wire.Fingerprint(q.Body)
	h.answers[fp], h.bodies[fp] = *out.Proof, q
}

// check asks again for everything that was ever answered, in both ways.
func (h *history) check(when string) {
	h.t.Helper()
	for fp, want := range h.answers {
		out, err := h.Outcome(wire.FingerprintRequest{Fingerprint: fp})
		if err != nil || *out.Proof != want {
			h.t.Fatalf("%s: an outcome is another one: %v", when, err)
		}
		if out, err = h.Submit(h.bodies[fp]); err != nil || *out.Proof != want {
			h.t.Fatalf("%s: a replay is answered otherwise: %v", when, err)
		}
	}
}

// A start from a checkpoint and a start by replay know the same and answer the
// same, whatever happened before.
func TestSigning_K04_CheckpointIsTheReplay(t *testing.T) {
	for seed := range uint64(4) {
		h := newHistory(t, seed)
		for i := range 60 {
			h.step(i)
		}
		h.checkpointNow()
		for i := range 5 {
			h.step(100 + i)
		}
		h.check("before a restart")
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		log, head := h.read("journal.log"), h.read("journal.head")
		h.open()
		byCheckpoint := h.state
		if h.replayed > 12 {
			t.Errorf("%d entries were decoded, the checkpoint was 5 activities ago", h.replayed)
		}
		h.check("from a checkpoint")
		_ = h.Close()

		h.write("journal.log", log)
		h.write("journal.head", head)
		_ = os.Remove(h.file(checkpointFile))
		h.open()
		h.check("by replay")
		if h.replayed < 60 {
			t.Errorf("%d entries were decoded, and there was no checkpoint", h.replayed)
		}
		for _, s := range []*decide.State{byCheckpoint, h.state} { // each start journals its own time
			if err := s.Apply(decide.Event{Kind: decide.EventTime, TimeMs: math.MaxInt64}, 0); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(byCheckpoint, h.state) {
			t.Errorf("seed %d: the two starts know different things", seed)
		}
	}
}

// What is wrong with a checkpoint changes no decision: it is told, and the
// journal is replayed.
func TestSigning_K03_CheckpointThatCannotBeUsed(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	q := wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)}
	done, err := w.Submit(q)
	if err != nil {
		t.Fatal(err)
	}
	w.checkpointNow()
	good := w.read(checkpointFile)
	other := newWorld(t)
	other.checkpointNow()
	for what, change := range map[string]func(){
		"missing": func() { _ = os.Remove(w.file(checkpointFile)) },
		"empty":   func() { w.write(checkpointFile, nil) },
		"torn":    func() { w.write(checkpointFile, good[:len(good)/2]) },
		"flipped": func() {
			w.write(checkpointFile, append(bytes.Clone(good[:len(good)-1]), good[len(good)-1]^1))
		},
		"of another enclave": func() { w.write(checkpointFile, other.read(checkpointFile)) },
		"of another version": func() { w.opts.Version = "next" },
		"of another build":   func() { w.opts.Build = "next" },
		"a folder in its way": func() {
			_ = os.Remove(w.file(checkpointFile))
			_ = os.Mkdir(w.file(checkpointFile), 0o700)
		},
		"a link": func() {
			_ = os.Remove(w.file(checkpointFile))
			_ = os.Symlink("/dev/zero", w.file(checkpointFile))
		},
		"a pipe that nobody writes to": func() {
			_ = os.Remove(w.file(checkpointFile))
			_ = unix.Mkfifo(w.file(checkpointFile), 0o600)
		},
	} {
		log := &logged{}
		w.opts = Options{Log: log.logger()}
		_ = os.Remove(w.file(checkpointFile))
		w.write(checkpointFile, good)
		change()
		w.reopen()
		if told := log.says("cannot be used"); told != (what != "missing") {
			t.Errorf("%s: told: %v", what, told)
		}
		if w.replayed != w.journal.Durable().Seq-1 {
			t.Errorf("%s: %d entries were replayed", what, w.replayed)
		}
		again, err := w.Submit(q)
		if err != nil || *again.Proof != *done.Proof {
			t.Errorf("%s: %v", what, err)
		}
		_ = os.Remove(w.file(checkpointFile))
	}
}

// An older checkpoint of the same journal only makes the start longer.
func TestSigning_K03_OlderCheckpoint(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	w.checkpointNow()
	older, at := w.read(checkpointFile), w.journal.Durable().Seq
	account := w.wallet(alice, "Main")
	st := w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address)))
	w.checkpointNow()
	w.write(checkpointFile, older)
	last := w.journal.Durable().Seq
	w.reopen()
	if w.replayed != last-at {
		t.Errorf("%d entries were replayed, want %d", w.replayed, last-at)
	}
	next := w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address)))
	if st.Result.Transaction.Nonce != "0" || next.Result.Transaction.Nonce != "1" {
		t.Errorf("nonces %s and %s", st.Result.Transaction.Nonce, next.Result.Transaction.Nonce)
	}
}

// A folder's log is put back and its checkpoint is not: that is no crash.
func TestSigning_K03_CheckpointAheadOfTheLog(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	log, head := w.read("journal.log"), w.read("journal.head")
	w.wallet(alice, "Main")
	w.checkpointNow()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.write("journal.log", log)
	w.write("journal.head", head)
	for _, version := range []string{"", "next"} {
		w.opts.Version = version
		if _, err := w.tryOpen(); !errors.Is(err, journal.ErrTampered) {
			t.Errorf("as version %q: %v", version, err)
		}
	}
}

// The running enclave writes checkpoints by itself, and signs meanwhile.
func TestSigning_K04_SigningWhileACheckpointIsWritten(t *testing.T) {
	entered, release := make(chan struct{}, 1), make(chan struct{})
	w := newWorldWith(t, Options{every: 4, disk: journal.Disk{Rename: func(from, to string) error {
		select {
		case entered <- struct{}{}:
			<-release
		default:
		}
		return os.Rename(from, to)
	}}})
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	for range 4 {
		w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address)))
	}
	<-entered
	var last wire.Statement
	for range 10 {
		last = w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address)))
	}
	if last.Result.Transaction.Nonce != "13" {
		t.Errorf("nonce %s", last.Result.Transaction.Nonce)
	}
	close(release)
	w.opts = Options{}
	w.reopen()
	if all := w.journal.Durable().Seq; w.replayed >= all-1 {
		t.Errorf("%d of %d entries were replayed", w.replayed, all)
	}
}

func TestSigning_K05_NoSpaceForACheckpoint(t *testing.T) {
	log := &logged{}
	w := newWorldWith(t, Options{every: 3, Log: log.logger(),
		disk: journal.Disk{Write: func(f *os.File, b []byte, at int64) (int, error) {
			if strings.Contains(f.Name(), checkpointFile) {
				return 0, unix.ENOSPC
			}
			return f.WriteAt(b, at)
		}}})
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	for range 5 {
		w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address)))
	}
	if _, err := w.checkpoint(w.journal.Durable().Seq); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("a checkpoint on a full disk: %v", err)
	}
	w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address)))
	w.reopen() // the goroutine has ended then
	if !log.says("no checkpoint of the journal was written") {
		t.Error("it is not told")
	}
}

// An entry that does not come back as it was written is not signed for.
func TestSigning_K03_EntryChangedUnderARunningEnclave(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	body := w.body(w.fresh(alice, wire.SignIntent, payment(account.Address)))
	q := wire.SubmitRequest{Body: body, Stamp: w.stamp(alice, body), Volatile: volatile(0)}
	if _, err := w.Submit(q); err != nil {
		t.Fatal(err)
	}
	raw := w.read("journal.log")
	raw[len(raw)-1] ^= 1
	w.write("journal.log", raw)
	_, err := w.Submit(q)
	refused(t, "a replay", err, fault.ErrUnavailable)
	_, err = w.State(wire.StateRequest{OrganizationID: alice.org})
	refused(t, "everything after it", err, fault.ErrUnavailable)
	_ = w.Close()
	if _, err := w.tryOpen(); !errors.Is(err, journal.ErrTampered) {
		t.Errorf("a restart: %v", err)
	}
}
