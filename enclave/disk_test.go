package enclave

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/journal"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testwait"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// badDisk is a disk whose next write or sync of one kind fails, once armed. Only
// that one does: what went wrong once must not be forgotten.
type badDisk struct {
	mu    sync.Mutex
	armed bool
	kind  string // log, head or sync
	err   error
	part  int // of 2: how much is written all the same
}

func (d *badDisk) fails(kind string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.armed || d.kind != kind {
		return false
	}
	d.armed = false
	return true
}

func (d *badDisk) arm() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed = true
}

func (d *badDisk) disk() journal.Disk {
	return journal.Disk{
		Write: func(f *os.File, b []byte, at int64) (int, error) {
			if !d.fails(strings.TrimPrefix(filepath.Ext(f.Name()), ".")) {
				return f.WriteAt(b, at)
			}
			n, _ := f.WriteAt(b[:len(b)*d.part/2], at)
			return n, d.err
		},
		Sync: func(f *os.File) error {
			if d.fails("sync") {
				return d.err
			}
			return f.Sync()
		},
	}
}

// A disk that is full or fails, at every place where the journal meets it, under
// everything that is journaled: the caller learns nothing, nobody else does any
// more, and a restart knows either nothing of the body or one result for good.
func TestSigning_K05_FailingDisk(t *testing.T) {
	for _, d := range []*badDisk{
		{kind: "log", err: unix.ENOSPC}, {kind: "log", err: unix.ENOSPC, part: 1},
		{kind: "log", err: unix.EIO, part: 2}, {kind: "sync", err: unix.EIO}, {kind: "sync", err: unix.ENOSPC},
		{kind: "head", err: unix.ENOSPC}, {kind: "head", err: unix.EIO, part: 1},
		{kind: "head", err: unix.EIO, part: 2},
	} {
		for _, what := range []string{"submit", "cancel", "registration"} {
			t.Run(what+"/"+d.kind+"/"+d.err.Error(), func(t *testing.T) {
				failingDisk(t, what, &badDisk{kind: d.kind, err: d.err, part: d.part})
			})
		}
	}
}

func failingDisk(t *testing.T, what string, d *badDisk) {
	w := newWorldWith(t, Options{disk: d.disk()})
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	earlier := w.submission(alice, account.Address)
	done, err := w.Submit(earlier)
	if err != nil {
		t.Fatal(err)
	}
	q := w.submission(alice, account.Address)
	call := func() (wire.OutcomeReply, error) { return w.Submit(q) }
	switch what {
	case "cancel":
		call = func() (wire.OutcomeReply, error) {
			return w.Cancel(wire.FingerprintRequest{Fingerprint: wire.Fingerprint(q.Body)})
		}
	case "registration":
		q = wire.SubmitRequest{Body: w.registration("bob@example.com", passkey.New(origin))}
	}
	d.arm()
	out, err := call()
	refused(t, "the call", err, fault.ErrUnavailable)
	if out.Proof != nil || out.State != "" {
		t.Errorf("answered %+v", out)
	}
	_, err = w.Submit(earlier)
	refused(t, "an earlier body", err, fault.ErrUnavailable)
	select {
	case <-w.failed:
	default:
		t.Error("the enclave goes on")
	}
	_ = w.Close()
	w.opts = Options{}
	w.open()
	if again, err := w.Submit(earlier); err != nil || *again.Proof != *done.Proof {
		t.Errorf("an earlier body after a restart: %v", err)
	}
	w.settled(what, q, call)
}

func (w *world) submission(o owner, address string) wire.SubmitRequest {
	w.t.Helper()
	body := w.body(w.fresh(o, wire.SignIntent, payment(address)))
	return wire.SubmitRequest{Body: body, Stamp: w.stamp(o, body), Volatile: volatile(0)}
}

