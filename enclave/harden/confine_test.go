package harden

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const (
	helperAct  = "RAILKIT_TEST_HARDEN_ACT"
	helperHome = "RAILKIT_TEST_HARDEN_HOME"
)

// thread is a thread of its own that does what it is told.
type thread chan func()

func newOSThread() thread {
	t := make(thread)
	go func() {
		runtime.LockOSThread()
		for do := range t {
			do()
		}
	}()
	t.do(func() {}) // it is there once it has done something
	return t
}

func (t thread) do(f func()) {
	done := make(chan struct{})
	t <- func() { defer close(done); f() }
	<-done
}

// confined is a process that is shut in and then tries what it must not, on
// threads made before and after.
func confined() error {
	if err := becomeNobody(); err != nil {
		return err
	}
	home := os.Getenv(helperHome)
	before := []thread{newOSThread(), newOSThread()}
	l, err := net.Listen("unix", filepath.Join(home, "socket", "s"))
	if err != nil {
		return err
	}
	fmt.Printf("%q\n",
		append(Apply(), Confine(Folders{Data: filepath.Join(home, "data"), Socket: filepath.Join(home, "socket")})...))
	threads := append(before, newOSThread(), newOSThread())
	name := os.Getenv(helperAct)
	if act, ok := deadlyActs[strings.TrimSuffix(name, " later")]; ok {
		t := threads[0]
		if strings.HasSuffix(name, " later") {
			t = threads[3]
		}
		t.do(func() { fmt.Println("survived:", act()) })
		return nil
	}
	if name == "work" {
		return work(home, l)
	}
	for _, t := range threads {
		t.do(func() { tryRefused(home) })
	}
	return nil
}

func tryRefused(home string) {
	for _, name := range sorted(refusedActs) {
		fmt.Printf("%s: %v\n", name, refusedActs[name](home))
	}
}

func sorted[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// confinedHome has a data folder, a socket folder, and a file beside them, all nobody's.
func confinedHome(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("", "rk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	for _, dir := range []string{"data", "socket"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"kept", "data/old"} {
		if err := os.WriteFile(filepath.Join(home, file), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() == 0 {
		for _, path := range []string{"", "data", "socket", "kept", "data/old"} {
			if err := os.Chown(filepath.Join(home, path), nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
	}
	return home
}

func helperFor(t *testing.T, act string) (*exec.Cmd, string) {
	t.Helper()
	home := confinedHome(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperRole+"=confined", helperAct+"="+act, helperHome+"="+home, Environment)
	return cmd, home
}

// lacksLandlock tells of a build with cgo, where Go sets no property of all threads.
func lacksLandlock() bool { return missingHere() != "]" }

func TestSigning_K06_ConfinedThreadsAreRefused(t *testing.T) {
	t.Parallel()
	cmd, home := helperFor(t, "refused")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(home, "kept")); err != nil && !lacksLandlock() {
		t.Errorf("the file outside: %v", err)
	}
	for _, name := range sorted(refusedActs) {
		if onlyLandlock[name] && lacksLandlock() {
			continue
		}
		refused := 0
		for _, errno := range []error{syscall.EPERM, syscall.EACCES} {
			refused += strings.Count(string(out), name+": "+errno.Error()+"\n")
		}
		if refused != 4 {
			t.Errorf("%s: not refused on all four threads:\n%s", name, out)
		}
	}
}

// onlyLandlock are the acts that the filter of calls lets pass.
var onlyLandlock = map[string]bool{
	"read outside": true, "own memory file": true, "list outside": true, "make outside": true, "make beside s": true,
	"remove outside": true, "move out": true,
}

func TestSigning_K06_DeadlyCallsEndTheProcess(t *testing.T) {
	t.Parallel()
	for _, name := range sorted(deadlyActs) {
		if name == "second call set" && runtime.GOARCH != "amd64" {
			continue
		}
		for _, later := range []string{"", " later"} {
			cmd, _ := helperFor(t, name+later)
			out, err := cmd.CombinedOutput()
			var ended *exec.ExitError
			if !errors.As(err, &ended) {
				t.Fatalf("%s%s: %v: %s", name, later, err, out)
			}
			if status := ended.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGSYS || status.CoreDump() {
				t.Errorf("%s%s: %v: %s", name, later, ended, out)
			}
		}
	}
}

func TestSigning_K06_ConfinedProcessWorks(t *testing.T) {
	t.Parallel()
	cmd, home := helperFor(t, "work")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := newLines(out)
	if missing := lines.next(); missing != "[]" && !lacksLandlock() {
		t.Errorf("not in force: %s", missing)
	}
	if got := lines.next(); got != "listening" {
		t.Fatalf("it says %q", got)
	}
	conn, err := net.Dial("unix", filepath.Join(home, "socket", "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 5)
	if _, err := conn.Read(b); err != nil || string(b) != "hello" {
		t.Errorf("it answers %q, %v", b, err)
	}
	if got := lines.next(); got != "worked" {
		t.Errorf("it says %q", got)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(home, "socket", "s")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// What older kernels can forbid is asked of them, and no more.
func TestForbiddenByVersion(t *testing.T) {
	for _, c := range []struct {
		version, mended int
		want            unix.LandlockRulesetAttr
	}{
		{1, 0, unix.LandlockRulesetAttr{Access_fs: 0x1fff}},
		{2, 0, unix.LandlockRulesetAttr{Access_fs: 0x3fff}},
		{3, 0, unix.LandlockRulesetAttr{Access_fs: 0x7fff}},
		{4, 0, unix.LandlockRulesetAttr{Access_fs: 0x7fff, Access_net: 3}},
		{5, 0, unix.LandlockRulesetAttr{Access_fs: 0xffff, Access_net: 3}},
		{6, 1, unix.LandlockRulesetAttr{Access_fs: 0xffff, Access_net: 3, Scoped: 1}},
		{6, 3, unix.LandlockRulesetAttr{Access_fs: 0xffff, Access_net: 3, Scoped: 3}},
		{9, 3, unix.LandlockRulesetAttr{Access_fs: 0xffff, Access_net: 3, Scoped: 3}},
	} {
		if got := forbidden(c.version, c.mended); got != c.want {
			t.Errorf("version %d, mended %d: %+v, want %+v", c.version, c.mended, got, c.want)
		}
	}
}
