package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func readFile(t testing.TB, o Options, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(o.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t testing.TB, o Options, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(o.Dir, name), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, o Options, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(o.Dir, name)); err != nil {
		t.Fatal(err)
	}
}

// records takes a log apart.
func records(t testing.TB, o Options) [][]byte {
	t.Helper()
	b := readFile(t, o, logName)[len(magic):]
	var all [][]byte
	for len(b) > 0 {
		n := lengthSize + binary.BigEndian.Uint32(b)
		all = append(all, b[:n])
		b = b[n:]
	}
	return all
}

func writeRecords(t testing.TB, o Options, records ...[]byte) {
	t.Helper()
	writeFile(t, o, logName, append([]byte(magic), bytes.Join(records, nil)...))
}

// refused checks that Open fails for tampering, in one line, and still fails when tried again.
func refused(t *testing.T, o Options) {
	t.Helper()
	for range 2 {
		j, err := Open(o, nil)
		if err == nil {
			mustClose(t, j)
			t.Fatal("the tampered journal was opened")
		}
		if !errors.Is(err, ErrTampered) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("Open: %v", err)
		}
	}
}

func TestSigning_K03_RecordsMoved(t *testing.T) {
	t.Parallel()
	// All of one length, so that only the chain can tell them apart.
	payloads := []string{"aaaa", "bbbb", "cccc", "dddd"}
	moves := map[string]func(r [][]byte) [][]byte{
		"swapped":        func(r [][]byte) [][]byte { return [][]byte{r[0], r[2], r[1], r[3]} },
		"last swapped":   func(r [][]byte) [][]byte { return [][]byte{r[0], r[1], r[3], r[2]} },
		"first dropped":  func(r [][]byte) [][]byte { return r[1:] },
		"middle dropped": func(r [][]byte) [][]byte { return [][]byte{r[0], r[2], r[3]} },
		"last dropped":   func(r [][]byte) [][]byte { return r[:3] },
		"all dropped":    func([][]byte) [][]byte { return nil },
		"doubled":        func(r [][]byte) [][]byte { return [][]byte{r[0], r[1], r[1], r[2], r[3]} },
		"last doubled":   func(r [][]byte) [][]byte { return append(r, r[3]) },
		"first behind":   func(r [][]byte) [][]byte { return append(r, r[0]) },
	}
	for name, move := range moves {
		t.Run(name, func(t *testing.T) {
			o := filled(t, payloads...)
			writeRecords(t, o, move(records(t, o))...)
			refused(t, o)
		})
	}
}

func TestSigning_K03_RecordOfAnotherJournal(t *testing.T) {
	t.Parallel()
	strangers := map[string]func(*Options){
		"same key and binding": func(*Options) {},
		"other environment":    func(o *Options) { o.Binding = "production|0a1b" },
		"binding cut short":    func(o *Options) { o.Binding = "sandbox|0a1" },
		"other key":            func(o *Options) { o.Key = [32]byte{8} },
	}
	for name, change := range strangers {
		t.Run(name, func(t *testing.T) {
			other := options(t)
			change(&other)
			j, _ := mustOpen(t, other)
			add(t, j, "aaaa", "XXXX")
			mustClose(t, j)
			foreign := records(t, other)
			for i := range foreign {
				o := filled(t, "aaaa", "bbbb")
				own := records(t, o)
				own[i] = foreign[i]
				writeRecords(t, o, own...)
				refused(t, o)

				appended := filled(t, "aaaa", "bbbb")
				writeRecords(t, appended, append(records(t, appended), foreign[i])...)
				refused(t, appended)
			}
			o := filled(t, "aaaa", "bbbb")
			writeFile(t, o, logName, readFile(t, other, logName))
			refused(t, o)
		})
	}
}

func TestSigning_K03_OpenedAsAnotherEnclave(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Options){
		"environment": func(o *Options) { o.Binding = "production|0a1b" },
		"key":         func(o *Options) { o.Key[31] ^= 1 },
	} {
		t.Run(name, func(t *testing.T) {
			o := filled(t, "one")
			change(&o)
			refused(t, o)
		})
	}
}

