package npmtest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/railkit/railkit/internal/test/testbin"
)

// Install fetches the packages.
func Install(t testing.TB) Packages {
	t.Helper()
	return install(t, ".")
}

// install fetches the packages of a folder here into bin/npm, once: all tests read them there, and none writes. Where
// a file of the folder has changed, they are fetched anew beside the old ones.
func install(t testing.TB, folder string) Packages {
	t.Helper()
	dir, err := fetched(folder)
	if err != nil {
		t.Fatal(err)
	}
	return Packages{dir}
}

func fetched(folder string) (dir string, err error) {
	own, sum, err := filesOf(folder)
	if err != nil {
		return "", err
	}
	root, err := testbin.Root()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(root, "bin", "npm", sum)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	lock, err := os.Create(filepath.Join(dir, ".lock"))
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil { // several test programs run at once
		return "", err
	}
	done := filepath.Join(dir, ".done") // comes last: a fetch that was cut off begins anew
	if _, err := os.Stat(done); err == nil {
		return dir, nil
	}
	for name, data := range own {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return "", err
		}
	}
	npm := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm: %w\n%s", err, out)
	}
	return dir, os.WriteFile(done, nil, 0o600)
}

// filesOf are the files of a folder here, and a name that no other content has.
func filesOf(folder string) (own map[string][]byte, sum string, err error) {
	entries, err := files.ReadDir(folder)
	if err != nil {
		return nil, "", err
	}
	own, hash := map[string][]byte{}, sha256.New()
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := files.ReadFile(path.Join(folder, e.Name()))
		if err != nil {
			return nil, "", err
		}
		own[e.Name()] = data
		fmt.Fprintf(hash, "%s %d %s", e.Name(), len(data), data)
	}
	return own, fmt.Sprintf("%x", hash.Sum(nil)[:8]), nil
}
