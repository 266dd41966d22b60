// Package child is a process's side of being started by a parent of this
// project. The parent passes two pipes: on the first the child says that it is
// ready, on the second it notices that its parent is gone. The kernel's own
// means for that (Pdeathsig) follows the thread that forked, and Go moves
// between threads, so a pipe it is.
//
// A program that nobody supervises calls the same two functions; they do nothing.
package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

// The protocol, shared with package supervise.
const (
	// Env tells the child that the two pipes exist. It is taken out of the
	// environment at once, since the child's own children do not have them.
	Env = "RAILKIT_CHILD"

	ReadyFD    = 3 // the child writes one line of JSON and closes it
	LifelineFD = 4 // the child reads; end of file means the parent is gone
)

// grace is how long a child may tidy up once its parent is gone.
const grace = time.Second

// ErrParentGone is the cause of a context that WatchParent ended.
var ErrParentGone = errors.New("the parent process is gone")

var (
	errNoPipes    = errors.New(Env + " is set but the parent's pipes are not there")
	errReadyTwice = errors.New("ready was said before")
)

// link is what ties this process to its parent.
type link struct {
	supervised bool
	err        error

	mu    sync.Mutex
	ready *os.File // nil once used
	life  *os.File
}

// parent looks for the pipes once, on first use.
var parent = sync.OnceValue(attach)

func attach() *link {
	if os.Getenv(Env) != "1" {
		return &link{}
	}
	os.Unsetenv(Env)
	if !isPipe(ReadyFD) || !isPipe(LifelineFD) {
		return &link{supervised: true, err: errNoPipes}
	}
	// A grandchild that held the ready pipe open would keep our parent waiting.
	syscall.CloseOnExec(ReadyFD)
	syscall.CloseOnExec(LifelineFD)
	return &link{
		supervised: true,
		ready:      os.NewFile(ReadyFD, "ready pipe"),
		life:       os.NewFile(LifelineFD, "lifeline"),
	}
}

// isPipe keeps a stray variable from making us close some other file.
func isPipe(fd int) bool {
	var st syscall.Stat_t
	return syscall.Fstat(fd, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFIFO
}

// Supervised reports whether a parent of this project started the process.
func Supervised() bool { return parent().supervised }

// Ready tells the parent that the process serves, and where: facts is anything
// that encodes to a JSON object. It can be said once.
func Ready(facts any) error {
	l := parent()
	if !l.supervised {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	if l.ready == nil {
		return errReadyTwice
	}
	line, err := json.Marshal(facts)
	if err != nil {
		return fmt.Errorf("encoding ready facts: %w", err)
	}
	_, err = l.ready.Write(append(line, '\n'))
	err = errors.Join(err, l.ready.Close())
	l.ready = nil
	if err != nil {
		return fmt.Errorf("telling the parent: %w", err)
	}
	return nil
}

// WatchParent returns a context that ends when the parent does. Call it first
// in main and once. A process that has not finished tidying up a second after its
// parent died is ended: nothing may outlive the one who started it.
func WatchParent(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := func() { cancel(nil) }
	l := parent()
	if !l.supervised {
		return ctx, stop
	}
	if l.err != nil {
		cancel(l.err)
		return ctx, stop
	}
	go func() {
		l.life.Read(make([]byte, 1)) // nothing is ever written: it returns at the end of the file
		cancel(ErrParentGone)
		time.Sleep(grace)
		os.Exit(1)
	}()
	return ctx, stop
}
