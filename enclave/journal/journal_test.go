package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// entry is what replay was given.
type entry struct {
	p       Position
	payload string
}

func options(t testing.TB) Options {
	t.Helper()
	return Options{Dir: filepath.Join(t.TempDir(), "enclave"), Key: [32]byte{7}, Binding: "sandbox|0a1b"}
}

func collect(into *[]entry) func(Position, []byte) error {
	return func(p Position, payload []byte) error {
		*into = append(*into, entry{p, string(payload)})
		return nil
	}
}

func mustOpen(t testing.TB, o Options) (*Journal, []entry) {
	t.Helper()
	var got []entry
	j, err := Open(o, collect(&got))
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j, got
}

func mustClose(t testing.TB, j *Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// add appends and waits.
func add(t testing.TB, j *Journal, payloads ...string) {
	t.Helper()
	for _, s := range payloads {
		p, err := j.Append([]byte(s))
		if err != nil {
			t.Fatalf("Append: %v", err)
		}
		if err := j.Wait(p.Seq); err != nil {
			t.Fatalf("Wait: %v", err)
		}
	}
}

// filled is a closed journal with the payloads in it.
func filled(t testing.TB, payloads ...string) Options {
	t.Helper()
	o := options(t)
	j, _ := mustOpen(t, o)
	add(t, j, payloads...)
	mustClose(t, j)
	return o
}

func TestReopenGivesEveryEntryInOrder(t *testing.T) {
	t.Parallel()
	o := options(t)
	j, got := mustOpen(t, o)
	if len(got) != 0 || j.Position().Seq != 0 {
		t.Fatalf("a new journal has %d entries at %d", len(got), j.Position().Seq)
	}
	add(t, j, "one", "", "three")
	want := j.Position()
	if j.Durable() != want {
		t.Errorf("durable %v, want %v", j.Durable(), want)
	}
	mustClose(t, j)

	j, got = mustOpen(t, o)
	if len(got) != 3 || got[0].payload != "one" || got[1].payload != "" || got[2].payload != "three" {
		t.Errorf("replayed %v", got)
	}
	for i, e := range got {
		if e.p.Seq != uint64(i+1) {
			t.Errorf("entry %d has seq %d", i, e.p.Seq)
		}
	}
	if j.Position() != want || j.Durable() != want || got[2].p != want {
		t.Errorf("after reopening at %v, want %v", j.Position(), want)
	}
	add(t, j, "four")
	mustClose(t, j)
	if _, got = mustOpen(t, o); len(got) != 4 || got[3].payload != "four" {
		t.Errorf("after a second run: %v", got)
	}
}

func TestManyAtOnceKeepOneOrder(t *testing.T) {
	t.Parallel()
	o := options(t)
	j, _ := mustOpen(t, o)
	const workers, each = 16, 40
	at := make([]map[uint64]string, workers)
	var wg sync.WaitGroup
	for w := range workers {
		at[w] = map[uint64]string{}
		wg.Go(func() {
			for i := range each {
				text := fmt.Sprintf("%d/%d", w, i)
				p, err := j.Append([]byte(text))
				if err != nil {
					t.Errorf("Append: %v", err)
					return
				}
				at[w][p.Seq] = text
				if err := j.Wait(p.Seq); err != nil {
					t.Errorf("Wait: %v", err)
				}
				if j.Durable().Seq < p.Seq {
					t.Errorf("waited for %d, durable is %d", p.Seq, j.Durable().Seq)
				}
			}
		})
	}
	wg.Wait()
	mustClose(t, j)
	_, got := mustOpen(t, o)
	if len(got) != workers*each {
		t.Fatalf("%d entries, want %d", len(got), workers*each)
	}
	for w := range workers {
		for seq, text := range at[w] {
			if got[seq-1].payload != text {
				t.Errorf("entry %d is %q, appended was %q", seq, got[seq-1].payload, text)
			}
		}
	}
}

func TestCloseWritesWhatIsPending(t *testing.T) {
	t.Parallel()
	o := options(t)
	j, _ := mustOpen(t, o)
	for i := range 50 {
		if _, err := j.Append(fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, j)
	if _, err := j.Append(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Append after Close: %v", err)
	}
	if err := j.Wait(50); err != nil {
		t.Errorf("Wait for what Close wrote: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, got := mustOpen(t, o); len(got) != 50 {
		t.Errorf("%d entries, want 50", len(got))
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	o := options(t)
	j, _ := mustOpen(t, o)
	if _, err := j.Append(make([]byte, MaxPayload+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("oversize record: %v", err)
	}
	if err := j.Wait(1); !errors.Is(err, ErrUnknown) {
		t.Errorf("waiting for an entry that nobody appended: %v", err)
	}
	largest := string(bytes.Repeat([]byte{0}, MaxPayload))
	add(t, j, largest, "after")
	mustClose(t, j)
	if _, got := mustOpen(t, o); len(got) != 2 || got[0].payload != largest {
		t.Errorf("the largest record did not come back")
	}
}

func TestSecondOpenerIsRefused(t *testing.T) {
	t.Parallel()
	o := options(t)
	j, _ := mustOpen(t, o)
	if _, err := Open(o, nil); !errors.Is(err, ErrLocked) {
		t.Errorf("second opener: %v", err)
	}
	mustClose(t, j)
	mustOpen(t, o)
}

func TestOnlyTheOwnerReads(t *testing.T) {
	t.Parallel()
	o := options(t)
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, o)
	for name, want := range map[string]os.FileMode{"": 0o700, logName: 0o600, headName: 0o600} {
		info, err := os.Stat(filepath.Join(o.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%q has mode %v, want %v", name, info.Mode().Perm(), want)
		}
	}
}

func TestReplayErrorStopsOpen(t *testing.T) {
	t.Parallel()
	o := filled(t, "one", "two")
	stop := errors.New("unknown entry")
	if _, err := Open(o, func(p Position, _ []byte) error {
		if p.Seq == 2 {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) {
		t.Errorf("Open: %v", err)
	}
	mustOpen(t, o)
}

func TestPayloadIsNotReadableOnDisk(t *testing.T) {
	t.Parallel()
	o := filled(t, "canary canary canary")
	b, err := os.ReadFile(filepath.Join(o.Dir, logName))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte("canary")) {
		t.Error("the payload is on disk in clear")
	}
}
