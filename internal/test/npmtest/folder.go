package npmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/railkit/railkit/internal/test/testbin"
)

// Folder is a folder in bin/npm that holds these files, among them package.json and package-lock.json, and the packages
// that the lock names. It is made once for these very contents: an install takes npm ten seconds of a processor. Tests
// read it and write nothing there. Who comes while another process installs does it too, and keeps what was there
// first: a folder has its name only when it is whole.
func Folder(contents map[string][]byte) (string, error) {
	root, err := testbin.Root()
	if err != nil {
		return "", err
	}
	all := filepath.Join(root, "bin", "npm")
	dir := filepath.Join(all, digest(contents))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(all, 0o755); err != nil {
		return "", err
	}
	made, err := os.MkdirTemp(all, "installing-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(made) // what another process was faster with, or what failed
	if err := fill(made, contents); err != nil {
		return "", err
	}
	if err := os.Rename(made, dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			return "", err
		}
	}
	return dir, nil
}

func fill(dir string, contents map[string][]byte) error {
	for name, data := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	npm := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm: %w: %s", err, out)
	}
	return os.Chmod(dir, 0o755) // a temporary folder is its maker's alone
}

// digest names contents: the same files, the same name.
func digest(contents map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		fmt.Fprintf(h, "%s %d\n%s", name, len(contents[name]), contents[name])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
