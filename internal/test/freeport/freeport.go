// Package freeport gives tests ports that are still free where one program leaves them and another one takes them.
package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// Listen binds a port that is still free where it is closed here and bound again by a process: it is below those that
// the kernel gives away by itself and those that railkit dev chooses, and no other process of tests gets it, for this
// one keeps a lock on a file of the port's name as long as it lives.
func Listen() (l net.Listener, err error) {
	for range 100 {
		port := 11_000 + rand.IntN(9_000)
		if err = reserve(port); err != nil {
			continue
		}
		l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return l, nil
		}
	}
	return nil, err
}

// reserved are the locks, which end with the process.
var reserved struct {
	sync.Mutex
	files []*os.File
}

func reserve(port int) error {
	dir := filepath.Join(os.TempDir(), "railkit-test-ports")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(port)), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	reserved.Lock()
	defer reserved.Unlock()
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return errors.Join(err, file.Close())
	}
	reserved.files = append(reserved.files, file)
	return nil
}

// Addr is an address that nobody listens on, and that the kernel gives to nobody.
func Addr() string {
	l, err := Listen()
	if err != nil {
		return "127.0.0.1:0"
	}
	_ = l.Close() // nothing was sent
	return l.Addr().String()
}
