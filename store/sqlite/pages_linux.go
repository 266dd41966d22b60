package sqlite

import "golang.org/x/sys/unix"

// adviseHuge asks for pages of 2 MB. A kernel that has none uses small ones.
func adviseHuge(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
