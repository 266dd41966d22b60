package sqlite

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLite keeps pages for all connections of the process together in memory that it is given once. Else it allocates and
// frees each page that it reads: a reader forgets its pages with every commit of somebody else, and to give them back
// to the kernel and take them again is most of what a read of a large database costs.
const (
	pages    = 4096
	pageSize = 4096
	header   = 512 // of a page in memory; SQLite needs less
)

// givePages does nothing where a connection was opened before it: that is slower, and not wrong. SQLite writes into
// each of these pages at its start, to make a list of them. The kernel then has to find 9 huge pages of 2 MB, or 4,600
// small ones, which takes a virtual machine up to a tenth of a second.
var givePages = sync.OnceFunc(func() {
	memory, err := unix.Mmap(-1, 0, pages*(pageSize+header), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return
	}
	adviseHuge(memory)
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.NewVaList(uintptr(unsafe.Pointer(&memory[0])), int32(pageSize+header), int32(pages))
	defer libc.Xfree(tls, args)
	if sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_PAGECACHE, args) != sqlite3.SQLITE_OK {
		_ = unix.Munmap(memory) // it is nobody's then
	}
})
