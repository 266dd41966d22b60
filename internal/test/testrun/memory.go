package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// What tests write is written in memory: databases, journals and clusters sync each commit, and to sync to a disk what
// nobody reads again is a sixth of what tests cost. The nightly run has the disk.

const (
	shared     = "/dev/shm" // tmpfs on every Linux (man shm_overview)
	room       = 8 << 30    // bytes that have to be free there, and in the machine's memory
	leftBehind = 3 * time.Hour
)

// inMemory is the environment in which tests keep their folders in memory, and the go command its own, with the large
// programs that it links, where it has them otherwise. It is empty where memory does not serve.
func inMemory() []string {
	folder := filepath.Join(shared, "railkit-test-"+strconv.Itoa(os.Getuid()))
	if !roomIn(shared) || available() < room || !own(folder) {
		return nil
	}
	clean(folder)
	env := []string{"TMPDIR=" + folder}
	if os.Getenv("GOTMPDIR") == "" {
		env = append(env, "GOTMPDIR="+os.TempDir())
	}
	return env
}

// roomIn reports whether a folder has room, and runs the programs that tests put there.
func roomIn(folder string) bool {
	var fs unix.Statfs_t
	if err := unix.Statfs(folder, &fs); err != nil {
		return false
	}
	return fs.Bavail*uint64(fs.Bsize) >= room && fs.Flags&unix.ST_NOEXEC == 0
}

// available is how much memory programs can still have, in bytes (man proc_meminfo).
func available() uint64 {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kib uint64
		if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}

// own makes the folder, which always has the same name: the go command keeps no result of a test whose TMPDIR changed.
// A folder, or a link, that somebody else has put there is not used. Signers and servers that run as users of their own
// go through it, as through /tmp.
func own(folder string) bool {
	_ = os.Mkdir(folder, 0o700) // it is there already, or the look below finds none
	is, err := os.Lstat(folder)
	if err != nil || !is.IsDir() {
		return false
	}
	return os.Chmod(folder, 0o777|fs.ModeSticky) == nil // fails for a folder of somebody else
}

// clean removes what tests left behind that were killed. Another run may be under way, whose folders are newer.
func clean(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		is, err := e.Info()
		if err == nil && time.Since(is.ModTime()) > leftBehind {
			_ = os.RemoveAll(filepath.Join(folder, e.Name())) // it takes memory until then, and fails nothing
		}
	}
}
