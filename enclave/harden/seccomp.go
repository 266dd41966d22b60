package harden

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The filter is a list of what is allowed, not of what is forbidden: the kernel
// has several hundred calls and gets new ones every year, of which a signer needs
// a hundred. What is not on the list fails and does not kill, because Go's runtime
// and libraries try newer calls first and know what to do without them; only what
// none of them ever tries by itself, and an intruder does, ends the process.

// Where the kernel puts what the filter looks at (struct seccomp_data).
const (
	offCall = 0
	offArch = 4
	offArgs = 16
)

const (
	x32Calls    = 0x40000000 // numbers of amd64's second set of calls
	newestKnown = 471        // calls made later look like those of an older kernel
)

const (
	allow   = unix.SECCOMP_RET_ALLOW
	kill    = unix.SECCOMP_RET_KILL_PROCESS
	deny    = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// filterCalls puts the filter in force on all threads at once.
func filterCalls() error {
	if auditArch == 0 {
		return errors.New("there is no filter for this processor")
	}
	code := filter(uint32(os.Getpid()))
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// The kernel asks this of the thread that brings the filter, and gives it to the others.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	stray, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	if stray != 0 {
		return fmt.Errorf("thread %d has a filter of its own", stray)
	}
	return nil
}

// filter is the program that the kernel runs before each call of the process.
func filter(pid uint32) []unix.SockFilter {
	p := []unix.SockFilter{
		// Another processor's calls have other numbers.
		load(offArch), jump(unix.BPF_JEQ, auditArch, 1, 0), answer(kill),
		load(offCall), jump(unix.BPF_JGE, x32Calls, 0, 1), answer(kill),
	}
	p = append(p, each(allowed, allow)...)
	p = append(p, each(allowedHere, allow)...)
	p = append(p, each(deadly, kill)...)
	p = append(p, only(unix.SYS_CLONE, newThread()...)...)
	// Its flags are out of sight; the C library has another way.
	p = append(p, only(unix.SYS_CLONE3, answer(unknown))...)
	for _, call := range []uint32{unix.SYS_MMAP, unix.SYS_MPROTECT} {
		p = append(p, only(call, argument(2), jump(unix.BPF_JSET, unix.PROT_EXEC, 0, 1),
			answer(deny), answer(allow))...)
	}
	for _, call := range []uint32{unix.SYS_KILL, unix.SYS_TGKILL} { // Go signals its own threads
		p = append(p, only(call, oneOf(0, pid)...)...)
	}
	// Go names its mappings. All else that prctl does could loosen what Apply did.
	p = append(p, only(unix.SYS_PRCTL, oneOf(0, unix.PR_SET_VMA)...)...)
	// The rest of fcntl could have the kernel send signals to other processes.
	p = append(p, only(unix.SYS_FCNTL,
		oneOf(1, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL)...)...)
	return append(p, jump(unix.BPF_JGT, newestKnown, 0, 1), answer(unknown), answer(deny))
}

// newThread allows threads: no process of its own, no namespace.
func newThread() []unix.SockFilter {
	const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	return []unix.SockFilter{
		argument(0),
		jump(unix.BPF_JSET, namespaces, 1, 0),
		jump(unix.BPF_JSET, unix.CLONE_THREAD, 1, 0),
		answer(deny),
		answer(allow),
	}
}

// oneOf allows the call where its n-th argument is one of the values.
func oneOf(n uint32, values ...uint32) []unix.SockFilter {
	steps := []unix.SockFilter{argument(n)}
	for i, v := range values {
		steps = append(steps, jump(unix.BPF_JEQ, v, uint8(len(values)-i), 0))
	}
	return append(steps, answer(deny), answer(allow))
}

func each(calls []uint32, then uint32) []unix.SockFilter {
	var p []unix.SockFilter
	for _, call := range calls {
		p = append(p, only(call, answer(then))...)
	}
	return p
}

// only runs the steps, which end in an answer, for one call.
func only(call uint32, steps ...unix.SockFilter) []unix.SockFilter {
	return append([]unix.SockFilter{jump(unix.BPF_JEQ, call, 0, uint8(len(steps)))}, steps...)
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// argument loads the lower half of the n-th argument, and the kernel takes no more
// of any that is asked for here; both processors are little-endian.
func argument(n uint32) unix.SockFilter { return load(offArgs + 8*n) }

func jump(test uint16, value uint32, then, otherwise uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: then, Jf: otherwise, K: value}
}

func answer(value uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: value}
}
