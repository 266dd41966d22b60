// Package redistest gives tests a real Redis: a private server behind a socket of
// its own, made from the machine's redis-server. Nothing of it outlives the
// process, however that ends.
package redistest

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/test/testwait"
)

// Server is a Redis that a test can end, stop and start again.
type Server struct {
	URL string

	folder   string // short, since a socket's path is cut at 108 bytes
	pid      int    // of redis-server itself
	lifeline io.WriteCloser
	ended    chan struct{}
}

// New starts a server that ends with the test.
func New(tb testing.TB) *Server {
	tb.Helper()
	folder, err := os.MkdirTemp("", "rkredis")
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{URL: "unix://" + filepath.Join(folder, "s"), folder: folder}
	tb.Cleanup(func() {
		s.end()
		if err := os.RemoveAll(folder); err != nil {
			tb.Error(err)
		}
	})
	s.Start(tb)
	return s
}

// watchdog runs the server and ends it once its own input ends: the test process
// holds the other end of that pipe and writes nothing. KILL, since a stopped
// process takes no other signal; nothing of it is worth keeping. HUP is ignored:
// a group that holds a stopped process gets it from the kernel when its parent dies.
const watchdog = `trap '' HUP
"$@" </dev/null >/dev/null 2>&1 & server=$!
echo $server
read -r _
kill -KILL $server
wait $server
rm -rf "$FOLDER"`

// Start starts the server again, without what it knew.
func (s *Server) Start(tb testing.TB) {
	tb.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		tb.Fatal("redis-server is not on this machine: install Debian's package redis-server")
	}
	socket := filepath.Join(s.folder, "s")
	cmd := exec.Command("/bin/sh", "-c", watchdog, "sh", path, "--port", "0", "--unixsocket", socket,
		"--unixsocketperm", "700", "--save", "", "--appendonly", "no", "--dir", s.folder)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "FOLDER=" + s.folder}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err == nil {
		s.lifeline, err = cmd.StdinPipe()
	}
	if err == nil {
		err = os.MkdirAll(s.folder, 0o700) // the watchdog of one that was ended has removed it
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		tb.Fatalf("starting Redis: %v", err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if s.pid, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		tb.Fatalf("starting Redis: %v", err)
	}
	s.ended = make(chan struct{})
	go func() { _ = cmd.Wait(); close(s.ended) }()
	s.await(tb, socket)
}

// await waits until the server answers.
func (s *Server) await(tb testing.TB, socket string) {
	tb.Helper()
	testwait.Until(tb, "Redis answers", func() bool { return ping(socket) == nil })
}

func ping(socket string) error {
	c, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second)) // given up, and asked again
	if _, err := c.Write([]byte("PING\r\n")); err != nil {
		return err
	}
	answer := make([]byte, 7)
	if _, err = io.ReadFull(c, answer); err == nil && string(answer) != "+PONG\r\n" {
		err = errors.New("it answers something else")
	}
	return err
}

// Kill ends the server at once.
func (s *Server) Kill() { s.end() }

func (s *Server) end() {
	if s.lifeline != nil {
		_ = s.lifeline.Close()
		<-s.ended
	}
}

// Pause stops the server where it is: it answers nothing, and its connections stay.
func (s *Server) Pause(tb testing.TB) { s.signal(tb, syscall.SIGSTOP) }

// Resume lets it go on.
func (s *Server) Resume(tb testing.TB) { s.signal(tb, syscall.SIGCONT) }

func (s *Server) signal(tb testing.TB, sig syscall.Signal) {
	tb.Helper()
	if err := syscall.Kill(s.pid, sig); err != nil {
		tb.Fatal(err)
	}
}
