// Package supervise starts the processes that a command is made of, waits until
// each is ready, starts one again that dies, and leaves none behind. The child's
// side of it is package child.
package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// Spec is one child.
type Spec struct {
	Name string // in log lines
	Path string // of the program
	// Args are the program's arguments. prev is nil at the first start; at a
	// later one it holds the facts of the first, so that a child that chose its
	// own port gets the same one again.
	Args func(prev Facts) []string
	Env  []string // on top of this process's own
	// Stdin is read by the first process only. A child that needs it again after
	// a restart should read a file instead.
	Stdin io.Reader
	// ReadyTimeout is how long a start may take; zero means 60 s.
	ReadyTimeout time.Duration
	// Hold are files that the child keeps open without knowing: a lock on one of
	// them is let go of when the last process is gone that holds it.
	Hold []*os.File
	// Once is for a child whose end must not be hidden by a restart.
	Once bool
	// AtOnce starts the child again without waiting, however often it has died:
	// for those that kill it.
	AtOnce bool
}

// Facts are what a child said when it was ready.
type Facts map[string]any

// Text is the fact of that name, or "" where there is none or it is no text.
func (f Facts) Text(name string) string {
	s, _ := f[name].(string)
	return s
}

// Group is a set of children that start, stop and die together.
type Group struct {
	out       *output
	sameGroup bool

	mu       sync.Mutex
	children []*Child
	stopping bool
}

// Option changes how a group works.
type Option func(*Group)

// ShareProcessGroup leaves the children in the caller's process group, so that
// one signal to that group reaches all of them at the same instant. By default
// each child has a group of its own and a Ctrl-C at the terminal stays away
// from it: the caller stops its children itself, in order.
func ShareProcessGroup() Option { return func(g *Group) { g.sameGroup = true } }

// New makes an empty group. Lines that children write, and what happens to
// them, go to log.
func New(log io.Writer, options ...Option) *Group {
	g := &Group{out: &output{w: log}}
	for _, o := range options {
		o(g)
	}
	return g
}

var errStopping = errors.New("the group is being stopped")

// Start starts a child and returns once it is ready. From then on it is
// restarted whenever it dies, until Stop or Kill. ctx bounds only the start.
func (g *Group) Start(ctx context.Context, spec Spec) (*Child, error) {
	c := newChild(g, spec)
	g.mu.Lock()
	if g.stopping {
		g.mu.Unlock()
		return nil, errStopping
	}
	g.children = append(g.children, c)
	g.mu.Unlock()

	r, err := c.launch(ctx)
	if err != nil {
		close(c.kept)
		g.forget(c)
		return nil, fmt.Errorf("starting %s: %w", spec.Name, err)
	}
	go c.keep(r)
	return c, nil
}

func (g *Group) forget(c *Child) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.children = slices.DeleteFunc(g.children, func(have *Child) bool { return have == c })
}

// Stop ends the children in reverse order of their start: SIGTERM, and SIGKILL
// for one that is still there after grace. It returns when all are gone.
func (g *Group) Stop(grace time.Duration) {
	children := g.close()
	for _, c := range children {
		c.forbid()
	}
	slices.Reverse(children)
	for _, c := range children {
		c.stop(grace)
	}
}

// Kill ends all children at once with SIGKILL and returns when they are gone.
func (g *Group) Kill() {
	children := g.close()
	for _, c := range children {
		c.forbid()
	}
	for _, c := range children {
		c.kill()
	}
	for _, c := range children {
		<-c.kept
	}
}

// close refuses further starts and lists the children.
func (g *Group) close() []*Child {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopping = true
	return slices.Clone(g.children)
}

// Tail is the newest log lines of every child, in the order they were started.
func (g *Group) Tail() []string {
	g.mu.Lock()
	children := slices.Clone(g.children)
	g.mu.Unlock()
	var lines []string
	for _, c := range children {
		for _, l := range c.Tail() {
			lines = append(lines, c.spec.Name+" | "+l)
		}
	}
	return lines
}
