package supervise

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/testlog"
	"github.com/railkit/railkit/internal/test/testwait"
)

func mustStart(t *testing.T, g *Group, s Spec) *Child {
	t.Helper()
	c, err := g.Start(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestStart_WaitsForReady(t *testing.T) {
	var log testlog.Log
	g := New(&log)
	t.Cleanup(g.Kill)
	c := mustStart(t, g, spec("node", "server"))

	if got := c.Facts().Text("addr"); got != "node" {
		t.Errorf("addr = %q", got)
	}
	if got := c.Facts().Text("env"); got != "" {
		t.Errorf("the child still has the variable: %q", got)
	}
	if got := c.Facts().Text("grandchild"); got != "supervised=false pipe=false" {
		t.Errorf("a grandchild inherits the protocol: %s", got)
	}
	testwait.Until(t, "the child's line in the log", func() bool {
		return strings.Contains(log.String(), "node | listening\n")
	})
	if strings.Contains(log.String(), "twice") {
		t.Error(log.String())
	}
}

func TestStart_Failures(t *testing.T) {
	missing := spec("node", "server")
	missing.Path = filepath.Join(t.TempDir(), "no-such-program")
	slow := spec("node", "silent")
	slow.ReadyTimeout = 50 * time.Millisecond
	slow.Stdin, _ = pipe(t)
	mute := spec("node", "mute")
	mute.Stdin, _ = pipe(t)

	for _, c := range []struct {
		name string
		spec Spec
		want []string
	}{
		{"dies", spec("node", "fails"), []string{"starting node", "exit status 3", "cannot unseal"}},
		{"missing", missing, []string{"starting node", "no such file"}},
		{"slow", slow, []string{"not ready within 50ms"}},
		{"closes the pipe", mute, []string{"without a word"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := New(&testlog.Log{})
			t.Cleanup(g.Kill)
			_, err := g.Start(context.Background(), c.spec)
			if err == nil {
				t.Fatal("it started")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q lacks %q", err, want)
				}
			}
		})
	}
}

func TestStart_TailHoldsEveryLine(t *testing.T) {
	_, err := New(&testlog.Log{}).Start(context.Background(), spec("node", "fails"))
	var start *StartError
	if !errors.As(err, &start) {
		t.Fatalf("%T: %v", err, err)
	}
	if got := strings.Join(start.Tail, "/"); got != "first line/cannot unseal" {
		t.Errorf("tail = %q", got)
	}
}

func TestStart_EndsWithItsContext(t *testing.T) {
	s := spec("node", "silent")
	s.Stdin, _ = pipe(t)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel) // given up: what never comes
	_, err := New(&testlog.Log{}).Start(ctx, s)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func TestRestart_KeepsTheAddress(t *testing.T) {
	var log testlog.Log
	g := New(&log)
	t.Cleanup(g.Kill)
	c := mustStart(t, g, spec("node", "server"))

	for range 2 {
		before := c.PID()
		syscall.Kill(before, syscall.SIGKILL)
		testwait.Until(t, "a new process", func() bool {
			return c.PID() != before && c.Facts().Text("addr") == "node again"
		})
	}
	testwait.Until(t, "both restarts in the log", func() bool {
		return strings.Count(log.String(), "node is back\n") == 2
	})
	if !strings.Contains(log.String(), "node died (signal: killed), starting it again in 100ms\n") {
		t.Error(log.String())
	}
}

func TestOnce_IsNotRestarted(t *testing.T) {
	var log testlog.Log
	g := New(&log)
	t.Cleanup(g.Kill)
	s := spec("node", "server")
	s.Once = true
	c := mustStart(t, g, s)
	syscall.Kill(c.PID(), syscall.SIGKILL)
	<-c.Gone()
	if got := log.String(); !strings.HasSuffix(got, "node died (signal: killed)\n") {
		t.Error(got)
	}
}

// The lock is on the open file, so it outlives this process's own handle.
func TestHold_LockLastsAsLongAsTheChild(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f := mustCreate(t, path)
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	g := New(&testlog.Log{})
	t.Cleanup(g.Kill)
	s := spec("node", "server")
	s.Hold = []*os.File{f}
	mustStart(t, g, s)
	f.Close()

	again := mustCreate(t, path)
	if err := syscall.Flock(int(again.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		t.Error("the lock was free while the child lived")
	}
	g.Kill()
	if err := syscall.Flock(int(again.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Error(err)
	}
}

func mustCreate(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestStop_ReverseOrder(t *testing.T) {
	order := filepath.Join(t.TempDir(), "order")
	g := New(&testlog.Log{})
	for _, name := range []string{"one", "two", "three"} {
		mustStart(t, g, spec(name, "server", order))
	}
	g.Stop(20 * time.Second)

	got, err := os.ReadFile(order)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != "three\ntwo\none\n" {
		t.Errorf("stopped in the order %q", got)
	}
	if _, err := g.Start(context.Background(), spec("late", "server")); !errors.Is(err, errStopping) {
		t.Errorf("a start after the stop: %v", err)
	}
}

func TestStop_KillsAfterGrace(t *testing.T) {
	g := New(&testlog.Log{})
	c := mustStart(t, g, spec("node", "stubborn"))
	g.Stop(50 * time.Millisecond)
	if alive(c.PID()) {
		t.Error("still there")
	}
}

func TestKill_EndsAllAndRestartsNone(t *testing.T) {
	var log testlog.Log
	g := New(&log)
	a, b := mustStart(t, g, spec("a", "server")), mustStart(t, g, spec("b", "stubborn"))
	g.Kill()
	if alive(a.PID()) || alive(b.PID()) {
		t.Error("still there")
	}
	if strings.Contains(log.String(), "starting it again") {
		t.Error(log.String())
	}
}

// A child that is being restarted when the end comes must not slip through.
func TestKill_DuringRestart(t *testing.T) {
	for range 10 {
		g := New(&testlog.Log{})
		c := mustStart(t, g, spec("node", "server"))
		before := c.PID()
		syscall.Kill(before, syscall.SIGKILL)
		testwait.Until(t, "a restart", func() bool { return c.PID() != before })
		g.Kill()
		if alive(c.PID()) {
			t.Fatal("still there")
		}
	}
}

func TestParentKilled_NoChildSurvives(t *testing.T) {
	stdin, hold := pipe(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"=parent")
	cmd.Stdin = stdin
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdin.Close()
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "children are ready\n" {
		t.Fatalf("the parent said %q", line)
	}

	cmd.Process.Kill()
	cmd.Wait()
	// Parent and children share the reading end: once nobody holds it, a write
	// fails. One of the children ignores everything but the end of its grace.
	testwait.Until(t, "the children's end", func() bool {
		hold.SetWriteDeadline(time.Now().Add(time.Millisecond)) // given up: the pipe may be full
		_, err := hold.Write([]byte{0})
		return errors.Is(err, syscall.EPIPE)
	})
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close()
	})
	return r, w
}
