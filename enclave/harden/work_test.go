package harden

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// work is what a signer does all day: it must not notice.
func work(home string, l net.Listener) error {
	data := filepath.Join(home, "data")
	served := make(chan error, 1)
	go func() { served <- echo(l) }()
	fmt.Println("listening")
	if err := <-served; err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	if err := l.Close(); err != nil { // removes the socket
		return err
	}
	if err := rotate(data); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if err := secretMemory(); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	busy()
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &unix.Timespec{}); err != nil {
		return fmt.Errorf("its uptime: %w", err)
	}
	if err := unix.Kill(os.Getpid(), unix.SIGURG); err != nil {
		return fmt.Errorf("a signal to itself: %w", err)
	}
	fmt.Println("worked")
	return nil
}

func echo(l net.Listener) error {
	conn, err := l.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return err
	}
	var peer error
	if err := raw.Control(func(fd uintptr) {
		_, peer = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil || peer != nil {
		return errors.Join(err, peer)
	}
	b := make([]byte, 5)
	if _, err := conn.Read(b); err != nil {
		return err
	}
	return second(conn.Write(b))
}

// rotate puts a new file in the place of an old one, as a checkpoint is written.
func rotate(data string) error {
	f, err := os.CreateTemp(data, "new")
	if err != nil {
		return err
	}
	_, err = f.WriteAt(make([]byte, 1<<20), 0)
	err = errors.Join(err, f.Truncate(1<<19), f.Sync(), unix.Fdatasync(int(f.Fd())), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), filepath.Join(data, "old")); err != nil {
		return err
	}
	dir, err := os.Open(data)
	if err != nil {
		return err
	}
	_, err = dir.ReadDir(-1)
	err = errors.Join(err, dir.Sync(), dir.Close())
	return errors.Join(err, second(os.ReadFile(filepath.Join(data, "old"))), os.Remove(filepath.Join(data, "old")))
}

func secretMemory() error {
	fd, err := unix.MemfdSecret(unix.O_CLOEXEC)
	if errors.Is(err, unix.ENOSYS) {
		return nil // a kernel without it
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, 4096); err != nil {
		return err
	}
	b, err := unix.Mmap(fd, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	b[0] = 1
	return unix.Munmap(b)
}

// busy makes threads, garbage and preemptions.
func busy() {
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			runtime.LockOSThread() // and the thread ends with the goroutine
			garbage := make([][]byte, 0, 64)
			for range 64 {
				garbage = append(garbage, make([]byte, 16<<10))
			}
			runtime.KeepAlive(garbage)
			runtime.GC()
		})
	}
	wg.Wait()
}
