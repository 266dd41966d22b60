package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// damages are what somebody can do to journal.head without a key and without an
// older copy of it: spoil a slot, or put the bytes of one over the other.
var damages = map[string]func(head []byte){
	"untouched":            func([]byte) {},
	"first slot flipped":   func(b []byte) { b[20] ^= 1 },
	"second slot flipped":  func(b []byte) { b[slotSpace+20] ^= 1 },
	"first slot zeroed":    func(b []byte) { clear(b[:slotSize]) },
	"second slot zeroed":   func(b []byte) { clear(b[slotSpace:]) },
	"first over second":    func(b []byte) { copy(b[slotSpace:], b[:slotSize]) },
	"second over first":    func(b []byte) { copy(b[:slotSize], b[slotSpace:]) },
	"both slots flipped":   func(b []byte) { b[0], b[slotSpace] = b[0]^1, b[slotSpace]^1 },
	"second slot cut away": func([]byte) {}, // see damaged
}

// damaged is a head with that done to it.
func damaged(head []byte, name string) []byte {
	b := bytes.Clone(head)
	damages[name](b)
	if name == "second slot cut away" {
		return b[:slotSpace]
	}
	return b
}

// After every step of a journal's life, whatever is done to the head without a key
// or an older copy, no entry that was told of can be cut off.
func TestSigning_K03_CutAfterADamagedHead(t *testing.T) {
	t.Parallel()
	o := filled(t, "one")
	o.MustExist = true
	for step, batch := range [][]string{{}, {"two"}, {"three", "four", "five"}, {"six"}} {
		j, _ := mustOpen(t, o)
		addTogether(t, j, batch...)
		mustClose(t, j)
		log, head, all := readFile(t, o, logName), readFile(t, o, headName), records(t, o)
		for name := range damages {
			for kept := range all {
				writeFile(t, o, headName, damaged(head, name))
				writeRecords(t, o, all[:kept]...)
				if j, err := Open(o, nil); err == nil {
					mustClose(t, j)
					t.Errorf("step %d, %s: %d of %d entries were opened as all", step, name, kept, len(all))
				} else if !errors.Is(err, ErrTampered) {
					t.Errorf("step %d, %s, %d entries: %v", step, name, kept, err)
				}
			}
		}
		writeFile(t, o, logName, log)
		writeFile(t, o, headName, head)
	}
}

