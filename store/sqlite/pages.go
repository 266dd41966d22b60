package sqlite

import (
	"sync"

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

// givePages does nothing where a connection was opened before it: that is slower, and not wrong.
var givePages = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	defer tls.Close()
	memory := libc.Xmalloc(tls, pages*(pageSize+header))
	if memory == 0 {
		return
	}
	args := libc.NewVaList(memory, int32(pageSize+header), int32(pages))
	defer libc.Xfree(tls, args)
	if sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_PAGECACHE, args) != sqlite3.SQLITE_OK {
		libc.Xfree(tls, memory)
	}
})
