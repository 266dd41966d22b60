package harden

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What the kernel's versions of Landlock can forbid. What an older one lacks
// (truncating, device controls, TCP, signals) the filter of system calls forbids
// in any case; here it is the second lock on the same door.
const (
	accessV1 = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1 // all from EXECUTE to MAKE_SYM
	accessV2 = accessV1 | unix.LANDLOCK_ACCESS_FS_REFER
	accessV3 = accessV2 | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	accessV5 = accessV3 | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	// The journal appends, and makes a file beside an old one and renames it.
	inData = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	inSocket = unix.LANDLOCK_ACCESS_FS_REMOVE_FILE
)

// threadsMaySignal is the kernel's number for a mended fault: before it, threads
// that were confined one by one could not signal each other, which Go does to
// preempt.
const threadsMaySignal = 1 << (2 - 1)

// landlock leaves the folders reachable, and nothing else of the file system.
func landlock(f Folders) error {
	version, err := query(unix.LANDLOCK_CREATE_RULESET_VERSION)
	if err != nil {
		return err
	}
	mended, err := query(unix.LANDLOCK_CREATE_RULESET_ERRATA)
	if err != nil {
		mended = 0 // a kernel that cannot say
	}
	attr := forbidden(version, mended)
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("making the rules: %w", errno)
	}
	defer unix.Close(int(fd))
	err = errors.Join(
		permit(int(fd), f.Data, inData&attr.Access_fs),
		permit(int(fd), f.Socket, inSocket&attr.Access_fs))
	if err != nil {
		return err
	}
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("putting the rules in force: %w", errno)
	}
	return nil
}

// query asks the kernel about its Landlock.
func query(what uintptr) (int, error) {
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, what)
	if errno != 0 {
		return 0, fmt.Errorf("this kernel has no Landlock: %w", errno)
	}
	return int(n), nil
}

// forbidden is all that this kernel can forbid. A kernel refuses what it does
// not know, and takes a struct that is longer than its own where the rest is zero.
func forbidden(version, mended int) unix.LandlockRulesetAttr {
	attr := unix.LandlockRulesetAttr{Access_fs: accessV1}
	switch {
	case version >= 5:
		attr.Access_fs = accessV5
	case version >= 3:
		attr.Access_fs = accessV3
	case version == 2:
		attr.Access_fs = accessV2
	}
	if version >= 4 {
		attr.Access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	if version >= 6 && mended&threadsMaySignal != 0 {
		attr.Scoped |= unix.LANDLOCK_SCOPE_SIGNAL
	}
	return attr
}

// permit excepts a folder.
func permit(rules int, folder string, access uint64) error {
	fd, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening a folder: %w", err)
	}
	defer unix.Close(fd)
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("excepting a folder: %w", errno)
	}
	return nil
}
