// Package harden takes away from a process what could carry its memory
// elsewhere: other processes of its user, core files, panic traces, new programs
// with more rights.
package harden

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"

	"golang.org/x/sys/unix"
)

// Environment is what the process must be started with: the runtime reads it
// before main runs.
const Environment = "GOTRACEBACK=none"

// Apply hardens the process, as the first thing that main does, and names what
// could not be done. It does the rest nevertheless; the caller decides whether
// what is missing is fatal.
func Apply() (missing []string) {
	steps := []struct {
		risk string
		do   func() error
	}{
		{"other processes of this user can read its memory", notDumpable},
		{"a crash can write a core file", noCore},
		{"it can start programs with more rights", noNewPrivileges},
		{"a panic prints stack traces", noTraces},
		{"a crash prints what is in registers and on the stacks", muteRuntime},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", s.risk, err))
		}
	}
	unix.Umask(0o077) // new files are the owner's alone
	return missing
}

// notDumpable also gives /proc/<pid> to root, and forbids ptrace and core files.
func notDumpable() error {
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

func noCore() error {
	return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}

// noNewPrivileges is a property of a thread, and Go has many.
func noNewPrivileges() error {
	_, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// noTraces cannot go below what the environment asked for at the start, and
// without the variable that is the trace of the panicking goroutine.
func noTraces() error {
	debug.SetTraceback("none")
	if level := os.Getenv("GOTRACEBACK"); level != "none" && level != "0" {
		return errors.New("it must be started with " + Environment)
	}
	return nil
}

// muted holds descriptor 2. Swept up, it would be closed, and the next file or
// connection would get its number and with it what the runtime prints.
var muted []*os.File

// muteRuntime leaves the standard error to Go's programs and takes it from Go's
// runtime. The variable above is for panics only: on SIGQUIT, and where the
// runtime ends the process itself, it prints registers and the words of every
// call's arguments whatever the variable says, and a panic's own text may hold
// anything. The price is that a crash says nothing but its exit code.
func muteRuntime() error {
	kept, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return err
	}
	null, err := unix.Open(os.DevNull, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return errors.Join(err, unix.Close(kept))
	}
	defer unix.Close(null)
	if err := unix.Dup3(null, 2, 0); err != nil {
		return errors.Join(err, unix.Close(kept))
	}
	muted = append(muted, os.Stderr)
	os.Stderr = os.NewFile(uintptr(kept), "/dev/stderr")
	return nil
}
