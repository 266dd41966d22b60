package harden

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	helperRole = "RAILKIT_TEST_HARDEN_ROLE"
	nobody     = 65534
)

// canary stands for a key in the memory of a target.
var canary = []byte("canary in memory")

// TestMain makes the test binary the processes that the tests look at.
func TestMain(m *testing.M) {
	roles := map[string]func() error{
		"plain target":    func() error { return target(false) },
		"hardened target": func() error { return target(true) },
		"reader":          reader,
		"panicking":       panicking,
		"confined":        confined,
		"muted":           staysMuted,
	}
	role, ok := roles[os.Getenv(helperRole)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := role(); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

// target is a process of an ordinary user with a secret. It says where the
// secret is and what hardening missed, then lives as long as its input.
func target(hardened bool) error {
	if err := becomeNobody(); err != nil {
		return err
	}
	var missing []string
	if hardened {
		missing = Apply()
	}
	dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err != nil {
		return err
	}
	var core unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &core); err != nil {
		return err
	}
	fmt.Printf("%d %d %d %d %03o %q\n", uintptr(unsafe.Pointer(&canary[0])), dumpable, core.Cur, core.Max,
		unix.Umask(0o077), missing)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// becomeNobody leaves root, and undoes what leaving root does to dumpability.
func becomeNobody() error {
	if os.Getuid() != 0 {
		return nil
	}
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
}

// reader is another process of the same user that wants the secret.
func reader() error {
	if err := becomeNobody(); err != nil {
		return err
	}
	var pid int
	var at uint64
	if _, err := fmt.Sscan(os.Getenv("RAILKIT_TEST_TARGET"), &pid, &at); err != nil {
		return err
	}
	fmt.Printf("mem %s, process_vm_readv %s\n", verdict(readMem(pid, at)), verdict(readVM(pid, at)))
	return nil
}

func verdict(got []byte, err error) string {
	if err == nil && bytes.Equal(got, []byte("canary in memory")) {
		return "read"
	}
	if errors.Is(err, os.ErrPermission) {
		return "denied"
	}
	return fmt.Sprintf("unclear (%v)", err)
}

func readMem(pid int, at uint64) ([]byte, error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	got := make([]byte, len(canary))
	_, err = f.ReadAt(got, int64(at))
	return got, err
}

func readVM(pid int, at uint64) ([]byte, error) {
	got := make([]byte, len(canary))
	local := []unix.Iovec{{Base: &got[0], Len: uint64(len(got))}}
	_, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(got)}}, 0)
	return got, err
}

func panicking() error {
	fmt.Printf("%q\n", Apply())
	fmt.Fprintln(os.Stderr, "os.Stderr works")
	deep(canary, 3)
	return nil
}

// staysMuted is a hardened process that has swept all that nobody holds any more.
func staysMuted() error {
	Apply()
	for range 2 {
		swept := make(chan struct{})
		runtime.SetFinalizer(new([64]byte), func(*[64]byte) { close(swept) })
		runtime.GC()
		<-swept // whatever else was found is closed by the same goroutine
	}
	var st unix.Stat_t
	if err := unix.Fstat(2, &st); err != nil {
		return err
	}
	fmt.Printf("%d:%d\n", unix.Major(st.Rdev), unix.Minor(st.Rdev))
	return nil
}

func deep(secret []byte, n int) {
	if n == 0 {
		panic("on purpose")
	}
	deep(secret, n-1)
}

// process is a running target and the line it printed.
type process struct {
	pid      int
	address  uint64
	dumpable int
	core     unix.Rlimit
	umask    string
	missing  string
}

func start(t *testing.T, role string) process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperRole+"="+role, Environment)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	p := process{pid: cmd.Process.Pid}
	if _, err := fmt.Sscan(line, &p.address, &p.dumpable, &p.core.Cur, &p.core.Max, &p.umask); err != nil {
		t.Fatalf("the target says %q", line)
	}
	_, p.missing, _ = strings.Cut(strings.TrimSpace(line), "[")
	return p
}

