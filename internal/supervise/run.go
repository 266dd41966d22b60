package supervise

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// run is one process of a child.
type run struct {
	cmd     *exec.Cmd
	ready   *os.File // we read
	life    *os.File // we hold it open; the child sees its end when we are gone
	started time.Time
	done    chan struct{} // closed when the process is gone and its log is read

	mu     sync.Mutex
	reaped bool
	err    error
}

// start starts cmd with the two pipes of package child, and whatever it is to hold.
func start(cmd *exec.Cmd, hold []*os.File) (*run, error) {
	readyR, readyW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making the ready pipe: %w", err)
	}
	lifeR, lifeW, err := os.Pipe()
	if err != nil {
		readyR.Close()
		readyW.Close()
		return nil, fmt.Errorf("making the lifeline: %w", err)
	}
	cmd.ExtraFiles = append([]*os.File{readyW, lifeR}, hold...) // from file descriptor 3 on
	cmd.WaitDelay = time.Second                                 // for whoever else holds the log pipe open
	err = cmd.Start()
	readyW.Close()
	lifeR.Close()
	if err != nil {
		readyR.Close()
		lifeW.Close()
		return nil, err
	}
	r := &run{cmd: cmd, ready: readyR, life: lifeW, started: time.Now(), done: make(chan struct{})}
	go r.wait()
	return r, nil
}

func (r *run) wait() {
	err := r.cmd.Wait()
	r.mu.Lock()
	r.reaped = true
	r.err = err
	r.mu.Unlock()
	r.life.Close()
	close(r.done)
}

// exit says how the process ended.
func (r *run) exit() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		return errors.New("exit status 0")
	}
	return r.err
}

// mostFacts bounds the ready line.
const mostFacts = 64 << 10

// awaitReady returns the facts of the process, or why there will be none.
func (r *run) awaitReady(ctx context.Context, timeout time.Duration) (Facts, error) {
	defer r.ready.Close()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() { r.ready.SetReadDeadline(time.Now()) })()

	text, err := bufio.NewReader(io.LimitReader(r.ready, mostFacts)).ReadBytes('\n')
	switch {
	case err == nil:
		var facts Facts
		if err := json.Unmarshal(text, &facts); err != nil {
			return nil, fmt.Errorf("reading its ready line: %w", err)
		}
		return facts, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("it was not ready within %v", timeout)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, r.noReady()
}

// noReady tells a process that ended from one that closed the pipe and stayed.
func (r *run) noReady() error {
	select {
	case <-r.done:
		return fmt.Errorf("it ended before it was ready (%w)", r.exit())
	case <-time.After(2 * time.Second):
		return errors.New("it closed its ready pipe without a word")
	}
}

// terminate asks the process to end and, after grace, makes it.
func (r *run) terminate(grace time.Duration) {
	r.signal(syscall.SIGTERM)
	select {
	case <-r.done:
	case <-time.After(grace):
		r.kill()
		<-r.done
	}
}

func (r *run) signal(sig syscall.Signal) {
	r.cmd.Process.Signal(sig) // an error means that it is gone already
}

// kill ends the process and, where it leads a group of its own, all of that.
func (r *run) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reaped {
		return // the number may belong to somebody else by now
	}
	if r.cmd.SysProcAttr.Setpgid {
		syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
		return
	}
	r.signal(syscall.SIGKILL)
}
