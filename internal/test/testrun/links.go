package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The go command runs its tools through this program (go help build, -toolexec), so that what it costs to link the
// tests is told apart from what they cost. What is in its cache stays good: a tool says of itself what it said without.

// tool runs a tool. Its exit code is this program's.
func tool(notes string, command []string) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	links := filepath.Base(command[0]) == "link"
	if links { // GOGC=400, with which tests run, costs it more in fresh memory than it saves in collections: a tenth
		cmd.Env = append(os.Environ(), "GOGC=100")
	}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	}
	if err != nil || !links || slices.Contains(command, "-V=full") {
		return err
	}
	file, err := os.OpenFile(notes, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("noting what a linker cost: %w", err)
	}
	_, err = fmt.Fprintf(file, "%.2f\n", childrenCPU().Seconds()) // one write: several linkers run at once
	return errors.Join(err, file.Close())
}

// linkNotes is an empty file for what the linkers of a run cost.
func linkNotes(name string) (string, error) {
	path, err := filepath.Abs(filepath.Join(folder, name+".links"))
	if err == nil {
		err = errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(path, nil, 0o644))
	}
	return path, err
}

// linksIn is how many linkers noted what they cost, and their sum in seconds. What cannot be read fails no test.
func linksIn(notes string) (n int, cpu float64) {
	raw, _ := os.ReadFile(notes)
	for line := range strings.Lines(string(raw)) {
		var seconds float64
		if _, err := fmt.Sscan(line, &seconds); err == nil {
			n, cpu = n+1, cpu+seconds
		}
	}
	return n, cpu
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
