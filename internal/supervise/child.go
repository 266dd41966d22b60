package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/railkit/railkit/internal/child"
)

const readyTimeout = time.Minute

// Child is one supervised program, whichever process it is at the moment.
type Child struct {
	group *Group
	spec  Spec
	log   *lines
	quit  chan struct{} // closed when it must not be started again
	kept  chan struct{} // closed when its last process is gone for good

	mu    sync.Mutex
	run   *run
	first Facts // of the first start
	facts Facts // of the newest
}

func newChild(g *Group, spec Spec) *Child {
	return &Child{
		group: g, spec: spec,
		log:  &lines{prefix: spec.Name, out: g.out},
		quit: make(chan struct{}), kept: make(chan struct{}),
	}
}

// Facts are what the child said when it last became ready.
func (c *Child) Facts() Facts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.facts
}

// PID is the id of the child's newest process.
func (c *Child) PID() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.run == nil {
		return 0
	}
	return c.run.cmd.Process.Pid
}

// Gone is closed when the child has ended and will not come back.
func (c *Child) Gone() <-chan struct{} { return c.kept }

// Tail is the child's newest log lines, the oldest first.
func (c *Child) Tail() []string { return c.log.tail() }

// launch starts a process and waits until it is ready.
func (c *Child) launch(ctx context.Context) (*run, error) {
	r, err := c.spawn()
	if err != nil {
		return nil, err
	}
	facts, err := r.awaitReady(ctx, c.readyTimeout())
	if err != nil {
		r.kill()
		<-r.done
		return nil, c.explain(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == nil {
		c.first = facts
	}
	c.facts = facts
	return r, nil
}

// spawn starts the process, unless somebody has asked for the end.
func (c *Child) spawn() (*run, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.forbidden() {
		return nil, errStopping
	}
	cmd := exec.Command(c.spec.Path, c.args()...)
	cmd.Env = append(append(os.Environ(), c.spec.Env...), child.Env+"=1")
	cmd.Stdout, cmd.Stderr = c.log, c.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !c.group.sameGroup}
	if c.run == nil {
		cmd.Stdin = c.spec.Stdin
	}
	r, err := start(cmd, c.spec.Hold)
	if err != nil {
		return nil, err
	}
	c.run = r
	return r, nil
}

func (c *Child) args() []string {
	if c.spec.Args == nil {
		return nil
	}
	return c.spec.Args(c.first)
}

func (c *Child) readyTimeout() time.Duration {
	if c.spec.ReadyTimeout > 0 {
		return c.spec.ReadyTimeout
	}
	return readyTimeout
}

// StartError says why a child did not become ready.
type StartError struct {
	Reason error
	Tail   []string // the child's last words
}

func (e *StartError) Error() string {
	if len(e.Tail) == 0 {
		return e.Reason.Error()
	}
	return e.Reason.Error() + ": " + e.Tail[len(e.Tail)-1]
}

// Unwrap gives the reason.
func (e *StartError) Unwrap() error { return e.Reason }

func (c *Child) explain(reason error) error {
	return &StartError{Reason: reason, Tail: c.log.tail()}
}

// keep starts the child again whenever it dies.
func (c *Child) keep(r *run) {
	defer close(c.kept)
	var wait backOff
	for {
		<-r.done
		lived := time.Since(r.started)
		reason := r.exit()
		if c.spec.Once {
			c.lose(reason)
			return
		}
		for c.pause(c.delay(&wait, lived), reason) {
			next, err := c.launch(context.Background())
			if err == nil {
				r = next
				break
			}
			lived, reason = 0, rootReason(err)
		}
		if c.forbidden() {
			<-c.current().done
			return
		}
		c.group.out.line(c.spec.Name + " is back")
	}
}

func (c *Child) delay(wait *backOff, lived time.Duration) time.Duration {
	if c.spec.AtOnce {
		return 0
	}
	return wait.next(lived)
}

// lose says that the child is gone for good, unless that was asked for.
func (c *Child) lose(reason error) {
	if !c.forbidden() {
		c.group.out.line(fmt.Sprintf("%s died (%v)", c.spec.Name, reason))
	}
}

// rootReason leaves the log's tail out: its lines have been printed as they came.
func rootReason(err error) error {
	var s *StartError
	if errors.As(err, &s) {
		return s.Reason
	}
	return err
}

// pause says what happened and waits; false means that the end was asked for.
func (c *Child) pause(d time.Duration, reason error) bool {
	if c.forbidden() {
		return false
	}
	c.group.out.line(fmt.Sprintf("%s died (%v), starting it again in %v", c.spec.Name, reason, d))
	select {
	case <-c.quit:
		return false
	case <-time.After(d):
		return true
	}
}

// forbid keeps the child from being started again. Whoever calls it after a
// spawn finds that process in c.run.
func (c *Child) forbid() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.forbidden() {
		close(c.quit)
	}
}

func (c *Child) forbidden() bool {
	select {
	case <-c.quit:
		return true
	default:
		return false
	}
}

func (c *Child) current() *run {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run
}

func (c *Child) stop(grace time.Duration) {
	if r := c.current(); r != nil {
		r.terminate(grace)
	}
	<-c.kept
}

func (c *Child) kill() {
	if r := c.current(); r != nil {
		r.kill()
	}
}
