package harden

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// allowedHere are calls that only amd64 has: older forms of allowed ones.
var allowedHere = []uint32{
	unix.SYS_EPOLL_WAIT, unix.SYS_NEWFSTATAT, unix.SYS_POLL, unix.SYS_TIME, unix.SYS_RENAMEAT, unix.SYS_OPEN,
	unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_RENAME, unix.SYS_UNLINK, unix.SYS_READLINK, unix.SYS_ACCESS,
}
