package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// saved is a closed journal of the payloads with a checkpoint after the nth.
func saved(t testing.TB, n int, payloads ...string) Options {
	t.Helper()
	o := options(t)
	j, _ := mustOpen(t, o)
	add(t, j, payloads[:n]...)
	save(t, j, "state of "+payloads[n-1])
	add(t, j, payloads[n:]...)
	mustClose(t, j)
	return o
}

func save(t testing.TB, j *Journal, state string) {
	t.Helper()
	if err := j.WriteCheckpoint(j.Durable(), []byte(state)); err != nil {
		t.Fatalf("WriteCheckpoint: %v", err)
	}
}

// shortcut is o as a start from its checkpoint opens it.
func shortcut(t testing.TB, o Options) (Options, string) {
	t.Helper()
	p, state, err := ReadCheckpoint(o)
	if err != nil {
		t.Fatalf("ReadCheckpoint: %v", err)
	}
	o.Known, o.Skip = p, true
	return o, string(state)
}

func TestCheckpointSkipsWhatItStandsFor(t *testing.T) {
	t.Parallel()
	o, state := shortcut(t, saved(t, 2, "one", "two", "three"))
	if state != "state of two" || o.Known.Seq != 2 {
		t.Fatalf("read %q of entry %d", state, o.Known.Seq)
	}
	j, got := mustOpen(t, o)
	if len(got) != 1 || got[0].payload != "three" || got[0].p.Seq != 3 {
		t.Fatalf("replayed %v", got)
	}
	for i, want := range []string{"one", "two", "three"} {
		if p, payload, err := j.Read(uint64(i + 1)); err != nil || string(payload) != want || p.Seq != uint64(i+1) {
			t.Errorf("Read(%d) = %q, %v", i+1, payload, err)
		}
	}
	older := j.Durable()
	add(t, j, "four")
	save(t, j, "state of four")
	if err := j.WriteCheckpoint(older, []byte("state of three")); err != nil {
		t.Error(err)
	}
	mustClose(t, j)
	o, state = shortcut(t, o)
	if _, got := mustOpen(t, o); state != "state of four" || len(got) != 0 {
		t.Errorf("after the second checkpoint: %q, replayed %v", state, got)
	}
}

