package journal

import (
	"cmp"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// faulty is a disk that fails at the nth call of one kind after Open.
type faulty struct {
	nth   int
	mu    sync.Mutex
	armed bool
	calls map[string]int
	fail  map[string]func(f *os.File, b []byte, at int64) (int, error)
}

func (d *faulty) arm() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed, d.calls = true, map[string]int{}
}

// fault is the failure planned for this call, if any.
func (d *faulty) fault(kind string) func(*os.File, []byte, int64) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.armed {
		return nil
	}
	d.calls[kind]++
	if d.calls[kind] != d.nth {
		return nil
	}
	return d.fail[kind]
}

func (d *faulty) disk() Disk {
	return Disk{
		Write: func(f *os.File, b []byte, at int64) (int, error) {
			kind := "log"
			if strings.HasSuffix(f.Name(), headName) {
				kind = "head"
			}
			if fail := d.fault(kind); fail != nil {
				return fail(f, b, at)
			}
			return f.WriteAt(b, at)
		},
		Sync: func(f *os.File) error {
			if fail := d.fault("sync"); fail != nil {
				_, err := fail(f, nil, 0)
				return err
			}
			return fdatasync(f)
		},
	}
}

func fails(err error) func(*os.File, []byte, int64) (int, error) {
	return func(*os.File, []byte, int64) (int, error) { return 0, err }
}

// half writes a part and then fails.
func half(err error) func(*os.File, []byte, int64) (int, error) {
	return func(f *os.File, b []byte, at int64) (int, error) {
		n, _ := f.WriteAt(b[:len(b)/2], at)
		return n, err
	}
}

// whole does all of it and fails nevertheless.
func whole(err error) func(*os.File, []byte, int64) (int, error) {
	return func(f *os.File, b []byte, at int64) (int, error) {
		if b == nil {
			return 0, errors.Join(fdatasync(f), err)
		}
		n, _ := f.WriteAt(b, at)
		return n, err
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	table := []struct {
		name, kind string
		fail       func(*os.File, []byte, int64) (int, error)
		kept       bool // the entry that failed is there after a restart
	}{
		{"log write fails before", "log", fails(unix.ENOSPC), false},
		{"log write fails half way", "log", half(unix.ENOSPC), false},
		{"log write fails after", "log", whole(unix.EIO), true},
		{"log write does nothing", "log", fails(nil), false},
		{"sync fails before", "sync", fails(unix.EIO), true},
		{"sync fails after", "sync", whole(unix.EIO), true},
		{"head write fails before", "head", fails(unix.ENOSPC), true},
		{"head write fails half way", "head", half(unix.EIO), true},
		{"head write fails after", "head", whole(unix.EIO), true},
		{"second head write fails before", "head 2", fails(unix.ENOSPC), true},
		{"second head write fails half way", "head 2", half(unix.EIO), true},
		{"second head write fails after", "head 2", whole(unix.EIO), true},
	}
	for _, row := range table {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			nth := map[string]int{"head": 3, "head 2": 4} // the first batch goes well, and writes the head twice
			kind, _, _ := strings.Cut(row.kind, " ")
			d := &faulty{
				nth:  cmp.Or(nth[row.kind], 2),
				fail: map[string]func(*os.File, []byte, int64) (int, error){kind: row.fail},
			}
			j, err := openOn(o, d.disk())
			if err != nil {
				t.Fatal(err)
			}
			d.arm()
			add(t, j, "good")
			breaks(t, j)
			if err := j.Close(); !errors.Is(err, ErrBroken) {
				t.Errorf("Close: %v", err)
			}
			afterRestart(t, o, row.kept)
		})
	}
}

// breaks appends the entry that fails, with others waiting, and checks that the
// journal is broken for good.
func breaks(t *testing.T, j *Journal) {
	t.Helper()
	p, err := j.Append([]byte("bad"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := j.Wait(p.Seq); !errors.Is(err, ErrBroken) {
				t.Errorf("Wait: %v", err)
			}
		})
	}
	wg.Wait()
	if _, err := j.Append([]byte("more")); !errors.Is(err, ErrBroken) {
		t.Errorf("Append on a broken journal: %v", err)
	}
	if err := j.Wait(1); !errors.Is(err, ErrBroken) {
		t.Errorf("Wait on a broken journal: %v", err)
	}
	if j.Durable().Seq != 1 {
		t.Errorf("durable is %d, want 1", j.Durable().Seq)
	}
}

func afterRestart(t *testing.T, o Options, kept bool) {
	t.Helper()
	want := []string{"good"}
	if kept {
		want = append(want, "bad")
	}
	j, got := mustOpen(t, o)
	if len(got) != len(want) || got[len(got)-1].payload != want[len(want)-1] {
		t.Fatalf("after a restart: %v, want %q", got, want)
	}
	add(t, j, "next")
	mustClose(t, j)
	if _, got := mustOpen(t, o); len(got) != len(want)+1 {
		t.Errorf("after another restart: %v", got)
	}
}

func TestShortWritesAreContinued(t *testing.T) {
	t.Parallel()
	o := options(t)
	d := realDisk
	d.Write = func(f *os.File, b []byte, at int64) (int, error) { return f.WriteAt(b[:min(3, len(b))], at) }
	j, err := openOn(o, d)
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, "one", "two and a bit more")
	mustClose(t, j)
	if _, got := mustOpen(t, o); len(got) != 2 || got[1].payload != "two and a bit more" {
		t.Errorf("replayed %v", got)
	}
}

// While one batch is on its way to the disk, all that arrives waits together
// for the next sync.
func TestOneSyncForAllWhoWait(t *testing.T) {
	t.Parallel()
	o := options(t)
	var syncs int
	entered, release := make(chan struct{}), make(chan struct{})
	d := realDisk
	d.Sync = func(f *os.File) error {
		if syncs++; syncs == 1 {
			close(entered)
			<-release
		}
		return fdatasync(f)
	}
	j, err := openOn(o, d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append([]byte("first")); err != nil {
		t.Fatal(err)
	}
	<-entered
	for range 100 {
		if _, err := j.Append([]byte("meanwhile")); err != nil {
			t.Fatal(err)
		}
	}
	if j.Durable().Seq != 0 {
		t.Errorf("durable before the sync: %d", j.Durable().Seq)
	}
	close(release)
	if err := j.Wait(101); err != nil {
		t.Fatal(err)
	}
	mustClose(t, j)
	if syncs != 2 {
		t.Errorf("%d syncs for 101 entries, want 2", syncs)
	}
}

func openOn(o Options, d Disk) (*Journal, error) {
	o.Disk = d
	return Open(o, nil)
}