// addTogether appends in one batch where the disk is slow enough, else in a few.
func addTogether(t *testing.T, j *Journal, payloads ...string) {
	t.Helper()
	var last uint64
	for _, text := range payloads {
		p, err := j.Append([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		last = p.Seq
	}
	if err := j.Wait(last); err != nil {
		t.Fatal(err)
	}
}

// A single damaged slot hides nothing, so the untouched log is opened.
func TestSigning_K03_OneDamagedSlotOfAWholeLog(t *testing.T) {
	t.Parallel()
	for name := range damages {
		if name == "both slots flipped" {
			continue
		}
		o := filled(t, "one", "two", "three")
		writeFile(t, o, headName, damaged(readFile(t, o, headName), name))
		j, got := mustOpen(t, o)
		add(t, j, "four")
		mustClose(t, j)
		if _, again := mustOpen(t, o); len(got) != 3 || len(again) != 4 {
			t.Errorf("%s: %d entries, then %d", name, len(got), len(again))
		}
	}
}

// dying is a disk whose process dies at the nth byte that is written to the head.
type dying struct {
	left int
	dead bool
}

var errDead = errors.New("the process is dead")

func (d *dying) disk() Disk {
	return Disk{
		Write: func(f *os.File, b []byte, at int64) (int, error) {
			if d.dead {
				return 0, errDead
			}
			if !strings.HasSuffix(f.Name(), headName) {
				return f.WriteAt(b, at)
			}
			if d.left >= len(b) {
				d.left -= len(b)
				return f.WriteAt(b, at)
			}
			d.dead = true
			n, _ := f.WriteAt(b[:d.left], at)
			return n, errDead
		},
		Sync: func(*os.File) error { return nil }, // a crash of the process keeps what was written
	}
}

// life makes a journal, opens it again and again and appends, until the process
// dies. It gives what was told to be on disk.
func life(o Options) (told []string, err error) {
	for session, batch := range [][]string{{"one"}, {}, {"two", "three"}, {"four"}} {
		j, err := Open(o, nil)
		if err != nil {
			return told, err
		}
		var last uint64
		for _, text := range batch {
			p, err := j.Append([]byte(text))
			if err != nil {
				break
			}
			last = p.Seq
		}
		err = j.Wait(last)
		if _ = j.Close(); err != nil {
			return told, fmt.Errorf("session %d: %w", session, err)
		}
		told = append(told, batch...)
	}
	return told, nil
}

// The process dies within every write of the head, before, in and after it, then
// once more in the next start. No such journal is refused, and nothing is lost that
// was told.
func TestSigning_K03_DyingInEveryWriteOfTheHead(t *testing.T) {
	t.Parallel()
	const step = 6 // divides the slot, so that also the borders of the writes are met
	for at := 0; ; at += step {
		o := options(t)
		o.Disk = (&dying{left: at}).disk()
		told, err := life(o)
		if err == nil {
			if at < 8*slotSize {
				t.Errorf("only %d bytes were written to the head", at)
			}
			return
		}
		if !errors.Is(err, errDead) {
			t.Fatalf("dead at byte %d: %v", at, err)
		}
		for _, again := range []int{at % slotSize, slotSize + at%slotSize} {
			o.Disk = (&dying{left: again}).disk()
			if j, err := Open(o, nil); err == nil {
				mustClose(t, j)
			} else if !errors.Is(err, errDead) {
				t.Fatalf("dead at byte %d, then at %d: %v", at, again, err)
			}
		}
		o.Disk = Disk{}
		if _, got := mustOpen(t, o); len(got) < len(told) {
			t.Fatalf("dead at byte %d: %d of %d entries", at, len(got), len(told))
		}
	}
}

// After a power failure each slot has what it had at some earlier time.
func TestSigning_K03_HeadBehindAfterAPowerFailure(t *testing.T) {
	t.Parallel()
	o := filled(t)
	heads := [][]byte{readFile(t, o, headName)}
	for _, text := range []string{"one", "two", "three"} {
		j, _ := mustOpen(t, o)
		add(t, j, text)
		mustClose(t, j)
		heads = append(heads, readFile(t, o, headName))
	}
	log := readFile(t, o, logName)
	for _, first := range heads {
		for _, second := range heads {
			writeFile(t, o, logName, log)
			writeFile(t, o, headName, slices.Concat(first[:slotSpace], second[slotSpace:]))
			j, got := mustOpen(t, o)
			add(t, j, "four")
			mustClose(t, j)
			if j, all := mustOpen(t, o); len(got) != 3 || len(all) != 4 {
				t.Errorf("%d entries, then %d", len(got), len(all))
			} else {
				mustClose(t, j)
			}
		}
	}
}

// inTurn is a folder as an older signer left it: one slot a batch, in turn. Its
// journal has three entries, and its head those of slots, 0 for a damaged one.
func inTurn(t *testing.T, slots [2]uint64) Options {
	t.Helper()
	o := filled(t, "one", "two", "three")
	j, entries := mustOpen(t, o)
	mustClose(t, j)
	f, err := os.OpenFile(filepath.Join(o.Dir, headName), os.O_RDWR|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := newHeadFile(f, o.Key, o.Binding)
	if err != nil {
		t.Fatal(err)
	}
	for i, seq := range slots {
		if seq == 0 {
			continue
		}
		b := h.encode(entries[seq-1].p)
		copy(b[40:], h.mac(aloneLabel, b[:40]))
		if _, err := f.WriteAt(b, int64(i)*slotSpace); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// The folder of an older signer is opened, and refused where the slots do not rule
// out a cut.
func TestSigning_K03_HeadOfAnOlderSigner(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		slots [2]uint64
		kept  int
		good  bool
	}{
		"at rest":                          {[2]uint64{3, 2}, 3, true},
		"at rest, the other way":           {[2]uint64{2, 3}, 3, true},
		"crashed before the head":          {[2]uint64{1, 2}, 3, true},
		"crashed in the head":              {[2]uint64{0, 2}, 3, true},
		"crashed before, after a start":    {[2]uint64{2, 2}, 3, true},
		"cut":                              {[2]uint64{3, 2}, 2, false},
		"cut to the slot that is left":     {[2]uint64{0, 2}, 2, false},
		"the same, the other way":          {[2]uint64{2, 0}, 2, false},
		"the older slot over the newer":    {[2]uint64{2, 2}, 2, false},
		"cut by several to the older slot": {[2]uint64{1, 0}, 1, false},
		"both spoiled":                     {[2]uint64{0, 0}, 3, false},
		"whole, but a slot is spoiled":     {[2]uint64{0, 3}, 3, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			o := inTurn(t, row.slots)
			writeRecords(t, o, records(t, o)[:row.kept]...)
			if !row.good {
				refused(t, o)
				return
			}
			j, got := mustOpen(t, o)
			add(t, j, "next")
			mustClose(t, j)
			if _, again := mustOpen(t, o); len(got) != row.kept || len(again) != row.kept+1 {
				t.Errorf("%d entries, then %d", len(got), len(again))
			}
		})
	}
}

// The operator's word opens what nobody can vouch for, and nothing that a slot or a
// checkpoint shows to be cut.
func TestSigning_K03_OperatorAcceptsTheEnd(t *testing.T) {
	t.Parallel()
	o := filled(t, "one", "two", "three")
	head := readFile(t, o, headName)
	o.AcceptEnd, o.MustExist = true, true
	j, _ := mustOpen(t, o)
	if j.EndAccepted() {
		t.Error("the operator's word was used for a whole journal")
	}
	mustClose(t, j)

	whole := records(t, o)
	writeRecords(t, o, whole[:2]...)
	refused(t, o) // both slots say three
	known := o
	known.Known = Position{Seq: 3}
	writeFile(t, o, headName, nil)
	refused(t, known) // the checkpoint says three

	writeFile(t, o, headName, damaged(head, "both slots flipped"))
	j, _ = mustOpen(t, o)
	mustClose(t, j)
	unsaid := o
	unsaid.AcceptEnd = false
	refused(t, unsaid) // a start that appended nothing, such as its entry of the operator's word, changes nothing

	j, got := mustOpen(t, o)
	if !j.EndAccepted() || len(got) != 2 {
		t.Errorf("accepted %v, %d entries", j.EndAccepted(), len(got))
	}
	add(t, j, "another three")
	mustClose(t, j)
	o.AcceptEnd = false
	if _, got := mustOpen(t, o); len(got) != 3 {
		t.Errorf("afterwards: %d entries", len(got))
	}
}
