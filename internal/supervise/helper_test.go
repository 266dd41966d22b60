package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/railkit/railkit/internal/child"
)

// The test binary is its own helper: this variable says which part it plays.
const helperEnv = "SUPERVISE_TEST_HELPER"

func TestMain(m *testing.M) {
	parts := map[string]func(){
		"server":   serverHelper,
		"fails":    failsHelper,
		"silent":   silentHelper,
		"mute":     muteHelper,
		"stubborn": stubbornHelper,
		"parent":   parentHelper,
		"probe":    probeHelper,
	}
	if part, ok := parts[os.Getenv(helperEnv)]; ok {
		part()
		return
	}
	os.Exit(m.Run())
}

// serverHelper is a well-behaved child. Its first argument is the address to
// "listen" on, its second a file that it adds its name to as it ends.
func serverHelper() {
	ctx, cancel := child.WatchParent(context.Background())
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	fmt.Fprintln(os.Stderr, "listening")
	facts := map[string]string{"addr": os.Args[1], "env": os.Getenv(child.Env), "grandchild": grandchild()}
	if err := child.Ready(facts); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := child.Ready(facts); err == nil {
		fmt.Fprintln(os.Stderr, "ready could be said twice")
	}
	<-ctx.Done()
	if len(os.Args) > 2 && !errors.Is(context.Cause(ctx), child.ErrParentGone) {
		f, _ := os.OpenFile(os.Args[2], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		fmt.Fprintln(f, os.Args[1])
		f.Close()
	}
}

// grandchild says what a program that a child starts sees of the protocol.
func grandchild() string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"=probe")
	out, _ := cmd.Output()
	return string(out)
}

func probeHelper() {
	var st syscall.Stat_t
	open := syscall.Fstat(child.ReadyFD, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFIFO
	fmt.Printf("supervised=%v pipe=%v", child.Supervised(), open)
}

func failsHelper() {
	fmt.Fprintln(os.Stderr, "first line")
	fmt.Fprint(os.Stderr, "cannot unseal")
	os.Exit(3)
}

func silentHelper() { io.Copy(io.Discard, os.Stdin) }

func muteHelper() {
	syscall.Close(child.ReadyFD)
	silentHelper()
}

// stubbornHelper ignores SIGTERM and the end of its context.
func stubbornHelper() {
	signal.Ignore(syscall.SIGTERM)
	child.WatchParent(context.Background())
	child.Ready(map[string]string{"addr": "stubborn"})
	select {}
}

// parentHelper supervises two children that share its stdin, and waits.
func parentHelper() {
	g := New(io.Discard)
	for _, part := range []string{"server", "stubborn"} {
		s := spec(part, part)
		s.Stdin = os.Stdin
		if _, err := g.Start(context.Background(), s); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	fmt.Println("children are ready")
	select {}
}

func spec(name, part string, args ...string) Spec {
	return Spec{
		Name: name,
		Path: os.Args[0],
		Env:  []string{helperEnv + "=" + part},
		Args: func(prev Facts) []string {
			if prev != nil {
				return append([]string{prev.Text("addr") + " again"}, args...)
			}
			return append([]string{name}, args...)
		},
		ReadyTimeout: time.Minute,
	}
}

// alive reports whether the process exists and has not ended.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
