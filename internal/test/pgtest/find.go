package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

var errMissing = errors.New(
	"initdb and postgres are not on this machine: install Debian's package postgresql, or set PG_BIN to their folder",
)

// Program is the path of one of PostgreSQL's own programs, such as pgbench.
func Program(name string) (string, error) {
	folder, err := find()
	return filepath.Join(folder, name), err
}

// find is the folder of PostgreSQL's programs: PG_BIN, else Debian's newest,
// which is not in PATH, else where PATH finds them.
func find() (string, error) {
	if folder := os.Getenv("PG_BIN"); folder != "" {
		if !complete(folder) {
			return "", errors.New("PG_BIN is set, and initdb and postgres are not there")
		}
		return folder, nil
	}
	if folder := newest("/usr/lib/postgresql"); folder != "" {
		return folder, nil
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil && complete(filepath.Dir(path)) {
			return filepath.Dir(path), nil
		}
	}
	return "", errMissing
}

// newest is the bin folder of the highest version below the root.
func newest(root string) string {
	best, folder := 0, ""
	found, _ := filepath.Glob(filepath.Join(root, "*", "bin")) // the pattern is well formed
	for _, bin := range found {
		version, err := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
		if err == nil && version > best && complete(bin) {
			best, folder = version, bin
		}
	}
	return folder
}

func complete(folder string) bool {
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := os.Stat(filepath.Join(folder, program)); err != nil {
			return false
		}
	}
	return true
}