// Every byte of the log is flipped once: magic, length, nonce, ciphertext and
// tag of the first, the middle and the last record.
func TestSigning_K03_FlippedBit(t *testing.T) {
	t.Parallel()
	o := filled(t, "first", "middle", "last")
	intact := readFile(t, o, logName)
	for at := range intact {
		b := bytes.Clone(intact)
		b[at] ^= 1 << (at % 8)
		writeFile(t, o, logName, b)
		if j, err := Open(o, nil); err == nil {
			mustClose(t, j)
			t.Errorf("a flipped bit at byte %d went unseen", at)
		} else if !errors.Is(err, ErrTampered) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
	writeFile(t, o, logName, intact)
	if _, got := mustOpen(t, o); len(got) != 3 {
		t.Errorf("the intact log gives %d entries", len(got))
	}
}

func TestSigning_K03_Truncated(t *testing.T) {
	t.Parallel()
	o := filled(t, "first", "last")
	intact := readFile(t, o, logName)
	for size := range intact {
		writeFile(t, o, logName, intact[:size])
		if j, err := Open(o, nil); err == nil {
			mustClose(t, j)
			t.Errorf("a log cut to %d of %d bytes was opened", size, len(intact))
		} else if !errors.Is(err, ErrTampered) {
			t.Errorf("cut to %d: %v", size, err)
		}
	}
	for at := len(magic); at < len(intact); at++ {
		b := bytes.Clone(intact)
		clear(b[at:])
		writeFile(t, o, logName, b)
		if at >= len(intact)-1 && bytes.Equal(b, intact) {
			continue // the last byte happened to be zero
		}
		refused(t, o)
	}
}

func TestSigning_K03_OlderLogRestored(t *testing.T) {
	t.Parallel()
	o := filled(t, "one", "two")
	older := readFile(t, o, logName)
	j, _ := mustOpen(t, o)
	add(t, j, "three")
	mustClose(t, j)
	writeFile(t, o, logName, older)
	refused(t, o)
}

// A journal goes on in two ways from one state: no part of one fits the other.
func TestSigning_K03_Forked(t *testing.T) {
	t.Parallel()
	o := filled(t, "one")
	files := map[string][]byte{logName: readFile(t, o, logName), headName: readFile(t, o, headName)}
	fork := options(t)
	if err := os.MkdirAll(fork.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, b := range files {
		writeFile(t, fork, name, b)
	}
	for at, text := range map[string]string{o.Dir: "spend", fork.Dir: "keep!"} {
		branch := o
		branch.Dir = at
		j, _ := mustOpen(t, branch)
		add(t, j, text, text)
		mustClose(t, j)
	}
	head, log := readFile(t, fork, headName), readFile(t, fork, logName)
	own := readFile(t, o, headName)
	writeFile(t, o, headName, head)
	refused(t, o)

	// One slot of each branch.
	writeFile(t, o, headName, append(bytes.Clone(own[:slotSpace]), head[slotSpace:]...))
	refused(t, o)

	writeFile(t, o, headName, own)
	writeFile(t, o, logName, log)
	refused(t, o)
}

func TestSigning_K03_HeadFile(t *testing.T) {
	t.Parallel()
	damage := map[string]func(t *testing.T, o Options){
		"dropped":   func(t *testing.T, o Options) { remove(t, o, headName) },
		"emptied":   func(t *testing.T, o Options) { writeFile(t, o, headName, nil) },
		"zeroed":    func(t *testing.T, o Options) { writeFile(t, o, headName, make([]byte, 2*slotSpace)) },
		"both torn": tearBoth,
		"ahead": func(t *testing.T, o Options) {
			writeHead(t, o, Position{Seq: 3, Head: [32]byte{1}})
		},
		"other hash": func(t *testing.T, o Options) {
			writeHead(t, o, Position{Seq: 2, Head: [32]byte{1}})
		},
		"log dropped": func(t *testing.T, o Options) { remove(t, o, logName) },
		"log emptied": func(t *testing.T, o Options) { writeFile(t, o, logName, nil) },
	}
	for name, do := range damage {
		t.Run(name, func(t *testing.T) {
			o := filled(t, "one", "two")
			do(t, o)
			refused(t, o)
		})
	}
}

func tearBoth(t *testing.T, o Options) {
	b := readFile(t, o, headName)
	b[slotSize-1] ^= 1
	b[slotSpace] ^= 1
	writeFile(t, o, headName, b)
}

// writeHead makes a head as only somebody with the key could.
func writeHead(t *testing.T, o Options, p Position) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(o.Dir, headName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := newHeadFile(f, o.Key, o.Binding)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.write(realDisk, p); err != nil {
		t.Fatal(err)
	}
}

func TestTornHeadWriteLeavesTheOtherSlot(t *testing.T) {
	t.Parallel()
	for slot := range 2 {
		o := filled(t, "one", "two", "three")
		b := readFile(t, o, headName)
		b[slot*slotSpace+20] ^= 1
		writeFile(t, o, headName, b)
		j, got := mustOpen(t, o)
		if len(got) != 3 {
			t.Errorf("slot %d torn: %d entries", slot, len(got))
		}
		add(t, j, "four")
		mustClose(t, j)
		if _, got := mustOpen(t, o); len(got) != 4 {
			t.Errorf("slot %d torn, then one more: %d entries", slot, len(got))
		}
	}
}

func TestMustExist(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.MustExist = true
	if _, err := Open(o, nil); !errors.Is(err, ErrMissing) {
		t.Errorf("nothing there: %v", err)
	}
	o = filled(t)
	o.MustExist = true
	j, _ := mustOpen(t, o)
	mustClose(t, j)
	remove(t, o, headName)
	refused(t, o)
}

// A crash while the journal is made leaves no entry behind, so it is made again.
func TestCreationCutShort(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"no byte": 0, "half the magic": 5, "no head": len(magic)} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			if err := os.MkdirAll(o.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			writeFile(t, o, logName, []byte(magic)[:size])
			j, _ := mustOpen(t, o)
			add(t, j, "one")
			mustClose(t, j)
			if _, got := mustOpen(t, o); len(got) != 1 {
				t.Errorf("%d entries", len(got))
			}
		})
	}
	o := filled(t)
	writeFile(t, o, headName, nil)
	mustOpen(t, o)
}