// settled asks in both ways, more than once: one fate, one answer.
func (w *world) settled(what string, q wire.SubmitRequest, call func() (wire.OutcomeReply, error)) {
	w.t.Helper()
	ask := wire.FingerprintRequest{Fingerprint: wire.Fingerprint(q.Body)}
	found, err := w.Outcome(ask)
	if err != nil {
		w.t.Fatal(err)
	}
	first, err := call()
	if what == "registration" && found.State == wire.Unknown {
		refused(w.t.(*testing.T), "its challenge is gone", err, refusal.ErrChallenge)
		return
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if found.State != wire.Unknown && *found.Proof != *first.Proof {
		w.t.Error("the outcome is another one than that of the call")
	}
	for range 2 {
		if again, err := w.Outcome(ask); err != nil || *again.Proof != *first.Proof {
			w.t.Errorf("the outcome afterwards: %v", err)
		}
		w.reopen()
	}
}

// running is the real program on the folder of a world.
type running struct {
	*client.Client
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	ended  chan error
}

func (w *world) run() *running {
	w.t.Helper()
	program, err := testbin.Path("railkit-enclave")
	if err != nil {
		w.t.Fatal(err)
	}
	return w.runProgram(program)
}

func (w *world) runProgram(program string) *running {
	w.t.Helper()
	dir, err := os.MkdirTemp("", "rk") // short: a socket's path is cut at 108 bytes
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	secret, socket := filepath.Join(dir, "unseal"), filepath.Join(dir, "run", "s")
	if err := os.WriteFile(secret, w.secret, 0o600); err != nil {
		w.t.Fatal(err)
	}
	r := &running{
		Client: client.New(socket, w.Info().IdentityKey), stderr: &bytes.Buffer{}, ended: make(chan error, 1),
		cmd: exec.Command(program, "run", "--data", w.dir, "--socket", socket, "--unseal-file", secret),
	}
	r.cmd.Stderr = r.stderr
	if err := r.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() { r.ended <- r.cmd.Wait() }()
	w.t.Cleanup(func() { _ = r.Close(); _ = r.cmd.Process.Kill() })
	r.answers(w.t)
	return r
}

// answers waits until the program does.
func (r *running) answers(t testing.TB) {
	t.Helper()
	testwait.Until(t, "an answer of the signer", func() bool {
		_, err := r.Info(t.Context())
		return err == nil
	})
}

func (r *running) stop(t testing.TB) {
	t.Helper()
	_ = r.cmd.Process.Signal(os.Interrupt)
	if err := <-r.ended; err != nil {
		t.Errorf("ended with %v: %s", err, r.stderr)
	}
}

// The kernel refuses the real program more bytes than so many, as a full disk
// would: it ends and says why, and what it left is one fate for good.
func TestSigning_K05_NoSpaceUnderTheRealProgram(t *testing.T) {
	w := newWorld(t)
	alice := w.register("alice@example.com")
	account := w.wallet(alice, "Main")
	for range 3 { // the log becomes longer than the head, which is not to be hit here
		w.must(alice, w.fresh(alice, wire.SignIntent, payment(account.Address)))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, room := range []uint64{0, 3, 200} {
		q := w.submission(alice, account.Address)
		fingerprint := wire.Fingerprint(q.Body)
		full := w.run()
		limit := uint64(len(w.read("journal.log"))) + room
		if err := unix.Prlimit(full.cmd.Process.Pid, unix.RLIMIT_FSIZE,
			&unix.Rlimit{Cur: limit, Max: limit}, nil); err != nil {
			t.Fatal(err)
		}
		_, err := full.Submit(t.Context(), q, fingerprint)
		refused(t, "no space", err, fault.ErrUnavailable)
		if err := <-full.ended; err == nil {
			t.Error("it ended well")
		}
		lines := strings.Split(strings.TrimSpace(full.stderr.String()), "\n")
		if last := lines[len(lines)-1]; !strings.Contains(last, "writing journal.log") ||
			!strings.Contains(last, "file too large") {
			t.Errorf("its last line is %q", last)
		}

		again := w.run()
		found, err := again.Outcome(t.Context(), fingerprint)
		if err != nil || found.State != wire.Unknown {
			t.Errorf("after a restart: %v, %v", found.State, err)
		}
		first, err := again.Submit(t.Context(), q, fingerprint)
		if err != nil {
			t.Fatal(err)
		}
		again.stop(t)
		third := w.run()
		if found, err = third.Outcome(t.Context(), fingerprint); err != nil || found.Proof != first.Proof {
			t.Errorf("after another restart: %v", err)
		}
		third.stop(t)
	}
}

// The real program, shut in as it is, writes a checkpoint while it signs, and
// starts from it.
func TestSigning_K04_CheckpointByTheRealProgram(t *testing.T) {
	w := newWorld(t)
	alice, account := w.fill(checkpointEvery - 10)
	r := w.run()
	var last client.Outcome
	for range 12 {
		q := w.submission(alice, account.Address)
		var err error
		if last, err = r.Submit(t.Context(), q, wire.Fingerprint(q.Body)); err != nil {
			t.Fatal(err)
		}
	}
	w.appears(checkpointFile)
	r.stop(t)
	r = w.run()
	found, err := r.Outcome(t.Context(), last.Statement.Fingerprint)
	if err != nil || found.Proof != last.Proof {
		t.Errorf("the last outcome: %v", err)
	}
	r.stop(t)
	if entries, replayed := r.replayed(t); entries < checkpointEvery || replayed > 20 {
		t.Errorf("%d of %d entries were replayed", replayed, entries)
	}
	r = w.runProgram(w.otherBuild())
	r.stop(t)
	if entries, replayed := r.replayed(t); replayed != entries {
		t.Errorf("another program of the same version replayed %d of %d entries", replayed, entries)
	}
}

// replayed reads what the program says of its start.
func (r *running) replayed(t *testing.T) (entries, replayed uint64) {
	t.Helper()
	for line := range strings.Lines(r.stderr.String()) {
		var of struct{ Entries, Replayed uint64 }
		if err := json.Unmarshal([]byte(line), &of); err != nil {
			t.Errorf("it says %q: %v", line, err)
		}
		if of.Entries > 0 {
			return of.Entries, of.Replayed
		}
	}
	t.Error("it does not say that the journal is open")
	return 0, 0
}

// otherBuild is a program of the same version with one byte more, which is never run.
func (w *world) otherBuild() string {
	w.t.Helper()
	program, err := testbin.Path("railkit-enclave")
	if err != nil {
		w.t.Fatal(err)
	}
	raw, err := os.ReadFile(program)
	if err != nil {
		w.t.Fatal(err)
	}
	other := filepath.Join(w.t.TempDir(), "railkit-enclave")
	if err := os.WriteFile(other, append(raw, 0), 0o700); err != nil {
		w.t.Fatal(err)
	}
	return other
}

// appears waits for a file.
func (w *world) appears(name string) {
	w.t.Helper()
	testwait.Until(w.t, name+" is there", func() bool {
		_, err := os.Stat(w.file(name))
		return err == nil
	})
}

// The same body again, under a stamp of a passkey that nobody has, while the disk takes its time over the first: it is
// refused once the first is written, and the signer goes on.
func TestSigning_K05_RepeatWhileTheFirstIsWritten(t *testing.T) {
	writing, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var slow atomic.Bool
	w := newWorldWith(t, Options{disk: journal.Disk{Sync: func(f *os.File) error {
		if slow.Load() {
			once.Do(func() {
				close(writing)
				<-goOn
			})
		}
		return f.Sync()
	}}})
	alice := w.register("alice@example.com")
	q := w.submission(alice, w.wallet(alice, "Main").Address)
	nobodys := passkey.New(origin)
	w.registration("mallory@example.com", nobodys) // is never sent
	stranger := q
	stranger.Stamp = w.stamp(owner{Authenticator: nobodys}, q.Body)
	slow.Store(true)
	first := make(chan error, 1)
	go func() {
		_, err := w.Submit(q)
		first <- err
	}()
	<-writing
	second := make(chan error, 1)
	go func() {
		_, err := w.Submit(stranger)
		second <- err
	}()
	select {
	case err := <-second:
		t.Errorf("answered before the first is written: %v", err)
		second <- err
	case <-time.After(50 * time.Millisecond): // it waits, as far as can be seen
	}
	close(goOn)
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	refused(t, "a stranger's stamp", <-second, refusal.ErrStamp)
	if _, err := w.Submit(q); err != nil {
		t.Errorf("the signer does not go on: %v", err)
	}
}
