package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/railkit/railkit/internal/test/testbin"
	"github.com/railkit/railkit/internal/test/testwait"
)

// Other users of the machine can read a process's arguments, and its own user also the environment: while
// verify-address asks the partner, the key is in neither.
func TestCommand_VerifyAddressHidesTheKey(t *testing.T) {
	const key = "sk-test-abcdefghijkl"
	bin, err := testbin.Dir()
	if err != nil {
		t.Fatal(err)
	}
	var pid atomic.Int64
	seen := make(chan string, 1)
	partner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid.Load()))
		environ, err2 := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid.Load()))
		seen <- fmt.Sprint(r.Header.Get("Api-Key"), "\x00", string(args), string(environ), err, err2)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":[]}`)
	}))
	defer partner.Close()
	cmd := exec.Command(filepath.Join(bin, "railkit"), "verify-address",
		"--partner", partner.URL, "--address", "0x71C7656EC7ab88b098defB751B7401B5f6d8976F")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid.Store(int64(cmd.Process.Pid))
	if _, err := io.WriteString(stdin, key+"\nsecond line\n"); err != nil {
		t.Error(err)
	}
	if err := stdin.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil || strings.Contains(out.String(), key) {
		t.Errorf("%v: %s", err, out.String())
	}
	close(seen) // a partner that was not asked has seen nothing
	sent, rest, _ := strings.Cut(<-seen, "\x00")
	if sent != key || !strings.Contains(rest, "verify-address") || !strings.HasSuffix(rest, "<nil> <nil>") ||
		strings.Contains(rest, key) {
		t.Errorf("sent %q, seen %q", sent, rest)
	}
}

// At a terminal the key is asked for, and what is typed is not echoed.
func TestCommand_VerifyAddressEchoesNothing(t *testing.T) {
	const key, prompt = "sk-test-abcdefghijkl", "API key (it is not shown): "
	bin, err := testbin.Dir()
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan string, 1)
	partner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent <- r.Header.Get("Api-Key")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer partner.Close()
	keyboard, terminal := openTerminal(t)
	cmd := exec.Command(filepath.Join(bin, "railkit"), "verify-address",
		"--partner", partner.URL, "--address", "0x71C7656EC7ab88b098defB751B7401B5f6d8976F")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = terminal.Close()
	var screen strings.Builder
	part := make([]byte, 4096)
	for typed := false; ; {
		n, err := keyboard.Read(part)
		screen.Write(part[:n])
		if !typed && strings.Contains(screen.String(), prompt) {
			typed = true
			testwait.Until(t, "the terminal to echo nothing", func() bool { return !echoes(t, keyboard) })
			if _, err := io.WriteString(keyboard, key+"\n"); err != nil {
				t.Error(err)
			}
		}
		if err != nil { // the terminal's last user is gone
			break
		}
	}
	err = cmd.Wait()
	close(sent) // a partner that was not asked was sent nothing
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 1 || <-sent != key ||
		!strings.Contains(screen.String(), "does not take this API key") ||
		strings.Contains(screen.String(), "sk-test") {
		t.Errorf("%v: %s", err, screen.String())
	}
}

// openTerminal makes a pair of what a person has in hand and what a program reads.
func openTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return keyboard, terminal
}

func echoes(t *testing.T, terminal *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}