// The newer replaces the older, and a half that a crash left goes at the start.
func TestCheckpointsDoNotPileUp(t *testing.T) {
	t.Parallel()
	o := saved(t, 1, "one", "two")
	writeFile(t, o, freshName, []byte("half"))
	j, _ := mustOpen(t, o)
	save(t, j, "again")
	files, err := os.ReadDir(o.Dir)
	if err != nil || len(files) != 3 {
		t.Errorf("%v, %v", files, err)
	}
	if info, err := os.Stat(filepath.Join(o.Dir, checkpointName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestCheckpointOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	j, _ := mustOpen(t, filled(t, "one"))
	for name, p := range map[string]Position{
		"nothing": {}, "an entry to come": {Seq: 2}, "another head": {Seq: 1, Head: [32]byte{1}},
	} {
		if err := j.WriteCheckpoint(p, nil); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := j.Checkpoint(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Checkpoint: %v", err)
	}
}

// Whatever was done to the file: it is not taken for a checkpoint.
func TestSigning_K03_CheckpointChanged(t *testing.T) {
	t.Parallel()
	o := saved(t, 1, "one")
	intact := readFile(t, o, checkpointName)
	other := options(t)
	other.Dir = o.Dir
	for at := range intact {
		b := bytes.Clone(intact)
		b[at] ^= 1 << (at % 8)
		writeFile(t, o, checkpointName, b)
		notRead(t, o, "a flipped bit")
		writeFile(t, o, checkpointName, intact[:at])
		notRead(t, o, "cut")
		clear(b[at:])
		if !bytes.Equal(b, intact) {
			writeFile(t, o, checkpointName, b)
			notRead(t, o, "zeros")
		}
	}
	writeFile(t, o, checkpointName, append(bytes.Clone(intact), 0))
	notRead(t, o, "longer")
	writeFile(t, o, checkpointName, intact)
	other.Key[0] ^= 1
	notRead(t, other, "another key")
	other.Key, other.Binding = o.Key, "production|0a1b"
	notRead(t, other, "another binding")
	writeFile(t, o, checkpointName, readFile(t, o, logName))
	notRead(t, o, "the log")
	mustOpen(t, o)
}

func notRead(t *testing.T, o Options, what string) {
	t.Helper()
	if _, _, err := ReadCheckpoint(o); !errors.Is(err, ErrCheckpoint) && !strings.Contains(err.Error(), "EOF") {
		t.Errorf("%s: %v", what, err)
	}
}

// A checkpoint that is authentic and stands nowhere in the log: one of both was
// exchanged, and which one cannot be told.
func TestSigning_K03_CheckpointOfAnotherHistory(t *testing.T) {
	t.Parallel()
	o := filled(t, "one")
	log, head := readFile(t, o, logName), readFile(t, o, headName)
	j, _ := mustOpen(t, o)
	add(t, j, "two")
	save(t, j, "state")
	mustClose(t, j)
	ahead, _ := shortcut(t, o)
	for _, skip := range []bool{true, false} {
		ahead.Skip = skip
		writeFile(t, o, logName, log)
		writeFile(t, o, headName, head)
		refused(t, ahead)
	}
	j, _ = mustOpen(t, o)
	add(t, j, "TWO")
	mustClose(t, j)
	for _, skip := range []bool{true, false} {
		ahead.Skip = skip
		refused(t, ahead)
	}
}

// What a checkpoint stands for is not opened any more, and found all the same.
func TestSigning_K03_FlippedBitBeforeTheCheckpoint(t *testing.T) {
	t.Parallel()
	o, _ := shortcut(t, saved(t, 2, "first", "second", "last"))
	intact := readFile(t, o, logName)
	for at := range intact {
		b := bytes.Clone(intact)
		b[at] ^= 1 << (at % 8)
		writeFile(t, o, logName, b)
		refused(t, o)
		writeFile(t, o, logName, intact[:at])
		refused(t, o)
	}
	r := func(payload ...[]byte) { writeRecords(t, o, payload...); refused(t, o) }
	writeFile(t, o, logName, intact)
	all := records(t, o)
	r(all[1], all[0], all[2])
	r(all[1], all[2])
	r(all[0], all[2])
	r(all[0], all[0], all[1], all[2])
	writeFile(t, o, logName, intact)
	mustOpen(t, o)
}

func TestSigning_K03_LogChangedUnderAnOpenJournal(t *testing.T) {
	t.Parallel()
	o := filled(t, "first", "second")
	j, _ := mustOpen(t, o)
	intact := readFile(t, o, logName)
	for at := len(magic); at < len(intact); at++ {
		b := bytes.Clone(intact)
		b[at] ^= 1
		writeFile(t, o, logName, b)
		_, _, first := j.Read(1)
		_, _, second := j.Read(2)
		if (first == nil) == (second == nil) {
			t.Fatalf("byte %d: %v, %v", at, first, second)
		}
	}
	writeFile(t, o, logName, intact)
	for _, seq := range []uint64{0, 3} {
		if _, _, err := j.Read(seq); !errors.Is(err, ErrUnknown) {
			t.Errorf("Read(%d): %v", seq, err)
		}
	}
}

// steps is a disk that ends the process, as far as files can tell, at the nth
// thing that is done to a checkpoint.
func steps(n int) Disk {
	step := func() {
		if n--; n == 0 {
			panic("crash")
		}
	}
	return Disk{
		Write: func(f *os.File, b []byte, at int64) (int, error) {
			if !strings.HasSuffix(f.Name(), freshName) {
				return f.WriteAt(b, at)
			}
			step()
			k, err := f.WriteAt(b[:(len(b)+1)/2], at)
			return k, err
		},
		Sync: func(f *os.File) error {
			if !strings.HasSuffix(f.Name(), freshName) {
				return fdatasync(f)
			}
			step()
			return fdatasync(f)
		},
		Rename: func(from, to string) error {
			step()
			err := os.Rename(from, to)
			step()
			return err
		},
		SyncDir: func(path string) error {
			step()
			err := syncDir(path)
			step()
			return err
		},
	}
}

func TestSigning_K04_CrashWhileACheckpointIsWritten(t *testing.T) {
	t.Parallel()
	crashes := 0
	for n := 1; ; n++ {
		o := saved(t, 1, "one", "two", "three")
		o.Disk = steps(n)
		j, _ := mustOpen(t, o)
		finished := survives(func() { save(t, j, "state of three") })
		mustClose(t, j)
		o.Disk = Disk{}
		again, state := shortcut(t, o)
		if finished && state != "state of three" {
			t.Fatal("finished, and an older one is there")
		}
		j, got := mustOpen(t, again)
		if want := map[string]int{"state of one": 2, "state of three": 0}[state]; len(got) != want {
			t.Errorf("step %d: %q, and %d entries were replayed", n, state, len(got))
		}
		if _, err := os.Stat(filepath.Join(o.Dir, freshName)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("step %d: %v", n, err)
		}
		add(t, j, "four")
		save(t, j, "state of four")
		if finished {
			break
		}
		crashes++
	}
	if crashes < 8 {
		t.Errorf("only %d places to crash at", crashes)
	}
}

func survives(do func()) (finished bool) {
	defer func() { _ = recover() }()
	do()
	return true
}

// A disk that has no room for a checkpoint, or fails under it, has all of its
// consequences for the checkpoint alone.
func TestSigning_K05_CheckpointThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	fresh := func(f *os.File) bool { return strings.HasSuffix(f.Name(), freshName) }
	for name, d := range map[string]Disk{
		"no space": {Write: func(f *os.File, b []byte, at int64) (int, error) {
			if fresh(f) {
				k, _ := f.WriteAt(b[:10], at)
				return k, unix.ENOSPC
			}
			return f.WriteAt(b, at)
		}},
		"sync fails": {Sync: func(f *os.File) error {
			if fresh(f) {
				return unix.EIO
			}
			return fdatasync(f)
		}},
		"rename fails":      {Rename: func(string, string) error { return unix.EIO }},
		"nearly full":       {Free: func(*os.File) (uint64, error) { return reserve, nil }},
		"space is not told": {Free: func(*os.File) (uint64, error) { return 0, unix.EIO }},
	} {
		o := saved(t, 1, "one", "two")
		o.Disk = d
		j, _ := mustOpen(t, o)
		if err := j.WriteCheckpoint(j.Durable(), []byte("state of two")); err == nil {
			t.Errorf("%s: it was written", name)
		}
		add(t, j, "three")
		if _, err := os.Stat(filepath.Join(o.Dir, freshName)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the space is not given back: %v", name, err)
		}
		mustClose(t, j)
		if _, state := shortcut(t, o); state != "state of one" {
			t.Errorf("%s: %q", name, state)
		}
		if _, got := mustOpen(t, o); len(got) != 3 {
			t.Errorf("%s: %d entries", name, len(got))
		}
	}
}

func TestAppendAndReadWhileACheckpointIsWritten(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	o := options(t)
	o.Disk.Rename = func(from, to string) error {
		close(entered)
		<-release
		return os.Rename(from, to)
	}
	j, _ := mustOpen(t, o)
	add(t, j, "one")
	p := j.Durable()
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := j.WriteCheckpoint(p, []byte("state of one")); err != nil {
			t.Error(err)
		}
	})
	<-entered
	add(t, j, "two", "three")
	if _, payload, err := j.Read(3); err != nil || string(payload) != "three" {
		t.Errorf("Read: %q, %v", payload, err)
	}
	close(release)
	wg.Wait()
	mustClose(t, j)
	o.Disk = Disk{}
	o, _ = shortcut(t, o)
	if _, got := mustOpen(t, o); len(got) != 2 {
		t.Errorf("replayed %v", got)
	}
}
