package harden

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// allowedHere are calls under the names that arm64 has for them.
var allowedHere = []uint32{unix.SYS_FSTATAT, unix.SYS_RENAMEAT}
