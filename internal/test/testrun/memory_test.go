package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What was left behind goes, what another run may be using stays, and a link that somebody put there is not followed.
func TestMemory(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "tests")
	if first := own(folder); !first || !own(folder) {
		t.Fatal("the folder is not ours")
	}
	if is, err := os.Stat(folder); err != nil || is.Mode().Perm() != 0o777 || is.Mode()&os.ModeSticky == 0 {
		t.Errorf("its mode is %v, %v", is.Mode(), err)
	}
	for name, age := range map[string]time.Duration{"left": leftBehind + time.Minute, "used": time.Minute} {
		at := time.Now().Add(-age)
		if err := os.MkdirAll(filepath.Join(folder, name, "deep"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(folder, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	clean(folder)
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 || left[0].Name() != "used" {
		t.Errorf("left are %v, %v", left, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	if own(link) {
		t.Error("a link is followed")
	}
}
