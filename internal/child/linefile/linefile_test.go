package linefile_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/railkit/railkit/internal/child/linefile"
)

// open reads all lines of a folder's file.
func open(t *testing.T, dir string) (f *linefile.File, lines []string) {
	t.Helper()
	f, err := linefile.Open(dir, "file")
	if err != nil {
		t.Fatal(err)
	}
	n, err := f.Read(func(n int, line []byte) error {
		lines = append(lines, string(line))
		if n != len(lines) {
			t.Errorf("line %d has the number %d", len(lines), n)
		}
		return nil
	})
	if err != nil || n != len(lines) {
		t.Fatalf("%d lines, of %q: %v", n, lines, err)
	}
	return f, lines
}

// What was added is there when the file is opened again, without a line that was cut by the end of a process.
func TestFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	f, lines := open(t, dir)
	if len(lines) > 0 {
		t.Errorf("a new file has %q", lines)
	}
	for _, text := range []string{"one", "two"} {
		if err := f.Add([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := linefile.Open(dir, "file"); !errors.Is(err, linefile.ErrInUse) {
		t.Errorf("the file is opened twice: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	half, err := os.OpenFile(filepath.Join(dir, "file"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := half.WriteString("thr"); err != nil {
		t.Fatal(err)
	}
	if err := half.Close(); err != nil {
		t.Fatal(err)
	}
	f, _ = open(t, dir)
	if err := f.Add([]byte("four")); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f, lines = open(t, dir)
	if want := []string{"one\n", "two\n", "four\n"}; !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// A line that cannot be followed ends the reading.
func TestFile_Refused(t *testing.T) {
	t.Parallel()
	dir, wrong := t.TempDir(), errors.New("wrong")
	f, _ := open(t, dir)
	if err := errors.Join(f.Add([]byte("one")), f.Add([]byte("two")), f.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := linefile.Open(dir, "file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n, err := f.Read(func(int, []byte) error { return wrong }); !errors.Is(err, wrong) || n != 1 {
		t.Errorf("%d lines: %v", n, err)
	}
}
