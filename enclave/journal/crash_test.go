package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const helperDir = "RAILKIT_TEST_JOURNAL_DIR"

// TestMain makes the test binary a program that appends until it is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		if point := os.Getenv(helperPoint); point != "" {
			dieTogether(dir, point)
		}
		appendForever(dir)
	}
	os.Exit(m.Run())
}

// appendForever prints each entry once Wait has confirmed it.
func appendForever(dir string) {
	j, err := Open(Options{Dir: dir, Key: [32]byte{7}, Binding: "sandbox|0a1b"}, nil)
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	var out sync.Mutex
	for w := range 4 {
		go func() {
			for i := 0; ; i++ {
				payload := bytes.Repeat(fmt.Appendf(nil, "%d/%d ", w, i), 1+i%500)
				p, err := j.Append(payload)
				if err == nil {
					err = j.Wait(p.Seq)
				}
				out.Lock()
				fmt.Println(p.Seq, hash(payload), err)
				out.Unlock()
			}
		}()
	}
	select {}
}

func hash(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func TestKilledWhileAppendingLosesNothingConfirmed(t *testing.T) {
	t.Parallel()
	o := options(t)
	confirmed := map[uint64]string{}
	for _, lines := range []int{1, 7, 60, 301} {
		for seq, h := range runAndKill(t, o.Dir, lines) {
			if before, ok := confirmed[seq]; ok && before != h {
				t.Fatalf("entry %d was confirmed twice, for two payloads", seq)
			}
			confirmed[seq] = h
		}
		got := map[uint64]string{}
		j, err := Open(o, func(p Position, payload []byte) error {
			got[p.Seq] = hash(payload)
			return nil
		})
		if err != nil {
			t.Fatalf("Open after kill -9: %v", err)
		}
		mustClose(t, j)
		for seq, h := range confirmed {
			if got[seq] != h {
				t.Fatalf("confirmed entry %d is not there as it was", seq)
			}
		}
	}
	if len(confirmed) < 369 {
		t.Errorf("only %d entries were confirmed", len(confirmed))
	}
}

// runAndKill has a process append, kills it after that many confirmed entries
// and returns all that it had confirmed by then.
func runAndKill(t *testing.T, dir string, lines int) map[uint64]string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	confirmed := map[uint64]string{}
	in := bufio.NewScanner(out)
	for n := 1; in.Scan(); n++ {
		if n == lines {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		f := strings.Fields(in.Text())
		if len(f) != 3 || f[2] != "<nil>" {
			if n > lines {
				continue // cut by the kill
			}
			t.Fatalf("the helper says %q", in.Text())
		}
		seq, err := strconv.ParseUint(f[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		confirmed[seq] = f[1]
	}
	_ = cmd.Wait() // killed
	return confirmed
}

// crashed is the state in which the last record was written up to size bytes,
// but neither synced nor recorded in the head.
func crashed(t *testing.T) (o Options, log []byte, last int) {
	t.Helper()
	o = filled(t, "one", "two")
	head := readFile(t, o, headName)
	before := len(readFile(t, o, logName))
	j, _ := mustOpen(t, o)
	add(t, j, "three")
	mustClose(t, j)
	log = readFile(t, o, logName)
	writeFile(t, o, headName, head)
	return o, log, len(log) - before
}

func TestTornAtEveryByteOfTheLastRecord(t *testing.T) {
	t.Parallel()
	o, log, last := crashed(t)
	head := readFile(t, o, headName)
	for cut := range last + 1 {
		zeroed := bytes.Clone(log)
		clear(zeroed[len(log)-cut:])
		for name, b := range map[string][]byte{"cut": log[:len(log)-cut], "zeros": zeroed} {
			whole := bytes.Equal(b, log)
			if name == "zeros" && cut > 0 && cut < tagSize {
				continue // a tag half written: no crash leaves that within a sector
			}
			writeFile(t, o, logName, b)
			writeFile(t, o, headName, head)
			j, got := mustOpen(t, o)
			if want := map[bool]int{true: 3, false: 2}[whole]; len(got) != want {
				t.Fatalf("%s by %d: %d entries, want %d", name, cut, len(got), want)
			}
			add(t, j, "next")
			mustClose(t, j)
			j, got = mustOpen(t, o)
			if got[len(got)-1].payload != "next" {
				t.Fatalf("%s by %d: what was appended afterwards is lost", name, cut)
			}
			mustClose(t, j)
		}
	}
}

// What a power failure left readable but nobody vouches for is written again
// before it is called durable.
func TestUnvouchedEntryIsWrittenAgain(t *testing.T) {
	t.Parallel()
	o, log, last := crashed(t)
	var again []byte
	d := realDisk
	d.Write = func(f *os.File, b []byte, at int64) (int, error) {
		if strings.HasSuffix(f.Name(), logName) {
			again = append(again, b...)
		}
		return f.WriteAt(b, at)
	}
	j, err := openOn(o, d)
	if err != nil {
		t.Fatal(err)
	}
	mustClose(t, j)
	if !bytes.Equal(again, log[len(log)-last:]) {
		t.Errorf("%d bytes were written again, want the last record's %d", len(again), last)
	}
}
