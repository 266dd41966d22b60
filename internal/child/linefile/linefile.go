// Package linefile keeps what a process has done in a file, one line for each thing: a line is on the disk before Add
// returns, so that SIGKILL takes nothing back of which anybody was told.
package linefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// File is the file, which this process alone has.
type File struct {
	file *os.File
	size int64 // of the lines that are whole
}

// ErrInUse means that another process has the file.
var ErrInUse = errors.New("another process is running on this data folder")

// Open opens a file of a folder, or begins one there.
func Open(dir, name string) (*File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil, errors.Join(ErrInUse, file.Close())
	}
	return &File{file: file}, nil
}

// Close lets go of the lock by itself: a program that is being started has the file as well for a moment.
func (f *File) Close() error {
	return errors.Join(syscall.Flock(int(f.file.Fd()), syscall.LOCK_UN), f.file.Close())
}

// Read hands over each line with its number, the first being 1, and cuts off a last one that is not whole: nobody was
// told of it. It says how many there are.
func (f *File) Read(follow func(n int, line []byte) error) (lines int, err error) {
	reader := bufio.NewReader(f.file)
	for {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return lines, f.file.Truncate(f.size)
		}
		if err != nil {
			return lines, err
		}
		lines++
		if err := follow(lines, line); err != nil {
			return lines, err
		}
		f.size += int64(len(line))
	}
}

// Add writes a line, which ends the text. Where that fails nothing of it stays, or the file takes no further line: one
// behind half a line could not be read.
func (f *File) Add(text []byte) error {
	line := append(text, '\n')
	_, err := f.file.WriteAt(line, f.size)
	if err == nil {
		err = f.file.Sync()
	}
	if err == nil {
		f.size += int64(len(line))
		return nil
	}
	if cut := f.file.Truncate(f.size); cut != nil {
		return errors.Join(err, cut, f.file.Close())
	}
	return err
}
