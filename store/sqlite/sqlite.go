// Package sqlite opens the embedded database: two handles on one file, because
// SQLite has one writer at a time and any number of readers beside it.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	readers = 8
	// 8 MiB for each connection: SQLite's own 2 do not hold the indexes of many orders
	cache        = "cache_size(-8192)"
	openPatience = 10 * time.Second // for other processes that open or close the file
)

// DB is an open database.
type DB struct {
	Writer *sql.DB // one connection; every transaction takes the write lock as it begins
	Reader *sql.DB // cannot write
	folder string
}

// Open opens the file and makes it where there is none. Its folder must exist.
func Open(ctx context.Context, path string) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	if err := create(path); err != nil {
		return nil, err
	}
	givePages()
	db := &DB{folder: filepath.Dir(path)}
	if db.Writer, err = sql.Open("sqlite", writerDSN(path)); err != nil {
		return nil, fmt.Errorf("opening the database %s: %w", path, err)
	}
	db.Writer.SetMaxOpenConns(1)
	if db.Reader, err = sql.Open("sqlite", readerDSN(path)); err != nil {
		return nil, fmt.Errorf("opening the database %s: %w", path, errors.Join(err, db.Writer.Close()))
	}
	db.Reader.SetMaxOpenConns(readers)
	db.Reader.SetMaxIdleConns(readers)
	if err := db.meet(ctx); err != nil {
		return nil, fmt.Errorf("opening the database %s: %w", path, errors.Join(err, db.Close()))
	}
	return db, nil
}

// meet connects. The first connection of all turns the file into WAL mode, for
// which SQLite does not wait as long as it was told to where another process
// opens or closes the file in that moment.
func (db *DB) meet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	for {
		err := db.Ping(ctx)
		if !Busy(err) {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// create makes the file readable by its owner only, and finds out whether the
// folder takes the files that SQLite keeps beside it: SQLite itself would only
// say that it is unable to open the database.
func create(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("opening the database: %w", err)
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".railkit-*")
	if err != nil {
		return fmt.Errorf("opening the database: its folder is not writable: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// River binds some instants as local time and compares them as text with UTC:
// the time options make the driver write all of them in UTC.
func writerDSN(path string) string {
	return dsn(path, url.Values{
		"_timezone":     {"UTC"},
		"_time_format":  {"sqlite"},
		"_txlock":       {"immediate"},
		"_journal_mode": {"WAL"},
		"_synchronous":  {"FULL"},
		"_foreign_keys": {"1"},
		"_busy_timeout": {"5000"},
		"_dqs":          {"0"},
		"_pragma":       {cache},
	})
}

func readerDSN(path string) string {
	return dsn(path, url.Values{
		"mode":          {"ro"},
		"_query_only":   {"1"},
		"_busy_timeout": {"5000"},
		"_dqs":          {"0"},
		"_pragma":       {cache},
	})
}

func dsn(path string, options url.Values) string {
	return (&url.URL{Scheme: "file", Path: path, RawQuery: options.Encode()}).String()
}

// Ping reports whether both handles work.
func (db *DB) Ping(ctx context.Context) error {
	return errors.Join(db.Writer.PingContext(ctx), db.Reader.PingContext(ctx))
}

// Close closes both handles.
func (db *DB) Close() error { return errors.Join(db.Reader.Close(), db.Writer.Close()) }

// Lock keeps other processes out of Lock until unlock is called: migrations are
// several transactions, and the lock of one does not cover them all. The kernel
// frees it when the process dies.
func (db *DB) Lock(ctx context.Context) (unlock func() error, err error) {
	folder, err := os.Open(db.folder)
	if err != nil {
		return nil, fmt.Errorf("locking the database: %w", err)
	}
	for {
		err := unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return folder.Close, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, fmt.Errorf("locking the database: %w", errors.Join(err, folder.Close()))
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("locking the database: %w", errors.Join(ctx.Err(), folder.Close()))
		}
	}
}

// Busy reports whether err only says that another process was writing.
func Busy(err error) bool {
	c := code(err)
	return c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED
}

// Away reports whether err says that the disk is full, or does not read or write. Nothing of the transaction is left.
func Away(err error) bool {
	c := code(err)
	return c == sqlite3.SQLITE_FULL || c == sqlite3.SQLITE_IOERR
}

// code is SQLite's primary code, without what kind of it this is; 0 of another error.
func code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}
