package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/railkit/railkit/internal/test/testbin"
)

// initialize makes a cluster. What initdb makes is kept in bin/postgres for every process and run that comes: it takes
// a second and a half of a processor, a copy of its files a tenth of that.
func initialize(programs, folder string, who *syscall.Credential) error {
	data := filepath.Join(folder, "data")
	kept, err := keptAt(programs, who)
	if err != nil {
		return err
	}
	if _, err := os.Stat(kept); err == nil {
		return duplicate(kept, data)
	}
	cmd := command(folder, who, filepath.Join(programs, "initdb"), "--no-sync", "--auth=trust", "--username="+superuser,
		"--encoding=UTF8", "--locale=C", "--pgdata="+data)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return keep(data, kept)
}

// keptAt is the folder of the clusters of a version, which belong to the user that the server runs as.
func keptAt(programs string, who *syscall.Credential) (string, error) {
	version, err := exec.Command(filepath.Join(programs, "postgres"), "--version").Output()
	if err != nil {
		return "", fmt.Errorf("postgres --version: %w", err)
	}
	root, err := testbin.Root()
	if err != nil {
		return "", err
	}
	owner := os.Geteuid()
	if who != nil {
		owner = int(who.Uid)
	}
	name := strings.Join(append(strings.Fields(string(version)), fmt.Sprint(owner)), "_")
	return filepath.Join(root, "bin", "postgres", strings.ReplaceAll(name, "/", "_")), nil
}

// keep copies a cluster that never ran. Several processes may do so at once: a folder has its name only when it is
// whole, and who comes second keeps what was there first.
func keep(data, kept string) error {
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return fmt.Errorf("keeping the cluster: %w", err)
	}
	made, err := os.MkdirTemp(filepath.Dir(kept), "copying-")
	if err != nil {
		return fmt.Errorf("keeping the cluster: %w", err)
	}
	defer os.RemoveAll(made)
	whole := filepath.Join(made, "data")
	if err := duplicate(data, whole); err != nil {
		return err
	}
	if err := os.Rename(whole, kept); err != nil {
		if _, there := os.Stat(kept); there != nil {
			return fmt.Errorf("keeping the cluster: %w", err)
		}
	}
	return nil
}

// duplicate copies a folder with its owners, since the server reads only what is its own.
func duplicate(from, to string) error {
	if out, err := exec.Command("cp", "-R", "-p", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("copying the cluster: %w: %s", err, out)
	}
	return nil
}
