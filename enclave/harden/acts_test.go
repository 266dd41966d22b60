package harden

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

func call(nr uintptr, args ...uintptr) error {
	a := make([]uintptr, 6)
	copy(a, args)
	_, _, errno := unix.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno == 0 {
		return nil
	}
	return errno
}

// refusedActs fail with an error, here as a number, on every thread.
var refusedActs = map[string]func(home string) error{
	"socket AF_INET":  func(string) error { return second(unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)) },
	"socket AF_UNIX":  func(string) error { return second(unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)) },
	"socketpair":      func(string) error { return second(unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)) },
	"connect":         func(string) error { return unix.Connect(0, &unix.SockaddrInet4{Port: 9}) },
	"bind":            func(string) error { return unix.Bind(0, &unix.SockaddrInet4{}) },
	"start a program": func(string) error { return root(exec.Command("/bin/true").Run()) },
	"fork":            func(string) error { return fork() },
	"new namespace":   func(string) error { return call(unix.SYS_CLONE, unix.CLONE_THREAD|unix.CLONE_NEWUSER) },
	"signal a parent": func(string) error { return unix.Kill(os.Getppid(), unix.SIGURG) },
	"dumpable again":  func(string) error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) },
	"core again": func(string) error {
		return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1})
	},
	"signal a parent later":   func(string) error { return second(unix.FcntlInt(0, unix.F_SETOWN, os.Getppid())) },
	"take a file from a peer": func(string) error { return call(unix.SYS_RECVMSG) },
	"hand a file to a peer":   func(string) error { return call(unix.SYS_SENDMSG) },
	"open own file to others": func(home string) error { return unix.Chmod(filepath.Join(home, "kept"), 0o666) },
	"open folder to others":   func(home string) error { return unix.Chmod(filepath.Join(home, "data"), 0o777) },
	"become another":          func(string) error { return call(unix.SYS_SETUID, 0) },
	"new code": func(string) error {
		return second(unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON))
	},
	"read outside":    func(string) error { return second(unix.Open("/etc/passwd", unix.O_RDONLY, 0)) },
	"own memory file": func(string) error { return second(unix.Open("/proc/self/mem", unix.O_RDWR, 0)) },
	"list outside":    func(string) error { return root(second(os.ReadDir("/proc"))) },
	"make outside": func(home string) error {
		return second(unix.Open(filepath.Join(home, "x"), unix.O_CREAT|unix.O_RDWR, 0o600))
	},
	"make beside s": func(home string) error {
		return second(unix.Open(filepath.Join(home, "socket", "x"), unix.O_CREAT|unix.O_RDWR, 0o600))
	},
	"remove outside":   func(home string) error { return unix.Unlink(filepath.Join(home, "kept")) },
	"link into folder": func(home string) error { return unix.Symlink("/etc", filepath.Join(home, "data", "etc")) },
	"move out": func(home string) error {
		return unix.Rename(filepath.Join(home, "data", "old"), filepath.Join(home, "socket", "old"))
	},
}

// deadlyActs end the process.
var deadlyActs = map[string]func() error{
	"execve":            func() error { return syscall.Exec("/bin/true", []string{"true"}, nil) },
	"execveat":          func() error { return call(unix.SYS_EXECVEAT) },
	"ptrace":            func() error { return call(unix.SYS_PTRACE, unix.PTRACE_TRACEME) },
	"process_vm_readv":  func() error { return call(unix.SYS_PROCESS_VM_READV, uintptr(os.Getppid())) },
	"bpf":               func() error { return call(unix.SYS_BPF) },
	"io_uring_setup":    func() error { return call(unix.SYS_IO_URING_SETUP, 1) },
	"unshare":           func() error { return call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER) },
	"setns":             func() error { return call(unix.SYS_SETNS) },
	"keyctl":            func() error { return call(unix.SYS_KEYCTL) },
	"mount":             func() error { return call(unix.SYS_MOUNT) },
	"userfaultfd":       func() error { return call(unix.SYS_USERFAULTFD) },
	"perf_event_open":   func() error { return call(unix.SYS_PERF_EVENT_OPEN) },
	"open_by_handle_at": func() error { return call(unix.SYS_OPEN_BY_HANDLE_AT) },
	"init_module":       func() error { return call(unix.SYS_INIT_MODULE) },
	"kexec_load":        func() error { return call(unix.SYS_KEXEC_LOAD) },
	"second call set":   func() error { return call(x32Calls | 39) },
}

func second[T any](_ T, err error) error { return err }

// root is the number under a Go error.
func root(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

// fork makes a process, which ends at once where that succeeds.
func fork() error {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		_, _, _ = unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nil
}
