// Package testbin gives tests the real programs. make builds them first and
// says where they are; a test that runs by itself builds them into bin/test.
package testbin

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
)

// Env names the folder of programs that are up to date already.
const Env = "RAILKIT_TEST_BIN"

// Programs are all that this tree builds.
var Programs = []string{
	"railkit", "railkit-enclave", "railkit-devnet", "railkit-prices", "railkit-partner", "railkit-facilitator",
}

// Dir is the folder that holds the programs.
var Dir = sync.OnceValues(func() (string, error) {
	dir := os.Getenv(Env)
	if dir == "" {
		var err error
		if dir, err = build("test", "./cmd/..."); err != nil {
			return "", err
		}
	}
	// The go command notes what a test looks at below the module and does not
	// reuse an old result once that has changed.
	for _, name := range Programs {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("%s: %w", Env, err)
		}
	}
	return dir, nil
})

// Path is where the program is.
func Path(name string) (string, error) {
	dir, err := Dir()
	return filepath.Join(dir, name), err
}

// crashing are the same programs, built to kill themselves where a test asks for
// it. They are nobody's to use, and so no part of what make builds.
var crashing = sync.OnceValues(func() (string, error) { return build("crash", "./cmd/...", "-tags", "crashpoints") })

// Crashing is where the program is that has crash points.
func Crashing(name string) (string, error) {
	dir, err := crashing()
	return filepath.Join(dir, name), err
}

// Overlaid builds a program with other source files than the tree's, as the file
// overlay says (go help build, -overlay), and says where it is.
func Overlaid(name, overlay string) (string, error) {
	dir, err := build("overlaid", "./cmd/"+name, "-overlay", overlay)
	return filepath.Join(dir, name), err
}

// Root is the folder of this tree, found from the one that the test was started in. The compiler's own
// record of it (runtime.Caller) is empty in a build with -trimpath.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
	return "", fmt.Errorf("looking for the tree: %w", err)
}

func build(folder, programs string, flags ...string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "bin", folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making a folder for the programs: %w", err)
	}
	// Several test programs run at once and must not replace each other's.
	lock, err := os.Create(filepath.Join(dir, ".lock"))
	if err != nil {
		return "", fmt.Errorf("locking the programs: %w", err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("locking the programs: %w", err)
	}
	// Without what a debugger reads a program takes half the time to link.
	flags = append([]string{"build", "-buildvcs=false", "-ldflags=-w", "-o", dir + "/"}, flags...)
	cmd := exec.Command("go", append(flags, programs)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("building the programs: %w", err), errors.New(string(out)))
	}
	return dir, nil
}
