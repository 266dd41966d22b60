//go:build crashpoints

package crash

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
)

var (
	mu      sync.Mutex
	control = open() // as the process starts, before it gives up its rights to files
)

func open() *os.File {
	f, err := os.OpenFile(os.Getenv(Env), os.O_RDWR, 0)
	if err != nil {
		return nil // not a process that is to die
	}
	return f
}

// At ends the process where the control file says so. Before it dies it writes
// that it does, so that the test knows where, and the next process lives.
func At(doing, done string) {
	if control == nil {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	buf := make([]byte, 128)
	n, _ := control.ReadAt(buf, 0) // the end of the file is an error too
	var point string
	var times int
	if _, err := fmt.Sscan(string(buf[:n]), &point, &times); err != nil || point != doing+"."+done {
		return
	}
	if times > 1 {
		write(fmt.Sprintf("%s %d", point, times-1))
		return
	}
	write("died " + point)
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	os.Exit(137) // where a filter of system calls forbids it
}

// write replaces the text in one write: the test reads meanwhile.
func write(text string) {
	_, _ = control.WriteAt([]byte(text+strings.Repeat(" ", 128-len(text))), 0)
}