func read(t *testing.T, from process) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperRole+"=reader",
		fmt.Sprintf("RAILKIT_TEST_TARGET=%d %d", from.pid, from.address))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the reader: %v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// Another process of the same user reads the memory of a plain process and is
// denied that of a hardened one. Both run as nobody where the tests run as root,
// whom nothing is denied.
func TestSigning_K06_MemoryIsClosedToTheSameUser(t *testing.T) {
	t.Parallel()
	if got := read(t, start(t, "hardened target")); got != "mem denied, process_vm_readv denied" {
		t.Errorf("of a hardened process: %s", got)
	}
	if restricted() {
		return // this kernel denies it for every process
	}
	if got := read(t, start(t, "plain target")); got != "mem read, process_vm_readv read" {
		t.Errorf("of a plain process, which should be open: %s", got)
	}
}

// restricted tells of the Yama module, which lets only ancestors read.
func restricted() bool {
	b, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	return err == nil && strings.TrimSpace(string(b)) != "0"
}

func TestSigning_K06_NothingIsDumped(t *testing.T) {
	t.Parallel()
	p := start(t, "hardened target")
	if p.dumpable != 0 {
		t.Errorf("dumpable is %d", p.dumpable)
	}
	if p.umask != "077" {
		t.Errorf("umask is %s", p.umask)
	}
	if p.core != (unix.Rlimit{}) {
		t.Errorf("core limit is %v", p.core)
	}
	if want := missingHere(); p.missing != want {
		t.Errorf("missing: %s, want %s", p.missing, want)
	}
}

// missingHere is what a process started rightly lacks: nothing, but with cgo (as
// the race detector has it) Go cannot set a property of all threads.
func missingHere() string {
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_GETPID, 0, 0, 0); errno == syscall.ENOTSUP {
		return `"it can start programs with more rights: operation not supported"]`
	}
	return "]"
}

func TestNoThreadGetsNewPrivileges(t *testing.T) {
	t.Parallel()
	p := start(t, "hardened target")
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.pid))
	if err != nil || len(tasks) < 2 {
		t.Fatalf("%d threads, %v", len(tasks), err)
	}
	want := "NoNewPrivs:\t1"
	if missingHere() != "]" {
		want = "NoNewPrivs:\t0"
	}
	for _, task := range tasks {
		b, err := os.ReadFile(task)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), want) {
			t.Errorf("%s lacks %q", task, want)
		}
	}
}

func TestSigning_K06_PanicShowsNoStack(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperRole+"=panicking", Environment)
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 2 || !strings.Contains(string(out), "os.Stderr works") {
		t.Fatalf("the helper did not panic: %v %s", err, out)
	}
	for _, part := range []string{"goroutine", "deep(", "panic", "on purpose"} {
		if strings.Contains(string(out), part) {
			t.Errorf("it says %q: %s", part, out)
		}
	}
}

// What the runtime says on its way out must never go into a file or a connection
// that got the number of the standard error.
func TestSigning_K06_ErrorOutputStaysClosed(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperRole+"=muted", Environment)
	out, err := cmd.Output()
	if err != nil || string(out) != "1:3\n" {
		t.Errorf("descriptor 2 is device %q, want /dev/null: %v", out, err)
	}
}

// Started without the variable the process cannot lower the level, and says so.
func TestApplyNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperRole+"=panicking", "GOTRACEBACK=single")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("the helper did not panic: %s", out)
	}
	if !strings.Contains(string(out), "must be started with GOTRACEBACK=none") {
		t.Errorf("it does not say so: %s", out)
	}
}

// lines reads what a helper says, line by line.
type lines struct{ *bufio.Reader }

func newLines(r io.Reader) lines { return lines{bufio.NewReader(r)} }

func (l lines) next() string {
	line, err := l.ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(line)
}
