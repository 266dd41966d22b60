package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzOpen puts any bytes behind two good entries. Nothing but those two may
// come out, and nothing may panic.
func FuzzOpen(f *testing.F) {
	o := filled(f, "one", "two")
	log, head := readFile(f, o, logName), readFile(f, o, headName)
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 28})
	f.Add([]byte{255, 255, 255, 255, 1})
	f.Add(make([]byte, 64))
	f.Add(log[len(magic):])
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, tail []byte) {
		o := o
		o.Dir = dir
		for name, b := range map[string][]byte{logName: append(bytes.Clone(log), tail...), headName: head} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var got []entry
		j, err := Open(o, collect(&got))
		if err == nil {
			mustClose(t, j)
		}
		if len(got) != 2 || got[0].payload != "one" || got[1].payload != "two" {
			t.Errorf("replayed %v", got)
		}
	})
}
