package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Disk is what the journal asks of the file system once it is open. Tests put
// faults between; what is nil is the real one.
type Disk struct {
	Write   func(f *os.File, b []byte, at int64) (int, error)
	Sync    func(f *os.File) error
	Rename  func(from, to string) error
	SyncDir func(path string) error
	Free    func(dir *os.File) (uint64, error) // bytes
}

var realDisk = Disk{
	Write:   (*os.File).WriteAt,
	Sync:    fdatasync,
	Rename:  os.Rename,
	SyncDir: syncDir,
	Free:    freeSpace,
}

// orReal fills in what is nil.
func (d Disk) orReal() Disk {
	if d.Write == nil {
		d.Write = realDisk.Write
	}
	if d.Sync == nil {
		d.Sync = realDisk.Sync
	}
	if d.Rename == nil {
		d.Rename = realDisk.Rename
	}
	if d.SyncDir == nil {
		d.SyncDir = realDisk.SyncDir
	}
	if d.Free == nil {
		d.Free = realDisk.Free
	}
	return d
}

// freeSpace asks by the folder's descriptor, which Close waits for: its number may be another file's afterwards.
func freeSpace(dir *os.File) (uint64, error) {
	raw, err := dir.SyscallConn()
	if err != nil {
		return 0, err
	}
	var s unix.Statfs_t
	var asked error
	err = raw.Control(func(fd uintptr) { asked = unix.Fstatfs(int(fd), &s) })
	if err = errors.Join(err, asked); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}

// writeAll writes b at the offset, over as many writes as the system makes of it.
func (d Disk) writeAll(f *os.File, b []byte, at int64) error {
	for len(b) > 0 {
		n, err := d.Write(f, b, at)
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrShortWrite
		}
		b, at = b[n:], at+int64(n)
	}
	return nil
}

// fdatasync also writes the file's new length, without which the data is not found.
func fdatasync(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// lockDir opens the folder for this process alone, making it where it is missing.
func lockDir(path string) (*os.File, error) {
	if err := makeDir(path); err != nil {
		return nil, fmt.Errorf("making the journal folder: %w", err)
	}
	dir, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the journal folder: %w", err)
	}
	if err := lock(dir); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

func lock(dir *os.File) error {
	err := unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	if err != nil {
		return fmt.Errorf("locking the journal folder: %w", err)
	}
	if err := dir.Chmod(0o700); err != nil {
		return fmt.Errorf("closing the journal folder to others: %w", err)
	}
	return nil
}

// unlock does not leave it to the closing of the descriptor: a program that this
// process is just starting would hold a copy of it for a moment longer.
func unlock(dir *os.File) error {
	return errors.Join(unix.Flock(int(dir.Fd()), unix.LOCK_UN), dir.Close())
}

func makeDir(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
